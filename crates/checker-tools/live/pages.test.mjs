// Which page a learner goes on with.
import assert from "node:assert/strict";
import { test } from "node:test";

import { firstUndone, nextPage } from "./pages.js";

const all = ["intro", "lesson", "add_one", "guard", "blocks-lesson", "blocks", "end"].map((href) => ({ href, title: href }));
const exercises = new Set(["add_one", "guard", "blocks"]);
const undone = (open, seen) => firstUndone(all, new Set(open), exercises, new Set(seen))?.href ?? null;

test("the next page is the next one of the book, whatever it is", () => {
    assert.equal(nextPage(all, "guard").href, "blocks-lesson");
    assert.equal(nextPage(all, "blocks-lesson").href, "blocks");
    assert.equal(nextPage(all, "end"), null);
});

test("a learner goes on with the first open exercise, after the lesson that explains it", () => {
    assert.equal(undone(["add_one", "guard", "blocks"], []), "intro");
    assert.equal(undone(["add_one", "guard", "blocks"], ["intro"]), "lesson");
    assert.equal(undone(["add_one", "guard", "blocks"], ["intro", "lesson"]), "add_one");
    assert.equal(undone(["blocks"], ["intro", "lesson"]), "blocks-lesson");
    assert.equal(undone(["blocks"], ["blocks-lesson"]), "blocks");
    assert.equal(undone(["add_one", "blocks"], ["intro", "lesson"]), "add_one", "an exercise that was skipped comes first");
    assert.equal(undone([], []), null);
});
