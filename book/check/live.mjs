// Goes through the first exercises of chapter 1 in a browser as a learner does, with `checker book serve` and another program
// that changes files at the same time. Prints each step, and ends with 1 at the first one that fails.
//
//     node live.mjs CHECKER [SCREENSHOTS]      CHECKER is the program; SCREENSHOTS is a folder for pictures of benches
//
// Nothing depends on how long a step takes; PATIENCE_MS only ends a test that hangs. axe-core, playwright-core and the browser
// are found as in axe.mjs.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(resolve(process.env.TOOLS ?? "."), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core"), "utf8");

const PATIENCE_MS = 120_000;
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const THEMES = ["light", "rust", "coal", "navy", "ayu"];

const checker = resolve(process.argv[2]);
const pictures = process.argv[3];
const work = mkdtempSync(join(tmpdir(), "live-"));
const workbook = join(work, "workbook");
const file = (name) => join(workbook, "exercises/ch01_threads", `${name}.cu`);
const solution = (name) => readFileSync(join(ROOT, "solutions/ch01_threads", `${name}.cu`), "utf8");
const environment = { ...process.env, NO_COLOR: "1" };

// Starts the server, and resolves to its process and the address that it prints.
function serve(port = 0) {
    const server = spawn(checker, ["book", "serve", "--port", String(port)], { cwd: workbook, env: environment });
    server.stderr.pipe(process.stderr);
    return new Promise((done, failed) => {
        let printed = "";
        server.stdout.on("data", (text) => {
            printed += text;
            const address = /http:\S+/.exec(printed)?.[0];
            if (address) done({ server, address });
        });
        server.on("exit", (code) => failed(new Error(`the server has ended with ${code}: ${printed}`)));
    });
}

const onPath = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) =>
    process.env.PATH.split(delimiter).map((directory) => join(directory, name)),
);
assert.equal(spawnSync(checker, ["init", workbook], { env: environment }).status, 0, "checker init");
let { server, address } = await serve();
process.on("exit", () => server.kill("SIGKILL"));
const browser = await chromium.launchPersistentContext(join(work, "profile"), {
    executablePath: process.env.CHROMIUM ?? onPath.find(existsSync),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
    reducedMotion: "reduce",
});
browser.setDefaultTimeout(PATIENCE_MS);
const complaints = [];
const page = await browser.newPage();
page.on("console", (message) => {
    // A browser reports each request that gets no answer or a conflict, and this test causes some.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
});
page.on("pageerror", (error) => complaints.push(String(error)));

const bench = page.locator("wb-bench");
const content = page.locator("wb-bench .cm-content");
const shows = (selector, text) => page.locator(selector, { hasText: text }).first().waitFor();
const fileIs = (state) => page.locator(`wb-bench[data-file="${state}"]`).waitFor();
const passed = (yes) => page.locator(`wb-bench[data-passed="${yes}"]`).waitFor();
const pressed = (name) => bench.getByRole("button", { name }).click();

// What is in the editor, which shows only the lines that fit.
const text = () => page.evaluate(() => document.querySelector("wb-bench").editor.text());
const textIs = (expected) =>
    page.waitForFunction((expected) => document.querySelector("wb-bench").editor.text() === expected, expected);

async function until(holds, what) {
    for (const end = Date.now() + PATIENCE_MS; !holds(); ) {
        assert.ok(Date.now() < end, what);
        await new Promise((done) => setTimeout(done, 20));
    }
}

// Types over the whole text, as if it came from the clipboard: the editor adds no indentation of its own.
async function replaceText(text) {
    await content.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
}

async function step(name, action) {
    await action().finally(() => assert.deepEqual(complaints, [], "errors on the page"));
    console.log(`ok  ${name}`);
}

// Looks at the bench as axe does, at two widths and in all themes. The page is loaded again at each width.
async function look(name) {
    const own = complaints.length;
    const found = new Map();
    for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 1000 });
        await page.reload();
        await page.locator("wb-bench[data-passed]").waitFor();
        await page.evaluate(axe);
        await page.evaluate(() => (document.querySelector("wb-bench .wb-look").open = true));
        const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(tooWide <= 0, `the bench is wider than a screen of ${width} pixels`);
        for (const theme of THEMES) {
            const violations = await page.evaluate(async (theme) => {
                document.getElementById(`mdbook-theme-${theme}`).click();
                for (let frame = 0; frame < 2; ++frame) await new Promise(requestAnimationFrame);
                const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
                return (await axe.run(document, { resultTypes: ["violations"], runOnly: tags })).violations;
            }, theme);
            const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
            for (const { id, nodes } of serious) {
                for (const { html } of nodes) found.set(`${id}: ${html.slice(0, 200)}`, `${theme}, ${width}`);
            }
            if (pictures && ["light", "navy"].includes(theme)) {
                mkdirSync(pictures, { recursive: true });
                await bench.screenshot({ path: join(pictures, `${name}-${theme}-${width}.png`) });
            }
        }
        await page.evaluate(() => document.getElementById("mdbook-theme-light").click());
    }
    // axe and screenshots add style elements, which the page's policy forbids.
    complaints.length = own;
    assert.deepEqual([...found], [], `what axe finds in the bench ${name}`);
}

try {
    await step("the address opens the book, and the sidebar leads to the first exercise", async () => {
        await page.setViewportSize({ width: 1280, height: 1000 });
        await page.goto(address);
        assert.ok(!page.url().includes("token"), page.url());
        await page.locator("#wb-course a", { hasText: "add_one" }).click();
        await shows("wb-bench .wb-path", "exercises/ch01_threads/add_one.cu");
        await passed(false);
        await textIs(readFileSync(file("add_one"), "utf8"));
        assert.equal(await page.locator("#hints").isVisible(), false, "hints come one by one");
    });

    await step("a mistake is shown under its line", async () => {
        await replaceText(solution("add_one").replace("1.0f", "oops"));
        await shows("wb-bench .wb-kind", "compile-error");
        await shows("wb-bench .wb-below", "nothing above has this name");
        await fileIs("saved");
        assert.ok(readFileSync(file("add_one"), "utf8").includes("oops"), "the file is what the page shows");
    });

    await step("the page shows what each line costs and what a thread does", async () => {
        await replaceText(solution("add_one").replace("out[i] =", "out[i + 1] ="));
        await shows("wb-bench .wb-kind", "out-of-bounds-write");
        await page.locator("wb-bench .wb-look summary").click();
        await pressed("Show what each line costs");
        await shows("wb-bench .wb-profile .wb-code", "out[i + 1]");
        await pressed("Show what this thread does");
        await shows("wb-bench .wb-trace .wb-code", "out[i + 1]");
        assert.equal(await page.locator("wb-bench .wb-old").isVisible(), false);
        await page.getByLabel("Thread", { exact: true }).fill("5000");
        await pressed("Show what this thread does");
        await shows("wb-bench .wb-note", "there is no thread 5000");
        await replaceText(solution("add_one").replace("1.0f", "oops"));
        await shows("wb-bench .wb-old", "an earlier text");
    });

    await step("hints come one by one", async () => {
        await pressed("Show a hint (1 of");
        await page.locator("wb-bench .wb-hints li").nth(0).waitFor();
        await pressed("Show a hint (2 of");
        await page.locator("wb-bench .wb-hints li").nth(1).waitFor();
        assert.equal(await page.locator("wb-bench .wb-hints li").count(), 2);
    });

    await step("the bench is accessible, and fits on screens of two widths", () => look("failed"));

    await step("the keyboard can leave the editor", async () => {
        await content.focus();
        await page.keyboard.press("Escape");
        await page.keyboard.press("Tab");
        const left = await page.evaluate(() => document.activeElement?.closest(".wb-editor") === null);
        assert.ok(left, "Escape and Tab move on");
        await content.focus();
        await page.keyboard.press("ArrowRight");
        assert.ok(page.url().endsWith("add_one.html"), "arrow keys move the cursor and not the page");
    });

    await step("a change of another editor appears and passes", async () => {
        // Many editors write a new file and rename it.
        writeFileSync(`${file("add_one")}.new`, solution("add_one"));
        renameSync(`${file("add_one")}.new`, file("add_one"));
        await textIs(solution("add_one"));
        await passed(true);
        await shows("wb-bench .wb-next-exercise", "Next: guard");
        await shows("#mdbook-sidebar .wb-state.is-done", "done");
        assert.match(readFileSync(join(workbook, ".workbook/progress.txt"), "utf8"), /^passed add_one /m);
    });

    await step("the solution can be compared, and the passed bench is accessible", async () => {
        await look("passed");
        await pressed("Compare with the solution");
        await shows("wb-bench .wb-after code", "__global__");
    });

    await step("two changes at once are a question, and nothing is lost", async () => {
        const theirs = `${solution("add_one")}// another editor\n`;
        const mine = `${solution("add_one")}// this page\n`;
        // The other editor saves while the page's own text is on its way.
        let isFirst = true;
        await page.route("**/live/exercises/add_one", (route) => {
            if (isFirst && route.request().method() === "PUT") {
                isFirst = false;
                writeFileSync(file("add_one"), theirs);
            }
            return route.continue();
        });
        await replaceText(mine);
        await fileIs("conflict");
        assert.equal(readFileSync(file("add_one"), "utf8"), theirs);
        assert.equal(await text(), mine);
        await pressed("Keep this text");
        await fileIs("saved");
        assert.equal(readFileSync(file("add_one"), "utf8"), mine);
        const copies = readdirSync(join(workbook, ".workbook/backup"));
        assert.equal(readFileSync(join(workbook, ".workbook/backup", copies[0]), "utf8"), theirs);
    });

    await step("a file that is deleted is written again", async () => {
        rmSync(file("add_one"));
        await fileIs("missing");
        await pressed("Write this text into the file");
        await fileIs("saved");
        assert.ok(readFileSync(file("add_one"), "utf8").endsWith("// this page\n"));
    });

    await step("the original comes back, with a copy of the text", async () => {
        await pressed("Original");
        await pressed("Restore the original");
        await passed(false);
        const copies = readdirSync(join(workbook, ".workbook/backup")).map((name) =>
            readFileSync(join(workbook, ".workbook/backup", name), "utf8"),
        );
        assert.ok(copies.some((copy) => copy.endsWith("// this page\n")));
        await replaceText(solution("add_one"));
        await passed(true);
    });

    await step("line ends of Windows stay", async () => {
        const windows = solution("add_one").replaceAll("\n", "\r\n");
        writeFileSync(file("add_one"), windows);
        await textIs(windows);
        await content.click();
        await page.keyboard.press("Control+End");
        await page.keyboard.type("//");
        await until(() => readFileSync(file("add_one"), "utf8") === `${windows}//`, "the text is saved with its line ends");
        await passed(true);
    });

    await step("a text that is too large and a read-only file are not saved, and the page says why", async () => {
        const before = readFileSync(file("add_one"), "utf8");
        await replaceText(`//${"x".repeat(1 << 21)}`);
        await fileIs("refused");
        await shows("wb-bench .wb-note", "1 MiB");
        chmodSync(file("add_one"), 0o444);
        await replaceText(solution("add_one"));
        await shows("wb-bench .wb-note", "read-only");
        assert.equal(readFileSync(file("add_one"), "utf8"), before);
        chmodSync(file("add_one"), 0o644);
        await pressed("Check");
        await fileIs("saved");
        await passed(true);
    });

    await step("the next exercise begins, and a kernel that never ends keeps nothing waiting", async () => {
        await page.locator("wb-bench .wb-next-exercise").click();
        await shows("wb-bench .wb-path", "guard.cu");
        await passed(false);
        const endless = solution("guard").replace(/\{\n/, "{\n    volatile bool always = true;\n    while (always) {}\n");
        assert.notEqual(endless, solution("guard"));
        await replaceText(endless);
        await until(() => readFileSync(file("guard"), "utf8") === endless, "the text is saved");
        await page.locator('wb-bench .wb-verdict[aria-busy="true"]').waitFor();
        await replaceText(solution("guard"));
        await passed(true);
    });

    await step("while the server is away the text stays, and it is saved when the server is back", async () => {
        const { port } = new URL(address);
        server.removeAllListeners("exit");
        const ended = new Promise((done) => server.on("exit", done));
        server.kill("SIGKILL");
        await ended;
        const late = `${solution("guard")}// written without a server\n`;
        await replaceText(late);
        await fileIs("offline");
        await page.reload().catch(() => {}); // a page that is closed keeps its text, too
        ({ server, address } = await serve(port));
        await page.goto(address);
        await page.goto(new URL("ch01_threads/guard.html", address).href);
        await until(() => readFileSync(file("guard"), "utf8") === late, "the text is saved");
        await passed(true);
    });

    await step("a page without the token shows the book, and says how to work", async () => {
        await browser.clearCookies();
        await page.reload();
        await shows("wb-bench .wb-note", "Open the address that the terminal shows");
        assert.equal(await page.locator("main h1").first().isVisible(), true);
    });
} finally {
    await browser.close();
    server.removeAllListeners("exit");
    server.kill("SIGTERM");
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
