// Tables with sentences in their cells: on a narrow screen, workbook.css shows each row as a block, with the heads of the columns in
// front of the cells. Tables of numbers stay tables.
(() => {
    const SENTENCE = 22; // characters that make a column too narrow beside others on a phone

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
