// Requests to the server, and what it sends.

const LIVE = new URL("../", import.meta.url);

// Answers of the server as JSON; `null` if the address was opened without the server's token.
async function request(path, options = {}) {
    const response = await fetch(new URL(path, LIVE), { cache: "no-store", ...options });
    if (response.status === 401) return { status: 401, value: null };
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, value: isJson ? await response.json() : null };
}

export async function course() {
    try {
        const { status, value } = await request("course");
        return status === 200 ? value : null;
    } catch {
        return null;
    }
}

// Resolves to {value} or {problem}.
async function answer(send) {
    try {
        const { status, value } = await send();
        if (status === 401) return { problem: LOCKED };
        return status < 300 ? { value } : { problem: value?.problem ?? `The server answers ${status}.` };
    } catch {
        return { problem: AWAY };
    }
}

// Runs a listing: {listing, part, texts, profile}.
export function runListing(body) {
    return answer(() => request("listings", { method: "POST", body: JSON.stringify(body) }));
}

// The text of a listing's whole program.
export function listingText(listing) {
    return answer(() => request(`listings/${listing}`));
}

export const LOCKED =
    "To work on this page, open the address that the terminal shows. A server that was started again has a new one. Your work isn't lost: " +
    "it is in your workbook's files, and what wasn't saved yet is in this browser.";
const AWAY = "The server can't be reached. What you type is saved when it is there again.";

// The largest source that the checker reads.
const MAX_BYTES = 1 << 20;

export class Server {
    constructor(exercise) {
        this.path = `exercises/${exercise}`;
    }

    words = {
        other: "another program",
        copy: "A copy of yours is kept in .workbook/backup.",
    };

    // See File.
    async save(body) {
        // A connection that the server closes early would look like a server that is away.
        if (new Blob([body.text]).size > MAX_BYTES) return { refused: "The text has more than 1 MiB, which is the most that the checker reads." };
        try {
            const options = { method: "PUT", body: JSON.stringify(body), keepalive: body.text.length < 60_000 };
            const { status, value } = await request(this.path, options);
            if (status === 200) return { saved: value.version };
            if (status === 409) return { conflict: value };
            if (status === 401) return { offline: LOCKED };
            return { refused: value?.problem ?? `The server answers ${status}.` };
        } catch {
            return { offline: AWAY };
        }
    }

    // Keeps a copy of a text in the workbook's backups.
    async keep(text) {
        return answer(() => request(`${this.path}/copy`, { method: "POST", body: JSON.stringify({ text }) }));
    }

    // The texts that were replaced: [{number, saved, lines}], the newest first.
    async copies() {
        return answer(() => request(`${this.path}/copies`));
    }

    // The text of one of them.
    async copy(number) {
        return answer(() => request(`${this.path}/copies/${number}`));
    }

    // Looks into a case.
    async look(body) {
        return answer(() => request(`${this.path}/look`, { method: "POST", body: JSON.stringify(body) }));
    }

    // Asks for `check`, `hint` or `reset`. Resolves to {value} or {problem}.
    async post(action) {
        return answer(() => request(`${this.path}/${action}`, { method: "POST" }));
    }

    async solution() {
        return answer(() => request(`${this.path}/solution`));
    }

    // The server checks a text as soon as it is saved.
    hurry() {}

    // Calls `handlers` by the names of events, and `lost(why)` while there is no connection. A page that is not visible has no
    // connection, because a browser opens only six to a server.
    listen(handlers, lost) {
        let source = null;
        const connect = () => {
            if (source && source.readyState !== EventSource.CLOSED) return;
            source = new EventSource(new URL(`${this.path}/events`, LIVE));
            for (const [name, handle] of Object.entries(handlers)) {
                source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
            }
            source.addEventListener("error", () => {
                // A browser tries again unless the server has refused.
                lost(source.readyState === EventSource.CLOSED ? LOCKED : AWAY);
            });
        };
        const update = () => {
            if (document.visibilityState === "visible") return connect();
            source?.close();
            source = null;
        };
        document.addEventListener("visibilitychange", update);
        window.addEventListener("focus", update);
        window.addEventListener("pagehide", () => source?.close());
        window.addEventListener("pageshow", (event) => event.persisted && connect());
        update();
    }
}

export const connect = (exercise) => new Server(exercise);
