// Measures how long a learner waits for a verdict: from the last key press to the verdict on the page, without the pause that
// the page waits for. Prints the median and the 95th percentile of each exercise and of all.
//
//     node latency.mjs ADDRESS [EXERCISE...]      ADDRESS is what `checker book serve` prints; by default, kernels of chapters 1-6
//     ROUNDS=20 node latency.mjs ADDRESS          edits of each exercise
//
// Each edit is a text that was never compiled before. Use a workbook that may be changed. playwright-core and the browser are
// found as in axe.mjs.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

const require = createRequire(join(resolve(process.env.TOOLS ?? "."), "package.json"));
const { chromium } = require("playwright-core");

const TYPING_PAUSE_MS = 250;
const ROUNDS = Number(process.env.ROUNDS ?? 20);
const PATIENCE_MS = 60_000;

const [address, ...named] = process.argv.slice(2);
const onPath = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) =>
    process.env.PATH.split(delimiter).map((directory) => join(directory, name)),
);
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? onPath.find(existsSync),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
const page = await browser.newPage();
page.setDefaultTimeout(PATIENCE_MS);
await page.goto(address);
const course = await page.evaluate(async () => (await fetch("/live/course")).json());
const early = course.exercises.filter(({ page }) => /^ch0[1-6]/.test(page));
const exercises = named.length > 0 ? course.exercises.filter(({ id }) => named.includes(id)) : early;

// The part of the samples that is below the returned one.
function quantile(samples, part) {
    const sorted = [...samples].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

function line(name, samples) {
    const [median, high, most] = [0.5, 0.95, 1].map((part) => quantile(samples, part).toFixed(0).padStart(6));
    console.log(`${name.padEnd(24)} ${median} ${high} ${most}   ${samples.length}`);
}

async function measure(exercise) {
    await page.goto(new URL(exercise.page, address).href);
    await page.waitForSelector("wb-bench[data-passed]");
    const isKernel = await page.evaluate(() => document.querySelector("main .wb-card th + th + th + th")?.textContent === "Your kernel");
    if (!isKernel && named.length === 0) return [];
    // The new text is a comment at the end, which changes the source and nothing else.
    await page.locator("wb-bench .cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(`\n// ${Date.now()} `);
    await page.waitForTimeout(2000);
    const samples = [];
    for (let round = 0; round < ROUNDS; ++round) {
        await page.evaluate(() => {
            const bench = document.querySelector("wb-bench");
            let pressed = 0;
            bench.addEventListener("keydown", (event) => (pressed = event.timeStamp), { once: true });
            window.shown = new Promise((done) => {
                const observer = new MutationObserver(() => {
                    observer.disconnect();
                    requestAnimationFrame(() => done(performance.now() - pressed));
                });
                observer.observe(bench.querySelector(".wb-verdict"), { childList: true });
            });
        });
        await page.keyboard.press(String(round % 10));
        samples.push((await page.evaluate(() => window.shown)) - TYPING_PAUSE_MS);
    }
    line(exercise.id, samples);
    return samples;
}

console.log(`${"milliseconds".padEnd(24)} median    95%    max   edits`);
const all = [];
for (const exercise of exercises) all.push(...(await measure(exercise)));
line("all", all);
await browser.close();
