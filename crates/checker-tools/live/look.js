// What a case costs line by line, and what one of its threads does: `checker profile` and `checker trace` on the page.
import { element } from "./verdict.js";

// Reads an index such as `1`, `1,2` or `1,2,0`; `null` if it is none.
export function index(text) {
    const parts = text.split(",").map((part) => part.trim());
    if (parts.length > 3 || !parts.every((part) => /^\d{1,9}$/.test(part))) return null;
    return [...parts.map(Number), 0, 0].slice(0, 3);
}

// What a report's command chooses: `checker trace guard --case 'one element' --block 1 --thread 3`.
export function chosen(command) {
    const option = (name) => {
        const match = new RegExp(` --${name} (?:'([^']*)'|(\\S+))`).exec(command ?? "");
        return match?.[1] ?? match?.[2] ?? null;
    };
    return { case: option("case"), block: option("block") ?? "0", thread: option("thread") ?? "0", launch: option("launch") };
}

export class Look {
    // `server` answers `look(body)` with {value: {article}} or {problem}; `say` shows a sentence.
    constructor(server, say) {
        Object.assign(this, { server, say, launch: null, version: null });
        this.cases = element("select");
        this.block = element("input", { value: "0", inputmode: "numeric", size: "6" });
        this.thread = element("input", { value: "0", inputmode: "numeric", size: "6" });
        this.shown = element("div", { class: "wb-article", role: "region", "aria-label": "Profile or trace", tabindex: "-1" });
        this.old = element("p", { class: "wb-old", hidden: true }, "This is about an earlier text.");
        const label = (text, input) => element("label", {}, `${text} `, input);
        this.element = element(
            "details",
            { class: "wb-look" },
            element("summary", {}, "Look inside a case"),
            element("p", {}, label("Case", this.cases), " ", this.button("Show what each line costs", () => this.profile())),
            element(
                "p",
                {},
                label("Block", this.block),
                " ",
                label("Thread", this.thread),
                " ",
                this.button("Show what this thread does", () => this.trace()),
            ),
            this.old,
            this.shown,
        );
    }

    button(text, click) {
        const made = element("button", { type: "button" }, text);
        made.addEventListener("click", click);
        return made;
    }

    // A new verdict: its cases, and the thread that it is about.
    update(verdict) {
        const names = verdict.cases.map(({ name }) => name);
        if (names.length > 0 && names.join() !== [...this.cases.options].map(({ value }) => value).join()) {
            this.cases.replaceChildren(...names.map((name) => element("option", {}, name)));
        }
        const failed = verdict.cases.find(({ passed }) => passed === false)?.name ?? verdict.gates.find(({ holds }) => !holds)?.case;
        const finding = chosen(verdict.trace);
        const name = finding.case ?? failed;
        if (verdict.passed === false && names.includes(name)) this.cases.value = name;
        if (verdict.trace) [this.block.value, this.thread.value, this.launch] = [finding.block, finding.thread, finding.launch];
        this.version = verdict.version;
        this.old.hidden = this.shown.childElementCount === 0 || this.shown.dataset.version === verdict.version;
    }

    profile() {
        return this.ask({ case: this.cases.value });
    }

    trace() {
        const [block, thread] = [this.block.value, this.thread.value].map(index);
        if (!block || !thread) return this.say("An index of a block or thread has up to three numbers, for example 3 or 1,2.");
        return this.ask({ case: this.cases.value, block, thread, launch: this.launch });
    }

    async ask(body) {
        const { version } = this;
        this.shown.setAttribute("aria-busy", "true");
        const { value, problem } = await this.server.look(body);
        this.shown.removeAttribute("aria-busy");
        if (problem) return this.say(problem);
        this.say("");
        // The server escapes every text of the learner's in the article.
        this.shown.innerHTML = value.article;
        this.shown.dataset.version = version;
        this.old.hidden = version === this.version;
        this.shown.focus();
    }
}
