// What a thread has read and written so far: the arrays that it accesses, with the elements around its last access.
import { WIDTH, box, figure, word } from "./drawing.js";
import { element } from "./element.js";
import { VERBS } from "./step-text.js";

// Elements beside each other in the picture of an array.
const PER_ROW = 8;
const ELEMENT_HEIGHT = 30;

// What is known of each array after a number of rows: the last value and the last index.
export function replay(rows, until) {
    const arrays = new Map();
    for (const row of rows.slice(0, until + 1)) {
        for (const { array, index, value } of row.own?.accesses ?? []) {
            if (array === null || index === null) continue;
            const known = arrays.get(array) ?? { values: new Map(), last: index };
            if (value !== null) known.values.set(index, value);
            else known.values.delete(index);
            known.last = index;
            arrays.set(array, known);
        }
    }
    return arrays;
}

// A number with at most six characters.
export function short(value) {
    if (value.length <= 6) return value;
    const number = Number(value);
    return Number.isFinite(number) ? String(Number(number.toPrecision(4))).slice(0, 7) : value.slice(0, 6);
}

// An array of `view`, by its number, with what is `known` of it and what the step `row` accesses.
export function arrayDrawing(view, number, known, row, isWarp) {
    const { name, space, elements } = view.arrays[number];
    const now = row.own?.accesses.filter((access) => access.array === number) ?? [];
    const others = isWarp ? row.touched.filter((one) => one.array === number).flatMap(({ cells }) => cells.map(([, index]) => index)) : [];
    const centre = now.at(-1)?.index ?? (others.length > 0 ? Math.min(...others) : known?.last ?? 0);
    const rows = isWarp ? 4 : 2;
    // An access outside is drawn, too, with the array's end if that is near.
    const most = elements === null ? Infinity : Math.max(elements, centre + 1);
    const last = Math.ceil(most / PER_ROW) * PER_ROW;
    const first = Math.max(Math.min(Math.floor(centre / PER_ROW) * PER_ROW, last - rows * PER_ROW), Math.min(centre, 0));
    const width = WIDTH / PER_ROW;
    const shapes = [];
    for (let i = 0; i < rows * PER_ROW; ++i) {
        const at = first + i;
        const isOutside = at < 0 || (elements !== null && at >= elements);
        const own = now.find(({ index }) => index === at);
        if (isOutside && !own) continue;
        const [x, y] = [(i % PER_ROW) * width, Math.floor(i / PER_ROW) * ELEMENT_HEIGHT];
        const kind = own ? (own.wrong || isOutside ? "clash" : own.action === "read" ? "g0" : "g1") : others.includes(at) ? "g2" : "data";
        shapes.push(word("small middle", x + width / 2, y + 10, String(at)), box(kind, x + 1, y + 13, width - 2, 15));
        const value = known?.values.get(at);
        if (value !== undefined) shapes.push(word("small middle", x + width / 2, y + 24, short(value)));
    }
    const does = now.map(({ action, element: one, value }) => `${VERBS[action]} ${one}${value === null ? "" : ` = ${value}`}`).join(", ");
    const size = elements === null ? "" : ` of ${elements} ${elements === 1 ? "element" : "elements"}`;
    const caption = element("span", {}, element("code", {}, name), ` (${space}${size})`, does ? `: ${does}` : "");
    return figure(`${name}: ${does || "not accessed in this step"}`, caption, rows * ELEMENT_HEIGHT + 2, shapes);
}
