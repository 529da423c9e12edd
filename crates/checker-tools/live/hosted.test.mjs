// A page whose files are in the browser: what it does when the server is busy, away or replaced, and when two pages are open.
//
//     node --test crates/checker-tools/live
import assert from "node:assert/strict";
import { test } from "node:test";

import { CHECK_PAUSE_MS, courseState, FIRST_RETRY_MS, HostedServer } from "./hosted.js";
import { sha256 } from "./sha256.js";
import { Storage } from "./storage.mjs";
import { FULL, Vault } from "./vault.js";

const EXERCISE = { id: "guard", path: "exercises/ch01_threads/guard.cu", program: false, original: "original", hints: ["a", "b"] };
const COURSE = [
    { id: "guard", minutes: 10 },
    { id: "blocks", minutes: 5 },
];

// A page, with answers that the test gives.
class Page {
    constructor(storage = new Storage()) {
        Object.assign(this, { requests: [], events: [], notes: [], waiting: null });
        this.vault = new Vault(storage, "book:");
        this.server = new HostedServer("guard", {
            vault: this.vault,
            send: (path, body = null, signal = null) => {
                if (path === "exercises/guard") return Promise.resolve({ status: 200, value: EXERCISE });
                return new Promise((answer) => this.requests.push({ path, body, signal, answer }));
            },
            exercises: () => Promise.resolve(COURSE),
            wait: (ms, call) => (this.waiting = { ms, call }),
            cancel: (timer) => timer === this.waiting && (this.waiting = null),
        });
    }

    async open() {
        const names = ["exercise", "file", "checking", "verdict", "course"];
        const handlers = Object.fromEntries(names.map((name) => [name, (data) => this.events.push({ name, data })]));
        this.server.listen(handlers, (why) => this.notes.push(why));
        await settled();
        return this;
    }

    last(name) {
        return this.events.findLast((event) => event.name === name)?.data;
    }

    async answer(status, value = null, retryMs = null) {
        this.requests.at(-1).answer({ status, value, retryMs });
        await settled();
    }

    async elapse() {
        const { call } = this.waiting;
        this.waiting = null;
        call();
        await settled();
    }
}

const settled = () => new Promise((done) => setImmediate(done));
const verdict = (text, passed) => ({ version: sha256(text), passed });

test("a page opens with the original, has it checked, and records a pass", async () => {
    const page = await new Page().open();
    assert.equal(page.last("exercise").file.text, "original");
    assert.deepEqual(page.requests[0].body, { source: "original" });
    await page.answer(200, verdict("original", false));
    assert.equal(page.last("verdict").passed, false);
    const saved = await page.server.save({ base: sha256("original"), text: "right" });
    assert.equal(saved.saved, sha256("right"));
    assert.equal(page.waiting.ms, CHECK_PAUSE_MS);
    await page.elapse();
    await page.answer(200, verdict("right", true));
    assert.deepEqual([page.last("course").done, page.last("course").minutes_left], [1, 5]);
    const shown = page.server.solution();
    assert.deepEqual(page.requests.at(-1).body, { source: "right" });
    await page.answer(200, { text: "solution" });
    assert.deepEqual(await shown, { value: { text: "solution" } });
});

test("a page tries again until the server has answered, and keeps the text", async () => {
    const page = await new Page().open();
    await page.server.save({ base: sha256("original"), text: "mine" });
    await page.elapse();
    await page.answer(0);
    assert.match(page.notes.at(-1), /can't be reached\. Your text is in this browser\..*in 2 s/);
    assert.equal(page.waiting.ms, FIRST_RETRY_MS);
    await page.elapse();
    await page.answer(429, { problem: "Too many." }, 7000);
    assert.match(page.notes.at(-1), /Too many\. .*in 7 s/);
    assert.equal(page.waiting.ms, 7000);
    await page.elapse();
    await page.answer(503);
    await page.elapse();
    assert.deepEqual(page.requests.at(-1).body, { source: "mine" });
    await page.answer(200, verdict("mine", false));
    assert.deepEqual([page.last("verdict").version, page.notes.at(-1)], [sha256("mine"), ""]);
    assert.equal(page.vault.get("file", "guard"), "mine");
});

test("a newer text ends the check of an older one", async () => {
    const page = await new Page().open();
    const old = page.requests.at(-1);
    await page.server.save({ base: sha256("original"), text: "newer" });
    await page.elapse();
    assert.ok(old.signal.aborted);
    old.answer({ status: 200, value: verdict("original", true), retryMs: null });
    await settled();
    assert.equal(page.last("verdict"), undefined);
    assert.equal(page.vault.state("guard"), "open");
    await page.answer(200, verdict("newer", true));
    assert.equal(page.vault.state("guard"), "done");
});

test("a text that the server refuses is kept, and the reason is shown", async () => {
    const page = await new Page().open();
    await page.server.save({ base: sha256("original"), text: "x".repeat(9) });
    await page.elapse();
    await page.answer(413, { problem: "This server takes requests of at most 256 KiB." });
    assert.match(page.notes.at(-1), /256 KiB\. Your text is in this browser\./);
    assert.equal(page.waiting, null);
});

test("two pages of one exercise don't overwrite each other", async () => {
    const storage = new Storage();
    const [one, two] = [await new Page(storage).open(), await new Page(storage).open()];
    const base = sha256("original");
    assert.ok((await one.server.save({ base, text: "one" })).saved);
    const { conflict } = await two.server.save({ base, text: "two" });
    assert.deepEqual([conflict.text, conflict.version], ["one", sha256("one")]);
    // The browser reports the change to the other page.
    two.server.changed("file", "guard");
    assert.equal(two.last("file").file.text, "one");
    assert.ok((await two.server.save({ base: conflict.version, text: "two", keep_copy: true })).saved);
    assert.deepEqual([two.vault.get("file", "guard"), two.vault.get("copy", "guard/1")], ["two", "one"]);
});

test("a full storage refuses a text, and the one before stays", async () => {
    const page = await new Page(new Storage(200)).open();
    assert.ok((await page.server.save({ base: sha256("original"), text: "small" })).saved);
    assert.deepEqual(await page.server.save({ base: sha256("small"), text: "x".repeat(300) }), { refused: FULL });
    assert.equal(page.vault.get("file", "guard"), "small");
    page.vault.set("file", "guard", "x".repeat(100));
    const { problem } = await page.server.post("reset");
    assert.match(problem, /^Nothing was changed/);
    assert.equal(page.vault.get("file", "guard"), "x".repeat(100));
});

test("hints come one by one, and the original comes back with a copy kept", async () => {
    const page = await new Page().open();
    for (const shown of [["a"], ["a", "b"], ["a", "b"]]) {
        assert.deepEqual((await page.server.post("hint")).value, { shown, total: 2 });
    }
    await page.server.save({ base: sha256("original"), text: "mine" });
    page.vault.pass("guard", sha256("mine"), "mine");
    assert.deepEqual(await page.server.post("reset"), { value: null });
    assert.deepEqual([page.last("file").file.text, page.vault.get("copy", "guard/1")], ["original", "mine"]);
    assert.equal(courseState(page.vault, COURSE).done, 0);
    assert.equal(page.vault.hints("guard"), 0);
});
