// Looks at each page of the built book as axe does, and at what axe doesn't see: pages that are wider than the screen, and
// markers that nothing has replaced. Prints every finding that is serious or critical, and ends with 1 if there is one.
//
//     node axe.mjs FOLDER [PAGE...]        FOLDER is the built book; without pages, all of them
//     THEMES=all node axe.mjs FOLDER       each page in each theme, which takes five times as long
//
// Each page is looked at in the light theme at two widths. Only colours differ between themes, and pages of one kind have the
// same ones, so by default the other four themes are tried on one page of each kind. The sidebar is the same on all pages, so
// it's looked at on these pages only.
//
// axe-core and playwright-core are looked up in TOOLS/node_modules; the browser is the program CHROMIUM, or else Chromium or
// Chrome on the path.
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(resolve(process.env.TOOLS ?? "."), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core"), "utf8");

const THEMES = ["light", "rust", "coal", "navy", "ayu"];
const WIDTHS = [390, 1280];
const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const COLOURS = ["color-contrast", "link-in-text-block"];
// One page of each kind: lessons with figures that are stepped, with sliders and with tables, an exercise, a checkpoint, and
// what is looked up.
const KINDS = [
    "introduction.html",
    "ch01_threads/grids.html",
    "ch01_threads/guard.html",
    "ch01_threads/checkpoint.html",
    "ch04_shared/banks.html",
    "ch04_shared/lesson.html",
    "ch08_streams/overlapping.html",
    "diagnostics/shared-race.html",
    "glossary.html",
    "instructors/start.html",
    "on-a-gpu.html",
    "reference/names.html",
    "reference/side-by-side.html",
];
// Faults of mdBook's own pages, which this book cannot change: the rule, and a part of the element's selector.
const KNOWN = [];
const ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

function htmlFiles(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? htmlFiles(path) : path.endsWith(".html") ? [path] : [];
    });
}

// print.html contains all other pages once more, toc.html is a frame of them, and 404.html finds its scripts only on a server.
const LEFT_OUT = new Set(["print.html", "toc.html", "404.html"]);

const [folder, ...named] = process.argv.slice(2);
const pages = (named.length > 0 ? named : htmlFiles(folder).map((path) => relative(folder, path))).filter(
    (page) => !LEFT_OUT.has(page),
);
const missing = KINDS.filter((page) => !existsSync(join(folder, page)));
if (missing.length > 0) throw new Error(`there is no page ${missing.join(", ")}`);

const onPath = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) =>
    process.env.PATH.split(delimiter).map((directory) => join(directory, name)),
);
const found = new Map();
let looked = 0;

function report(key, where) {
    found.set(key, [...(found.get(key) ?? []), where]);
}

async function look(tab, page) {
    await tab.goto(pathToFileURL(resolve(folder, page)).href, { waitUntil: "load" });
    await tab.evaluate(axe);
    const raw = await tab.evaluate(() => {
        for (const details of document.querySelectorAll("main details")) details.open = true;
        return document.body.innerHTML.includes("{{#");
    });
    if (raw) report("a marker is left", page);
    const all = process.env.THEMES === "all" || KINDS.includes(page);
    for (const width of WIDTHS) {
        await tab.setViewportSize({ width, height: 900 });
        const tooWide = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (tooWide > 0) report("the page is wider than the screen", `${page} ${width}`);
        for (const theme of all ? THEMES : THEMES.slice(0, 1)) {
            const rules = theme === THEMES[0] ? STANDARDS : COLOURS;
            const violations = await tab.evaluate(
                async ([theme, rules, all]) => {
                    document.getElementById(`mdbook-theme-${theme}`).click();
                    // What the page's own scripts do after a change of the width is done two frames later.
                    for (let frame = 0; frame < 2; ++frame) await new Promise(requestAnimationFrame);
                    const part = all ? document : { exclude: ["#mdbook-sidebar"] };
                    const result = await axe.run(part, { resultTypes: ["violations"], runOnly: rules });
                    return result.violations;
                },
                [theme, rules, all],
            );
            looked += 1;
            collect(violations, `${page} ${theme} ${width}`);
        }
    }
}

function collect(violations, where) {
    for (const { id, impact, nodes, help } of violations) {
        if (impact !== "serious" && impact !== "critical") continue;
        for (const node of nodes) {
            const selector = node.target.join(" ");
            if (KNOWN.some(([rule, part]) => rule === id && selector.includes(part))) continue;
            report(`${id} (${impact}): ${help}\n    ${selector}\n    ${node.html.slice(0, 160)}`, where);
        }
    }
}

// A browser runs its tabs in the background more slowly, so each worker has a browser of its own.
const waiting = [...pages];
async function work() {
    const profile = mkdtempSync(join(tmpdir(), "axe-"));
    const browser = await chromium.launchPersistentContext(profile, {
        executablePath: process.env.CHROMIUM ?? onPath.find(existsSync),
        args: ARGUMENTS,
        reducedMotion: "reduce",
    });
    const tab = await browser.newPage();
    for (let page = waiting.shift(); page; page = waiting.shift()) await look(tab, page);
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
}
await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, work));

for (const [key, where] of found) {
    console.log(`${key}\n    on ${where.slice(0, 3).join(", ")}${where.length > 3 ? ` and ${where.length - 3} more` : ""}`);
}
console.log(`${pages.length} pages, looked at ${looked} times: ${found.size} kinds of serious findings`);
process.exit(found.size > 0 ? 1 : 0);
