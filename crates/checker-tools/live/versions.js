// The bar that restores the original or an earlier version of the learner's text.
import { button, element } from "./element.js";

// "Version 3, 14:02, 45 lines"
function described({ number, saved, lines }) {
    const time = saved === null ? "" : `, ${new Date(saved).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`;
    return `Version ${number}${time}, ${lines} ${lines === 1 ? "line" : "lines"}`;
}

export class Versions {
    // `server` answers as Server does, `restore(text)` puts a text into the file and resolves to a problem or null, and `say`
    // shows a sentence.
    constructor(server, restore, say) {
        Object.assign(this, { server, restore, say });
        this.bar = element("div", { class: "wb-question-bar wb-versions", hidden: true });
        this.original = button("Original", () => this.toggle("original"));
        this.earlier = button("Earlier versions", () => this.toggle("earlier"), { hidden: true });
    }

    // Whether there are any copies decides whether the page offers them.
    async update() {
        const { value } = await this.server.copies();
        this.earlier.hidden = !value || value.length === 0;
        return value ?? [];
    }

    async toggle(what) {
        if (!this.bar.hidden && this.bar.dataset.shows === what) return this.close();
        this.bar.dataset.shows = what;
        const parts = what === "original" ? this.askOriginal() : await this.list();
        this.bar.replaceChildren(...parts);
        this.bar.hidden = false;
        this.bar.querySelector("button")?.focus();
    }

    close() {
        this.bar.hidden = true;
        this.bar.replaceChildren();
    }

    askOriginal() {
        return [
            element("p", {}, `This replaces your text by the original one. ${this.server.words.copy} If you had passed the exercise, it counts as open again.`),
            button("Restore the original", async () => {
                const { problem } = await this.server.post("reset");
                this.close();
                if (problem) return this.say(problem);
                await this.update();
                this.say("This is the original. Your text is among the earlier versions.");
            }),
            button("Cancel", () => this.close()),
        ];
    }

    async list() {
        const copies = await this.update();
        const rows = copies.map((copy) => {
            const preview = element("pre", { tabindex: "0", hidden: true, "aria-label": `Version ${copy.number}` });
            const show = button("Show", async () => {
                if (preview.hidden) preview.textContent = (await this.text(copy)) ?? "";
                preview.hidden = !preview.hidden;
                show.textContent = preview.hidden ? "Show" : "Hide";
            });
            show.setAttribute("aria-label", `Show version ${copy.number}`);
            const restore = button("Restore", () => this.take(copy), { "aria-label": `Restore version ${copy.number}` });
            return element("li", {}, `${described(copy)} `, show, restore, preview);
        });
        const about = "These are texts of yours that were replaced, the newest one first. Restoring one keeps a copy of your present text.";
        return [element("p", {}, about), element("ul", {}, ...rows), button("Close", () => this.close())];
    }

    async text({ number }) {
        const { value, problem } = await this.server.copy(number);
        if (problem) this.say(problem);
        return value?.text ?? null;
    }

    async take(copy) {
        const text = await this.text(copy);
        if (text === null) return;
        this.close();
        this.say((await this.restore(text)) ?? `This is version ${copy.number} again.`);
        await this.update();
    }
}
