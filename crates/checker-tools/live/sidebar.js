// The sidebar shows how far the reader is: a mark at each exercise, the time that is left, and a link to the page to go on
// with. mdBook's own script has filled the sidebar before.
import { element } from "./element.js";
import { firstUndone, here, pages, visited } from "./pages.js";
import { course, isHosted } from "./store.js";
import { transfer } from "./transfer.js";

const ROOT = new URL("../../", import.meta.url);
const STATES = { done: ["\u2713", "done"], changed: ["\u2713", "done, and changed since"], open: ["", ""] };

const list = document.querySelector("#mdbook-sidebar .chapter");
const seen = visited();
let shown = "";

// "2 h 30 min"
function duration(minutes) {
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
    return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(" ");
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
    // Most verdicts change nothing here, and the browser would lay out the whole list before it shows the verdict.
    const text = JSON.stringify(state);
    if (text === shown) return;
    shown = text;
    // The page's own sections are in the sidebar, too.
    const own = [...list.querySelectorAll("a[href]")].filter((link) => !link.hash);
    const links = new Map(own.map((link) => [link.href, link]));
    for (const exercise of state.exercises) {
        const link = links.get(new URL(exercise.page, ROOT).href);
        if (link) mark(link, exercise);
    }
    document.getElementById("wb-course")?.remove();
    const address = ({ page }) => new URL(page, ROOT).href;
    const open = state.exercises.filter(({ state }) => state === "open").map(address);
    const next = firstUndone(pages(list), new Set(open), new Set(state.exercises.map(address)), seen);
    const left = state.minutes_left > 0 ? ` About ${duration(state.minutes_left)} left.` : "";
    const box = element("div", { id: "wb-course" }, element("p", {}, `${state.done} of ${state.total} exercises done.${left}`));
    const progress = element("progress", { max: state.total, value: state.done, "aria-label": "Exercises done" });
    box.append(progress);
    if (next && next.href !== here()) box.append(element("p", {}, "Continue with ", element("a", { href: next.href }, next.title)));
    list.before(box);
    if (ownTransfer) box.after(ownTransfer);
}

const ownTransfer = isHosted ? transfer(async () => show(await course())) : null;

document.addEventListener("workbook-course", (event) => show(event.detail));
show(await course());
