// What follows a pass: the next page, the sections below, and the solution beside the learner's code.
import { diff, drawn } from "./diff.js";
import { button, element } from "./element.js";
import { nextPage } from "./pages.js";

export class After {
    // `solution()` resolves to {value: {text}} or {problem}, `text()` is the learner's code, and `say` shows a sentence.
    constructor({ solution, text, say }) {
        Object.assign(this, { solution, text, say });
        this.element = element("div", { class: "wb-after" });
    }

    show(isPassed) {
        if (!isPassed) return this.element.replaceChildren();
        if (this.element.childElementCount > 0) return;
        const next = nextPage();
        const links = [
            next && element("a", { class: "wb-next-exercise", href: next.href }, `Next: ${next.title}`),
            this.section("common-mistakes", "What people get wrong"),
            this.section("try-next", "Try next"),
        ].filter(Boolean);
        this.place = element("div");
        this.open = button("Compare with the solution", () => this.compare());
        this.element.replaceChildren(element("p", {}, ...links.flatMap((link) => [link, " "]), this.open), this.place);
    }

    section(name, text) {
        return document.getElementById(name) && element("a", { href: `#${name}` }, text);
    }

    async compare() {
        const { value, problem } = await this.solution();
        if (problem) return this.say(problem);
        const heading = element("h3", { tabindex: "-1" }, "The solution");
        const rows = diff(this.text().trimEnd(), value.text.trimEnd());
        const isSame = rows.every(({ kind }) => kind === "same");
        const about = isSame
            ? "Your code is the solution, line by line."
            : "Lines with - are only in your code, and lines with + are only in the solution.";
        const close = button("Close", () => {
            this.place.replaceChildren();
            this.open.hidden = false;
            this.open.focus();
        });
        this.place.replaceChildren(heading, element("p", {}, about, " ", close), drawn(rows));
        this.open.hidden = true;
        heading.focus();
    }
}
