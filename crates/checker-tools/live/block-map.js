// The grid and one block, to choose a thread from: a click, or the arrow keys while the drawing has the focus.
import { WIDTH, box, figure, word } from "./drawing.js";
import { element } from "./element.js";
import { at, linear, shown } from "./indices.js";

// More blocks than this are chosen by their index only.
const MOST_BLOCKS = 256;
const BLOCKS_PER_ROW = 16;
const BLOCK_HEIGHT = 16;
const LANES = 32;
const THREAD_HEIGHT = 9;
// The height of a row that has its name beside it.
const NAMED_HEIGHT = 13;
const MOST_NAMED = 8;

function volume([x, y, z]) {
    return x * y * z;
}

// A drawing of `count` cells in rows. `chosen` is the position that is marked, and `choose(position)` is called for another one.
function map(label, caption, { count, perRow, height, kind, head }, chosen, choose) {
    const width = (WIDTH - head) / perRow;
    const gap = width > 16 ? 2 : 1;
    const cells = Array.from({ length: count }, (_, i) => {
        const [x, y] = [head + (i % perRow) * width, Math.floor(i / perRow) * height];
        const cell = box(i === chosen ? "picked" : kind(i), x, y + 1, width - gap, height - gap);
        cell.addEventListener("click", () => choose(i));
        return cell;
    });
    const rows = Math.ceil(count / perRow);
    // of many rows, every fourth one has its name
    const named = Array.from({ length: head === 0 ? 0 : rows }, (_, i) => i).filter((i) => rows <= MOST_NAMED || i % 4 === 0);
    const names = named.map((i) => word("small", 0, i * height + height - 1, `warp ${i}`));
    const drawn = figure(label, caption, rows * height + 2, [...names, ...cells]);
    const keys = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perRow, ArrowDown: perRow };
    const made = element("div", { class: "wb-map", role: "group", tabindex: "0", "aria-label": `${label}. The arrow keys choose another one.` }, drawn);
    made.addEventListener("keydown", (event) => {
        const to = chosen + (keys[event.key] ?? 0);
        if (to === chosen || to < 0 || to >= count) return;
        event.preventDefault();
        event.stopPropagation();
        choose(to);
    });
    return made;
}

// `choose(block, thread)` shows another thread. `kind(position)` is the class of a thread's cell.
export function blockMap(view, kind, choose) {
    const { grid, block_size: size, block, thread } = view;
    const blocks = volume(grid);
    const parts = [];
    if (blocks > 1 && blocks <= MOST_BLOCKS) {
        const perRow = grid[1] > 1 && grid[0] <= 64 ? grid[0] : BLOCKS_PER_ROW;
        const shape = { count: blocks, perRow, height: BLOCK_HEIGHT, kind: () => "data", head: 0 };
        const caption = `Block ${shown(block, grid)} of ${blocks}`;
        const chosen = (position) => choose(at(position, grid), [0, 0, 0], "blocks");
        parts.push(element("div", { "data-map": "blocks" }, map(`Blocks of the grid, block ${shown(block, grid)} is chosen`, caption, shape, linear(block, grid), chosen)));
    } else if (blocks > MOST_BLOCKS) {
        parts.push(element("p", {}, `The grid has ${blocks} blocks. Choose one by its index above.`));
    }
    const threads = volume(size);
    const height = threads <= MOST_NAMED * LANES ? NAMED_HEIGHT : THREAD_HEIGHT;
    const shape = { count: threads, perRow: LANES, height, kind, head: 48 };
    const label = `Threads of block ${shown(block, grid)}, thread ${shown(thread, size)} is chosen`;
    const caption = `Thread ${shown(thread, size)} of ${threads}: warp ${view.warp}, lane ${view.lane}`;
    const chosen = (position) => choose(block, at(position, size), "threads");
    parts.push(element("div", { "data-map": "threads" }, map(label, caption, shape, linear(thread, size), chosen)));
    return element("div", { class: "wb-maps" }, ...parts);
}
