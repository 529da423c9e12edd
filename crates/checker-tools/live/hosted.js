// The work of a page when the files are in the browser and the server keeps nothing: `checker host`. It has the form of Server.
import { sha256 } from "./sha256.js";
import { ownVault } from "./vault.js";

const LIVE = new URL("../", import.meta.url);
const ROOT = new URL("../../", import.meta.url);

// A text is checked when the reader has paused for this long. It was saved before.
export const CHECK_PAUSE_MS = 1000;
// How long a page waits before it tries again, if the server doesn't say.
export const FIRST_RETRY_MS = 2000;
const LAST_RETRY_MS = 30_000;
const KEPT = "Your text is in this browser.";

// A request to the server: {status, value, retryMs}. The status is 0 if it can't be reached.
async function send(path, body = null, signal = undefined) {
    const post = { method: "POST", body: JSON.stringify(body), signal };
    try {
        const response = await fetch(new URL(path, LIVE), { cache: "no-store", ...(body && post) });
        const isJson = response.headers.get("content-type")?.startsWith("application/json");
        const seconds = Number(response.headers.get("retry-after"));
        return { status: response.status, value: isJson ? await response.json() : null, retryMs: seconds > 0 ? seconds * 1000 : null };
    } catch {
        return { status: 0, value: null, retryMs: null };
    }
}

// Whether the same request may succeed later: the server is away, too busy, or being replaced.
const isTemporary = (status) => [0, 429, 502, 503, 504].includes(status);

function reason({ status, value }) {
    if (value?.problem) return value.problem;
    return status === 0 ? "The server can't be reached." : `The server answers ${status}.`;
}

// How far the reader is in these exercises.
export function courseState(vault, exercises) {
    const states = exercises.map((exercise) => ({ ...exercise, state: vault.state(exercise.id) }));
    const open = states.filter(({ state }) => state === "open");
    const left = open.reduce((sum, { minutes }) => sum + minutes, 0);
    return { done: states.length - open.length, total: states.length, minutes_left: left, exercises: states };
}

// A listing runs again this often if the server has too much to do.
const LISTING_RETRIES = 5;

// Runs a listing: {listing, part, texts, profile}. Resolves to {value} or {problem}. `wait(ms)` is replaced in tests.
export async function runListing(body, { ask = send, wait = (ms) => new Promise((done) => setTimeout(done, ms)) } = {}) {
    let retryMs = FIRST_RETRY_MS;
    for (let left = LISTING_RETRIES; ; --left) {
        const answer = await ask("listings", body);
        if (answer.status === 200) return { value: answer.value };
        if (!isTemporary(answer.status) || left === 0) return { problem: reason(answer) };
        await wait(answer.retryMs ?? retryMs);
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
    }
}

// The text of a listing's whole program.
export async function listingText(listing) {
    const answer = await send(`listings/${listing}`);
    return answer.status === 200 ? { value: answer.value } : { problem: reason(answer) };
}

let fetched;

// The exercises of the course; null if the server can't be reached.
export async function exercises() {
    fetched ??= send("course");
    const { status, value } = await fetched;
    if (status === 200) return value.exercises;
    fetched = undefined;
    return null;
}

export const vault = ownVault(ROOT);

export async function course() {
    const all = await exercises();
    return all && courseState(vault, all);
}

export class HostedServer {
    // `tools` are replaced in tests.
    constructor(id, tools = {}) {
        Object.assign(this, { id, vault, send, exercises, wait: (ms, call) => setTimeout(call, ms), cancel: (timer) => clearTimeout(timer) }, tools);
        this.course = null; // the exercises, once they are known
        this.exercise = null; // what the server knows of this one
        this.request = null; // the check that runs
        this.timer = null; // the check, or the next try, that waits
    }

    words = {
        other: "another tab",
        copy: "A copy of yours is kept in this browser, and is part of an export.",
    };

    text() {
        return this.vault.file(this.id, this.exercise.original).text;
    }

    // See File.
    async save({ base, text, keep_copy: keepCopy }) {
        const current = this.vault.file(this.id, this.exercise.original);
        if (current.version !== base) return { conflict: current };
        const problem = (keepCopy && current.text !== text && this.vault.keep(this.id, current.text)) || this.vault.set("file", this.id, text);
        if (problem) return { refused: problem };
        this.later(CHECK_PAUSE_MS, () => this.check());
        this.showCourse();
        return { saved: sha256(text) };
    }

    // Keeps a copy of a text, unless it is the original.
    async keep(text) {
        const problem = text === this.exercise.original ? null : this.vault.keep(this.id, text);
        return problem ? { problem } : {};
    }

    // The texts that were replaced: [{number, saved, lines}], the newest first.
    async copies() {
        const lines = (number) => this.vault.copy(this.id, number).trimEnd().split("\n").length;
        const numbers = this.vault.copies(this.id).toReversed();
        return { value: numbers.map((number) => ({ number, saved: null, lines: lines(number) })) };
    }

    // The text of one of them.
    async copy(number) {
        const text = this.vault.copy(this.id, number);
        return text === null ? { problem: "There is no such version." } : { value: { text } };
    }

    later(ms, call) {
        this.cancel(this.timer);
        this.timer = this.wait(ms, call);
    }

    // Checks the text that is saved now, and ends the check of an older one. Tries again until the server has answered.
    async check(retryMs = FIRST_RETRY_MS) {
        this.cancel(this.timer);
        this.request?.abort();
        const request = new AbortController();
        this.request = request;
        const text = this.text();
        this.handlers.checking();
        const answer = await this.send(`exercises/${this.id}/check`, { source: text }, request.signal);
        if (request.signal.aborted) return;
        if (isTemporary(answer.status)) {
            const ms = answer.retryMs ?? retryMs;
            this.note(`${reason(answer)} ${KEPT} This page checks it again in ${Math.ceil(ms / 1000)} s.`);
            return this.later(ms, () => this.check(Math.min(2 * retryMs, LAST_RETRY_MS)));
        }
        if (answer.status !== 200) return this.note(`${reason(answer)} ${KEPT}`);
        this.note("");
        if (answer.value.passed) {
            const problem = this.vault.pass(this.id, answer.value.version, text);
            if (problem) this.note("The storage of this browser is full, so this pass isn't recorded. Export your work.");
        }
        this.handlers.verdict(answer.value);
        this.showCourse();
    }

    // Checks at once what was saved.
    hurry() {
        this.check();
    }

    // Looks into a case of the text that is saved.
    async look(body) {
        return this.once(`exercises/${this.id}/look`, { source: this.text(), look: body });
    }

    // The solution, for the text that has passed.
    async solution() {
        return this.once(`exercises/${this.id}/solution`, { source: this.vault.passed(this.id)?.text ?? this.text() });
    }

    async once(path, body) {
        const answer = await this.send(path, body);
        if (answer.status === 200) return { value: answer.value };
        const again = isTemporary(answer.status) ? " Try again in a moment." : "";
        return { problem: `${reason(answer)}${again}` };
    }

    // Asks for `check`, `hint` or `reset`. Resolves to {value} or {problem}.
    async post(action) {
        if (!this.exercise) return { problem: "The server can't be reached." };
        if (action === "hint") return this.nextHint();
        if (action === "reset") return this.reset();
        this.check();
        return {};
    }

    nextHint() {
        const shown = Math.min(this.vault.hints(this.id) + 1, this.exercise.hints.length);
        const problem = this.vault.set("hints", this.id, String(shown));
        return { value: this.hints(problem ? shown : undefined) };
    }

    hints(shown = this.vault.hints(this.id)) {
        return { shown: this.exercise.hints.slice(0, shown), total: this.exercise.hints.length };
    }

    // Restores the original; the text that is replaced is kept first.
    reset() {
        const { original } = this.exercise;
        const problem = this.vault.together((vault) => {
            const text = vault.get("file", this.id);
            const problem = text !== null && text !== original ? vault.keep(this.id, text) : null;
            if (problem) return problem;
            for (const kind of ["file", "passed", "hints"]) vault.remove(kind, this.id);
            return null;
        });
        if (problem) return { problem: "Nothing was changed, because there is no room for a copy of your text. Export your work first." };
        this.changed("file", this.id);
        return { value: null };
    }

    note(text) {
        this.lost(text);
    }

    showCourse() {
        if (this.course) this.handlers.course(courseState(this.vault, this.course));
    }

    // Another page, an import or a reset has changed the vault.
    changed(kind, id) {
        if (!this.exercise) return;
        if (kind === "all" || (kind === "file" && id === this.id)) {
            this.handlers.file({ file: this.vault.file(this.id, this.exercise.original), by: null });
            this.later(CHECK_PAUSE_MS, () => this.check());
        }
        this.showCourse();
    }

    // Calls `handlers` by the names of events, and `lost(why)` with what the reader should know.
    listen(handlers, lost) {
        Object.assign(this, { handlers, lost });
        this.vault.listen((kind, id) => this.changed(kind, id));
        return this.open();
    }

    async open(retryMs = FIRST_RETRY_MS) {
        const [answer, all] = await Promise.all([this.send(`exercises/${this.id}`), this.exercises()]);
        if (answer.status !== 200 || !all) {
            this.note(`The server can't be reached. This page tries again in ${Math.ceil(retryMs / 1000)} s.`);
            return this.later(retryMs, () => this.open(Math.min(2 * retryMs, LAST_RETRY_MS)));
        }
        [this.exercise, this.course] = [answer.value, all];
        const { path, program, original } = this.exercise;
        const file = this.vault.file(this.id, original);
        const state = courseState(this.vault, all);
        const passed = this.vault.passed(this.id) !== null;
        this.handlers.exercise({ id: this.id, path, program, file, verdict: null, passed, hints: this.hints(), course: state });
        return this.check();
    }
}

export const connect = (id) => new HostedServer(id);
