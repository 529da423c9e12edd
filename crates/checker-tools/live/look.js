// "See your own run": what the simulator recorded of one case, as views on tabs.
import { button, element, sentence } from "./element.js";
import { chosen, index, shown } from "./indices.js";
import { lines } from "./lines.js";
import { output } from "./output.js";
import { race } from "./race.js";
import { report } from "./report.js";
import { Tabs } from "./tabs.js";
import { Threads } from "./threads.js";
import { timeline } from "./timeline.js";
import { warp } from "./warp.js";

const VIEWS = [
    ["lines", "Lines"],
    ["threads", "Threads"],
    ["race", "Race"],
    ["output", "Output"],
    ["timeline", "Timeline"],
];
const ABOUT_RACES = ["shared-race", "global-race"];
const ABOUT_VALUES = ["wrong-values", "not-a-number", "output-not-written"];

// The view that shows more of what a report is about, with the words of a button that opens it.
function best(slug) {
    if (ABOUT_RACES.includes(slug)) return ["race", "Show both accesses"];
    if (ABOUT_VALUES.includes(slug)) return ["output", "Show your output"];
    return ["lines", null];
}

export class Look {
    // `server` answers `look(body)` with {value} or {problem}; `showLine(number)` moves the editor.
    constructor(server, showLine) {
        Object.assign(this, { server, showLine, launch: null, verdict: null, version: null, seen: new Map() });
        this.cases = element("select");
        this.block = element("input", { value: "0", inputmode: "numeric", size: "6" });
        this.thread = element("input", { value: "0", inputmode: "numeric", size: "6" });
        this.number = element("input", { inputmode: "numeric", size: "6" });
        for (const input of [this.cases, this.block, this.thread]) input.addEventListener("change", () => this.refresh());
        this.number.addEventListener("change", () => {
            this.launch = this.number.value.trim() || null;
            this.refresh();
        });
        this.tabs = new Tabs("Views of your run", VIEWS, () => this.refresh());
        this.tabs.setShown("race", false);
        this.threads = new Threads(
            (block, thread, from) => this.follow(block, thread, from),
            () => this.server.look(this.body("steps")),
        );
        const label = (text, input) => element("label", {}, `${text} `, input);
        this.which = element("label", { hidden: true });
        this.old = element(
            "p",
            { class: "wb-old", hidden: true },
            "This is about an earlier text. ",
            button("Show your present run", () => this.refresh(true)),
        );
        this.note = element("p", { class: "wb-note", role: "status" });
        this.element = element(
            "details",
            { class: "wb-look" },
            element("summary", {}, "See your own run"),
            element("p", { class: "wb-where" }, label("Case", this.cases), this.which, label("Block", this.block), label("Thread", this.thread)),
            this.note,
            this.old,
            this.tabs.element,
        );
        this.element.addEventListener("toggle", () => this.element.open && this.refresh());
    }

    say(text) {
        const made = text === "" ? "" : `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
        this.note.replaceChildren(...sentence(made));
    }

    // Only programs have a timeline.
    setProgram(yes) {
        this.isProgram = yes;
        this.tabs.setShown("timeline", yes);
    }

    // A new verdict: its cases, and the thread that it is about.
    update(verdict) {
        const names = verdict.cases.map(({ name }) => name);
        if (names.length > 0 && names.join() !== [...this.cases.options].map(({ value }) => value).join()) {
            this.cases.replaceChildren(...names.map((name) => element("option", {}, name)));
        }
        this.verdict = verdict;
        const failed = verdict.cases.find(({ passed }) => passed === false)?.name ?? verdict.gates.find(({ holds }) => !holds)?.case;
        const finding = chosen(verdict.trace);
        const name = finding.case ?? failed;
        if (verdict.passed === false && names.includes(name)) this.cases.value = name;
        // After a pass, no case failed any more, so the first one with counts is shown.
        const usual = verdict.gates[0]?.case ?? names[0];
        if (verdict.passed && this.version !== verdict.version && names.includes(usual)) this.cases.value = usual;
        if (verdict.trace) [this.block.value, this.thread.value, this.launch] = [finding.block, finding.thread, finding.launch];
        const isNew = this.version !== verdict.version;
        this.version = verdict.version;
        if (!isNew) return;
        this.tabs.setShown("race", ABOUT_RACES.includes(verdict.slug));
        if (!this.element.open) this.tabs.select(best(verdict.slug)[0]);
        this.old.hidden = this.seen.size === 0 || !this.element.open;
    }

    body(view, more = {}) {
        const [block, thread] = [this.block.value, this.thread.value].map(index);
        if (!block || !thread) return null;
        return { view, case: this.cases.value || null, block, thread, launch: this.launch, ...more };
    }

    // Shows the steps of the thread that a report's command names.
    trace(command) {
        const { case: name, block, thread, launch } = chosen(command);
        if (name !== null) this.cases.value = name;
        [this.block.value, this.thread.value, this.launch] = [block, thread, launch];
        return this.show("threads", "finding");
    }

    // Shows what a command for a profile shows.
    profile(command) {
        const { case: name } = chosen(command);
        if (name !== null) this.cases.value = name;
        return this.show(this.isProgram ? "timeline" : "lines");
    }

    // Opens a view, and moves the page and the focus there.
    show(name, from = null) {
        this.element.open = true;
        this.tabs.select(name);
        this.element.scrollIntoView({ block: "start" });
        this.tabs.tabs.find((one) => one.name === name).tab.focus();
        return this.refresh(true, from);
    }

    // A button below the report of a verdict, for the view that shows more about it.
    shortcut({ slug }) {
        const [name, words] = best(slug);
        return words && element("p", { class: "wb-shortcut" }, button(words, () => this.show(name)));
    }

    // Shows the steps of a thread, if a line is named, the last one there.
    follow(block, thread, from = null, line = 0) {
        [this.block.value, this.thread.value] = [shown(block), shown(thread)];
        this.tabs.select("threads");
        return this.refresh(true, from, line);
    }

    // Fills the panel of the open tab, unless it is about the present text and the present choice.
    async refresh(isWanted = false, from = null, line = 0) {
        const { name } = this.tabs;
        const panel = this.tabs.panel(name);
        const body = this.body(name);
        if (!body) return this.say("An index of a block or thread has up to three numbers, for example 3 or 1,2.");
        const key = JSON.stringify([this.version, body]);
        if (!isWanted && this.seen.get(name) === key) return;
        this.seen.set(name, key);
        const view = await this.ask(panel, body, () => this.seen.get(name) === key && this.tabs.name === name);
        if (!view) {
            // the next visit of the tab asks again
            if (this.seen.get(name) === key) this.seen.delete(name);
            return;
        }
        this.old.hidden = true;
        if (view.view === "article") {
            panel.replaceChildren(report(view.article, { line: this.showLine }, "is-marked"));
        } else if (view.view === "nothing") panel.replaceChildren(element("p", {}, view.why));
        else this.draw(panel, view, from, line);
    }

    draw(panel, view, from, line) {
        const follow = (block, thread, line) => this.follow(block, thread, "finding", line);
        if (view.view === "threads") {
            const [number, all] = view.launch ?? [1, 1];
            this.number.value = String(number);
            this.which.replaceChildren("Launch ", this.number, ` of ${all}`);
            this.which.hidden = all === 1;
            panel.replaceChildren(this.threads.element);
            const focus = ["blocks", "threads"].includes(from) ? from : null;
            return this.threads.show(view, { toFinding: from === "finding" || from === null, focus, line });
        }
        const made = {
            lines: () => element("div", {}, lines(view, (line) => this.openLine(panel, line)), element("div", { class: "wb-below-lines" })),
            race: () => race(view, follow),
            output: () => output(view, follow, this.otherProblem()),
            timeline: () => timeline(view),
        };
        panel.replaceChildren(made[view.view]());
    }

    // What is wrong with the case although its outputs are right.
    otherProblem() {
        const { passed, title, cases } = this.verdict ?? {};
        const isFailed = passed === false && cases.find(({ name }) => name === this.cases.value)?.passed === false;
        return isFailed && !ABOUT_VALUES.includes(this.verdict.slug) ? title : null;
    }

    async openLine(panel, line) {
        const place = panel.querySelector(".wb-below-lines");
        const body = this.body("warp", { line });
        if (!body) return;
        for (const chosen of panel.querySelectorAll("[data-line]")) {
            chosen.setAttribute("aria-pressed", String(Number(chosen.dataset.line) === line));
        }
        const view = await this.ask(panel, body);
        if (!view) return;
        if (view.view === "warp") {
            place.replaceChildren(warp(view));
            place.querySelector("h4").focus();
        } else if (view.view === "article") place.replaceChildren(element("p", {}, "The program doesn't run in this case."));
    }

    // The answer to a request, or nothing after a problem, which the page then shows. An answer that the reader no longer waits
    // for is dropped.
    async ask(panel, body, isWanted = () => true) {
        panel.setAttribute("aria-busy", "true");
        const { value, problem } = await this.server.look(body);
        panel.removeAttribute("aria-busy");
        if (!isWanted()) return null;
        this.say(problem ?? "");
        return problem ? null : value;
    }
}
