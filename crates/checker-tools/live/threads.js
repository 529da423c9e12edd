// The steps of one thread, or of its whole warp: the line, the variables, the arrays with what was just read or written, the
// lanes that take part, and who waits at a barrier.
import { blockMap } from "./block-map.js";
import { folded, slider } from "./drawing.js";
import { button, element, sentence } from "./element.js";
import { arrayDrawing, replay } from "./memory.js";
import { barrierDrawing, laneDrawing } from "./step-drawings.js";
import { ENDS, says, source, variables } from "./step-text.js";

// Arrays that are drawn at most.
const MOST_ARRAYS = 4;
// A page may have several groups of buttons for the mode.
let groups = 0;

export class Threads {
    // `choose(block, thread)` shows another thread, and `steps()` resolves to the steps as an article of the server's.
    constructor(choose, steps) {
        Object.assign(this, { choose, steps, mode: "thread", group: `wb-mode-${++groups}` });
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
            const input = element("input", { type: "radio", name: this.group, value: mode, checked: mode === this.mode });
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
            element("p", { class: "wb-small" }, "In the arrays, blue elements are read in this step, and orange ones are written. With the steps of the whole warp, green elements are accessed by its other threads. A red element is a mistake. An element is empty if this thread hasn't accessed it yet."),
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
        this.number = element("input", { type: "number", min: "1", max: String(this.rows.length) });
        this.number.addEventListener("change", () => this.move(0, Math.round(Number(this.number.value) || 1) - 1));
        // mdBook turns pages with the arrow keys.
        this.number.addEventListener("keydown", (event) => event.stopPropagation());
        this.bar.replaceChildren(...this.buttons, this.slider.element, element("label", { class: "wb-go-to" }, "Go to step ", this.number));
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
        // The arrays of this step come first.
        const order = [...new Set([...current, ...known.keys()])].filter((array) => array !== null).slice(0, MOST_ARRAYS);
        this.number.value = String(at + 1);
        this.back.setAttribute("aria-disabled", String(at === 0));
        this.forward.setAttribute("aria-disabled", String(at === rows.length - 1));
        const isLast = at === rows.length - 1 && !view.incomplete;
        this.status.replaceChildren(...sentence(says(row, at, rows.length) + (isLast && !row.own?.left ? ` ${ENDS[view.end]}` : "")));
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
