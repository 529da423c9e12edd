// The lines of two texts side by side in time: what was removed, what was added, and what is in both.
import { element } from "./element.js";

// [{kind, text}] with the kinds "same", "removed" and "added", in order.
export function diff(from, to) {
    const [a, b] = [from.split("\n"), to.split("\n")];
    // longest[i][j] is the number of common lines of a from i and of b from j.
    const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; --i) {
        for (let j = b.length - 1; j >= 0; --j) {
            longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
        }
    }
    const rows = [];
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
        if (i < a.length && j < b.length && a[i] === b[j]) {
            rows.push({ kind: "same", text: a[i] });
            [i, j] = [i + 1, j + 1];
        } else if (j === b.length || (i < a.length && longest[i + 1][j] >= longest[i][j + 1])) {
            rows.push({ kind: "removed", text: a[i++] });
        } else {
            rows.push({ kind: "added", text: b[j++] });
        }
    }
    return rows;
}

const SIGNS = { same: [" ", ""], removed: ["-", "only in yours: "], added: ["+", "only in the solution: "] };

// The rows as a block of code. A sign and a word say what a colour says.
export function drawn(rows) {
    const lines = rows.map(({ kind, text }) => {
        const [sign, word] = SIGNS[kind];
        const marks = [element("span", { "aria-hidden": "true" }, `${sign} `), word && element("span", { class: "wb-hidden" }, word)];
        return element("span", { class: `wb-diff-line is-${kind}` }, ...marks.filter(Boolean), `${text}\n`);
    });
    return element("pre", { class: "wb-diff", tabindex: "0", role: "group", "aria-label": "Your code and the solution" }, element("code", {}, ...lines));
}
