// Says that an answer is being made, in words and for screen readers.
import { element } from "./element.js";

// Before this time, a reader doesn't wait, and a page that changes twice would flicker.
const SHORT_MS = 150;
// After this time, a reader wants to know why.
const LONG_MS = 2500;

export class Busy {
    // `result` is what an older answer has left, which is dimmed.
    constructor(result, why) {
        Object.assign(this, { result, why, timers: [] });
        this.element = element("p", { class: "wb-busy", role: "status" });
    }

    // Shows `text` after a short time, or nothing.
    set(text) {
        this.timers.forEach(clearTimeout);
        this.timers = [];
        if (!text) return this.show("");
        const later = (milliseconds, words) => setTimeout(() => this.show(words), milliseconds);
        this.timers = [later(SHORT_MS, text), later(LONG_MS, `${text} ${this.why}`)];
    }

    show(text) {
        this.result.setAttribute("aria-busy", String(text !== ""));
        if (this.element.textContent !== text) this.element.textContent = text;
    }
}
