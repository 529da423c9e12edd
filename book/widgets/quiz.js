// <wb-quiz>: a Check button below each question says whether the chosen answer is right, and why. The browser remembers the
// first answer, which is the reader's prediction, and the last one. Without this script, the answers are folded under each
// question.
class Quiz extends HTMLElement {
    connectedCallback() {
        if (this.forms) return;
        this.classList.add("live");
        this.forms = [...this.querySelectorAll("form")];
        this.forms.forEach((form) => this.prepare(form));
        this.score = document.createElement("p");
        this.score.className = "wb-score";
        this.score.setAttribute("role", "status");
        this.append(this.score);
        this.again = document.createElement("button");
        this.again.type = "button";
        this.again.textContent = "Start over";
        this.again.addEventListener("click", () => this.startOver());
        this.append(this.again);
        this.showScore();
    }

    prepare(form) {
        const check = document.createElement("button");
        check.type = "submit";
        check.textContent = "Check";
        form.querySelector(".wb-why").before(check);
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            const chosen = form.querySelector("input:checked");
            if (chosen) this.answer(form, chosen);
            else this.say(form, "", "Choose an answer first.");
        });
        const stored = Quiz.load(form.id);
        if (stored) {
            form.dataset.first = stored.first;
            const chosen = form.querySelector(`input[value="${CSS.escape(stored.last)}"]`);
            if (chosen) {
                chosen.checked = true;
                this.show(form, chosen);
            }
        }
    }

    answer(form, input) {
        form.dataset.first ??= input.closest("label").dataset.right;
        Quiz.store(form.id, { first: form.dataset.first, last: input.value });
        this.show(form, input);
        this.showScore();
    }

    show(form, input) {
        this.unmark(form);
        const label = input.closest("label");
        const right = label.dataset.right === "true";
        const word = right ? "is-right" : "is-wrong";
        label.classList.add(word);
        this.say(form, word, `<strong>${right ? "\u2713 Right." : "\u2717 Not right."}</strong> ${label.dataset.why}`);
    }

    say(form, word, html) {
        const why = form.querySelector(".wb-why");
        why.hidden = false;
        why.className = `wb-why ${word}`;
        why.innerHTML = html;
    }

    unmark(form) {
        form.querySelectorAll("label").forEach((label) => label.classList.remove("is-right", "is-wrong"));
    }

    startOver() {
        for (const form of this.forms) {
            Quiz.store(form.id, null);
            delete form.dataset.first;
            form.reset();
            this.unmark(form);
            form.querySelector(".wb-why").hidden = true;
        }
        this.showScore();
        this.forms[0]?.querySelector("input")?.focus();
    }

    showScore() {
        const done = this.forms.filter((form) => form.dataset.first !== undefined);
        const right = done.filter((form) => form.dataset.first === "true").length;
        this.again.hidden = done.length === 0;
        this.score.textContent =
            done.length === 0
                ? `There are ${this.forms.length} questions.`
                : `At the first try, ${right} of ${done.length} answers were right. Questions left: ${this.forms.length - done.length}.`;
    }

    // A browser may forbid storage, for example on pages from a file. Then nothing is remembered.
    static load(id) {
        try {
            return JSON.parse(localStorage.getItem(`cuda-workbook-quiz-${id}`));
        } catch {
            return null;
        }
    }

    static store(id, answers) {
        try {
            if (answers) localStorage.setItem(`cuda-workbook-quiz-${id}`, JSON.stringify(answers));
            else localStorage.removeItem(`cuda-workbook-quiz-${id}`);
        } catch {
            // not remembered
        }
    }
}
customElements.define("wb-quiz", Quiz);
