// A learner's work in the browser's storage: files, copies of files that were replaced, passes and hints. Only this browser has
// it, so nothing is deleted to make room.
//
//     file/ID      the text; a file that was never changed has none, and is the original
//     copy/ID/N    a text that was replaced
//     passed/ID    {hash, text} of the last text that passed; the text is null if only an import's record names it
//     hints/ID     how many hints were shown
import { sha256 } from "./sha256.js";

export const FULL = "The storage of this browser is full, so the text isn't saved. Export your work, and copy this text.";
export const FORBIDDEN = "This browser doesn't let this site store anything, so the text isn't saved. Copy it before you close the page.";

export class Vault {
    // `storage` is the browser's localStorage, or null where that is forbidden. Two books at one address have different prefixes.
    constructor(storage, prefix) {
        Object.assign(this, { storage, prefix, listeners: new Set() });
    }

    key(kind, id) {
        return `${this.prefix}${kind}/${id}`;
    }

    get(kind, id) {
        return this.storage?.getItem(this.key(kind, id)) ?? null;
    }

    // Returns what is wrong, or null.
    set(kind, id, text) {
        if (!this.storage) return FORBIDDEN;
        try {
            this.storage.setItem(this.key(kind, id), text);
            return null;
        } catch {
            return FULL;
        }
    }

    remove(kind, id) {
        this.storage?.removeItem(this.key(kind, id));
    }

    // The exercises or copies of a kind that are stored.
    names(kind) {
        const start = this.key(kind, "");
        const keys = Array.from({ length: this.storage?.length ?? 0 }, (_, i) => this.storage.key(i));
        return keys.filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
    }

    // A file as `File` sees it.
    file(id, original) {
        const text = this.get("file", id) ?? original;
        return { version: sha256(text), text, problem: null };
    }

    // The numbers of an exercise's copies, the oldest first.
    copies(id) {
        const names = this.names("copy").filter((name) => name.startsWith(`${id}/`));
        return names.map((name) => Number(name.slice(id.length + 1))).sort((a, b) => a - b);
    }

    copy(id, number) {
        return this.get("copy", `${id}/${number}`);
    }

    // Keeps a text that is replaced. Equal texts are kept once.
    keep(id, text) {
        const numbers = this.copies(id);
        if (numbers.some((number) => this.copy(id, number) === text)) return null;
        return this.set("copy", `${id}/${Math.max(0, ...numbers) + 1}`, text);
    }

    passed(id) {
        try {
            return JSON.parse(this.get("passed", id));
        } catch {
            return null; // another program has written it
        }
    }

    pass(id, hash, text) {
        return this.set("passed", id, JSON.stringify({ hash, text }));
    }

    // "open", "done", or "changed" since it passed.
    state(id) {
        const passed = this.passed(id);
        if (!passed) return "open";
        const text = this.get("file", id);
        return text !== null && sha256(text) === passed.hash ? "done" : "changed";
    }

    hints(id) {
        return Number(this.get("hints", id)) || 0;
    }

    // Does several changes, or none of them: `change` returns what is wrong, or null.
    together(change) {
        const before = new Map();
        const remember = (kind, id) => {
            const key = this.key(kind, id);
            if (!before.has(key)) before.set(key, this.storage?.getItem(key) ?? null);
        };
        const part = Object.create(this);
        part.set = (kind, id, text) => (remember(kind, id), this.set(kind, id, text));
        part.remove = (kind, id) => (remember(kind, id), this.remove(kind, id));
        const problem = change(part);
        if (problem === null) return null;
        // What is new goes first, so that there is room for what was there.
        for (const [key, text] of before) if (text === null) this.storage?.removeItem(key);
        for (const [key, text] of before) if (text !== null) this.storage?.setItem(key, text);
        return problem;
    }

    // Calls `changed(kind, id)` for each change that another page, or an import on this one, has made.
    listen(changed) {
        this.listeners.add(changed);
        globalThis.addEventListener?.("storage", ({ key }) => {
            if (key === null) changed("all", null);
            if (!key?.startsWith(this.prefix)) return;
            const [kind, ...id] = key.slice(this.prefix.length).split("/");
            changed(kind, id.join("/"));
        });
    }

    announce(kind, id) {
        for (const changed of this.listeners) changed(kind, id);
    }
}

// The storage of this page's book.
export function ownVault(root) {
    let storage = null;
    try {
        storage = globalThis.localStorage;
    } catch {
        // The browser forbids it.
    }
    return new Vault(storage, `cuda-workbook:${root.pathname}:`);
}
