// Goes through the first exercises of chapter 1 in a browser as a learner does, with `checker book serve` and another program
// that changes files at the same time, opens each view of a run, and runs listings of lessons. Prints each step, and ends with 1 at the first one that
// fails.
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
let hasLooked = false;
const page = await browser.newPage();
page.on("console", (message) => {
    // A browser reports each request that gets no answer or a conflict, and this test causes some.
    // axe and screenshots add style elements, which the page's policy forbids; their messages may come late.
    const isExpected = /Failed to load resource/.test(message.text()) || (hasLooked && /Applying inline style/.test(message.text()));
    if (message.type() === "error" && !isExpected) complaints.push(message.text());
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

// Opens a view of the run, and waits until it is there.
async function opened(name) {
    await bench.getByRole("tab", { name }).click();
    await bench.locator(`[role="tabpanel"]:not([hidden]):not([aria-busy]) > *`).first().waitFor();
}

async function step(name, action) {
    await action().finally(() => assert.deepEqual(complaints, [], "errors on the page"));
    console.log(`ok  ${name}`);
}

// Looks at the bench as axe does, at two widths and in all themes, with a view of the run if one is named. The page is loaded
// again at each width.
async function look(name, view = null) {
    hasLooked = true;
    const found = new Map();
    for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 1000 });
        await page.reload();
        await page.locator("wb-bench[data-passed]").waitFor();
        await page.evaluate(axe);
        await page.locator("wb-bench .wb-look > summary").click();
        if (view) await opened(view);
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
    assert.deepEqual([...found], [], `what axe finds in the bench ${name}`);
}

try {
    await step("the address opens the book, and the sidebar leads to the first exercise", async () => {
        await page.setViewportSize({ width: 1280, height: 1000 });
        await page.goto(address);
        assert.ok(!page.url().includes("token"), page.url());
        // The pages that explain an exercise come before it.
        for (const title of ["How to work", "Threads, blocks, grids", "add_one"]) {
            await page.locator("#wb-course a", { hasText: title }).click();
        }
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

    await step("a place in a report moves the editor there, and no report names a command", async () => {
        const place = bench.locator(".wb-places button").first();
        const number = /\d+/.exec(await place.textContent())[0];
        await page.evaluate(() => document.querySelector("wb-bench").editor.goTo(1));
        await place.click();
        await page.locator("wb-bench .cm-activeLineGutter", { hasText: number }).waitFor();
        assert.ok((await page.locator("wb-bench .wb-hidden[role=status]").textContent()).endsWith(`, line ${number}`));
        assert.doesNotMatch(await bench.locator(".wb-report").innerText(), /checker (hint|explain|trace|check) /);
        const learn = await bench.locator(".wb-next a").first().getAttribute("href");
        assert.equal(learn, "../ch01_threads/lesson.html#which-element-is-mine");
        assert.ok((await page.request.get(new URL(learn, page.url()).href)).ok());
    });

    await step("the editor searches, and is the first place that a keyboard can go to", async () => {
        await content.click();
        await page.keyboard.press("Control+F");
        await page.locator("wb-bench .cm-search input").first().waitFor();
        await page.keyboard.press("Escape");
        await page.evaluate(() => document.activeElement.blur());
        await page.reload();
        await passed(false);
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the editor");
        await page.keyboard.press("Enter");
        await page.locator("wb-bench .cm-content:focus").waitFor();
    });

    await step("a run is shown as views: lines, threads and output", async () => {
        await replaceText(solution("add_one").replace("out[i] =", "out[i + 1] ="));
        await shows("wb-bench .wb-kind", "out-of-bounds-write");
        await page.locator("wb-bench .wb-look > summary").click();
        await opened("Lines");
        await shows("wb-bench .wb-heat-table td", "out[i + 1]");
        await bench.getByRole("button", { name: /^Line \d+: show a warp/ }).first().click();
        await page.locator("wb-bench .wb-warp svg rect.fetched").first().waitFor();
        await bench.getByRole("slider", { name: "Lane" }).press("ArrowRight");
        await shows("wb-bench .wb-warp .wb-says", "Lane 1");
        await shows("wb-bench .wb-heat-table tfoot", "instructions");
        await bench.getByRole("button", { name: "Show the steps of this thread" }).click();
        await shows("wb-bench .wb-threads .wb-steps-source", "out[i + 1]");
        const last = await bench.getByRole("slider", { name: "Step" }).getAttribute("max");
        await bench.getByRole("button", { name: "Back" }).click();
        await bench.getByRole("button", { name: "Go to the mistake" }).click();
        await page.locator("wb-bench .wb-threads rect.clash").first().waitFor();
        await bench.getByRole("radio", { name: "Steps of its whole warp" }).check();
        await bench.getByRole("slider", { name: "Step" }).press("Home");
        await shows("wb-bench .wb-threads .wb-says", "Step 1 of");
        assert.ok(Number(last) > 0, "a thread has several steps");
        await page.locator('wb-bench [data-map="threads"] > [tabindex]').press("ArrowLeft");
        await shows('wb-bench [data-map="threads"] figcaption', "lane");
        await page.getByLabel("Thread", { exact: true }).fill("5000");
        await page.getByLabel("Thread", { exact: true }).press("Enter");
        await shows("wb-bench .wb-note", "there is no thread 5000");
        await page.getByLabel("Thread", { exact: true }).fill("0");
        await page.getByLabel("Thread", { exact: true }).press("Enter");
        await opened("Output");
        await shows("wb-bench .wb-output", "elements are wrong");
        await replaceText(solution("add_one").replace("1.0f", "oops"));
        await shows("wb-bench .wb-old", "an earlier text");
    });

    await step("a wrong value leads to the thread that wrote it", async () => {
        await replaceText(solution("add_one").replace("1.0f", "(i == 5 ? 2.0f : 1.0f)"));
        await shows("wb-bench .wb-kind", "wrong-values");
        await opened("Output");
        await shows("wb-bench .wb-output", "The first wrong element is out[5]");
        await bench.getByRole("button", { name: "Follow this thread" }).click();
        await shows('wb-bench [data-map="threads"] figcaption', "Thread 5 of");
        await replaceText(solution("add_one").replace("1.0f", "oops"));
        await shows("wb-bench .wb-kind", "compile-error");
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
        await shows("wb-bench .wb-after", "Your code is the solution, line by line.");
        await bench.locator(".wb-after").getByRole("button", { name: "Close" }).click();
        assert.equal(await bench.locator(".wb-diff").count(), 0);
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
        await pressed("Earlier versions");
        await bench.getByRole("button", { name: /^Show version/ }).first().click();
        await shows("wb-bench .wb-versions pre", "// this page");
        await bench.getByRole("button", { name: /^Restore version/ }).first().click();
        await textIs(copies.find((copy) => copy.endsWith("// this page\n")));
        await fileIs("saved");
        assert.equal(readdirSync(join(workbook, ".workbook/backup")).length, copies.length, "the original needs no copy");
        await replaceText(solution("add_one"));
        await until(() => readFileSync(file("add_one"), "utf8") === solution("add_one"), "the text is saved");
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
        await shows("wb-bench .wb-busy", "Checking");
        await replaceText(solution("guard"));
        await passed(true);
        await shows("wb-bench .wb-next-exercise", "Next: Blocks and launches");
        await shows("#wb-course", "Continue with Blocks and launches");
    });

    await step("an address that doesn't exist is a page of the book", async () => {
        await page.goto(new URL("ch01_threads/no_such_page.html", address).href);
        const styles = await page.evaluate(() => [...document.styleSheets].filter(({ href }) => href?.includes("general")).length);
        assert.equal(styles, 1, "the page has its styles");
    });

    await step("a served page says how to work in the browser", async () => {
        await page.goto(new URL("how-to-work.html", address).href);
        const sections = await page.locator("main h2").allTextContents();
        assert.deepEqual(sections.slice(0, 2), ["In your browser", "With your own editor and a terminal"]);
        await page.goto(new URL("ch01_threads/add_one.html", address).href);
        await passed(true);
        assert.doesNotMatch(await page.locator("main").innerText(), /checker watch|press n/);
    });

    await step("a race is shown side by side, and banks and wavefronts of a warp", async () => {
        const shared = (name) => join(workbook, "exercises/ch04_shared", `${name}.cu`);
        const right = readFileSync(join(ROOT, "solutions/ch04_shared/tile_transpose.cu"), "utf8");
        writeFileSync(shared("tile_transpose"), right.replace("__syncthreads();", ""));
        await page.goto(new URL("ch04_shared/tile_transpose.html", address).href);
        await passed(false);
        await page.locator("wb-bench .wb-look > summary").click();
        await shows("wb-bench .wb-race .wb-missing", "no __syncthreads() here");
        await bench.getByRole("button", { name: /^Follow this thread/ }).first().click();
        await page.locator("wb-bench .wb-threads .wb-steps-source").waitFor();
        for (const view of ["Race", "Threads", "Output"]) await look(`view-${view}`, view);
        writeFileSync(shared("tile_transpose"), right.replace("SIDE + 1", "SIDE"));
        await passed(true);
        await opened("Lines");
        await bench.getByRole("button", { name: /^Line \d+ *$/ }).first().click();
        await page.locator("wb-bench .wb-warp svg rect.clash").first().waitFor();
        await shows("wb-bench .wb-warp figcaption", "32 wavefronts");
        await look("view-Lines", "Lines");
    });

    await step("a program has a timeline", async () => {
        await page.goto(new URL("ch08_streams/overlap.html", address).href);
        await page.locator("wb-bench[data-passed]").waitFor();
        await page.locator("wb-bench .wb-look > summary").click();
        await opened("Timeline");
        await shows("wb-bench .wb-drawing figcaption", "of work");
        await look("view-Timeline", "Timeline");
        await page.goto(new URL("ch01_threads/guard.html", address).href);
        await passed(true);
    });

    // The bar under a part of a listing.
    const bar = (name, part) => page.locator(`pre:has(> code[data-listing="${name}"][data-part="${part}"]) + wb-listing`);
    // The editor is loaded when it is needed.
    const listingText = async (one) => {
        await one.locator(".cm-content").waitFor();
        return one.evaluate((bar) => bar.editor.text());
    };
    // Types over the text of an open editor with the keyboard.
    async function retype(one, change) {
        const text = await listingText(one);
        assert.notEqual(change(text), text, "the test changes the listing");
        await one.locator(".cm-content").focus();
        await page.keyboard.press("Control+A");
        await page.keyboard.insertText(change(text));
    }
    // Presses a button of a bar with the keyboard.
    async function press(one, name) {
        await one.getByRole("button", { name, exact: true }).focus();
        await page.keyboard.press("Enter");
    }
    const says = (one, text) => one.locator('[role="status"]', { hasText: text }).waitFor();
    const hello = bar("ch01/hello", "all");

    await step("a listing runs, changes, and comes back, with the keyboard only", async () => {
        await page.setViewportSize({ width: 1280, height: 1000 });
        await page.goto(new URL("ch01_threads/lesson.html", address).href);
        await press(hello, "Run");
        await says(hello, "printed 8 lines, and the simulator found no mistake");
        assert.match(await hello.locator(".wb-printed").textContent(), /^block [01], thread 0$/m);
        await press(hello, "Change");
        await hello.locator(".cm-content:focus").waitFor();
        // The text of the page refers to the numbers.
        assert.match(await hello.locator(".cm-content").innerText(), /\/\/ \(1\)[^]*\/\/ \(6\)/);
        await retype(hello, (text) => text.replace("block %u, thread %u", "%u has greeted %u"));
        await page.keyboard.press("Control+S");
        await hello.locator(".wb-printed", { hasText: "1 has greeted 3" }).waitFor();
        await retype(hello, (text) => text.replace("blockIdx.x, ", "blockIdx.x "));
        await page.keyboard.press("Control+S");
        await says(hello, "doesn't compile");
        await hello.locator(".wb-kind", { hasText: "compile-error" }).waitFor();
        await hello.locator(".wb-below").first().waitFor();
        const before = await hello.locator(".cm-content > *").evaluateAll((lines) => {
            const label = lines.findIndex((line) => line.querySelector?.(".wb-below") || line.matches(".wb-below"));
            return lines[label - 1]?.textContent ?? "";
        });
        assert.ok(before.includes("printf"), `the mark is below its line: ${before}`);
        await page.keyboard.press("Escape");
        await page.keyboard.press("Tab");
        const left = await page.evaluate(() => document.activeElement?.closest(".wb-editor") === null);
        assert.ok(left, "Escape and Tab leave the editor");
        assert.ok(page.url().endsWith("lesson.html"), "no key has turned the page");
    });

    await step("a change stays in the browser, the original is one key away, and no file changes", async () => {
        await page.reload();
        assert.equal(await hello.locator("xpath=preceding-sibling::pre[1]").isVisible(), true, "a page shows the original first");
        await press(hello, "Run");
        await says(hello, "printed 8 lines");
        await press(hello, "Your change");
        assert.ok((await listingText(hello)).includes("has greeted"));
        await press(hello, "Original");
        assert.equal(await hello.locator("xpath=preceding-sibling::pre[1]").isVisible(), true);
        await press(hello, "Your change");
        await press(hello, "Start again");
        assert.ok(!(await listingText(hello)).includes("has greeted"));
        assert.equal(await page.evaluate(() => localStorage.getItem("cuda-workbook-listing-ch01/hello")), null);
        const stem = "examples/ch01/hello.cu";
        const [served, own] = [join(workbook, "book", stem), join(ROOT, "book", stem)].map((path) => existsSync(path) && readFileSync(path, "utf8"));
        assert.ok(served === false || served === own, "the file of the listing is as it was");
    });

    await step("a listing without end is ended, and a flood of output is cut", async () => {
        await retype(hello, (text) => text.replace("cudaDeviceSynchronize();", 'for (volatile bool on = true; on;) printf("again and again");'));
        await press(hello, "Run");
        await says(hello, "so it was ended");
        assert.ok((await hello.locator(".wb-printed").textContent()).length <= 1 << 16);
        await retype(hello, (text) => text.replace('printf("again and again")', ""));
        await press(hello, "Run");
        await says(hello, "did not end within 10 seconds");
        await press(hello, "Start again");
    });

    await step("a program of a page reads no file", async () => {
        writeFileSync(join(work, "secret.txt"), "a secret of this machine\n");
        const path = JSON.stringify(join(work, "secret.txt"));
        await retype(hello, (text) => text.replace("hello<<<2, 4>>>();", `char word[9] = "nothing"; if (FILE* file = fopen(${path}, "r")) fscanf(file, "%8s", word); puts(word);`));
        await press(hello, "Run");
        await hello.locator(".wb-printed", { hasText: "nothing" }).waitFor();
        await retype(hello, (text) => `#line 1 ${path}\n${text.replace("puts(word)", "puts(oops)")}`);
        await press(hello, "Run");
        await says(hello, "doesn't compile");
        assert.ok(!(await hello.textContent()).includes("a secret of this machine"), "`#line` shows no file either");
        await press(hello, "Start again");
    });

    await step("a mistake of a part is marked on its line, with the parts of a file together", async () => {
        await page.goto(new URL("ch01_threads/rows.html", address).href);
        const [kernel, launch] = [bar("ch01/mirror", "kernel"), bar("ch01/mirror", "launch")];
        await press(launch, "Change");
        await retype(launch, (text) => text.replace("block(width, height)", "block(width + 1, height)"));
        await press(kernel, "Run");
        await kernel.locator(".wb-kind", { hasText: "out-of-bounds" }).waitFor();
        await kernel.locator(".wb-below").first().waitFor();
        await kernel.locator(".wb-small", { hasText: "With your change of launch" }).waitFor();
        await press(launch, "Start again");
    });

    await step("the whole program of a part can be changed", async () => {
        const kernel = bar("ch01/mirror", "kernel");
        await press(kernel, "Whole program");
        await kernel.locator(".cm-content:focus").waitFor();
        await retype(kernel, (text) => text.replace(/int main\(\) \{/, 'int main() {\n    printf("all of it\\n");'));
        await page.keyboard.press("Control+S");
        await kernel.locator(".wb-printed", { hasText: "all of it" }).waitFor();
        await press(kernel, "Only this part");
        assert.ok(!(await listingText(kernel)).includes("int main"));
        await press(kernel, "Run");
        await says(kernel, "Whether the output is right, only you can see");
        assert.ok(!(await kernel.locator(".wb-printed").textContent()).includes("all of it"));
        await press(kernel, "Whole program");
        await press(kernel, "Start again");
        await press(kernel, "Original");
    });

    await step("a race in a listing is found", async () => {
        await page.goto(new URL("ch04_shared/lesson.html", address).href);
        const kernel = bar("ch04/differences", "kernel");
        await press(kernel, "Change");
        await retype(kernel, (text) => text.replace(/__syncthreads\(\);.*/, ""));
        await press(kernel, "Run");
        await kernel.locator(".wb-kind", { hasText: "shared-race" }).waitFor();
        await kernel.locator(".wb-below").first().waitFor();
        await press(kernel, "Start again");
        await press(kernel, "Profile");
        await kernel.locator(".wb-heat-table td", { hasText: "__syncthreads" }).waitFor();
        await kernel.locator(".wb-heat-table .wb-measure").first().waitFor();
        await kernel.locator(".wb-launches td", { hasText: "differences" }).first().waitFor();
        await kernel.locator(".wb-drawing figcaption", { hasText: "on the simulated clock" }).waitFor();
    });

    await step("the threads of a listing are followed step by step", async () => {
        const kernel = bar("ch04/differences", "kernel");
        await press(kernel, "Steps");
        const status = kernel.locator(".wb-says");
        await status.filter({ hasText: /^Step 1 of \d+, line \d+/ }).waitFor();
        await press(kernel, "Forward");
        await status.filter({ hasText: /^Step 2 of/ }).waitFor();
        await kernel.getByLabel("Thread", { exact: true }).fill("63");
        await page.keyboard.press("Enter");
        await kernel.locator(".wb-map figcaption", { hasText: "Thread 63 of 64: warp 1, lane 31" }).waitFor();
        await kernel.getByLabel("Go to step").fill("4");
        await page.keyboard.press("Enter");
        await status.filter({ hasText: "writes tile[63]" }).waitFor();
        await kernel.getByLabel("Thread", { exact: true }).fill("64");
        await page.keyboard.press("Enter");
        await kernel.locator(".wb-listing-steps .wb-note", { hasText: "64" }).waitFor();
        await press(kernel, "Steps");
        await status.filter({ hasText: /^Step 1 of/ }).waitFor();
    });

    await step("the bars of listings are accessible, and fit on screens of two widths", async () => {
        hasLooked = true;
        const found = new Map();
        for (const width of [390, 1280]) {
            await page.setViewportSize({ width, height: 1000 });
            await page.goto(new URL("ch01_threads/rows.html", address).href);
            await page.evaluate(axe);
            const [right, wrong] = [bar("ch01/mirror", "kernel"), bar("ch01/mirror_wrong", "kernel")];
            await press(right, "Steps");
            await right.locator(".wb-says", { hasText: "Step 1 of" }).waitFor();
            await press(wrong, "Profile");
            await wrong.locator(".wb-heat-table").waitFor();
            await wrong.locator(".wb-below").first().waitFor();
            const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
            assert.ok(tooWide <= 0, `the page is wider than a screen of ${width} pixels`);
            for (const theme of THEMES) {
                const violations = await page.evaluate(async (theme) => {
                    document.getElementById(`mdbook-theme-${theme}`).click();
                    for (let frame = 0; frame < 2; ++frame) await new Promise(requestAnimationFrame);
                    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
                    return (await axe.run("main", { resultTypes: ["violations"], runOnly: tags })).violations;
                }, theme);
                const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
                for (const { id, nodes } of serious) {
                    for (const { html } of nodes) found.set(`${id}: ${html.slice(0, 200)}`, `${theme}, ${width}`);
                }
                if (pictures && ["light", "navy"].includes(theme)) {
                    mkdirSync(pictures, { recursive: true });
                    for (const [name, one] of Object.entries({ right, wrong })) {
                        await one.evaluate((bar) => bar.scrollIntoView());
                        await page.screenshot({ path: join(pictures, `listing-${name}-${theme}-${width}.png`) });
                    }
                }
            }
            await page.evaluate(() => document.getElementById("mdbook-theme-light").click());
        }
        assert.deepEqual([...found], [], "what axe finds in the bars of listings");
        await page.setViewportSize({ width: 1280, height: 1000 });
        await page.goto(new URL("ch01_threads/guard.html", address).href);
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
        await shows("wb-bench .wb-note", "open the address that the terminal shows");
        assert.equal(await page.locator("main h1").first().isVisible(), true);
    });
} finally {
    await browser.close();
    server.removeAllListeners("exit");
    server.kill("SIGTERM");
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
