// What differs between a learner's code and the solution.
import assert from "node:assert/strict";
import { test } from "node:test";

import { diff } from "./diff.js";

const short = (from, to) => diff(from, to).map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

test("lines of both texts are in order, and equal ones are not repeated", () => {
    assert.deepEqual(short("a\nb\nc", "a\nx\nc\nd"), [" a", "-b", "+x", " c", "+d"]);
    assert.deepEqual(short("a\nb", "a\nb"), [" a", " b"]);
    assert.deepEqual(short("a", "b\na"), ["+b", " a"]);
});

test("both texts can be read out of the rows", () => {
    const random = (seed) => Array.from({ length: 40 }, (_, i) => "abc"[(seed * (i + 7) * 31 + i * i) % 3]).join("\n");
    for (let seed = 1; seed < 20; ++seed) {
        const [from, to] = [random(seed), random(seed + 5)];
        const rows = diff(from, to);
        const without = (kind) => rows.filter((row) => row.kind !== kind).map(({ text }) => text).join("\n");
        assert.equal(without("added"), from);
        assert.equal(without("removed"), to);
    }
});
