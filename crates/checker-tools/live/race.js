// The two accesses of a race side by side. Time runs downwards, and between them is what would put them in an order.
import { button, element, sentence } from "./element.js";
import { shown } from "./indices.js";

const MISSING = {
    "block-barrier": ["no __syncthreads() here", "Without a barrier, either access may come first."],
    "warp-barrier": ["no __syncwarp() or __syncthreads() here", "Even the threads of one warp have no order without a barrier."],
    "between-blocks": ["no barrier reaches both blocks", "Blocks run in any order, and a barrier only waits for threads of its own block."],
    atomic: ["no atomic operation", "Each thread reads, computes and writes in three steps, and another thread may come in between."],
    "own-element": ["nothing orders the two stores", "Both threads write one element, and the value of the later one stays."],
    "copy-wait": ["no wait for the copy here", "An asynchronous copy runs on its own until the thread waits for it."],
};

function side(access, number, follow) {
    return element(
        "div",
        { class: `wb-access wb-access-${number}` },
        element("p", {}, element("b", {}, `(${number}) ${access.name}`)),
        element("p", {}, `${access.action} `, element("code", {}, access.element)),
        access.line > 0
            ? element("p", { class: "wb-line-text" }, `Line ${access.line} `, element("code", {}, access.text))
            : null,
        button("Follow this thread", () => follow(access.block, access.thread, access.line), {
            "aria-label": `Follow this thread, ${access.name}`,
        }),
    );
}

// `follow(block, thread, line)` shows the steps of a thread.
export function race(view, follow) {
    const [label, why] = MISSING[view.missing];
    const [first, second] = view.accesses;
    return element(
        "div",
        { class: "wb-race" },
        element("p", {}, ...sentence(`${view.title[0]?.toUpperCase() ?? ""}${view.title.slice(1)}.`)),
        element(
            "div",
            { class: "wb-lanes" },
            side(first, 1, follow),
            element("div", { class: "wb-missing" }, element("span", {}, label)),
            side(second, 2, follow),
        ),
        element("p", {}, why),
    );
}
