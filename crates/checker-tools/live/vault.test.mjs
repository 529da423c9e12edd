// What is in the browser's storage is never lost: when it is full, when an archive is broken, and when a text is replaced.
//
//     node --test crates/checker-tools/live
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { Storage } from "./storage.mjs";
import { sha256 } from "./sha256.js";
import { FORBIDDEN, FULL, Vault } from "./vault.js";
import { exported, imported, replaced, unpacked } from "./workbook-zip.js";

const COURSE = [
    { id: "guard", path: "exercises/ch01_threads/guard.cu" },
    { id: "blocks", path: "exercises/ch01_threads/blocks.cu" },
];
const vault = (room) => new Vault(new Storage(room), "book:");
const taken = async (vault, archive, keepsMine) => {
    const contents = await unpacked(COURSE, archive);
    return contents.problem ? contents : imported(vault, contents, keepsMine);
};
const contents = ({ storage }) => JSON.stringify([...storage.items].sort());

test("versions are those of the server", () => {
    for (const text of ["", "abc", "é\u{1f600}", "x".repeat(55), "x".repeat(56), "x".repeat(64), "y".repeat(100_001)]) {
        assert.equal(sha256(text), createHash("sha256").update(text).digest("hex"));
    }
});

test("a file that was never changed is the original", () => {
    const own = vault();
    assert.deepEqual(own.file("guard", "one"), { version: sha256("one"), text: "one", problem: null });
    own.set("file", "guard", "two");
    assert.equal(own.file("guard", "one").text, "two");
    assert.deepEqual(own.names("file"), ["guard"]);
});

test("an exercise is open, done, or changed since", () => {
    const own = vault();
    assert.equal(own.state("guard"), "open");
    own.set("file", "guard", "right");
    own.pass("guard", sha256("right"), "right");
    assert.equal(own.state("guard"), "done");
    own.set("file", "guard", "right, too");
    assert.equal(own.state("guard"), "changed");
    own.set("passed", "guard", "{");
    assert.equal(own.state("guard"), "open");
});

test("a full or forbidden storage says so and keeps what it has", () => {
    const own = vault(60);
    assert.equal(own.set("file", "guard", "x".repeat(30)), null);
    assert.equal(own.set("file", "guard", "x".repeat(60)), FULL);
    assert.equal(own.get("file", "guard"), "x".repeat(30));
    const none = new Vault(null, "book:");
    assert.equal(none.set("file", "guard", "x"), FORBIDDEN);
    assert.equal(none.file("guard", "one").text, "one");
});

test("copies are numbered, and equal ones are kept once", () => {
    const own = vault();
    for (const text of ["one", "two", "one", "three"]) assert.equal(own.keep("guard", text), null);
    assert.deepEqual(own.names("copy").sort(), ["guard/1", "guard/2", "guard/3"]);
    assert.equal(own.get("copy", "guard/3"), "three");
});

test("an export is imported in another browser", async () => {
    const own = vault();
    own.set("file", "guard", "mine é\n");
    own.set("file", "blocks", "");
    own.keep("guard", "old");
    own.pass("guard", sha256("mine é\n"), "mine é\n");
    const archive = await exported(own, COURSE).arrayBuffer();
    const other = vault();
    other.set("file", "guard", "theirs");
    const heard = [];
    other.listeners.add((kind, id) => heard.push(`${kind} ${id}`));
    assert.deepEqual(await taken(other, archive), { files: ["guard", "blocks"] });
    assert.deepEqual([other.get("file", "guard"), other.get("file", "blocks")], ["mine é\n", ""]);
    assert.equal(other.copy("guard", 1), "theirs");
    assert.equal(other.copy("guard", 2), "old", "copies of the archive are copies here");
    assert.deepEqual(heard, ["all null"]);
    assert.equal(other.state("guard"), "done", "a pass is restored");
    assert.deepEqual(other.passed("guard").text, "mine é\n");
});

test("an import says which texts it would replace, and can keep them", async () => {
    const own = vault();
    own.set("file", "guard", "mine");
    own.set("file", "blocks", "same");
    own.pass("blocks", sha256("older"), "older");
    own.set("hints", "blocks", "2");
    const archive = await exported(own, COURSE).arrayBuffer();
    const other = vault();
    other.set("file", "guard", "theirs");
    other.set("file", "blocks", "same");
    const found = await unpacked(COURSE, archive);
    assert.deepEqual(replaced(other, found), ["guard"]);
    assert.deepEqual(replaced(vault(), found), [], "the original is no text of the reader's");
    assert.deepEqual(imported(other, found, true), { files: ["guard", "blocks"] });
    assert.deepEqual([other.get("file", "guard"), other.copy("guard", 1)], ["theirs", "mine"]);
    assert.deepEqual([other.state("blocks"), other.hints("blocks")], ["changed", 2], "of an older text, there is only the record");
    const again = await unpacked(COURSE, await exported(other, COURSE).arrayBuffer());
    assert.deepEqual(again.record, { passed: { blocks: sha256("older") }, hints: { blocks: 2 } });
});

test("a broken archive changes nothing, and says why", async () => {
    const own = vault();
    own.set("file", "guard", "mine");
    const archive = new Uint8Array(await exported(own, COURSE).arrayBuffer());
    const other = vault();
    other.set("file", "guard", "theirs");
    const before = contents(other);
    const problem = async (bytes) => {
        const answer = await taken(other, new Uint8Array(bytes).buffer);
        assert.match(answer.problem, /^Nothing was imported, because .*\.$/);
        assert.equal(contents(other), before);
        return answer.problem;
    };
    assert.match(await problem([]), /no zip archive/);
    assert.match(await problem(new TextEncoder().encode("a text that is no archive")), /no zip archive/);
    for (let length = 0; length < archive.length; ++length) await problem(archive.subarray(0, length));
    // A byte of a file that flips is found by its sum.
    const at = archive.findIndex((_, i) => new TextDecoder().decode(archive.subarray(i, i + 4)) === "mine");
    assert.match(await problem(archive.with(at, 88)), /guard.cu is damaged/);
    for (let i = 0; i < archive.length; ++i) {
        const answer = await taken(vault(), archive.with(i, archive[i] ^ 255).buffer);
        assert.ok(answer.problem || answer.files.length > 0);
    }
});

test("an archive that doesn't fit is not imported in part", async () => {
    const own = vault();
    own.set("file", "guard", "a".repeat(100));
    own.set("file", "blocks", "b".repeat(100));
    const archive = await exported(own, COURSE).arrayBuffer();
    const small = vault(200);
    small.set("file", "guard", "theirs");
    const before = contents(small);
    assert.match((await taken(small, archive)).problem, /no room/);
    assert.equal(contents(small), before);
});

test("files of another archive are found by their names", async () => {
    const { pack } = await import("./zip.js");
    const names = async (...names) => {
        const archive = pack(names.map((name) => ({ name, text: "x" })));
        return taken(vault(), await archive.arrayBuffer());
    };
    assert.deepEqual(await names("repo-main/exercises/ch01_threads/guard.cu", "README.md"), { files: ["guard"] });
    assert.deepEqual(await names("guard.cu", "ch01_threads/blocks.cu"), { files: ["guard", "blocks"] });
    assert.match((await names("guard.cu", "ch01_threads/guard.cu")).problem, /two files of guard/);
    assert.match((await names(".workbook/backup/guard.cu", "x/guard.cu")).problem, /no exercise/);
});
