// A bar under each listing of a lesson. It runs the listing on the server, turns it or its whole file into an editor, and shows
// what its lines cost and what its threads do. The server has marked the code blocks that are listings.
import { Busy } from "./busy.js";
import { Changes } from "./changes.js";
import { button, element } from "./element.js";
import { parts } from "./listing-output.js";
import { ListingSteps } from "./listing-steps.js";
import { firstPlace } from "./report.js";
import { listingText, runListing } from "./store.js";

const KEYS = "To leave the editor with the Tab key, press Escape first. Ctrl-S runs the program, and Ctrl-F searches.";
// The name of the part that is the whole file.
const WHOLE = "";

function storage() {
    try {
        return window.localStorage;
    } catch {
        return null; // the browser forbids it
    }
}

// The text of the code as the file has it: the badges that callouts.js has made of comments are comments again.
function withNotes(code) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    const notes = new Map(); // from the index of a line to its note
    let text = "";
    while (walker.nextNode()) {
        const { nodeType, data, dataset } = walker.currentNode;
        if (nodeType === Node.TEXT_NODE) text += data;
        else if (dataset.number) notes.set(text.split("\n").length - 1, dataset.number);
    }
    const note = (line, at) => (notes.has(at) ? `${line.trimEnd()}  // (${notes.get(at)})` : line);
    return text.split("\n").map(note).join("\n");
}

class Listing extends HTMLElement {
    // (An element's `part` is something else than the part of the file that is shown.)
    attach(code) {
        const { listing, part, first } = code.dataset;
        const text = withNotes(code).replace(/[ \t]+$/gm, "").replace(/\n$/, "");
        // What the page shows: the text of the book, and the number of its first line in the file.
        this.excerpt = { section: part, original: text, first: Number(first) || 1 };
        Object.assign(this, { listing, ...this.excerpt, shown: code.closest("pre"), editor: null, runs: 0 });
        this.changes = new Changes(listing, storage());
        const name = `${listing.split("/").pop()}.cu`;
        this.name = part && part !== "all" ? `the part ${part} of ${name}` : name;
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", `Run ${this.name}`);
        const id = `wb-listing-${document.querySelectorAll("wb-listing").length}`;
        const about = { "aria-describedby": id };
        this.change = button("", () => this.toggle(), about);
        this.whole = button("Whole program", () => this.toggleWhole(), { ...about, hidden: !part || part === "all" });
        this.again = button("Start again", () => this.startAgain(), { hidden: true });
        this.status = element("span", { class: "wb-file-state", role: "status" });
        const buttons = element(
            "span",
            { class: "wb-buttons" },
            button("Run", () => this.run(), about),
            this.change,
            button("Profile", () => this.run({ profile: true }), about),
            button("Steps", () => this.run({ steps: {} }), about),
            this.whole,
            this.again,
        );
        this.place = element("div", { class: "wb-editor", hidden: true });
        this.keys = element("p", { class: "wb-keys", hidden: true }, KEYS);
        this.output = element("div", { class: "wb-verdict" });
        this.old = element("p", { class: "wb-old", hidden: true }, "This is about an earlier text.");
        this.busy = new Busy(this.output, "The first run takes several seconds, because the program is compiled.");
        this.append(
            this.place,
            element("div", { class: "wb-top" }, buttons, element("code", { id, class: "wb-path" }, name), this.status),
            this.keys,
            this.old,
            this.busy.element,
            this.output,
        );
        // mdBook turns pages with the arrow keys, and searches with other keys.
        this.addEventListener("keydown", (event) => event.stopPropagation());
        this.label();
        this.shown.after(this);
    }

    get isEditing() {
        return !this.place.hidden;
    }

    get isWhole() {
        return this.section === WHOLE && this.excerpt.section !== WHOLE;
    }

    label() {
        const isChanged = this.changes.text(this.section) !== null;
        this.change.textContent = this.isEditing ? "Original" : isChanged ? "Your change" : "Change";
        this.whole.textContent = this.isWhole ? "Only this part" : "Whole program";
        this.again.hidden = !this.isEditing || !isChanged;
    }

    say(text) {
        if (this.status.textContent !== text) this.status.textContent = text;
    }

    // Shows the editor in place of the listing, or the listing as the book has it. A change stays in the browser.
    async toggle() {
        if (this.isEditing) return this.showOriginal();
        this.say("");
        await this.edit();
        this.editor.focus();
    }

    // Shows all of the file in the editor, or only the part that the page shows. They are changed independently of each other.
    async toggleWhole() {
        if (this.isWhole) {
            Object.assign(this, this.excerpt);
        } else {
            this.file ??= listingText(this.listing);
            const { value, problem } = await this.file;
            if (problem) {
                this.file = null;
                return this.say(problem);
            }
            Object.assign(this, { section: WHOLE, original: value.text.replace(/\n$/, ""), first: 1 });
        }
        await this.edit();
        this.clear();
        this.say("");
        this.editor.focus();
    }

    showOriginal() {
        Object.assign(this, this.excerpt);
        this.shown.hidden = false;
        this.place.hidden = this.keys.hidden = true;
        this.clear();
        this.say("This is the listing as the book has it.");
    }

    // What a run has shown is about another text.
    clear() {
        this.runs += 1;
        this.old.hidden = true;
        this.output.replaceChildren();
        this.busy.set("");
        this.editor.setSpans([]);
        this.label();
    }

    async edit() {
        if (!this.editor) {
            const { createEditor } = await import("./editor.js");
            this.editor ??= createEditor(this.place, {
                label: `Your change of ${this.name}`,
                description: KEYS,
                edited: () => this.edited(),
                save: () => this.run(),
            });
        }
        const text = this.changes.text(this.section) ?? this.original;
        if (this.editor.text() !== text) this.editor.setText(text);
        this.editor.setFirstLine(this.first);
        this.shown.hidden = true;
        this.place.hidden = this.keys.hidden = false;
        this.label();
    }

    edited() {
        const text = this.editor.text();
        this.changes.set(this.section, text === this.original ? null : text);
        this.old.hidden = this.output.childElementCount === 0;
        this.label();
    }

    // The editor can undo this.
    startAgain() {
        this.changes.set(this.section, null);
        this.editor.setText(this.original);
        this.editor.focus();
        this.clear();
        this.say("The text is the original one again.");
    }

    // The changed parts of the file. While the page shows the original, it runs without this part's change. The whole file is
    // another text than its parts.
    texts() {
        const all = this.changes.texts();
        if (this.isWhole) return WHOLE in all ? { [WHOLE]: all[WHOLE] } : {};
        const texts = { ...all };
        if (this.excerpt.section !== WHOLE) delete texts[WHOLE];
        if (!this.isEditing) delete texts[this.section];
        return texts;
    }

    // `wanted` says what the page shows beside the output: {profile: true}, or {steps} of a thread.
    async run(wanted = {}) {
        const run = ++this.runs;
        const texts = this.texts();
        this.say("");
        this.busy.set("Running \u2026");
        const body = { listing: this.listing, part: this.section, texts };
        const { value, problem } = await runListing({ ...body, ...wanted });
        if (run !== this.runs) return;
        this.busy.set("");
        if (problem) return this.say(problem);
        await this.show(value, texts);
        this.old.hidden = JSON.stringify(this.texts()) === JSON.stringify(texts);
        if (value.steps) this.showSteps(value.steps, body);
        this.say(value.summary);
    }

    async show(answer, texts) {
        const spans = answer.reports.flatMap((report) => report.spans);
        // Marks are shown where they can be acted on. A reader who shows the original while it runs keeps it.
        if (spans.length > 0 && !this.isEditing && this.changes.text(this.section) === null) await this.edit();
        const isSame = (texts[this.section] ?? this.original) === this.editor?.text();
        const isMarked = this.isEditing && isSame;
        if (isMarked) {
            this.first = answer.first_line;
            this.editor.setFirstLine(this.first);
            this.editor.setSpans(spans);
            if (spans.length > 0) this.editor.reveal(firstPlace(spans).line);
        }
        const others = Object.keys(texts).filter((name) => name !== this.section);
        const line = (number) => this.goTo(number);
        this.output.replaceChildren(...parts(answer, { name: this.name, isMarked, others, line }));
        this.output.dataset.right = String(answer.right);
    }

    // Shows what the threads of the run with this text do.
    showSteps(steps, body) {
        const ask = async (steps) => {
            const { value, problem } = await runListing({ ...body, steps });
            if (problem || value.steps) return problem ? { problem } : { value: value.steps };
            return { problem: value.notes.at(-1) ?? value.summary };
        };
        const made = new ListingSteps(this.name, ask);
        this.output.append(made.element);
        made.show(steps);
    }

    // Shows a line of the program, if need be in the whole file.
    async goTo(line) {
        if (!this.isEditing) await this.edit();
        const isInside = () => line >= this.first && line < this.first + this.editor.text().split("\n").length;
        if (!isInside() && !this.isWhole) await this.toggleWhole();
        if (isInside()) this.editor.goTo(line - this.first + 1);
    }
}

customElements.define("wb-listing", Listing);
for (const code of document.querySelectorAll("code[data-listing]")) {
    element("wb-listing").attach(code);
}
