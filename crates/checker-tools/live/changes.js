// What a reader has changed in the listings of one file. The browser keeps it; the book's files never change. The parts of a file
// that a page shows are changed one by one, and a run uses all of them.
export class Changes {
    // `storage` is the browser's, or null where it is forbidden.
    constructor(listing, storage) {
        Object.assign(this, { key: `cuda-workbook-listing-${listing}`, storage, kept: {} });
    }

    // The changed parts: {name: text}.
    texts() {
        try {
            const stored = JSON.parse(this.storage.getItem(this.key));
            if (stored && typeof stored === "object") return stored;
        } catch {
            // Without storage, the page itself remembers.
        }
        return this.kept;
    }

    text(part) {
        return this.texts()[part] ?? null;
    }

    // Keeps a part's text; null forgets it.
    set(part, text) {
        const texts = { ...this.texts() };
        if (text === null) delete texts[part];
        else texts[part] = text;
        this.kept = texts;
        try {
            if (Object.keys(texts).length > 0) this.storage.setItem(this.key, JSON.stringify(texts));
            else this.storage.removeItem(this.key);
        } catch {
            // The storage is full or forbidden.
        }
    }
}
