// What each line costs, beside the source. A line that accesses memory can be opened, and shows what a warp does there.
import { button, element, sentence } from "./element.js";

const HEADS = {
    sectors: ["Sectors", "32-byte sectors of global memory that a request moves, and in brackets what contiguous data would need"],
    turns: ["Wavefronts", "wavefronts that a request to shared memory takes, and in brackets the least number"],
    split: ["Split", "share of the branches that split their warp"],
};

function number(value) {
    return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}

// A number with a bar that is as long as what the line loses. The bar says nothing that the number lacks.
function cell(measure, counted, isRemarked = true) {
    if (!counted) return element("td", {});
    const { value, ideal, heat } = counted;
    const isSplit = measure === "split";
    const text = isSplit ? `${Math.round(100 * value)} %` : number(value);
    const best = isSplit || value - ideal < 0.05 ? null : element("span", { class: "wb-ideal" }, ` (${number(ideal)})`);
    const bar = element("span", { class: "wb-heat", "aria-hidden": "true" });
    bar.style.width = `${Math.round(100 * heat)}%`;
    // A guard splits the last warp, which is fine, so a split stands out only where a remark is about its line.
    const level = isSplit && !isRemarked ? "" : heat >= 0.25 ? "is-hot" : heat >= 0.02 ? "is-warm" : "";
    return element("td", { class: `wb-measure ${level}` }, bar, element("span", {}, text), best);
}

function percent(share) {
    return share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;
}

function row(view, one, opened) {
    const cells = one.cells ?? view.measures.map(() => null);
    const name = one.accesses && opened
        ? button(String(one.line), () => opened(one.line), { "aria-label": `Line ${one.line}: show a warp`, "data-line": one.line })
        : String(one.line);
    return element(
        "tr",
        { class: one.executed ? "" : "is-idle" },
        element("th", { scope: "row" }, name),
        element("td", { class: "wb-right" }, one.executed ? percent(one.share) : ""),
        element("td", { class: "wb-right" }, one.requests > 0 ? String(one.requests) : ""),
        ...view.measures.map((measure, i) => cell(measure, cells[i], view.remarks.some(({ line }) => line === one.line))),
        element("td", { class: "wb-source" }, element("code", {}, one.text)),
    );
}

function total(view) {
    const { instructions, requests, cells } = view.total;
    return element(
        "tr",
        { class: "wb-total" },
        element("th", { scope: "row" }, "All"),
        element("td", { class: "wb-right" }, `${instructions} instructions`),
        element("td", { class: "wb-right" }, String(requests)),
        ...view.measures.map((measure, i) => cell(measure, cells[i])),
        element("td", {}),
    );
}

function remark({ line, slug, text }, opened) {
    const here = () => (opened ? button(`Line ${line}`, () => opened(line)) : element("b", {}, `Line ${line}`));
    const place = line === null ? element("b", {}, "Other code") : here();
    return element("li", {}, place, " ", ...sentence(text), slug ? ` (${slug})` : null);
}

// `opened(line)` shows the warp on a line; without it, lines can't be opened.
export function lines(view, opened = null) {
    if (view.rows.length === 0) return element("p", {}, "There is nothing to count here: no line of this file runs on the device.");
    const heads = [["Line"], ["Instructions"], ["Requests"], ...view.measures.map((name) => HEADS[name]), ["Source"]];
    const common = "Instructions: share of all instructions that warps execute. Requests: loads and stores of whole warps.";
    const legend = view.measures.map((name) => `${HEADS[name][0]}: ${HEADS[name][1]}.`);
    const isOpened = opened && view.rows.some((one) => one.accesses);
    const about = view.case && `${view.case[0].toUpperCase()}${view.case.slice(1)}${view.wrong ? `: ${view.wrong}` : ""}.`;
    return element(
        "div",
        { class: "wb-lines" },
        about ? element("p", {}, ...sentence(about)) : null,
        view.remarks.length > 0 ? element("ul", { class: "wb-remarks" }, ...view.remarks.map((one) => remark(one, opened))) : null,
        element("p", { class: "wb-small" }, [common, ...legend].join(" "), isOpened ? " Choose the number of a line to see a warp there." : ""),
        element(
            "div",
            { class: "wb-scroll", tabindex: "0", role: "group", "aria-label": "Costs of each line" },
            element(
                "table",
                { class: "wb-heat-table" },
                element("thead", {}, element("tr", {}, ...heads.map(([head]) => element("th", { scope: "col" }, head)))),
                element("tbody", {}, ...view.rows.map((one) => row(view, one, opened))),
                element("tfoot", {}, total(view)),
            ),
        ),
        view.skipped > 0 ? element("p", {}, `${view.skipped} more lines are not shown.`) : null,
        element("ul", { class: "wb-small" }, ...view.notes.map((note) => element("li", {}, ...sentence(note)))),
    );
}
