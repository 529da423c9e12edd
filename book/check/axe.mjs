// Looks at each page of the built book as axe does: in five themes, at two widths. Prints every finding that is serious or
// critical, and ends with 1 if there is one that `KNOWN` does not explain.
//
//     node axe.mjs FOLDER [PAGE...]        FOLDER is the built book; without pages, all of them
//
//     npm install --prefix TOOLS axe-core@4.14.1 puppeteer-core@25.16.0
//
// axe-core and puppeteer-core are looked up in TOOLS/node_modules; the browser is the program CHROMIUM, or else Chromium or
// Chrome on the path.
import { createRequire } from "node:module";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(resolve(process.env.TOOLS ?? "."), "package.json"));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core"), "utf8");

const THEMES = ["light", "rust", "coal", "navy", "ayu"];
const WIDTHS = [390, 1280];
const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const JOBS = 2;
// Faults of mdBook's own pages, which this book cannot change: the rule, and a part of the element's selector.
const KNOWN = [];

function htmlFiles(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? htmlFiles(path) : path.endsWith(".html") ? [path] : [];
    });
}

// print.html contains all other pages once more, toc.html is a frame of them, and 404.html finds its scripts only on a server.
const LEFT_OUT = new Set(["print.html", "toc.html", "404.html"]);

const [folder, ...named] = process.argv.slice(2);
const pages = (named.length > 0 ? named.map((name) => join(folder, name)) : htmlFiles(folder)).filter(
    (path) => !LEFT_OUT.has(relative(folder, path)),
);

const onPath = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) =>
    process.env.PATH.split(delimiter).map((directory) => join(directory, name)),
);
const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? onPath.find(existsSync),
    args: ["--no-sandbox", "--disable-gpu"],
});
const found = new Map();
let looked = 0;

async function look(page, path) {
    await page.goto(pathToFileURL(resolve(path)).href, { waitUntil: "load" });
    await page.evaluate(axe);
    await page.evaluate(() => {
        for (const details of document.querySelectorAll("main details")) details.open = true;
    });
    for (const width of WIDTHS) {
        await page.setViewport({ width, height: 900 });
        for (const theme of THEMES) {
            // Only colours differ between themes.
            const rules = theme === THEMES[0] ? STANDARDS : ["color-contrast", "link-in-text-block"];
            const violations = await page.evaluate(
                async (theme, rules) => {
                    document.getElementById(`mdbook-theme-${theme}`).click();
                    const result = await axe.run(document, { resultTypes: ["violations"], runOnly: rules });
                    return result.violations;
                },
                theme,
                rules,
            );
            looked += 1;
            collect(violations, `${relative(folder, path)} ${theme} ${width}`);
        }
    }
}

function collect(violations, where) {
    for (const { id, impact, nodes, help } of violations) {
        if (impact !== "serious" && impact !== "critical") continue;
        for (const node of nodes) {
            const selector = node.target.join(" ");
            if (KNOWN.some(([rule, part]) => rule === id && selector.includes(part))) continue;
            const key = `${id} (${impact}): ${help}\n    ${selector}\n    ${node.html.slice(0, 160)}`;
            found.set(key, [...(found.get(key) ?? []), where]);
        }
    }
}

// Themes are stored by the browser, so each worker has a browser context of its own.
const waiting = [...pages];
async function worker() {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    for (let path = waiting.shift(); path; path = waiting.shift()) await look(page, path);
    await context.close();
}
await Promise.all(Array.from({ length: JOBS }, worker));
await browser.close();

for (const [key, where] of found) {
    console.log(`${key}\n    on ${where.slice(0, 3).join(", ")}${where.length > 3 ? ` and ${where.length - 3} more` : ""}`);
}
console.log(`${pages.length} pages, looked at ${looked} times: ${found.size} kinds of serious findings`);
process.exit(found.size > 0 ? 1 : 0);
