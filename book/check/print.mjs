// Prints the built book to PDF as a reader would, and checks the result: fewer than 300 pages, an outline, no solution, no hint
// that is nearly the answer, and no marker that nothing has replaced. Ends with 1 if something is wrong.
//
//     node print.mjs FOLDER [PDF]      FOLDER is the built book; the PDF is kept if it is named
//
// playwright-core and the browser are found as in axe.mjs.
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(resolve(process.env.TOOLS ?? "."), "package.json"));
const { chromium } = require("playwright-core");

const MOST_PAGES = 299;
const LEAST_ENTRIES = 100;

const [folder, kept] = process.argv.slice(2);
const onPath = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) =>
    process.env.PATH.split(delimiter).map((directory) => join(directory, name)),
);
const work = mkdtempSync(join(tmpdir(), "print-"));
const browser = await chromium.launchPersistentContext(join(work, "profile"), {
    executablePath: process.env.CHROMIUM ?? onPath.find(existsSync),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
const page = await browser.newPage();
// The page opens the browser's own dialog for printing, which would wait for the reader.
await page.addInitScript(() => (window.print = () => {}));
await page.goto(pathToFileURL(resolve(folder, "print.html")).href, { waitUntil: "load" });
await page.emulateMedia({ media: "print" });
const { spoilers, raw } = await page.evaluate(() => ({
    spoilers: [...document.querySelectorAll(".wb-spoiler, .wb-solution")].filter((e) => e.offsetParent !== null).length,
    raw: document.body.innerText.includes("{{#"),
}));
const path = kept ?? join(work, "book.pdf");
await page.pdf({ path, outline: true, tagged: true, preferCSSPageSize: true });
await browser.close();

const pdf = readFileSync(path, "latin1");
const pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
const entries = /\/Outlines\b/.test(pdf) ? (pdf.match(/\/Title\s*[(<]/g)?.length ?? 0) : 0;
rmSync(work, { recursive: true, force: true });

const wrong = [
    pages > MOST_PAGES || pages < 100 ? `it has ${pages} pages` : "",
    entries < LEAST_ENTRIES ? `its outline has ${entries} entries` : "",
    spoilers > 0 ? `${spoilers} solutions or last hints are printed` : "",
    raw ? "a marker is left" : "",
].filter(Boolean);
console.log(wrong.length > 0 ? `the print edition: ${wrong.join(", ")}` : `${pages} pages, ${entries} entries in the outline`);
process.exit(wrong.length > 0 ? 1 : 0);
