// <wb-coalesce data-sectors="...">: a load of a warp with sliders for stride and offset. The page has
// the numbers of sectors, which are tested against the simulator, and this script compares its drawing with them before it shows
// anything. Without this script, and in print, the figures inside show five accesses.
class Coalesce extends HTMLElement {
    static LANES = 32;
    static FLOATS = 8; // in a sector
    static ROW = 4; // sectors drawn in a row

    connectedCallback() {
        this.table = (this.dataset.sectors ?? "").split(",").map((row) => row.split(" ").map(Number));
        if (this.live || !this.table.every((row, stride) => row.every((n, first) => n === this.touched(stride, first).size))) {
            return;
        }
        this.live = true;
        this.classList.add("live");
        const figure = document.createElement("figure");
        this.stride = this.slider("stride in floats", 0, this.table.length - 1, 1);
        this.first = this.slider("first float", 0, this.table[0].length - 1, 0);
        this.says = document.createElement("figcaption");
        this.says.setAttribute("aria-live", "polite");
        figure.append(this.stride.label, this.first.label, this.picture(), this.says);
        const steps = document.createElement("wb-steps");
        steps.append(figure);
        this.prepend(steps);
        this.show();
    }

    // The index of the float that a lane reads.
    element(stride, first, lane) {
        return first + lane * stride;
    }

    touched(stride, first) {
        const sectors = new Set();
        for (let lane = 0; lane < Coalesce.LANES; lane++) {
            sectors.add(Math.floor(this.element(stride, first, lane) / Coalesce.FLOATS));
        }
        return sectors;
    }

    slider(name, min, max, value) {
        const label = document.createElement("label");
        const words = document.createElement("span");
        const input = document.createElement("input");
        const number = document.createElement("output");
        Object.assign(input, { type: "range", min, max, step: 1, value });
        words.textContent = name;
        input.addEventListener("input", () => this.show());
        // Arrow keys move the slider and do not turn mdBook's pages.
        input.addEventListener("keydown", (event) => event.stopPropagation());
        label.className = "wb-slider";
        label.append(words, input, number);
        return { label, input, number };
    }

    picture() {
        const svg = this.shape("svg", { role: "img" });
        const last = this.element(this.table.length - 1, this.table[0].length - 1, Coalesce.LANES - 1);
        const rows = Math.floor(last / Coalesce.FLOATS / Coalesce.ROW) + 1;
        const cell = 360 / (Coalesce.ROW * Coalesce.FLOATS + Coalesce.ROW - 1);
        this.place = (float) => {
            const sector = Math.floor(float / Coalesce.FLOATS);
            const column = sector % Coalesce.ROW;
            const x = (column * (Coalesce.FLOATS + 1) + (float % Coalesce.FLOATS)) * cell;
            return { x, y: Math.floor(sector / Coalesce.ROW) * 7 };
        };
        svg.setAttribute("viewBox", `0 0 360 ${rows * 7}`);
        const box = (float, floats) =>
            this.shape("rect", { ...this.place(float), width: floats * cell - 1, height: 6, rx: 1 });
        this.sectors = Array.from({ length: rows * Coalesce.ROW }, (_, i) => box(i * Coalesce.FLOATS, Coalesce.FLOATS));
        this.lanes = Array.from({ length: Coalesce.LANES }, () => box(0, 1));
        this.lanes.forEach((lane) => lane.setAttribute("class", "used"));
        svg.append(...this.sectors, ...this.lanes);
        this.svg = svg;
        return svg;
    }

    shape(name, attributes) {
        const shape = document.createElementNS("http://www.w3.org/2000/svg", name);
        Object.entries(attributes).forEach(([key, value]) => shape.setAttribute(key, value));
        return shape;
    }

    show() {
        const stride = Number(this.stride.input.value);
        const first = Number(this.first.input.value);
        const touched = this.touched(stride, first);
        this.stride.number.value = stride;
        this.first.number.value = first;
        this.sectors.forEach((box, i) => box.setAttribute("class", touched.has(i) ? "fetched" : "sector"));
        this.lanes.forEach((box, lane) => {
            const { x, y } = this.place(this.element(stride, first, lane));
            box.setAttribute("x", x);
            box.setAttribute("y", y);
        });
        const count = this.table[stride][first];
        const used = stride === 0 ? 4 : 4 * Coalesce.LANES;
        const noun = count === 1 ? "sector" : "sectors";
        const words = `The stride is ${stride}, and lane 0 loads float ${first}. The request moves ${count} ${noun} with ${32 * count} bytes, and the lanes use ${used} of these bytes.`;
        this.says.textContent = words;
        this.svg.setAttribute("aria-label", words);
    }
}
customElements.define("wb-coalesce", Coalesce);
