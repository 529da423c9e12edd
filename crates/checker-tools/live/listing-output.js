// What a run of a listing shows: what the program prints, reports, and, in a profile, what its lines and launches cost.
import { table } from "./drawing.js";
import { element, sentence } from "./element.js";
import { lines } from "./lines.js";
import { report } from "./report.js";
import { timeline } from "./timeline.js";

const ROOT = new URL("../../", import.meta.url);

function printed({ printed: text, printed_dropped: dropped }, name) {
    if (!text) return null;
    const label = `What ${name} prints`;
    const more = dropped > 0 ? element("p", {}, `It printed ${dropped} more bytes, which are not shown.`) : null;
    return element("div", {}, element("pre", { class: "wb-printed", tabindex: "0", role: "group", "aria-label": label }, text), more);
}

function reported({ article, slug }, isMarked, line) {
    const link = element("a", { href: new URL(`diagnostics/${slug}.html`, ROOT).href }, `What ${slug} means`);
    return element("div", {}, report(article, { line }, isMarked ? "is-marked" : ""), element("p", { class: "wb-explanation" }, link));
}

function launches({ rows: [heads, ...rows], legend, skipped }) {
    const more = skipped > 0 ? element("p", {}, `${skipped} more rows are not shown.`) : null;
    return element("div", { class: "wb-launches" }, table("Launches", heads, rows), more, element("p", { class: "wb-small" }, `${legend}.`));
}

// The parts of an answer, in order. `line(number)` shows a line of the program, `isMarked` says whether an editor shows the marks,
// and `others` are the names of changed parts that the page doesn't show here.
export function parts(answer, { name, isMarked, others, line }) {
    const notes = answer.notes.map((note) => element("li", {}, ...sentence(note)));
    const names = others.map((other) => `\`${other}\``).join(", ");
    return [
        printed(answer, name),
        ...answer.reports.map((one) => reported(one, isMarked && one.inside, line)),
        notes.length > 0 ? element("ul", {}, ...notes) : null,
        // A change elsewhere in the file takes part in this run.
        others.length > 0 ? element("p", { class: "wb-small" }, ...sentence(`With your change of ${names}.`)) : null,
        answer.timeline ? timeline(answer.timeline) : null,
        answer.launches ? launches(answer.launches) : null,
        answer.lines ? lines(answer.lines) : null,
    ].filter(Boolean);
}
