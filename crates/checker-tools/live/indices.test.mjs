// What is read of a report's command, and of what the reader types.
import assert from "node:assert/strict";
import { test } from "node:test";

import { chosen, index, shown } from "./indices.js";
import { viewOf } from "./page-commands.js";

test("indices have up to three numbers", () => {
    assert.deepEqual(index("3"), [3, 0, 0]);
    assert.deepEqual(index("1, 2"), [1, 2, 0]);
    assert.deepEqual(index("1,2,3"), [1, 2, 3]);
    for (const bad of ["", "-1", "1,2,3,4", "x", "1,,2", "1e3", "99999999999"]) assert.equal(index(bad), null, bad);
});

test("a report's command names a case, a launch and a thread", () => {
    const command = "checker trace double_it --case 'two blocks' --launch 2 --block 1,2 --thread 3";
    assert.deepEqual(chosen(command), { case: "two blocks", block: "1,2", thread: "3", launch: "2" });
    assert.deepEqual(chosen("checker trace guard --thread 1000"), { case: null, block: "0", thread: "1000", launch: null });
    assert.deepEqual(chosen(null), { case: null, block: "0", thread: "0", launch: null });
});

test("an index has as many numbers as the grid or the block has dimensions", () => {
    assert.equal(shown([3, 0, 0]), "3");
    assert.equal(shown([3, 0, 0], [5, 3, 1]), "3,0");
    assert.equal(shown([0, 0, 0], [2, 1, 4]), "0,0,0");
});

test("a command in the text of a page belongs to this page's exercise, or to none", () => {
    assert.equal(viewOf("cargo checker trace guard --thread 1010", "guard"), "trace");
    assert.equal(viewOf("checker profile overlap", "overlap"), "profile");
    for (const other of ["cargo checker profile overlap", "cargo checker check guard", "checker profile guards", "a checker trace guard"]) {
        assert.equal(viewOf(other, "guard"), null, other);
    }
});
