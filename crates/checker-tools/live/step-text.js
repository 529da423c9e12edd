// One step in words: the line, the variables, and what the thread does.
import { element } from "./element.js";

export const VERBS = { read: "reads", write: "writes", atomic: "updates" };
export const ENDS = {
    left: "The thread has exited.",
    fault: "The thread's last access is a mistake, so what a GPU would do next is undefined.",
    waiting: "The thread waits when the launch ends.",
    running: "The thread is still running when the launch ends.",
    "not-started": "The thread has not started: the launch ended before its block's turn.",
};

export function variables(own) {
    if (!own || own.variables.length === 0) return element("p", {}, "No variable has a value yet.");
    const rows = own.variables.map(([name, value, isNew]) =>
        element(
            "tr",
            { class: isNew ? "is-new" : "" },
            element("th", { scope: "row" }, element("code", {}, name)),
            element("td", {}, value, isNew ? element("span", { class: "wb-should" }, " new") : null),
        ),
    );
    return element("table", { class: "wb-variables" }, element("caption", {}, "Variables"), element("tbody", {}, ...rows));
}

export function source(view, row) {
    const lines = Object.entries(view.source).map(([number, text]) => {
        const isHere = Number(number) === row.line;
        return element(
            "li",
            { class: isHere ? "is-here" : "", "aria-current": isHere ? "step" : null },
            element("span", { class: "wb-step-number" }, number),
            element("code", {}, text === "" ? " " : text),
        );
    });
    return element("ol", { class: "wb-steps-source", tabindex: "0", "aria-label": "Lines that the warp executes" }, ...lines);
}

// The mistakes that the step makes stand for themselves.
export function says(row, position, all) {
    const facts = row.own?.facts ?? [];
    const parts = facts.filter(([, isWrong]) => !isWrong).map(([text]) => text);
    const mistakes = facts.filter(([, isWrong]) => isWrong).map(([text]) => ` Mistake: ${text}.`);
    const other = row.own ? "" : " The chosen thread doesn't take part.";
    return `Step ${position + 1} of ${all}, line ${row.line}${parts.length > 0 ? `: ${parts.join("; ")}` : ""}.${mistakes.join("")}${other}`;
}
