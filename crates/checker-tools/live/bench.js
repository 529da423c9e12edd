// The bench on the page of an exercise: the editor, the verdict, hints, earlier versions and the solution.
import { After } from "./after.js";
import { Busy } from "./busy.js";
import { createEditor } from "./editor.js";
import { button, element } from "./element.js";
import { File } from "./file.js";
import { Look } from "./look.js";
import { addButtons } from "./page-commands.js";
import { firstPlace, report } from "./report.js";
import { LOCKED } from "./server.js";
import { connect } from "./store.js";
import { cases, gates } from "./verdict.js";
import { Versions } from "./versions.js";

const id = document.querySelector('meta[name="workbook-exercise"]').content;

// The parts of the page that the bench replaces: the command, the hints and the solution, each with its heading.
function replaced() {
    const sections = ["check-as-you-go", "hints", "solution"].map((name) => document.getElementById(name)).filter(Boolean);
    return sections.flatMap((heading) => {
        const parts = [heading];
        for (let next = heading.nextElementSibling; next && next.tagName !== "H2"; next = next.nextElementSibling) parts.push(next);
        return parts;
    });
}

// A text that the browser keeps until the server has it.
function drafts() {
    const key = `cuda-workbook-draft-${id}`;
    const attempt = (action) => {
        try {
            return action();
        } catch {
            return null; // the browser forbids storage, or it is full
        }
    };
    return {
        load: () => attempt(() => JSON.parse(localStorage.getItem(key))),
        store: (draft) => attempt(() => (localStorage.setItem(key, JSON.stringify(draft)), true)) ?? false,
        clear: () => attempt(() => localStorage.removeItem(key)),
    };
}

function timer() {
    let waiting;
    return {
        start(milliseconds, call) {
            clearTimeout(waiting);
            waiting = setTimeout(call, milliseconds);
        },
        stop: () => clearTimeout(waiting),
    };
}

const WORDS = {
    saved: "Saved",
    unsaved: "Not saved yet",
    saving: "Saving",
    conflict: "Changed in two places",
    missing: "The file is missing",
    unusable: "This file can't be edited here",
    refused: "Not saved",
    offline: "Not saved",
};

class Bench extends HTMLElement {
    connectedCallback() {
        if (this.server) return;
        this.server = connect(id);
        this.build();
        const page = String(crypto.getRandomValues(new Uint32Array(4)));
        const show = (state) => this.showFile(state);
        this.file = new File({ page, server: this.server, editor: this.editor, drafts: drafts(), timer: timer(), show });
        this.server.listen(
            {
                exercise: (exercise) => this.opened(exercise),
                file: ({ file, by }) => {
                    this.file.changedOnDisk(file, by);
                    // What this page saves replaces no text that would be kept, and the check is about to begin.
                    if (by !== page) this.versions.update();
                },
                checking: () => this.setBusy(true),
                verdict: (verdict) => this.showVerdict(verdict),
                course: (course) => this.showCourse(course),
            },
            (why) => this.lost(why),
        );
        document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.file.save());
        window.addEventListener("pagehide", () => this.file.save());
        // mdBook turns pages with the arrow keys, and searches with other keys.
        this.addEventListener("keydown", (event) => event.stopPropagation());
    }

    build() {
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", `Work on ${id}`);
        this.path = element("code", { class: "wb-path" });
        this.fileState = element("span", { class: "wb-file-state", role: "status" });
        const say = (text) => this.say(text);
        this.versions = new Versions(this.server, (text) => this.file.replace(text), say);
        const check = button("Check", () => this.check(), { "aria-keyshortcuts": "Control+S", title: "Ctrl-S" });
        const buttons = element("span", { class: "wb-buttons" }, check, this.versions.original, this.versions.earlier);
        this.question = element("div", { class: "wb-question-bar", role: "alert", hidden: true });
        const editor = element("div", { class: "wb-editor" });
        const keys = "To leave the editor with the Tab key, press Escape first. Ctrl-S checks at once, and Ctrl-F searches.";
        this.note = element("p", { class: "wb-note", role: "status" });
        this.summary = element("p", { class: "wb-hidden", role: "status" });
        this.verdict = element("div", { class: "wb-verdict" });
        this.busy = new Busy(this.verdict, "A program with host code takes a few seconds to compile.");
        this.counts = element("div", { class: "wb-verdict wb-counts" });
        this.look = new Look(this.server, (line) => this.editor.goTo(line));
        addButtons(document.querySelector("main"), id, (view, command) => (view === "trace" ? this.look.trace(command) : this.look.profile(command)));
        this.after = new After({ solution: () => this.server.solution(), text: () => this.editor.text(), say });
        this.hints = element("ol", { class: "wb-hints" });
        this.more = button("Show a hint", () => this.hint());
        this.append(
            element("div", { class: "wb-top" }, this.path, this.fileState, buttons),
            this.question,
            this.versions.bar,
            editor,
            element("p", { class: "wb-keys" }, keys),
            this.note,
            this.busy.element,
            this.summary,
            this.verdict,
            this.after.element,
            this.counts,
            this.look.element,
            element("div", { class: "wb-help" }, this.hints, this.more),
        );
        this.editor = createEditor(editor, {
            label: `Your code of ${id}`,
            description: keys,
            edited: (since) => this.file.edited(since),
            save: () => this.check(),
        });
        this.editor.setReadOnly(true);
        const skip = element("a", { class: "wb-skip", href: "#" }, "Skip to the editor");
        skip.addEventListener("click", (event) => {
            event.preventDefault();
            this.editor.enter();
        });
        document.body.prepend(skip);
    }

    // Without the server's token, the page is as it would be without a server.
    setLocked(yes) {
        this.toggleAttribute("data-locked", yes);
        for (const part of parts) part.hidden = !yes;
    }

    opened(exercise) {
        this.setLocked(false);
        this.path.textContent = exercise.path;
        this.look.setProgram(exercise.program);
        this.say("");
        this.file.opened(exercise.file);
        if (!this.wasOpened) this.editor.skipHeader();
        this.wasOpened = true;
        this.versions.update();
        this.showHints(exercise.hints);
        if (exercise.verdict) this.showVerdict(exercise.verdict);
        this.showCourse(exercise.course);
    }

    lost(why) {
        this.setBusy(false);
        if (why === LOCKED && this.file.version === null) this.setLocked(true);
        this.say(why);
    }

    say(text) {
        if (this.note.textContent !== text) this.note.textContent = text;
    }

    // While a text is being checked, the old verdict stays, so that nothing jumps.
    setBusy(yes) {
        this.busy.set(yes ? "Checking \u2026" : "");
    }

    showFile({ state, why, file }) {
        const text = WORDS[state];
        this.dataset.file = state;
        if (this.fileState.textContent !== text) this.fileState.textContent = text;
        this.say(why ?? "");
        const choices = this.choices(state, why, file);
        this.question.hidden = choices.length === 0;
        this.question.replaceChildren(...choices);
        if (this.early) this.showVerdict(this.early);
    }

    choices(state, why, file) {
        const kept = () => this.versions.update();
        const keep = (text) => button(text, () => this.file.keepMine().then(kept));
        if (state === "missing") {
            const original = button("Write the original file", () => this.writeOriginal());
            const mine = this.editor.text() === "" ? [] : [keep("Write this text into the file")];
            return [element("p", {}, why), ...mine, original];
        }
        if (state !== "conflict") return [];
        if (file.text === null) {
            return [element("p", {}, `You have changed the text, but on disk: ${file.problem}`), keep("Save my text")];
        }
        return [
            element("p", {}, `You have changed the text here, and ${this.server.words.other} has changed the file. Which one do you want to keep?`),
            keep("Keep this text"),
            button("Take the file", () => this.file.takeTheirs().then(kept)),
        ];
    }

    // A check that the reader has asked for shows the first mark. One that follows a pause in typing moves nothing.
    async check() {
        this.showsPlace = true;
        this.setBusy(true);
        // A text that is saved is checked.
        if (await this.file.save()) return this.server.hurry();
        const { problem } = await this.server.post("check");
        if (problem) this.lost(problem);
    }

    async hint() {
        const { value, problem } = await this.server.post("hint");
        if (problem) return this.say(problem);
        this.showHints(value);
        this.hints.lastElementChild?.focus();
    }

    async writeOriginal() {
        const { problem } = await this.server.post("reset");
        if (problem) this.say(problem);
    }

    // Hints are the course's own HTML.
    showHints({ shown, total }) {
        const items = shown.map((html) => {
            const item = element("li", { tabindex: "-1" });
            item.innerHTML = html;
            return item;
        });
        this.hints.replaceChildren(...items);
        this.more.hidden = shown.length === total;
        this.more.textContent = `Show a hint (${shown.length + 1} of ${total})`;
    }

    showVerdict(verdict) {
        // The verdict on a text can arrive before the answer that it was saved.
        this.early = verdict.version === this.file.version ? null : verdict;
        if (this.early) return;
        this.setBusy(false);
        this.dataset.passed = String(verdict.passed);
        const actions = {
            line: (line) => this.editor.goTo(line),
            hint: () => this.hint(),
            trace: (command) => this.look.trace(command),
        };
        const shown = [report(verdict.article, actions, "is-marked"), this.look.shortcut(verdict)];
        this.verdict.replaceChildren(...shown.filter(Boolean));
        this.counts.replaceChildren(...[gates(verdict), cases(verdict)].filter(Boolean));
        this.look.update(verdict);
        const place = verdict.passed ? null : firstPlace(verdict.spans);
        const where = place ? `, line ${place.line}` : "";
        const summary = verdict.passed ? `Passed: ${verdict.title}` : `${verdict.title}${where}`;
        if (this.summary.textContent !== summary) this.summary.textContent = summary;
        if (this.file.isChanged) return;
        this.editor.setSpans(verdict.spans);
        if (this.showsPlace && place) this.editor.reveal(place.line);
        this.showsPlace = false;
    }

    showCourse(course) {
        document.dispatchEvent(new CustomEvent("workbook-course", { detail: course }));
        this.after.show(course.exercises.find((exercise) => exercise.id === id)?.state !== "open");
    }
}

const parts = replaced();
for (const part of parts) part.hidden = true;
customElements.define("wb-bench", Bench);
const place = document.getElementById("your-starting-point") ?? document.querySelector("main .wb-card")?.nextElementSibling;
place?.before(element("wb-bench"));
