// What a page shows about a verdict beside the report: a table of the cases, and one of the gates with bars.
import { element } from "./element.js";

const RESULTS = { true: ["\u2713", "passed", "is-right"], false: ["\u2717", "failed", "is-wrong"], null: ["", "not run", ""] };

function result(passed) {
    const [mark, word, kind] = RESULTS[passed];
    return element("td", { class: kind }, element("span", { "aria-hidden": "true" }, mark), ` ${word}`);
}

function table(caption, heads, rows) {
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
    return element(
        "div",
        { class: "wb-scroll", tabindex: "0", role: "group", "aria-label": caption },
        element("table", {}, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...rows)),
    );
}

export function cases(verdict) {
    const passed = verdict.cases.filter((one) => one.passed).length;
    const caption = `Cases: ${passed} of ${verdict.cases.length} passed`;
    const rows = verdict.cases.map((one) =>
        element(
            "tr",
            {},
            element("th", { scope: "row" }, one.name),
            element("td", {}, one.sizes),
            result(one.passed),
            element("td", { class: "wb-right" }, one.passed === null ? "" : `${one.millis} ms`),
        ),
    );
    return verdict.cases.length > 0 ? table(caption, ["Case", "Sizes", "Result", "Time"], rows) : null;
}

// A bar as long as the measured number, with a line at the number that is required. A bar says nothing that the row lacks.
function bar({ value, target, holds }) {
    const most = Math.max(value ?? 0, target) || 1;
    const [fill, line] = [element("span", { class: "wb-fill" }), element("span", { class: "wb-target" })];
    fill.style.width = `${(100 * (value ?? 0)) / most}%`;
    line.style.left = `${(100 * target) / most}%`;
    return element("div", { class: `wb-meter ${holds ? "is-right" : "is-wrong"}`, "aria-hidden": "true" }, fill, line);
}

export function gates(verdict) {
    if (verdict.gates.length === 0) return null;
    const hasStart = verdict.gates.some(({ start }) => start !== null);
    const rows = verdict.gates.map((gate) =>
        element(
            "tr",
            {},
            element("th", { scope: "row" }, gate.metric),
            hasStart ? element("td", { class: "wb-right" }, gate.start ?? "") : null,
            element("td", { class: "wb-right" }, gate.measured ?? "not measured"),
            element("td", {}, gate.required),
            element("td", {}, bar(gate)),
            result(gate.holds),
        ),
    );
    const heads = ["Count", ...(hasStart ? ["At the start"] : []), "Yours", "Required", "", "Result"];
    return table(`Counts in the case \u201c${verdict.gates[0].case}\u201d`, heads, rows);
}
