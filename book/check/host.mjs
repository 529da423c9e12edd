// Goes through `checker host` in a browser as a learner of a class does: files are in the browser, a server that dies is replaced,
// a second tab and a full storage lose nothing, and an export is graded. Prints each step, and ends with 1 at the first one that
// fails.
//
//     node host.mjs CHECKER      CHECKER is the program
//
// playwright-core, axe-core and the browser are found as in axe.mjs.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(resolve(process.env.TOOLS ?? "."), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core"), "utf8");

const PATIENCE_MS = 120_000;
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const BASE = "/cuda";

const checker = resolve(process.argv[2]);
const work = mkdtempSync(join(tmpdir(), "host-"));
const solution = (name) => readFileSync(join(ROOT, "solutions/ch01_threads", `${name}.cu`), "utf8");
const environment = { ...process.env, NO_COLOR: "1" };

// Starts a server, and resolves to its process and address.
function host(port = 0) {
    const server = spawn(checker, ["host", "--bind", `127.0.0.1:${port}`, "--base-path", BASE], { cwd: work, env: environment });
    let log = "";
    server.stderr.on("data", (text) => (log += text));
    return new Promise((done, failed) => {
        let printed = "";
        server.stdout.on("data", (text) => {
            printed += text;
            const address = /http:\S+/.exec(printed)?.[0];
            if (address) done({ server, address });
        });
        server.on("exit", (code) => failed(new Error(`the server has ended with ${code}: ${printed}${log}`)));
    });
}

const onPath = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) =>
    process.env.PATH.split(delimiter).map((directory) => join(directory, name)),
);
let { server, address } = await host();
process.on("exit", () => server.kill("SIGKILL"));
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? onPath.find(existsSync),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
const complaints = [];
let hasAxe = false;

// A browser of one learner.
async function learner() {
    const context = await browser.newContext({ acceptDownloads: true, reducedMotion: "reduce" });
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
}

// A tab, with what a test does in it.
async function tab(context, path = "ch01_threads/guard.html") {
    const page = await context.newPage();
    page.on("console", (message) => {
        const isExpected = /Failed to load resource/.test(message.text()) || (hasAxe && /Applying inline style/.test(message.text()));
        if (message.type() === "error" && !isExpected) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(address + path);
    const bench = page.locator("wb-bench");
    return {
        page,
        bench,
        passed: (yes) => page.locator(`wb-bench[data-passed="${yes}"]`).waitFor(),
        fileIs: (state) => page.locator(`wb-bench[data-file="${state}"]`).waitFor(),
        notes: (text) => page.locator("wb-bench .wb-note", { hasText: text }).waitFor(),
        pressed: (name) => page.getByRole("button", { name, exact: true }).click(),
        shows: (selector, text) => page.locator(selector, { hasText: text }).first().waitFor(),
        text: () => page.evaluate(() => document.querySelector("wb-bench").editor.text()),
        textIs: (expected) =>
            page.waitForFunction((expected) => document.querySelector("wb-bench").editor.text() === expected, expected),
        // Types over the whole text, as if it came from the clipboard.
        async type(text) {
            await page.locator("wb-bench .cm-content").click();
            await page.keyboard.press("Control+A");
            await page.keyboard.insertText(text);
        },
        async import(name, bytes) {
            await page.locator(".wb-transfer input").setInputFiles({ name, mimeType: "application/zip", buffer: bytes });
        },
    };
}

async function step(name, action) {
    await action().finally(() => assert.deepEqual(complaints, [], "errors on the page"));
    console.log(`ok  ${name}`);
}

const ada = await learner();
let one;
let archive;
try {
    await step("a page opens with the original, and a solution passes", async () => {
        one = await tab(ada);
        await one.shows("wb-bench .wb-path", "exercises/ch01_threads/guard.cu");
        await one.passed(false);
        assert.equal(await one.page.locator(".wb-solution").count(), 0, "the page has the solution");
        await one.type(solution("guard"));
        await one.fileIs("saved");
        await one.passed(true);
        await one.shows("#wb-course", "1 of");
    });

    await step("the text and the pass are there after a reload, and so is the solution", async () => {
        await one.page.reload();
        await one.textIs(solution("guard"));
        await one.passed(true);
        await one.pressed("Compare with the solution");
        await one.shows("wb-bench .wb-after code", "__global__");
        await one.page.locator("wb-bench .wb-look > summary").click();
        await one.page.locator('wb-bench [role="tabpanel"]:not([hidden]):not([aria-busy]) > *').first().waitFor();
    });

    await step("a second tab shows what the first one saves, and neither overwrites the other", async () => {
        const two = await tab(ada);
        await two.textIs(solution("guard"));
        await two.type(`// two\n${solution("guard")}`);
        await one.textIs(`// two\n${solution("guard")}`);
        // Both change at the same time: the first one can't reach its storage until the second one has saved.
        await one.page.evaluate(() => {
            const { file } = document.querySelector("wb-bench");
            file.isSaving = true;
        });
        await one.type("// mine\n");
        await two.type("// theirs\n");
        await two.fileIs("saved");
        await one.page.evaluate(() => {
            const { file } = document.querySelector("wb-bench");
            file.isSaving = false;
            file.save();
        });
        await one.fileIs("conflict");
        await one.shows("wb-bench .wb-question-bar", "another tab");
        await one.pressed("Keep this text");
        await one.fileIs("saved");
        await two.textIs("// mine\n");
        const copies = await one.page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.includes(":copy/")));
        assert.ok(copies.some(([, text]) => text === "// theirs\n"), JSON.stringify(copies));
        await two.page.close();
    });

    await step("a server that is killed while it checks loses nothing, and another one answers", async () => {
        const endless = solution("guard").replace("{", "{ volatile bool always = true; while (always) {}");
        await one.type(endless);
        await one.page.locator('wb-bench .wb-verdict[aria-busy="true"]').waitFor();
        server.removeAllListeners("exit");
        server.kill("SIGKILL");
        await one.notes("The server can't be reached. Your text is in this browser.");
        assert.equal(await one.text(), endless);
        const last = `// after the crash\n${solution("guard")}`;
        await one.type(last);
        await one.fileIs("saved");
        ({ server, address } = await host(new URL(address).port));
        await one.passed(true);
        assert.equal(await one.text(), last);
    });

    await step("a full storage is a clear state, and the text stays", async () => {
        await one.page.evaluate(() => {
            for (let part = 1 << 20; part >= 1; part >>= 1) {
                try {
                    for (let i = 0; ; ++i) localStorage.setItem(`filler-${part}-${i}`, "x".repeat(part));
                } catch {
                    // this part no longer fits
                }
            }
        });
        const text = `${"// more than before\n".repeat(50)}${solution("guard")}`;
        await one.type(text);
        await one.fileIs("refused");
        await one.notes("The storage of this browser is full");
        assert.equal(await one.text(), text);
        await one.page.evaluate(() => {
            for (const key of Object.keys(localStorage)) if (key.startsWith("filler-")) localStorage.removeItem(key);
        });
        await one.pressed("Check");
        await one.fileIs("saved");
        await one.passed(true);
        await one.page.reload();
        await one.textIs(text);
    });

    await step("an export is graded", async () => {
        const [download] = await Promise.all([one.page.waitForEvent("download"), one.pressed("Export")]);
        const folder = join(work, "submissions");
        mkdirSync(folder);
        await download.saveAs(join(folder, "ada.zip"));
        archive = readFileSync(join(folder, "ada.zip"));
        writeFileSync(join(work, "grading.toml"), 'exercises = ["guard"]\n');
        const graded = spawnSync(checker, ["grade", "submissions", "--policy", "grading.toml"], { cwd: work, env: environment, encoding: "utf8" });
        assert.equal(graded.status, 0, graded.stdout + graded.stderr);
        const record = JSON.parse(readFileSync(join(work, "results/records/ada.json"), "utf8"));
        const [guard] = record.exercises.filter(({ id }) => id === "guard");
        assert.equal(guard.file, "exercises/ch01_threads/guard.cu");
        assert.equal(guard.status, "passed", JSON.stringify(guard));
    });

    await step("a broken import changes nothing, and an export arrives in another browser", async () => {
        const grace = await learner();
        const other = await tab(grace);
        await other.passed(false);
        await other.type("// Grace's text\n");
        await other.fileIs("saved");
        await other.import("broken.zip", archive.subarray(0, archive.length - 30));
        await other.shows(".wb-transfer-state", "Nothing was imported, because");
        assert.equal(await other.text(), "// Grace's text\n");
        await other.import("ada.zip", archive);
        await other.shows(".wb-transfer", "another text of guard");
        assert.equal(await other.text(), "// Grace's text\n", "nothing is replaced before the reader has decided");
        await other.pressed("Use the archive's");
        await other.shows(".wb-transfer-state", "Imported one file and your progress.");
        await other.textIs(await one.text());
        await other.passed(true);
        await other.pressed("Earlier versions");
        const shown = other.bench.getByRole("button", { name: /^Show version/ });
        for (let i = 0; i < (await shown.count()); ++i) await shown.nth(i).click();
        await other.shows("wb-bench .wb-versions pre", "// Grace's text");
        await grace.close();
    });

    await step("an import restores the progress before any page is opened", async () => {
        const joan = await learner();
        const other = await tab(joan, "introduction.html");
        await other.shows("#wb-course", "0 of");
        await other.import("ada.zip", archive);
        await other.shows(".wb-transfer-state", "Imported one file and your progress.");
        await other.shows("#wb-course", "1 of");
        await joan.close();
    });

    await step("listings of lessons run, change, and are profiled", async () => {
        const two = await tab(ada, "ch01_threads/lesson.html");
        const hello = two.page.locator('pre:has(> code[data-listing="ch01/hello"]) + wb-listing').first();
        await hello.getByRole("button", { name: "Run", exact: true }).click();
        await hello.locator(".wb-printed", { hasText: "block 0, thread 0" }).waitFor();
        await hello.getByRole("button", { name: "Change", exact: true }).click();
        await hello.locator(".cm-content").focus();
        await two.page.keyboard.press("Control+A");
        await two.page.keyboard.insertText('#include <cstdio>\nint main() { for (volatile bool on = true; on;) printf("x"); }\n');
        await two.page.keyboard.press("Control+S");
        await hello.locator('[role="status"]', { hasText: "so it was ended" }).waitFor();
        await two.page.close();
    });

    await step("pages of a class speak of the browser only", async () => {
        const two = await tab(ada, "how-to-work.html");
        const text = await two.page.locator("main").innerText();
        assert.doesNotMatch(text, /\btoken\b|\bgit\b|Open a terminal/);
        await two.page.close();
    });

    await step("hints and the original", async () => {
        await one.bench.getByRole("button", { name: "Show a hint" }).click();
        await one.page.locator("wb-bench .wb-hints li").first().waitFor();
        await one.pressed("Original");
        await one.shows("wb-bench .wb-question-bar:not([hidden])", "kept in this browser");
        await one.pressed("Restore the original");
        await one.passed(false);
        assert.match(await one.text(), /TODO|__global__/);
    });

    await step("axe finds nothing in the sidebar and the bench", async () => {
        hasAxe = true;
        await one.page.evaluate(axe);
        const violations = await one.page.evaluate(async () => {
            const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
            return (await axe.run(document, { resultTypes: ["violations"], runOnly: tags })).violations;
        });
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes[0].html]), []);
    });
} finally {
    await browser.close();
    server.removeAllListeners("exit");
    server.kill("SIGTERM");
    rmSync(work, { recursive: true, force: true });
}
