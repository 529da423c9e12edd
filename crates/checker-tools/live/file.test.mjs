// Plays through orders of events that a page and the file on disk can have.
//
//     node --test crates/checker-tools/live
import assert from "node:assert/strict";
import { test } from "node:test";

import { File, TYPING_PAUSE_MS } from "./file.js";

// A disk with one file, and pages that work with it. A save is answered when the test says so.
class Disk {
    constructor(text) {
        this.text = text;
        this.pages = [];
        this.copies = [];
    }

    state() {
        const isMissing = this.text === null;
        return { version: isMissing ? "missing" : `v:${this.text}`, text: this.text, problem: isMissing ? "It is gone." : null };
    }

    write(text, by = null) {
        this.text = text;
        for (const page of this.pages) page.file.changedOnDisk(this.state(), by);
    }

    save({ base, text, by, keep_copy: keepCopy }) {
        if (base !== this.state().version) return { conflict: this.state() };
        if (keepCopy && this.text !== null) this.copies.push(this.text);
        this.write(text, by);
        return { saved: this.state().version };
    }

    open(name, draft = null) {
        const page = new Page(this, name, draft);
        this.pages.push(page);
        return page;
    }
}

class Page {
    constructor(disk, name, draft) {
        Object.assign(this, { disk, draft, shown: "", isReadOnly: true, waiting: null, requests: [], states: [] });
        this.file = new File({
            page: name,
            server: {
                save: (body) => new Promise((answer) => this.requests.push({ body, answer })),
                keep: async (text) => this.keepFails ?? (disk.copies.push(text), {}),
            },
            editor: {
                text: () => this.shown,
                setText: (text) => (this.shown = text),
                setReadOnly: (yes) => (this.isReadOnly = yes),
            },
            drafts: {
                load: () => this.draft,
                store: (draft) => !this.storageIsFull && Boolean((this.draft = draft)),
                clear: () => (this.draft = null),
            },
            timer: {
                start: (milliseconds, call) => (this.waiting = { milliseconds, call }),
                stop: () => (this.waiting = null),
            },
            show: (state) => this.states.push(state),
        });
        this.file.opened(disk.state());
    }

    get state() {
        return this.states.at(-1).state;
    }

    type(text) {
        assert.equal(this.isReadOnly, false, "the reader cannot type");
        this.shown = text;
        this.file.edited();
    }

    // The typing pause is over.
    pause() {
        assert.equal(this.waiting?.milliseconds, TYPING_PAUSE_MS);
        const { call } = this.waiting;
        this.waiting = null;
        this.saving = call();
    }

    // The server gets the oldest request, and the page its answer.
    async answer(answer = null) {
        const request = this.requests.shift();
        request.answer(answer ?? this.disk.save(request.body));
        await new Promise(setImmediate);
    }
}

test("what is typed is saved after a pause", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    assert.equal(page.state, "saved");
    page.type("ab");
    page.type("abc");
    assert.equal(page.state, "unsaved");
    page.pause();
    assert.equal(page.state, "saving");
    await page.answer();
    assert.deepEqual([disk.text, page.state, page.draft, page.waiting], ["abc", "saved", null, null]);
});

test("what is typed during a save is saved next", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("ab");
    page.pause();
    page.type("abc");
    await page.answer();
    assert.deepEqual([disk.text, page.state, page.draft.base], ["ab", "unsaved", "v:ab"]);
    page.pause();
    await page.answer();
    assert.deepEqual([disk.text, page.state], ["abc", "saved"]);
});

test("a change of another program appears", () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    disk.write("b");
    assert.deepEqual([page.shown, page.state, page.requests.length], ["b", "saved", 0]);
});

test("two tabs show one text", async () => {
    const disk = new Disk("a");
    const [one, two] = [disk.open("one"), disk.open("two")];
    one.type("b");
    one.pause();
    await one.answer();
    assert.deepEqual([one.shown, two.shown, one.state, two.state], ["b", "b", "saved", "saved"]);
});

test("a change during a pause is a conflict, and the reader's text can be kept", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("mine");
    disk.write("theirs");
    assert.deepEqual([page.state, page.shown, page.waiting], ["conflict", "mine", null]);
    page.type("mine, too");
    assert.equal(page.waiting, null, "nothing is saved while the page asks");
    page.file.keepMine();
    await page.answer();
    assert.deepEqual([disk.text, disk.copies, page.state], ["mine, too", ["theirs"], "saved"]);
});

test("a change before a save arrives is a conflict, and the file can be taken", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("mine");
    page.pause();
    disk.write("theirs");
    await page.answer();
    assert.deepEqual([disk.text, page.state, page.shown], ["theirs", "conflict", "mine"]);
    await page.file.takeTheirs();
    assert.deepEqual([page.shown, page.state, page.draft], ["theirs", "saved", null]);
    assert.deepEqual(disk.copies, ["mine"]);
});

test("a change after a save has arrived wins over nothing that was typed since", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("mine");
    page.pause();
    const [request] = page.requests.splice(0);
    const saved = disk.save(request.body);
    disk.write("theirs");
    request.answer(saved);
    await new Promise(setImmediate);
    assert.deepEqual([page.shown, page.state], ["theirs", "saved"]);
});

test("the same change in two places is no conflict", () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("b");
    disk.write("b");
    assert.deepEqual([page.state, page.draft, page.waiting], ["saved", null, null]);
});

test("a change that is taken back ends a conflict", () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("mine");
    disk.write("theirs");
    disk.write("a");
    assert.equal(page.file.conflict, null);
    assert.equal(page.state, "unsaved");
    assert.ok(page.waiting, "the text is saved next");
});

test("a text stays in the browser while the server is away", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("mine");
    page.pause();
    await page.answer({ offline: "away" });
    assert.deepEqual([page.state, page.draft], ["offline", { base: "v:a", text: "mine" }]);
    page.file.opened(disk.state());
    page.pause();
    await page.answer();
    assert.deepEqual([disk.text, page.state, page.draft], ["mine", "saved", null]);
});

test("a text that is kept nowhere has a warning", async () => {
    const page = new Disk("a").open("one");
    page.storageIsFull = true;
    page.type("mine");
    page.pause();
    await page.answer({ offline: "away" });
    assert.match(page.states.at(-1).why, /^away .*copy it/);
    assert.equal(page.shown, "mine");
});

test("a page that was closed too early finds its text again", async () => {
    const disk = new Disk("a");
    const page = disk.open("one", { base: "v:a", text: "mine" });
    assert.equal(page.shown, "mine");
    page.pause();
    await page.answer();
    assert.deepEqual([disk.text, page.draft], ["mine", null]);
});

test("a text of a closed page is no reason to overwrite a newer file", async () => {
    const disk = new Disk("newer");
    const page = disk.open("one", { base: "v:a", text: "mine" });
    assert.deepEqual([page.state, page.shown, page.requests.length], ["conflict", "mine", 0]);
    page.keepFails = { problem: "the disk is full" };
    await page.file.takeTheirs();
    assert.deepEqual([page.state, page.shown], ["conflict", "mine"]);
    page.keepFails = null;
    await page.file.takeTheirs();
    assert.deepEqual([page.shown, page.draft], ["newer", null]);
});

test("a deleted file is written again only if the reader says so", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    disk.write(null);
    assert.deepEqual([page.state, page.shown, page.isReadOnly], ["missing", "a", true]);
    page.file.keepMine();
    await page.answer();
    assert.deepEqual([disk.text, page.state, page.isReadOnly], ["a", "saved", false]);
});

test("a file that is deleted while one types is a conflict", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("mine");
    disk.write(null);
    assert.equal(page.state, "conflict");
    page.file.keepMine();
    await page.answer();
    assert.equal(disk.text, "mine");
});

test("a text that cannot be written stays, and is tried again", async () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("mine");
    page.pause();
    await page.answer({ refused: "it is read-only" });
    assert.deepEqual([page.state, page.shown, page.draft.text], ["refused", "mine", "mine"]);
    page.type("mine!");
    page.pause();
    await page.answer();
    assert.deepEqual([disk.text, page.state], ["mine!", "saved"]);
});

test("what is typed and taken back needs no save", () => {
    const disk = new Disk("a");
    const page = disk.open("one");
    page.type("ab");
    page.type("a");
    assert.deepEqual([page.state, page.waiting, page.draft], ["saved", null, null]);
});
