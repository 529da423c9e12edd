// <wb-quiz>: shows at once whether the chosen answer is right, and why. Without this script, the answers are folded under each
// question.
class Quiz extends HTMLElement {
    connectedCallback() {
        this.classList.add("live");
        this.score = document.createElement("p");
        this.score.className = "wb-score";
        this.score.setAttribute("role", "status");
        this.append(this.score);
        this.forms = [...this.querySelectorAll("form")];
        for (const form of this.forms) {
            form.addEventListener("submit", (event) => event.preventDefault());
            form.addEventListener("change", (event) => this.answer(form, event.target));
        }
        this.tell();
    }

    answer(form, input) {
        const label = input.closest("label");
        const right = label.dataset.right === "true";
        // Only the first answer is stored as the prediction; readers may try the others.
        form.dataset.first ??= String(right);
        for (const other of form.querySelectorAll("label")) {
            other.classList.remove("is-right", "is-wrong");
        }
        label.classList.add(right ? "is-right" : "is-wrong");
        const why = form.querySelector(".wb-why");
        why.hidden = false;
        why.className = `wb-why ${right ? "is-right" : "is-wrong"}`;
        why.innerHTML = `<strong>${right ? "\u2713 Right." : "\u2717 Not right."}</strong> ${label.dataset.why}`;
        this.tell();
    }

    tell() {
        const done = this.forms.filter((form) => form.dataset.first !== undefined);
        const right = done.filter((form) => form.dataset.first === "true").length;
        this.score.textContent =
            done.length === 0
                ? `${this.forms.length} questions.`
                : `${right} of ${done.length} right at the first try, ${this.forms.length - done.length} to go.`;
    }
}
customElements.define("wb-quiz", Quiz);
