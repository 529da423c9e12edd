// Tables with sentences in their cells: on a narrow screen, workbook.css shows each row as a block, with the heads of the columns in
// front of the cells. Tables of numbers stay tables. In tables and paragraphs, long names may break where a word in them begins.
(() => {
    const SENTENCE = 22; // characters that make a column too narrow beside others on a phone
    const LONG = 12; // characters of a name that is broken if it must be
    // Behind a sign, and between a small and a capital letter.
    const WORD = /(?<=[_(,./:&])(?=[A-Za-z_]{2,})|(?<=[a-z0-9])(?=[A-Z][a-z])/;

    function breakable(code) {
        for (const node of [...code.childNodes]) {
            if (node.nodeType !== Node.TEXT_NODE || node.data.length < LONG) continue;
            const parts = node.data.split(WORD);
            node.replaceWith(...parts.flatMap((part, i) => (i === 0 ? [part] : [document.createElement("wbr"), part])));
        }
    }

    document.querySelectorAll("main :is(td, th, p) > code").forEach(breakable);

    for (const table of document.querySelectorAll("main .table-wrapper > table")) {
        const cells = [...table.querySelectorAll("tbody td")];
        if (!cells.some((cell) => cell.textContent.length > SENTENCE)) continue;
        table.classList.add("wb-stack");
        const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
        for (const cell of cells) {
            const head = heads[cell.cellIndex];
            if (head && cell.cellIndex > 0) cell.dataset.label = head;
        }
    }
})();
