// What the views compute before they draw: the sectors of a request, the memory after some steps, marks of an axis.
import assert from "node:assert/strict";
import { test } from "node:test";

import { at, lanes, linear, shown } from "./indices.js";
import { replay, short } from "./memory.js";
import { result } from "./output.js";
import { step } from "./timeline.js";
import { sectors } from "./warp.js";

test("a request moves each sector once", () => {
    const lane = (offset, wrong = false) => ({ offset, wrong });
    const request = (bytes, misaligned, ...all) => ({ bytes, misaligned, lanes: all });
    assert.deepEqual(sectors(request(4, 0, lane(0), lane(28), lane(32))), [0, 32]);
    assert.deepEqual(sectors(request(16, 0, lane(24))), [0, 32]);
    assert.deepEqual(sectors(request(4, 8, lane(0), lane(24))), [-8, 24]);
    assert.deepEqual(sectors(request(4, 0, lane(64, true))), []);
});

test("memory has the last value of each element", () => {
    const access = (index, value) => ({ own: { accesses: [{ array: 0, index, value }] } });
    const rows = [access(3, "1"), { own: null }, access(3, "2"), access(4, "9")];
    assert.deepEqual([...replay(rows, 2).get(0).values], [[3, "2"]]);
    assert.equal(replay(rows, 3).get(0).last, 4);
});

test("numbers in cells are short", () => {
    assert.deepEqual(["12", "-0.72211456", "0.123456", "&tile[3]"].map(short), ["12", "-0.7221", "0.1235", "&tile["]);
});

test("elements that are not written count once", () => {
    const of = (wrong, untouched) => result({ wrong, untouched, total: 8 });
    assert.equal(of(0, 0), "All elements are right.");
    assert.equal(of(1, 0), "1 of 8 elements is wrong.");
    assert.equal(of(1, 1), "1 of 8 elements is wrong, because it is not written.");
    assert.equal(of(8, 8), "8 of 8 elements are wrong, because none of them is written.");
    assert.equal(of(3, 1), "3 of 8 elements are wrong, and 1 of them is not written.");
});

test("marks of an axis have round distances", () => {
    assert.deepEqual([0.9, 40, 2824].map(step), [0.5, 10, 1000]);
});

test("indices and positions", () => {
    assert.deepEqual(at(linear([3, 2, 1], [4, 8]), [4, 8]), [3, 2, 1]);
    assert.deepEqual([[0, 0, 0], [5, 0, 0], [0, 7, 0]].map(shown), ["0", "5", "0,7"]);
    assert.deepEqual(lanes(0x80000001), [0, 31]);
});
