// <wb-steps>: shows one figure at a time, with buttons and arrow keys. Without this script, and in print, all figures are visible,
// one below the other.
class Steps extends HTMLElement {
    connectedCallback() {
        this.figures = [...this.querySelectorAll("figure")];
        if (this.figures.length < 2 || this.bar) {
            return;
        }
        this.bar = document.createElement("div");
        this.bar.className = "wb-bar";
        this.bar.setAttribute("role", "tablist");
        this.bar.setAttribute("aria-label", this.getAttribute("aria-label") ?? "Steps of the figure");
        this.tabs = this.figures.map((figure, i) => this.tab(figure, i));
        this.bar.append(...this.tabs);
        this.prepend(this.bar);
        this.classList.add("live");
        this.show(0);
    }

    tab(figure, i) {
        const tab = document.createElement("button");
        tab.type = "button";
        tab.textContent = figure.dataset.title;
        tab.setAttribute("role", "tab");
        figure.id ||= `${this.closest("[id]")?.id ?? "figure"}-${Steps.count++}`;
        figure.setAttribute("role", "tabpanel");
        tab.setAttribute("aria-controls", figure.id);
        tab.addEventListener("click", () => this.show(i));
        tab.addEventListener("keydown", (event) => this.key(event, i));
        return tab;
    }

    // While one of the figure's buttons has the focus, arrow keys change the figure and do not turn mdBook's pages.
    key(event, i) {
        const last = this.tabs.length - 1;
        const to = {
            ArrowLeft: Math.max(i - 1, 0),
            ArrowRight: Math.min(i + 1, last),
            Home: 0,
            End: last,
        }[event.key];
        if (to === undefined) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        this.show(to);
        this.tabs[to].focus();
    }

    show(shown) {
        this.figures.forEach((figure, i) => figure.toggleAttribute("data-away", i !== shown));
        this.tabs.forEach((tab, i) => {
            tab.setAttribute("aria-selected", String(i === shown));
            tab.tabIndex = i === shown ? 0 : -1;
        });
    }
}
Steps.count = 0;
customElements.define("wb-steps", Steps);
