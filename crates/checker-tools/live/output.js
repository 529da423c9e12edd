// The outputs beside the right ones: pictures of what has rows and columns, and numbers around the first wrong element.
import { button, element, sentence } from "./element.js";
import { shown } from "./indices.js";

const SIDE = 288;
// A pixel of the picture that nothing has written.
const UNTOUCHED = 256;

// `colour(i)` gives red, green and blue of pixel i.
function canvas(picture, name, label, colour) {
    const { width, height } = picture;
    const made = element("canvas", { width: String(width), height: String(height), role: "img", "aria-label": label });
    const context = made.getContext("2d");
    const image = context.createImageData(width, height);
    for (let i = 0; i < width * height; ++i) image.data.set([...colour(i), 255], 4 * i);
    context.putImageData(image, 0, 0);
    made.style.aspectRatio = `${width} / ${height}`;
    made.style.maxWidth = `${Math.min(SIDE, (SIDE * width) / height)}px`;
    return element("figure", {}, made, element("figcaption", {}, name));
}

function grey(shades) {
    return (i) => (shades[i] === UNTOUCHED ? [200, 40, 40].map((part, c) => ((i >> 1) & 1 ? part : [90, 20, 20][c])) : [shades[i], shades[i], shades[i]]);
}

function pictures(array) {
    const { picture } = array;
    const wrong = picture.wrong.filter(Boolean).length;
    const all = picture.width * picture.height;
    const sampled = picture.step > 1 ? ` Each pixel stands for ${picture.step} x ${picture.step} elements.` : "";
    const round = (value) => Number(value.toPrecision(4));
    const range = `Black is ${round(picture.low)}, and white is ${round(picture.high)}.${sampled}`;
    const difference = `Difference: ${wrong} of ${all} pixels are wrong`;
    return element(
        "div",
        {},
        element(
            "div",
            { class: "wb-pictures" },
            canvas(picture, "Yours", `Picture of your ${array.name}`, grey(picture.yours)),
            canvas(picture, "Expected", `Picture of the right ${array.name}`, grey(picture.expected)),
            canvas(picture, `Wrong: ${wrong} of ${all} pixels`, difference, (i) => (picture.wrong[i] ? [214, 48, 38] : [225, 228, 232])),
        ),
        element("p", { class: "wb-small" }, range),
    );
}

function cell(array, i) {
    const { yours, expected, wrong } = array.window;
    const own = yours[i] ?? "not written";
    if (!wrong[i]) return element("td", {}, own);
    const right = expected[i] === null ? null : element("span", { class: "wb-should" }, `not ${expected[i]}`);
    return element("td", { class: "is-wrong" }, element("span", { "aria-hidden": "true" }, "\u2717 "), own, right && element("br"), right);
}

function numbers(array) {
    const { row, column, columns, yours } = array.window;
    const rows = Math.ceil(yours.length / Math.max(columns, 1));
    const isFlat = array.shape.length !== 2;
    const heads = Array.from({ length: columns }, (_, i) => element("th", { scope: "col" }, String(column + i)));
    const body = Array.from({ length: rows }, (_, r) =>
        element(
            "tr",
            {},
            element("th", { scope: "row" }, isFlat ? array.name : String(row + r)),
            ...Array.from({ length: columns }, (_, c) => cell(array, r * columns + c)),
        ),
    );
    const caption = isFlat ? `Elements of ${array.name} by their index` : `Elements of ${array.name} by row and column`;
    return element(
        "div",
        { class: "wb-scroll", tabindex: "0", role: "group", "aria-label": caption },
        element(
            "table",
            { class: "wb-numbers" },
            element("caption", {}, caption),
            element("thead", {}, element("tr", {}, element("th", { scope: "col" }, isFlat ? "Index" : "Row"), ...heads)),
            element("tbody", {}, ...body),
        ),
    );
}

// A sentence about the first wrong element, and the thread that wrote it.
function first(array, follow) {
    const { first } = array;
    if (!first) return null;
    const right = first.expected === null ? "" : `, and ${first.expected} is right`;
    const text =
        first.yours === null
            ? `The first wrong element is ${first.element}: nothing has written it${right}.`
            : `The first wrong element is ${first.element}: yours is ${first.yours}${right}.`;
    const { writer } = first;
    if (!writer) return element("p", {}, text);
    const where = writer.line > 0 ? ` on line ${writer.line}` : "";
    const who = `thread ${shown(writer.thread)} of block ${shown(writer.block)}`;
    return element("p", {}, `${text} It was written${where} by ${who}. `, button("Follow this thread", () => follow(writer.block, writer.thread, writer.line)));
}

// How many elements are wrong, and how many of these have no value because nothing has written them.
export function result({ wrong, untouched, total }) {
    const are = (count) => (count === 1 ? "is" : "are");
    if (wrong === 0) return "All elements are right.";
    const some = `${wrong} of ${total} elements ${are(wrong)} wrong`;
    if (untouched === 0) return `${some}.`;
    if (untouched < wrong) return `${some}, and ${untouched} of them ${are(untouched)} not written.`;
    return `${some}, because ${wrong === 1 ? "it is not" : "none of them is"} written.`;
}

// `follow(block, thread, line)` shows the steps of a thread. `problem` is what is wrong with the case besides its outputs.
export function output(view, follow, problem = null) {
    if (view.arrays.length === 0) return element("p", {}, "The case has returned no output.");
    const parts = view.arrays.map((array) => {
        const shape = array.shape.length > 0 ? array.shape.map((length) => `[${length}]`).join("") : "";
        return element(
            "section",
            { class: "wb-output" },
            element("h4", {}, element("code", {}, `${array.element} ${array.name}${shape}`)),
            element("p", {}, result(array)),
            first(array, follow),
            array.picture && pictures(array),
            numbers(array),
        );
    });
    const isRight = view.arrays.every(({ wrong }) => wrong === 0);
    const about = problem && isRight ? element("p", {}, ...sentence(`The outputs are right, but the run isn't: ${problem}.`)) : null;
    return element("div", {}, about, ...parts);
}
