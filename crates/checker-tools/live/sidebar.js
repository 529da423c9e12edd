// The sidebar shows how far the reader is: a mark at each exercise, the time that is left, and a link to the exercise to go on
// with. mdBook's own script has filled the sidebar before.
import { element } from "./element.js";
import { course, isHosted } from "./store.js";
import { transfer } from "./transfer.js";

const ROOT = new URL("../../", import.meta.url);
const LAST = "cuda-workbook-last-exercise";
const STATES = { done: ["\u2713", "done"], changed: ["\u2713", "done, and changed since"], open: ["", ""] };

const own = document.querySelector('meta[name="workbook-exercise"]')?.content;
const list = document.querySelector("#mdbook-sidebar .chapter");

function last() {
    try {
        if (own) localStorage.setItem(LAST, own);
        return localStorage.getItem(LAST);
    } catch {
        return own ?? null;
    }
}

// "2 h 30 min"
function duration(minutes) {
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
    return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(" ");
}

// The exercise to go on with: the last one that the reader has opened, or else the first one that is open after it.
export function toContinue(exercises, opened) {
    const at = exercises.findIndex(({ id }) => id === opened);
    const after = [...exercises.slice(Math.max(at, 0)), ...exercises];
    return after.find(({ state }) => state === "open") ?? null;
}

function mark(link, exercise) {
    link.querySelector(".wb-state")?.remove();
    const [sign, word] = STATES[exercise.state];
    const label = word || `${exercise.minutes} minutes`;
    const shown = sign || `${exercise.minutes} min`;
    const state = element(
        "span",
        { class: `wb-state is-${exercise.state}` },
        element("span", { "aria-hidden": "true" }, shown),
        element("span", { class: "wb-hidden" }, ` (${label})`),
    );
    link.append(state);
}

function show(state) {
    if (!state || !list) return;
    // The page's own sections are in the sidebar, too.
    const pages = [...list.querySelectorAll("a[href]")].filter((link) => !link.hash);
    const links = new Map(pages.map((link) => [link.href, link]));
    for (const exercise of state.exercises) {
        const link = links.get(new URL(exercise.page, ROOT).href);
        if (link) mark(link, exercise);
    }
    document.getElementById("wb-course")?.remove();
    const next = toContinue(state.exercises, last());
    const left = state.minutes_left > 0 ? ` About ${duration(state.minutes_left)} left.` : "";
    const box = element("div", { id: "wb-course" }, element("p", {}, `${state.done} of ${state.total} exercises done.${left}`));
    const progress = element("progress", { max: state.total, value: state.done, "aria-label": "Exercises done" });
    box.append(progress);
    if (next && next.id !== own) {
        const link = element("a", { href: new URL(next.page, ROOT).href }, element("code", {}, next.id));
        box.append(element("p", {}, "Continue with ", link));
    }
    list.before(box);
    if (ownTransfer) box.after(ownTransfer);
}

const ownTransfer = isHosted ? transfer(async () => show(await course())) : null;

last();
document.addEventListener("workbook-course", (event) => show(event.detail));
show(await course());
