// Tables with sentences in their cells: on a narrow screen, workbook.css shows each row as a block, with the heads of the columns in
// front of the cells. Tables of numbers stay tables. Long names may break where a word in them begins, and short ones don't break.
(() => {
    const SENTENCE = 22; // characters that make a column too narrow beside others on a phone
    const LONG = 32; // characters that fit on a line of a phone
    const NUMBER = /^[\d.\u2026]/; // a cell that says nothing without its head
    // Behind a sign, and between a small and a capital letter.
    const WORD = /(?<=[(,./:&])(?=[A-Za-z_]{2,})|(?<=[A-Za-z0-9]_)(?=[A-Za-z]{2,})|(?<=[a-z0-9])(?=[A-Z][a-z])/;

    // A browser breaks a line after each hyphen, also in an option.
    function whole(part) {
        if (!part.includes("-") || part.length > LONG) return part;
        const made = document.createElement("span");
        made.className = "wb-word";
        made.textContent = part;
        return made;
    }

    function breakable(code) {
        for (const node of [...code.childNodes]) {
            if (node.nodeType !== Node.TEXT_NODE) continue;
            const parts = node.data.split(/(?<= )|(?= )/).flatMap((word) => word.split(WORD).map((part, i) => [i > 0, part]));
            node.replaceWith(...parts.flatMap(([mayBreak, part]) => (mayBreak ? [document.createElement("wbr"), whole(part)] : [whole(part)])));
        }
    }

    document.querySelectorAll("main :is(td, th, p, li, dt, dd, a, strong, em, figcaption) > code").forEach(breakable);

    for (const table of document.querySelectorAll("main .table-wrapper > table")) {
        const cells = [...table.querySelectorAll("tbody td")];
        if (!cells.some((cell) => cell.textContent.length > SENTENCE)) continue;
        table.classList.add("wb-stack");
        const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
        for (const cell of cells) {
            const head = heads[cell.cellIndex];
            if (head && (cell.cellIndex > 0 || NUMBER.test(cell.textContent.trim()))) cell.dataset.label = head;
        }
    }
})();
