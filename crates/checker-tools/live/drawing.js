// Drawings in the style of the book's figures: 360 units wide, in the colours of its style sheet.
import { element } from "./element.js";

const SVG = "http://www.w3.org/2000/svg";
export const WIDTH = 360;

export function shape(name, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

export function box(kind, x, y, width, height, attributes = {}) {
    return shape("rect", { class: kind, x, y, width, height, rx: 1.5, ...attributes });
}

export function word(kind, x, y, text) {
    return shape("text", { class: kind, x, y }, text);
}

export function line(kind, x1, y1, x2, y2) {
    return shape("line", { class: kind, x1, y1, x2, y2 });
}

// A drawing with a caption above. The label is what a screen reader says. The element <wb-steps> has the colours of the figures.
export function figure(label, caption, height, shapes) {
    const drawn = shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label }, ...shapes);
    return element("wb-steps", { class: "wb-drawing" }, element("figure", {}, element("figcaption", {}, caption), drawn));
}

// Numbers above a row of lanes or banks, whose cells are `width` units wide.
export function scale(y, width, step = 4) {
    const numbers = Array.from({ length: 32 / step }, (_, i) => i * step);
    return numbers.map((number) => word("small middle", (number + 0.5) * width, y, String(number)));
}

// A range input with its name and what its position means. mdBook turns pages with the arrow keys, so these stay here.
export function slider(name, most, value, moved) {
    const input = element("input", { type: "range", min: "0", max: String(most), value: String(value) });
    const output = element("output", {});
    const show = () => (output.textContent = moved(Number(input.value)) ?? "");
    input.addEventListener("input", show);
    const made = element("label", { class: "wb-slider" }, element("span", {}, name), input, output);
    return { element: made, input, show };
}

// A table that scrolls where it is wider than the screen.
export function table(caption, heads, rows) {
    const cell = (content, i) => element(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, content);
    return element(
        "div",
        { class: "wb-scroll", tabindex: "0", role: "group", "aria-label": caption },
        element(
            "table",
            {},
            element("caption", {}, caption),
            element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
            element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell)))),
        ),
    );
}

// A part that is folded until the reader opens it; `make` gives its contents then.
export function folded(title, make) {
    const made = element("details", {}, element("summary", {}, title));
    made.addEventListener("toggle", () => made.open && made.childElementCount === 1 && made.append(make()));
    return made;
}
