// What the editor shows in place of the commands that an exercise's comment names.
import assert from "node:assert/strict";
import { test } from "node:test";

import { commands } from "./header-commands.js";

function shown(line) {
    return commands(line).reduceRight((text, { from, to, text: words }) => text.slice(0, from) + words + text.slice(to), line);
}

test("a page has other words than a terminal, in the same columns", () => {
    assert.equal(
        shown("// Run     cargo checker check guard            Stuck?  cargo checker hint guard"),
        "// Run     press Ctrl-S                         Stuck?  open a hint below",
    );
    const profile = (command, gap) => assert.equal(shown(`//   ${command}    shows times`), `//   "See your own run" below${gap}shows times`);
    profile("cargo checker profile overlap", " ".repeat(9));
    profile("checker profile overlap", " ".repeat(4));
    assert.equal(
        shown("// Then count the sectors: cargo checker profile stride --case 's = 3'"),
        '// Then count the sectors: "See your own run" below, in the case "s = 3"',
    );
    for (const line of ["// RADIUS 1, 2; the checker compiles this file for each of them", "int checker = 3;"]) assert.equal(shown(line), line);
});
