// Says that an answer is being made, in words and for screen readers.
import { element } from "./element.js";

// After this long, a reader wants to know why.
const LONG_MS = 2500;

export class Busy {
    // `result` is what an older answer has left, which is dimmed.
    constructor(result, why) {
        Object.assign(this, { result, why, timer: null });
        this.element = element("p", { class: "wb-busy", role: "status" });
    }

    // Shows `text`, or nothing.
    set(text) {
        clearTimeout(this.timer);
        this.result.setAttribute("aria-busy", String(text !== ""));
        if (this.element.textContent !== text) this.element.textContent = text;
        if (text) this.timer = setTimeout(() => (this.element.textContent = `${text} ${this.why}`), LONG_MS);
    }
}
