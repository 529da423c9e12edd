// <bank-grid>: a column for each bank of shared memory, a row for each wavefront, and sliders for the stride of a warp and the
// padding of its array. The page has the bank and wavefront of each lane in `data-lanes`, two digits (base 36) for each of 32
// lanes; they are tested against the simulator. Without this script, pictures inside the element show some of the positions.
const SVG = "http://www.w3.org/2000/svg";
const LANES = 32;
const BANKS = 32;
const WIDTH = 360;
const COLUMN = WIDTH / BANKS;
const TURN = 8;
const HEAD = 14;
const LEAST_TURNS = 8; // the drawing has room for these, so that the page rarely moves

class BankGrid extends HTMLElement {
    connectedCallback() {
        if (this.live) {
            return;
        }
        this.live = true;
        // The class of a figure without steps applies the colours of all figures here.
        const figure = document.createElement("figure");
        this.caption = document.createElement("figcaption");
        this.caption.setAttribute("role", "status");
        this.drawing = document.createElementNS(SVG, "svg");
        this.drawing.setAttribute("role", "img");
        // The text is above the drawing, whose height changes.
        figure.append(this.caption, this.drawing);
        const frame = document.createElement("wb-steps");
        frame.append(figure);
        const sliders = document.createElement("div");
        sliders.className = "bank-grid-sliders";
        this.stride = this.slider(sliders, "Stride", Number(this.dataset.strides) - 1, 2);
        this.padding = this.slider(sliders, "Padding", Number(this.dataset.paddings) - 1, 0);
        this.replaceChildren(sliders, frame);
        this.show();
    }

    slider(into, name, most, value) {
        const label = document.createElement("label");
        const input = document.createElement("input");
        const output = document.createElement("output");
        input.type = "range";
        input.min = "0";
        input.max = String(most);
        input.value = String(value);
        // mdBook turns pages with the arrow keys.
        input.addEventListener("keydown", (event) => event.stopPropagation());
        input.addEventListener("input", () => this.show());
        label.append(`${name} `, input, " ", output);
        into.append(label);
        return { input, output };
    }

    // [bank, wavefront] for each of the 32 lanes at this position of the sliders.
    places(stride, padding) {
        const begin = (padding * Number(this.dataset.strides) + stride) * 2 * LANES;
        const digits = this.dataset.lanes.slice(begin, begin + 2 * LANES);
        return Array.from({ length: LANES }, (_, lane) =>
            [digits[2 * lane], digits[2 * lane + 1]].map((digit) => parseInt(digit, 36)),
        );
    }

    show() {
        const stride = Number(this.stride.input.value);
        const padding = Number(this.padding.input.value);
        this.stride.output.textContent = String(stride);
        this.padding.output.textContent = String(padding);
        const places = this.places(stride, padding);
        const turns = Math.max(LEAST_TURNS, ...places.map(([, turn]) => turn + 1));
        this.drawing.setAttribute("viewBox", `0 0 ${WIDTH} ${HEAD + turns * TURN + 2}`);
        this.drawing.replaceChildren(...this.heads(), ...this.idle(places), ...this.cells(places));
        this.say(stride, padding, places);
    }

    heads() {
        const heads = [];
        for (let bank = 0; bank < BANKS; bank += 4) {
            const attributes = { class: "small middle", x: (bank + 0.5) * COLUMN, y: HEAD - 4 };
            const head = this.element("text", attributes);
            head.textContent = String(bank);
            heads.push(head);
        }
        return heads;
    }

    // The number of idle banks in all wavefronts together.
    idle(places) {
        const busy = new Set(places.map(([bank, turn]) => turn * BANKS + bank));
        const turns = Math.max(...places.map(([, turn]) => turn)) + 1;
        return Array.from({ length: turns * BANKS }, (_, at) => at)
            .filter((at) => !busy.has(at))
            .map((at) => this.cell(at % BANKS, Math.floor(at / BANKS), "sector"));
    }

    cells(places) {
        return places.map(([bank, turn]) => this.cell(bank, turn, turn === 0 ? "g0" : "g1"));
    }

    cell(bank, turn, name) {
        return this.element("rect", {
            class: name,
            x: bank * COLUMN,
            y: HEAD + turn * TURN,
            width: COLUMN - 1.5,
            height: TURN - 1,
            rx: 2,
        });
    }

    say(stride, padding, places) {
        const turns = Math.max(...places.map(([, turn]) => turn)) + 1;
        const banks = new Set(places.map(([bank]) => bank)).size;
        const element = stride === 0 ? "element 0" : stride === 1 ? "element l" : `element ${stride} * l`;
        const padded = padding === 0 ? "" : `, with ${padding} unused ${padding === 1 ? "word" : "words"} after every 32 words`;
        const used = banks === 1 ? "one bank" : `${banks} banks`;
        const words =
            `Lane l reads ${element}${padded}. The read takes ${turns} ${turns === 1 ? "wavefront" : "wavefronts"} and uses ${used}.` +
            (stride === 0 ? " All lanes read the same word, so it's a broadcast." : "");
        this.caption.textContent = words;
        this.drawing.setAttribute("aria-label", words);
    }

    element(name, attributes) {
        const element = document.createElementNS(SVG, name);
        for (const [key, value] of Object.entries(attributes)) {
            element.setAttribute(key, value);
        }
        return element;
    }
}
customElements.define("bank-grid", BankGrid);
