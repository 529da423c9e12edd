// A browser's storage for tests, with room for some characters, and with no more rights than a browser gives.
export class Storage {
    constructor(room = Infinity) {
        Object.assign(this, { room, items: new Map() });
    }

    get length() {
        return this.items.size;
    }

    key(index) {
        return [...this.items.keys()][index] ?? null;
    }

    getItem(key) {
        return this.items.get(key) ?? null;
    }

    setItem(key, text) {
        const others = [...this.items].filter(([other]) => other !== key);
        const used = others.reduce((sum, [other, value]) => sum + other.length + value.length, 0);
        if (used + key.length + text.length > this.room) throw new Error("QuotaExceededError");
        this.items.set(key, text);
    }

    removeItem(key) {
        this.items.delete(key);
    }
}
