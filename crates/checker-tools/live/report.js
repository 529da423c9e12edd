// A report of the server's on a page: its buttons move the editor, show a hint, or show the steps of a thread.
import { element } from "./element.js";

// `actions` has `line(number)`, and may have `hint()` and `trace(command)`. The server escapes every text of the learner's in
// the report.
export function report(article, actions, kind = "") {
    const made = element("div", { class: `wb-article ${kind}`.trim() });
    made.innerHTML = article;
    made.addEventListener("click", ({ target }) => {
        const { line, action, trace } = target.closest?.("button")?.dataset ?? {};
        if (line) actions.line(Number(line));
        else if (action === "hint") actions.hint?.();
        else if (trace) actions.trace?.(trace);
    });
    return made;
}

// The place that a reader should look at first: the primary one, or else the first.
export function firstPlace(spans) {
    return spans.find(({ primary }) => primary) ?? spans[0] ?? null;
}
