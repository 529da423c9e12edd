// What the threads of a listing do, step by step: a choice of the launch, the block and the thread, and their steps.
import { element } from "./element.js";
import { index, shown } from "./indices.js";
import { Threads } from "./threads.js";

export class ListingSteps {
    // `ask({launch, at, text})` runs the same text again, and resolves to {value} with the steps of this thread, or to {problem}.
    constructor(name, ask) {
        this.ask = ask;
        this.choice = element("p", { class: "wb-where" });
        this.note = element("p", { class: "wb-note", role: "status" });
        this.threads = new Threads(
            (block, thread, from) => this.choose({ at: [block, thread] }, from),
            async () => {
                const { value, problem } = await this.ask({ launch: this.launch, at: this.at, text: true });
                return problem ? { problem } : { value: { article: value.article } };
            },
        );
        const label = `Steps of a thread of ${name}`;
        this.element = element("section", { class: "wb-look wb-listing-steps", "aria-label": label }, this.choice, this.note, element("div", { class: "wb-panel" }, this.threads.element));
    }

    show({ launch, launches, skipped, has_streams: hasStreams, threads }, from = null) {
        Object.assign(this, { launch, at: [threads.block, threads.thread] });
        this.note.textContent = "";
        const option = ([number, words]) => element("option", { value: number, selected: Number(number) === launch }, `${number}: ${words.replaceAll("`", "")}`);
        this.launches = element("select", {}, ...Object.entries(launches).map(option));
        if (!(launch in launches)) this.launches.append(element("option", { value: launch, selected: true }, String(launch)));
        this.launches.addEventListener("change", () => this.choose({ launch: Number(this.launches.value), at: null }));
        const sizes = [threads.grid, threads.block_size];
        const [block, thread] = this.at.map((at, i) => this.input(shown(at, sizes[i])));
        Object.assign(this, { block, thread });
        const label = (text, input) => element("label", {}, `${text} `, input);
        const more = skipped > 0 ? [element("span", {}, `${skipped} later launches aren't in this list.`)] : [];
        const order = hasStreams ? [element("span", {}, "The simulator ran the launches in the order of their numbers.")] : [];
        this.choice.replaceChildren(label("Launch", this.launches), label("Block", block), label("Thread", thread), ...order, ...more);
        const focus = ["blocks", "threads"].includes(from) ? from : null;
        this.threads.show(threads, { toFinding: from === null || from === "finding", focus });
    }

    input(value) {
        const made = element("input", { value, inputmode: "numeric", size: "6" });
        made.addEventListener("change", () => this.read());
        return made;
    }

    // What the reader has typed.
    read() {
        const at = [this.block.value, this.thread.value].map(index);
        if (at.every(Boolean)) return this.choose({ at });
        this.note.textContent = "An index of a block or thread has up to three numbers, for example 3 or 1,2.";
    }

    // Shows another thread. An answer that a later choice has overtaken is dropped.
    async choose({ launch = this.launch, at }, from = null) {
        const chosen = (this.chosen = {});
        this.element.setAttribute("aria-busy", "true");
        const { value, problem } = await this.ask({ launch, at });
        if (chosen !== this.chosen) return;
        this.element.removeAttribute("aria-busy");
        if (problem) this.note.textContent = problem;
        else this.show(value, from);
    }
}
