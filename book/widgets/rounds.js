// <wb-rounds>: steps through a drawing, round by round. The drawing is complete from the start; this script only dims
// later steps, describes the current step, and lets a slider, buttons or the arrow keys move on. Without it, and in print, all
// steps are visible, and a list describes them. For readers who prefer reduced motion, nothing plays by itself.
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const SECONDS_PER_ROUND = 1.6;

class Rounds extends HTMLElement {
    connectedCallback() {
        if (this.bar) {
            return;
        }
        this.steps = [...this.querySelectorAll("[data-round]")];
        this.last = this.lastShown();
        this.bar = document.createElement("div");
        this.bar.className = "wb-bar wb-round-bar";
        this.back = this.button("\u25c0", "Previous round", -1);
        this.on = this.button("\u25b6", "Next round", 1);
        this.playing = this.button("Play", "Play all rounds", 0);
        this.playing.className = "wb-play";
        this.playing.onclick = () => (this.timer ? this.stop() : this.play());
        STILL.addEventListener("change", () => this.stop());
        this.slider = document.createElement("input");
        this.slider.type = "range";
        this.slider.min = "0";
        this.slider.max = String(this.last);
        this.slider.setAttribute("aria-label", "Round");
        this.slider.addEventListener("input", () => this.jump(Number(this.slider.value)));
        // While the slider has the focus, arrow keys move it and do not turn mdBook's pages.
        this.slider.addEventListener("keydown", (event) => event.stopPropagation());
        this.says = document.createElement("p");
        this.says.className = "wb-says";
        this.says.setAttribute("role", "status");
        this.bar.append(this.playing, this.back, this.slider, this.on);
        const tabs = this.querySelector("wb-steps > .wb-bar");
        if (tabs) {
            tabs.after(this.bar);
        } else {
            this.prepend(this.bar);
        }
        this.append(this.says);
        this.classList.add("live");
        // Another drawing may have more rounds, or fewer.
        this.addEventListener("click", () => this.another());
        this.addEventListener("keyup", () => this.another());
        this.show(this.last);
    }

    // The steps of the drawing that is shown.
    shown() {
        return this.steps.filter((step) => !step.closest("figure")?.hasAttribute("data-away"));
    }

    lastShown() {
        return Math.max(...this.shown().map((step) => Number(step.dataset.round)));
    }

    // The same round in another drawing, or its end if the one before was at its end.
    another() {
        const last = this.lastShown();
        if (last === this.last) {
            this.tell();
            return;
        }
        const atEnd = this.round === this.last;
        this.last = last;
        this.slider.max = String(last);
        this.show(atEnd ? last : this.round);
    }

    button(text, label, by) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = text;
        button.setAttribute("aria-label", label);
        if (by) button.addEventListener("click", () => this.jump(this.round + by));
        return button;
    }

    // The reader's own step, which ends the animation.
    jump(round) {
        this.stop();
        this.show(round);
    }

    play() {
        if (STILL.matches) return;
        if (this.round === this.last) this.show(0);
        this.timer = setInterval(() => {
            this.show(this.round + 1);
            if (this.round === this.last) this.stop();
        }, 1000 * SECONDS_PER_ROUND);
        this.playing.textContent = "Stop";
        this.playing.setAttribute("aria-label", "Stop playing");
        // A screen reader would read each step over the one before.
        this.says.setAttribute("aria-live", "off");
    }

    stop() {
        clearInterval(this.timer);
        this.timer = undefined;
        this.playing.textContent = "Play";
        this.playing.setAttribute("aria-label", "Play all rounds");
        this.says.removeAttribute("aria-live");
    }

    disconnectedCallback() {
        this.stop();
    }

    show(round) {
        this.round = Math.min(Math.max(round, 0), this.last);
        for (const step of this.steps) {
            const number = Number(step.dataset.round);
            step.classList.toggle("later", number > this.round);
            step.classList.toggle("now", number === this.round);
        }
        this.slider.value = String(this.round);
        this.back.disabled = this.round === 0;
        this.on.disabled = this.round === this.last;
        this.tell();
    }

    tell() {
        const done = this.shown().filter((step) => Number(step.dataset.round) <= this.round);
        const now = done.at(-1);
        const says = now?.dataset.says ?? "";
        if (this.says.textContent !== says) {
            this.says.textContent = says;
        }
        this.slider.setAttribute("aria-valuetext", `round ${this.round} of ${this.last}`);
    }
}
customElements.define("wb-rounds", Rounds);
