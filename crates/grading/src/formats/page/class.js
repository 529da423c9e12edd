// Sorts and filters the table of students. Without it the table is whole, in the order of the records.
(() => {
    const table = document.getElementById("students");
    if (!table) return;
    document.documentElement.classList.add("live");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const value = (row, column) => {
        const cell = row.cells[column];
        return cell.dataset.v === undefined ? cell.textContent : cell.dataset.v;
    };
    const compare = (a, b) => {
        const [x, y] = [parseFloat(a), parseFloat(b)];
        if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
        return a.localeCompare(b);
    };
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
        const button = head.querySelector("button");
        if (!button) return;
        button.addEventListener("click", () => {
            const up = head.getAttribute("aria-sort") !== "ascending";
            heads.forEach((other) => other.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", up ? "ascending" : "descending");
            rows.sort((a, b) => (up ? 1 : -1) * compare(value(a, column), value(b, column)));
            body.append(...rows);
        });
    });
    const text = document.getElementById("find");
    const kind = document.getElementById("only");
    const shown = document.getElementById("shown");
    const filter = () => {
        const wanted = text.value.trim().toLowerCase();
        let count = 0;
        for (const row of rows) {
            const fits = row.cells[0].textContent.toLowerCase().includes(wanted)
                && (!kind.value || row.dataset.k.split(" ").includes(kind.value));
            row.hidden = !fits;
            count += fits ? 1 : 0;
        }
        shown.textContent = `${count} of ${rows.length} students`;
    };
    text.addEventListener("input", filter);
    kind.addEventListener("change", filter);
    filter();
})();
