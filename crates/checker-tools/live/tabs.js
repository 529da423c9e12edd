// Tabs whose panels are filled when they are opened.
import { element } from "./element.js";

let count = 0;

export class Tabs {
    // `names` has [name, title] for each tab; `opened(name, panel)` is called when the reader opens one.
    constructor(label, names, opened) {
        this.opened = opened;
        const group = `wb-tabs-${count++}`;
        this.tabs = names.map(([name, title]) => {
            const panel = element("div", { id: `${group}-${name}`, class: "wb-panel", role: "tabpanel", tabindex: "0", hidden: true });
            const tab = element("button", { type: "button", id: `${group}-${name}-tab`, role: "tab", "aria-controls": panel.id }, title);
            panel.setAttribute("aria-labelledby", tab.id);
            tab.addEventListener("click", () => this.open(name));
            tab.addEventListener("keydown", (event) => this.key(event, name));
            return { name, tab, panel };
        });
        this.bar = element("div", { class: "wb-bar", role: "tablist", "aria-label": label }, ...this.tabs.map(({ tab }) => tab));
        this.element = element("div", { class: "wb-tabs" }, this.bar, ...this.tabs.map(({ panel }) => panel));
        this.select(names[0][0]);
    }

    get shown() {
        return this.tabs.filter(({ tab }) => !tab.hidden);
    }

    panel(name) {
        return this.tabs.find((one) => one.name === name).panel;
    }

    // Shows a tab without calling `opened`.
    select(name) {
        this.name = name;
        for (const one of this.tabs) {
            const isOpen = one.name === name;
            one.panel.hidden = !isOpen;
            one.tab.setAttribute("aria-selected", String(isOpen));
            one.tab.tabIndex = isOpen ? 0 : -1;
        }
    }

    open(name) {
        this.select(name);
        this.opened(name, this.panel(name));
    }

    // A tab that is not there for this exercise. If it is open, the first one is opened.
    setShown(name, yes) {
        this.tabs.find((one) => one.name === name).tab.hidden = !yes;
        if (!yes && this.name === name) this.select(this.shown[0].name);
    }

    key(event, name) {
        const shown = this.shown;
        const from = shown.findIndex((one) => one.name === name);
        const last = shown.length - 1;
        const to = { ArrowLeft: Math.max(from - 1, 0), ArrowRight: Math.min(from + 1, last), Home: 0, End: last }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        this.open(shown[to].name);
        shown[to].tab.focus();
    }
}
