// A bar under each listing of a lesson. It runs the listing on the server, turns it into an editor, and shows what its lines
// cost. The server has marked the code blocks that are listings.
import { Changes } from "./changes.js";
import { button, element, sentence } from "./element.js";
import { lines } from "./lines.js";
import { runListing } from "./server.js";

const ROOT = new URL("../../", import.meta.url);
const KEYS = "To leave the editor with the Tab key, press Escape first. Ctrl-S runs the program.";

function storage() {
    try {
        return window.localStorage;
    } catch {
        return null; // the browser forbids it
    }
}

class Listing extends HTMLElement {
    // The text of the code has no numbers of call-outs, which callouts.js has made badges. (An element's `part` is something else.)
    attach(code) {
        const { listing, part } = code.dataset;
        const original = code.textContent.replace(/[ \t]+$/gm, "").replace(/\n$/, "");
        Object.assign(this, { listing, section: part, original, shown: code.closest("pre"), editor: null, runs: 0 });
        this.changes = new Changes(listing, storage());
        const name = `${listing.split("/").pop()}.cu`;
        this.name = part && part !== "all" ? `the part ${part} of ${name}` : name;
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", `Run ${this.name}`);
        const id = `wb-listing-${document.querySelectorAll("wb-listing").length}`;
        const about = { "aria-describedby": id };
        this.change = button("", () => this.toggle(), about);
        this.again = button("Start again", () => this.startAgain(), { hidden: true });
        this.status = element("span", { class: "wb-file-state", role: "status" });
        const buttons = element(
            "span",
            { class: "wb-buttons" },
            button("Run", () => this.run(false), about),
            this.change,
            button("Profile", () => this.run(true), about),
            this.again,
        );
        this.place = element("div", { class: "wb-editor", hidden: true });
        this.keys = element("p", { class: "wb-keys", hidden: true }, KEYS);
        this.output = element("div", { class: "wb-verdict" });
        this.append(
            this.place,
            element("div", { class: "wb-top" }, buttons, element("code", { id, class: "wb-path" }, name), this.status),
            this.keys,
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

    label() {
        const isChanged = this.changes.text(this.section) !== null;
        this.change.textContent = this.isEditing ? "Original" : isChanged ? "Your change" : "Change";
        this.again.hidden = !this.isEditing || !isChanged;
    }

    say(text) {
        if (this.status.textContent !== text) this.status.textContent = text;
    }

    // Shows the editor in place of the listing, or the listing as the book has it. A change stays in the browser.
    async toggle() {
        if (this.isEditing) return this.showOriginal();
        await this.edit();
        this.editor.focus();
    }

    showOriginal() {
        this.shown.hidden = false;
        this.place.hidden = this.keys.hidden = true;
        this.clear();
        this.say("This is the listing as the book has it.");
    }

    // What a run has shown is about another text.
    clear() {
        this.runs += 1;
        this.output.replaceChildren();
        this.output.removeAttribute("aria-busy");
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
                save: () => this.run(false),
            });
        }
        const text = this.changes.text(this.section) ?? this.original;
        if (this.editor.text() !== text) this.editor.setText(text);
        this.shown.hidden = true;
        this.place.hidden = this.keys.hidden = false;
        this.label();
    }

    edited() {
        const text = this.editor.text();
        this.changes.set(this.section, text === this.original ? null : text);
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

    // The changed parts of the file. While the page shows the original, it runs without this part's change.
    texts() {
        const texts = { ...this.changes.texts() };
        if (!this.isEditing) delete texts[this.section];
        return texts;
    }

    async run(profile) {
        const run = ++this.runs;
        const texts = this.texts();
        this.say("Running");
        this.output.setAttribute("aria-busy", "true");
        const { value, problem } = await runListing({ listing: this.listing, part: this.section, texts, profile });
        if (run !== this.runs) return;
        this.output.removeAttribute("aria-busy");
        if (problem) return this.say(problem);
        await this.show(value, texts);
        this.say(value.summary);
    }

    async show(answer, texts) {
        const spans = answer.reports.flatMap((report) => report.spans);
        // Marks are shown where they can be acted on. A reader who shows the original while it runs keeps it.
        if (spans.length > 0 && !this.isEditing && this.changes.text(this.section) === null) await this.edit();
        const isSame = (texts[this.section] ?? this.original) === this.editor?.text();
        const isMarked = this.isEditing && isSame;
        if (isMarked) {
            this.editor.setFirstLine(answer.first_line);
            this.editor.setSpans(spans);
        }
        const parts = [
            this.printed(answer),
            ...answer.reports.map((report) => this.report(report, isMarked && report.inside)),
            answer.notes.length > 0 ? element("ul", {}, ...answer.notes.map((note) => element("li", {}, ...sentence(note)))) : null,
            this.otherParts(texts),
            answer.lines ? lines(answer.lines) : null,
        ];
        this.output.replaceChildren(...parts.filter(Boolean));
        this.output.dataset.right = String(answer.right);
    }

    printed({ printed, printed_dropped: dropped }) {
        if (!printed) return null;
        const label = `What ${this.name} prints`;
        const text = element("pre", { class: "wb-printed", tabindex: "0", role: "group", "aria-label": label }, printed);
        const more = dropped > 0 ? element("p", {}, `It printed ${dropped} more bytes, which are not shown.`) : null;
        return element("div", {}, text, more);
    }

    // The server escapes every text of the learner's in the report.
    report({ article, slug }, isMarked) {
        const report = element("div", { class: `wb-article ${isMarked ? "is-marked" : ""}` });
        report.innerHTML = article;
        const link = element("a", { href: new URL(`diagnostics/${slug}.html`, ROOT).href }, `What ${slug} means`);
        return element("div", {}, report, element("p", { class: "wb-explanation" }, link));
    }

    // A change elsewhere in the file takes part in this run.
    otherParts(texts) {
        const others = Object.keys(texts).filter((name) => name !== this.section);
        const names = others.map((name) => `\`${name}\``).join(", ");
        return others.length > 0 ? element("p", { class: "wb-small" }, ...sentence(`With your change of ${names}.`)) : null;
    }
}

customElements.define("wb-listing", Listing);
for (const code of document.querySelectorAll("code[data-listing]")) {
    element("wb-listing").attach(code);
}
