import assert from "node:assert/strict";
import { test } from "node:test";

import { Changes } from "./changes.js";

function storage() {
    const kept = new Map();
    return {
        kept,
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => kept.set(key, value),
        removeItem: (key) => kept.delete(key),
    };
}

test("the parts of a file are kept together, and apart from other files", () => {
    const browser = storage();
    const [kernel, launch] = [new Changes("ch01/mirror", browser), new Changes("ch01/mirror", browser)];
    kernel.set("kernel", "k");
    launch.set("launch", "l");
    assert.deepEqual(kernel.texts(), { kernel: "k", launch: "l" });
    assert.equal(new Changes("ch01/seats", browser).text("kernel"), null);
    kernel.set("kernel", null);
    assert.equal(kernel.text("kernel"), null);
    launch.set("launch", null);
    assert.equal(browser.kept.size, 0);
});

test("an empty text is a change", () => {
    const changes = new Changes("ch01/mirror", storage());
    changes.set("kernel", "");
    assert.equal(changes.text("kernel"), "");
});

test("without storage, or with a damaged one, the page remembers", () => {
    const full = { ...storage(), setItem: () => assert.fail("full"), getItem: () => "{" };
    for (const broken of [null, full]) {
        const changes = new Changes("ch01/mirror", broken);
        changes.set("kernel", "k");
        assert.deepEqual(changes.texts(), { kernel: "k" });
    }
});
