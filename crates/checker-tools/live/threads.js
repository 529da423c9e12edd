// The steps of one thread, or of its whole warp: the line, the variables, the arrays with what was just read or written, the
// lanes that take part, and who waits at a barrier.
import { blockMap } from "./block-map.js";
import { WIDTH, box, figure, folded, scale, slider, word } from "./drawing.js";
import { button, element } from "./element.js";
import { lanes } from "./indices.js";

const CELL = WIDTH / 32;
// Elements beside each other in the picture of an array, and arrays that are drawn at most.
const PER_ROW = 8;
const MOST_ARRAYS = 4;
const ELEMENT_HEIGHT = 30;
const VERBS = { read: "reads", write: "writes", atomic: "updates" };
const ENDS = {
    left: "The thread has left the kernel.",
    fault: "The thread's last access is a mistake, so what a GPU would do next is undefined.",
    waiting: "The thread waits when the launch ends.",
    running: "The thread is still running when the launch ends.",
    "not-started": "The thread has not started: the launch ended before its block's turn.",
};

// What is known of each array after a number of rows: the last value and the last index.
export function replay(rows, until) {
    const arrays = new Map();
    for (const row of rows.slice(0, until + 1)) {
        for (const { array, index, value } of row.own?.accesses ?? []) {
            if (array === null || index === null) continue;
            const known = arrays.get(array) ?? { values: new Map(), last: index };
            if (value !== null) known.values.set(index, value);
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

function arrayDrawing(view, number, known, row, isWarp) {
    const { name, space, elements } = view.arrays[number];
    const now = row.own?.accesses.filter((access) => access.array === number) ?? [];
    const others = isWarp ? row.touched.filter((one) => one.array === number).flatMap(({ cells }) => cells.map(([, index]) => index)) : [];
    const centre = now.at(-1)?.index ?? (others.length > 0 ? Math.min(...others) : known?.last ?? 0);
    const rows = isWarp ? 4 : 2;
    const most = elements === null ? Infinity : elements;
    const first = Math.max(Math.min(Math.floor(centre / PER_ROW) * PER_ROW, most - rows * PER_ROW), Math.min(centre, 0));
    const width = WIDTH / PER_ROW;
    const shapes = [];
    for (let i = 0; i < rows * PER_ROW; ++i) {
        const at = first + i;
        const isOutside = at < 0 || at >= most;
        const own = now.find(({ index }) => index === at);
        if (isOutside && !own) continue;
        const [x, y] = [(i % PER_ROW) * width, Math.floor(i / PER_ROW) * ELEMENT_HEIGHT];
        const kind = own ? (own.wrong || isOutside ? "clash" : own.action === "read" ? "g0" : "g1") : others.includes(at) ? "g2" : "data";
        shapes.push(word("small middle", x + width / 2, y + 10, String(at)), box(kind, x + 1, y + 13, width - 2, 15));
        const value = known?.values.get(at);
        if (value !== undefined) shapes.push(word("small middle", x + width / 2, y + 24, short(value)));
    }
    const does = now.map(({ action, element: one, value }) => `${VERBS[action]} ${one}${value === null ? "" : ` = ${value}`}`).join(", ");
    const size = elements === null ? "" : ` of ${elements} elements`;
    const caption = element("span", {}, element("code", {}, name), ` (${space}${size})`, does ? `: ${does}` : "");
    return figure(`${name}: ${does || "not accessed in this step"}`, caption, rows * ELEMENT_HEIGHT + 2, shapes);
}

function laneDrawing(view, row) {
    const kind = (lane) => {
        if (lane >= view.threads.length) return "nothing";
        if (!((row.lanes >>> lane) & 1)) return (row.live >>> lane) & 1 ? "spare" : "nothing";
        return lane === view.lane ? "picked" : "g0";
    };
    const cells = Array.from({ length: 32 }, (_, lane) => box(kind(lane), lane * CELL + 0.5, 14, CELL - 1, 12));
    const active = lanes(row.lanes).length;
    const text = `${active} of ${lanes(row.live).length} lanes execute this step`;
    return figure(text, text, 30, [...scale(11, CELL), ...cells]);
}

function barrierDrawing(view, row) {
    const { arrived, threads, warps } = row.barrier;
    const waiting = new Map(warps);
    const height = 9;
    const head = 48;
    const width = (WIDTH - head) / 32;
    const shapes = [];
    for (let warp = 0; warp < Math.ceil(threads / 32); ++warp) {
        if (threads <= 256 || warp % 4 === 0) shapes.push(word("small", 0, warp * height + 8, `warp ${warp}`));
        for (let lane = 0; lane < Math.min(32, threads - 32 * warp); ++lane) {
            const arrives = warp === view.warp && (row.lanes >>> lane) & 1;
            const waits = ((waiting.get(warp) ?? 0) >>> lane) & 1;
            shapes.push(box(arrives ? "g0" : waits ? "g1" : "spare", head + lane * width, warp * height + 1, width - 1, height - 1));
        }
    }
    const text = `Barrier: ${arrived} of ${threads} threads have arrived, and ${arrived === threads ? "all can go on" : "they wait for the others"}.`;
    return figure(text, text, Math.ceil(threads / 32) * height + 4, shapes);
}

function variables(own) {
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

function source(view, row) {
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

function says(view, row, position, all) {
    const does = row.own?.accesses.map(({ action, element: one, value, old }) => {
        const what = value === null ? "" : action === "write" ? ` = ${value}` : action === "read" ? `, which is ${value}` : ` with ${value}`;
        return `${VERBS[action]} ${one}${what}${old === null ? "" : `, and finds ${old}`}`;
    });
    const set = row.own?.variables.filter(([, , isNew]) => isNew).map(([name, value]) => `${name} = ${value}`);
    const parts = [...(does ?? []), ...(set ?? [])];
    const who = row.own ? "" : " The chosen thread doesn't take part.";
    const left = row.own?.left ? " The thread exits." : "";
    return `Step ${position + 1} of ${all}, line ${row.line}${parts.length > 0 ? `: ${parts.join("; ")}` : ""}.${left}${who}`;
}

export class Threads {
    // `choose(block, thread)` shows another thread, and `steps()` resolves to the steps as an article of the server's.
    constructor(choose, steps) {
        Object.assign(this, { choose, steps, mode: "thread" });
        this.element = element("div", { class: "wb-threads" });
    }

    show(view, { toFinding = false, focus = null, line = 0 } = {}) {
        this.view = view;
        const kind = (position) => (Math.floor(position / 32) === view.warp ? "g0" : "data");
        const map = blockMap(view, kind, this.choose);
        this.place = element("div", { class: "wb-step" });
        this.status = element("p", { class: "wb-says", role: "status" });
        this.back = button("Back", () => this.move(-1));
        this.forward = button("Forward", () => this.move(1));
        const { finding } = view;
        const atFinding = finding && finding.row !== null;
        const jump = finding && button("Go to the mistake", () => (atFinding ? this.toRow(finding.row) : this.choose(finding.block, finding.thread, "finding")));
        const modes = ["thread", "warp"].map((mode) => {
            const input = element("input", { type: "radio", name: "wb-mode", value: mode, checked: mode === this.mode });
            input.addEventListener("change", () => this.setMode(mode));
            input.addEventListener("keydown", (event) => event.stopPropagation());
            return element("label", {}, input, mode === "thread" ? " Steps of this thread" : " Steps of its whole warp");
        });
        this.bar = element("div", { class: "wb-choices" });
        this.element.replaceChildren(
            map,
            element("fieldset", { class: "wb-modes" }, element("legend", { class: "wb-hidden" }, "Steps"), ...modes),
            this.bar,
            this.status,
            this.place,
            view.note ? element("p", { class: "wb-small" }, view.note) : "",
            view.incomplete ? element("p", { class: "wb-small" }, "The warp makes more steps than this page shows.") : "",
            folded("The steps as text", () => this.text()),
        );
        this.buttons = [this.back, this.forward, ...(jump ? [jump] : [])];
        this.setMode(this.mode);
        const onLine = view.rows.findLastIndex((row) => row.own && row.line === line);
        if (toFinding && atFinding) this.toRow(finding.row);
        else if (onLine >= 0) this.toRow(onLine);
        if (focus) this.element.querySelector(`[data-map="${focus}"] > [tabindex]`)?.focus();
    }

    // The steps of the mode, as numbers of rows.
    setMode(mode) {
        const row = this.mode === mode ? 0 : (this.rows?.[this.at] ?? 0);
        this.mode = mode;
        const numbered = this.view.rows.map((_, i) => i);
        this.rows = mode === "warp" ? numbered : numbered.filter((i) => this.view.rows[i].own);
        if (this.rows.length === 0) {
            this.bar.replaceChildren(...this.buttons.slice(2));
            this.status.textContent = ENDS[this.view.end];
            return;
        }
        this.slider = slider("Step", this.rows.length - 1, 0, (at) => {
            this.at = at;
            this.draw();
            return `${at + 1} of ${this.rows.length}`;
        });
        this.bar.replaceChildren(...this.buttons, this.slider.element);
        this.toRow(row);
    }

    // Shows the step at a row, or the last one before it.
    toRow(row) {
        const at = this.rows.findLastIndex((one) => one <= row);
        this.move(Math.max(at, 0) - (this.at ?? 0), Math.max(at, 0));
    }

    move(by, to = this.at + by) {
        this.slider.input.value = String(Math.min(Math.max(to, 0), this.rows.length - 1));
        this.slider.show();
    }

    draw() {
        const { view, at, rows } = this;
        const number = rows[at];
        const row = view.rows[number];
        const known = replay(view.rows, number);
        const isWarp = this.mode === "warp";
        const current = new Set([...(row.own?.accesses.map(({ array }) => array) ?? []), ...(isWarp ? row.touched.map(({ array }) => array) : [])]);
        const order = [...new Set([...current, ...known.keys()])].filter((array) => array !== null).slice(0, MOST_ARRAYS);
        order.sort((a, b) => a - b);
        this.back.setAttribute("aria-disabled", String(at === 0));
        this.forward.setAttribute("aria-disabled", String(at === rows.length - 1));
        const isLast = at === rows.length - 1 && !view.incomplete;
        this.status.textContent = says(view, row, at, rows.length) + (isLast && !row.own?.left ? ` ${ENDS[view.end]}` : "");
        this.place.replaceChildren(
            source(view, row),
            variables(row.own ?? view.rows.slice(0, number).findLast(({ own }) => own)?.own),
            element("div", { class: "wb-drawings" }, laneDrawing(view, row), ...(row.barrier ? [barrierDrawing(view, row)] : []), ...order.map((array) => arrayDrawing(view, array, known.get(array), row, isWarp))),
        );
        this.place.querySelector(".is-here")?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    }

    text() {
        const made = element("div", { class: "wb-article" }, "Loading");
        this.steps().then(({ value, problem }) => {
            if (problem) made.textContent = problem;
            // The server escapes every text of the learner's in the article.
            else made.innerHTML = value.article;
        });
        return made;
    }
}
