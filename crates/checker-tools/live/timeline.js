// When each copy and kernel of a program runs: a row for each stream, and a pattern for each engine.
import { WIDTH, box, figure, folded, line, table, word } from "./drawing.js";
import { element } from "./element.js";

const SHORT = { "to-device": "to the device", device: "kernel", "to-host": "to the host" };
const KINDS = { "to-device": "g0", device: "g2", "to-host": "g1" };
const NAMES = { "to-device": "copy to the device", device: "kernel", "to-host": "copy to the host" };
const LEFT = 56;
const ROW = 24;
const HEAD = 36;

function stream(number) {
    return number === 0 ? "default" : `stream ${number}`;
}

// A round distance between the marks of the axis.
export function step(end) {
    const rough = Math.max(end, 1e-3) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((part) => part * power).find((part) => part >= rough);
}

export function timeline(view) {
    if (view.work.length === 0) return element("p", {}, "The program copies nothing and launches no kernel.");
    const scale = (WIDTH - LEFT - 6) / view.end;
    const bottom = HEAD + view.streams.length * ROW;
    const shapes = [];
    for (const [i, engine] of Object.keys(KINDS).entries()) {
        shapes.push(box(KINDS[engine], i * 122, 2, 12, 10), word("small", i * 122 + 16, 11, SHORT[engine]));
    }
    const distance = step(view.end);
    for (let at = 0; at <= view.end + 1e-9; at += distance) {
        const x = LEFT + at * scale;
        shapes.push(line("reach", x, HEAD - 4, x, bottom), word("small middle", x, HEAD - 8, String(Number(at.toPrecision(6)))));
    }
    view.streams.forEach((number, i) => shapes.push(word("small", 0, HEAD + i * ROW + 15, stream(number))));
    for (const work of view.work) {
        const y = HEAD + view.streams.indexOf(work.stream) * ROW;
        const width = Math.max((work.end - work.start) * scale, 1);
        shapes.push(box(KINDS[work.engine], LEFT + work.start * scale, y + 4, width, ROW - 8));
    }
    const pieces = view.work.length + view.skipped;
    // One piece of work can't overlap with another one.
    const shared = view.overlap === null || pieces === 1 ? null : Math.round(100 * view.overlap);
    const overlap = shared === null ? "" : ` At least two engines work at the same time for ${shared} % of the time in which any engine works.`;
    const streams = `${view.streams.length} ${view.streams.length === 1 ? "stream" : "streams"}`;
    const count = pieces === 1 ? `1 piece of work in ${streams} ends` : `${pieces} pieces of work in ${streams} end`;
    const caption = `${count} after ${view.end.toFixed(1)} microseconds on the simulated clock.${overlap}`;
    const rows = view.work.map((work) => [
        stream(work.stream),
        NAMES[work.engine],
        work.what,
        work.start.toFixed(1),
        work.end.toFixed(1),
    ]);
    const more = view.skipped > 0 ? element("p", {}, `The last ${view.skipped} pieces of work are not drawn.`) : null;
    const heads = ["Stream", "Engine", "Work", "Begin (\u00b5s)", "End (\u00b5s)"];
    return element(
        "div",
        {},
        figure(caption, caption, bottom + 4, shapes),
        more,
        folded("The work as a table", () => table("Work on the device", heads, rows)),
    );
}
