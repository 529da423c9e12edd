// A warp on one line: its 32 lanes, and what a request of theirs touches. In global memory these are sectors, in shared memory
// banks, each of which serves one word in a wavefront.
import { WIDTH, box, figure, folded, line, scale, slider, table, word } from "./drawing.js";
import { element } from "./element.js";
import { lanes, shown } from "./indices.js";

const CELL = WIDTH / 32;
const LANE_Y = 16;
const LANE_HEIGHT = 12;
const SECTOR_BYTES = 32;
// Sectors beside each other, and the distance between them.
const SECTORS_PER_ROW = 4;
const SECTOR_WIDTH = 84;
const SECTOR_STEP = 92;
const ROW_HEIGHT = 32;
const TURN_HEIGHT = 9;
const MOST_SECTORS = 64;

const VERBS = { read: "reads", write: "writes", atomic: "updates" };

function plural(count, one, many) {
    return `${count} ${count === 1 ? one : many}`;
}

// The first byte of the sector that contains a byte of an array.
function sectorOf(request, offset) {
    const at = offset + request.misaligned;
    return Math.floor(at / SECTOR_BYTES) * SECTOR_BYTES - request.misaligned;
}

// The sectors of a request, in order.
export function sectors(request) {
    const found = new Set();
    for (const { offset, wrong } of request.lanes) {
        if (wrong) continue;
        for (let first = sectorOf(request, offset); first < offset + request.bytes; first += SECTOR_BYTES) found.add(first);
    }
    return [...found].sort((a, b) => a - b);
}

function laneRow(mask, picked, absent) {
    const kinds = (lane) => (lane === picked ? "picked" : (mask >>> lane) & 1 ? "g0" : absent(lane) ? "nothing" : "spare");
    const cells = Array.from({ length: 32 }, (_, lane) => box(kinds(lane), lane * CELL + 0.5, LANE_Y, CELL - 1, LANE_HEIGHT));
    return [...scale(LANE_Y - 4, CELL), ...cells];
}

function drawSectors(request, mask, picked, absent) {
    const all = sectors(request);
    const places = new Map();
    const top = LANE_Y + LANE_HEIGHT + 22;
    const shapes = laneRow(mask, picked, absent);
    for (const [i, first] of all.slice(0, MOST_SECTORS).entries()) {
        const x = (i % SECTORS_PER_ROW) * SECTOR_STEP;
        const y = top + Math.floor(i / SECTORS_PER_ROW) * ROW_HEIGHT;
        places.set(first, [x, y]);
        shapes.push(box("fetched", x, y, SECTOR_WIDTH, 13), word("small", x, y + 23, `byte ${first}`));
    }
    const scaleOf = SECTOR_WIDTH / SECTOR_BYTES;
    const used = [];
    const arrows = [];
    for (const { lane, offset, wrong } of request.lanes) {
        if (wrong) continue;
        let begin = offset;
        const end = offset + request.bytes;
        while (begin < end) {
            const first = sectorOf(request, begin);
            const stop = Math.min(end, first + SECTOR_BYTES);
            const place = places.get(first);
            if (place) {
                const x = place[0] + (begin - first) * scaleOf;
                const width = (stop - begin) * scaleOf - 0.8;
                used.push(box(lane === picked ? "picked" : "used", x + 0.4, place[1] + 2, width, 9));
                if (lane === picked) {
                    arrows.push(line("brace", (lane + 0.5) * CELL, LANE_Y + LANE_HEIGHT, x + width / 2, place[1] + 2));
                }
            }
            begin = stop;
        }
    }
    // what the chosen lane touches is above the others
    used.sort((a, b) => (a.getAttribute("class") === "picked") - (b.getAttribute("class") === "picked"));
    const rows = Math.ceil(Math.min(all.length, MOST_SECTORS) / SECTORS_PER_ROW);
    return [top + rows * ROW_HEIGHT, [...shapes, ...used, ...arrows]];
}

function drawBanks(request, mask, picked, absent) {
    const top = LANE_Y + LANE_HEIGHT + 34;
    const shapes = [...laneRow(mask, picked, absent), word("small", 0, LANE_Y + LANE_HEIGHT + 13, "banks, and below the wavefronts")];
    shapes.push(...scale(top - 4, CELL));
    let most = 0;
    const cells = [];
    for (const { lane, served } of request.lanes) {
        for (const [bank, turn] of served ?? []) {
            most = Math.max(most, turn);
            const kind = lane === picked ? "picked" : turn > 0 ? "clash" : "g0";
            const cell = box(kind, bank * CELL + 0.5, top + turn * TURN_HEIGHT, CELL - 1, TURN_HEIGHT - 1);
            if (lane === picked) cells.push(cell);
            else cells.unshift(cell);
        }
    }
    for (let bank = 0; bank < 32; ++bank) shapes.push(box("sector", bank * CELL + 0.5, top, CELL - 1, (most + 1) * TURN_HEIGHT - 1));
    return [top + (most + 1) * TURN_HEIGHT + 4, [...shapes, ...cells]];
}

// The request that loses most.
function worst(requests) {
    const lost = requests.map(({ sectors, turns }) => {
        const [took, least] = sectors ?? turns ?? [0, 0];
        return took - least;
    });
    return Math.max(lost.indexOf(Math.max(...lost)), 0);
}

function summary(request) {
    const name = request.array ?? `${request.space} memory`;
    const who = plural(request.lanes.length, "lane", "lanes");
    const does = `${who} of the warp ${request.lanes.length === 1 ? VERBS[request.action] : request.action === "atomic" ? "update" : request.action} ${name}`;
    if (request.sectors) {
        const [moved, ideal] = request.sectors;
        const enough = moved > ideal ? `, and ${ideal} would be enough if their data were contiguous` : ", as few as possible";
        return `${does}. The request moves ${plural(moved, "sector", "sectors")}${enough}.`;
    }
    if (request.turns) {
        const [took, least] = request.turns;
        const why = took > least ? `, because lanes need different words of one bank; without conflicts it is ${least}` : ", without a bank conflict";
        return `${does}. The request takes ${plural(took, "wavefront", "wavefronts")}${why}.`;
    }
    return `${does}.`;
}

function describe(view, request, lane) {
    const thread = view.threads[lane];
    if (!thread) return `Lane ${lane} has no thread.`;
    const found = request.lanes.find((one) => one.lane === lane);
    const name = `Lane ${lane}, thread ${shown(thread)},`;
    if (!found) return `${name} doesn't take part.`;
    const value = found.value === null ? "" : request.action === "write" ? ` with the value ${found.value}` : ` and finds ${found.value}`;
    const last = found.offset + request.bytes - 1;
    const place = `${request.bytes === 1 ? `byte ${last}` : `bytes ${found.offset} to ${last}`}`;
    const banks = found.served?.map(([bank, turn]) => `bank ${bank} in wavefront ${turn + 1}`).join(", ");
    return `${name} ${VERBS[request.action]} ${found.element}${value}: ${found.wrong ? "this is a mistake" : banks || place}.`;
}

function laneTable(view, request) {
    const rows = request.lanes.map((one) => {
        const banks = one.served?.map(([bank, turn]) => `${bank}, wavefront ${turn + 1}`).join("; ");
        const place = request.space === "global" ? `sector of byte ${sectorOf(request, one.offset)}` : banks ?? "";
        return [String(one.lane), shown(view.threads[one.lane] ?? []), one.element, String(one.offset), place, one.value ?? ""];
    });
    const where = request.space === "global" ? "Sector" : "Bank";
    return table("The lanes of the request", ["Lane", "Thread", "Element", "Byte", where, "Value"], rows);
}

// What the warp does on the line. `follow(thread)` shows the steps of a thread.
export function warp(view) {
    const made = element("div", { class: "wb-warp" });
    const block = shown(view.block);
    made.append(element("h4", { tabindex: "-1" }, `Line ${view.line}: warp ${view.warp} of block ${block}`));
    if (view.visits.length === 0) {
        made.append(element("p", {}, "No thread of this warp executes the line. Choose another block or thread above."));
        return made;
    }
    const choices = element("div", { class: "wb-choices" });
    const place = element("div", {});
    const status = element("p", { role: "status", class: "wb-says" });
    const state = { visit: 0, request: 0, lane: 0 };
    const visit = () => view.visits[state.visit];
    const requests = element("select", {});

    const redraw = () => {
        const request = visit().requests[state.request];
        const live = lanes(visit().lanes).length;
        if (!request) {
            const parts = `The line is executed by ${plural(live, "lane", "lanes")}, which access no memory here.`;
            place.replaceChildren(element("p", {}, parts));
            status.textContent = "";
            return;
        }
        const mask = request.lanes.reduce((all, { lane }) => all | (1 << lane), 0) >>> 0;
        const absent = (lane) => lane >= view.threads.length;
        const hasBanks = request.lanes.some(({ served }) => served?.length > 0);
        const draw = request.sectors ? drawSectors : hasBanks ? drawBanks : (_request, mask, picked, absent) => [34, laneRow(mask, picked, absent)];
        const [height, shapes] = draw(request, mask, state.lane, absent);
        place.replaceChildren(figure(summary(request), summary(request), height, shapes), folded("The lanes as a table", () => laneTable(view, request)));
        status.textContent = describe(view, request, state.lane);
    };
    const choose = () => {
        const names = visit().requests.map((request, i) => {
            const text = `${request.action} ${request.array ?? request.space} (${request.space})`;
            return element("option", { value: String(i) }, text);
        });
        requests.replaceChildren(...names);
        requests.value = String(state.request);
        requests.closest("label").hidden = names.length < 2;
    };
    requests.addEventListener("change", () => {
        state.request = Number(requests.value);
        redraw();
    });
    const lane = slider("Lane", 31, 0, (value) => {
        state.lane = value;
        redraw();
        return String(value);
    });
    const last = view.visits.length - 1;
    const execution = slider("Execution", last, 0, (value) => {
        state.visit = value;
        state.request = Math.min(state.request, Math.max(visit().requests.length - 1, 0));
        choose();
        redraw();
        return `${value + 1} of ${last + 1}${view.skipped > 0 ? "+" : ""}`;
    });
    execution.element.hidden = last === 0;
    choices.append(element("label", {}, "Access ", requests), execution.element, lane.element);
    made.append(choices, place, status);
    state.request = worst(visit().requests);
    choose();
    execution.show();
    lane.show();
    return made;
}
