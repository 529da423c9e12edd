// <wb-rounds>: steps through a drawing, round by round. The drawing is complete from the start; this script only dims
// later steps, describes the current step, and lets a slider, two buttons or the arrow keys move on. Without it, and in print, all
// steps are visible.
class Rounds extends HTMLElement {
    connectedCallback() {
        if (this.bar) {
            return;
        }
        this.steps = [...this.querySelectorAll("[data-round]")];
        this.last = Math.max(...this.steps.map((step) => Number(step.dataset.round)));
        this.bar = document.createElement("div");
        this.bar.className = "wb-bar wb-round-bar";
        this.back = this.button("\u25c0", "One round back", -1);
        this.on = this.button("\u25b6", "One round on", 1);
        this.slider = document.createElement("input");
        this.slider.type = "range";
        this.slider.min = "0";
        this.slider.max = String(this.last);
        this.slider.setAttribute("aria-label", "Round");
        this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
        // While the slider has the focus, arrow keys move it and do not turn mdBook's pages.
        this.slider.addEventListener("keydown", (event) => event.stopPropagation());
        this.says = document.createElement("p");
        this.says.className = "wb-says";
        this.says.setAttribute("role", "status");
        this.bar.append(this.back, this.slider, this.on);
        const tabs = this.querySelector("wb-steps > .wb-bar");
        if (tabs) {
            tabs.after(this.bar);
        } else {
            this.prepend(this.bar);
        }
        this.append(this.says);
        this.classList.add("live");
        // The same round in another drawing.
        this.addEventListener("click", () => this.tell());
        this.addEventListener("keyup", () => this.tell());
        this.show(1);
    }

    button(text, label, by) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = text;
        button.setAttribute("aria-label", label);
        button.addEventListener("click", () => this.show(this.round + by));
        return button;
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
        const now = this.steps.find(
            (step) => Number(step.dataset.round) === this.round && !step.closest("figure")?.hasAttribute("data-away"),
        );
        const says = now?.dataset.says ?? "";
        if (this.says.textContent !== says) {
            this.says.textContent = says;
        }
        this.slider.setAttribute("aria-valuetext", `round ${this.round} of ${this.last}`);
    }
}
customElements.define("wb-rounds", Rounds);
