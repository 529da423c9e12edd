// Drawings of one step: the lanes that take part, and who waits at a barrier.
import { WIDTH, box, figure, scale, word } from "./drawing.js";
import { lanes } from "./indices.js";

const CELL = WIDTH / 32;

export function laneDrawing(view, row) {
    // A warp always has 32 lanes, but the last one of a block may have fewer threads.
    const threads = Math.min(view.threads.length, 32);
    const kind = (lane) => {
        if (!((row.lanes >>> lane) & 1)) return (row.live >>> lane) & 1 ? "spare" : "nothing";
        return lane === view.lane ? "picked" : "g0";
    };
    const cells = Array.from({ length: threads }, (_, lane) => box(kind(lane), lane * CELL + 0.5, 14, CELL - 1, 12));
    const live = lanes(row.live).length;
    const active = lanes(row.lanes).length;
    const parts = [`${active} of the warp's ${threads} threads ${active === 1 ? "executes" : "execute"} this step (filled)`];
    if (active < live) parts.push(`${live - active} ${live - active === 1 ? "doesn't" : "don't"} take part (dashed)`);
    if (live < threads) parts.push(`${threads - live} ${threads - live === 1 ? "has" : "have"} ended (red)`);
    const text = `${parts.join(", ")}.`;
    return figure(text, text, 30, [...scale(11, CELL).slice(0, Math.ceil(threads / 4)), ...cells]);
}

export function barrierDrawing(view, row) {
    const { arrived, threads, warps, exited } = row.barrier;
    const [waiting, gone] = [new Map(warps), new Map(exited)];
    const left = exited.reduce((sum, [, mask]) => sum + lanes(mask).length, 0);
    // rows with names beside them need more room
    const height = threads <= 256 ? 13 : 9;
    const head = 48;
    const width = (WIDTH - head) / 32;
    const shapes = [];
    for (let warp = 0; warp < Math.ceil(threads / 32); ++warp) {
        if (threads <= 256 || warp % 4 === 0) shapes.push(word("small", 0, warp * height + height - 1, `warp ${warp}`));
        for (let lane = 0; lane < Math.min(32, threads - 32 * warp); ++lane) {
            const arrives = warp === view.warp && (row.lanes >>> lane) & 1;
            const waits = ((waiting.get(warp) ?? 0) >>> lane) & 1;
            const hasLeft = ((gone.get(warp) ?? 0) >>> lane) & 1;
            shapes.push(box(arrives ? "g0" : waits ? "g1" : hasLeft ? "nothing" : "spare", head + lane * width, warp * height + 1, width - 1, height - 1));
        }
    }
    const missing = threads - arrived - left;
    const parts = [`${arrived} of ${threads} threads have arrived (filled)`];
    if (left > 0) parts.push(`${left} have exited (red)`);
    parts.push(missing === 0 ? `all${left > 0 ? " others" : ""} can go on` : `${missing} haven't arrived yet (dashed)`);
    const text = `Barrier: ${parts.join(", ")}. The simulator runs the warp that you follow first. On a GPU, the warps arrive in any order.`;
    return figure(text, text, Math.ceil(threads / 32) * height + 4, shapes);
}
