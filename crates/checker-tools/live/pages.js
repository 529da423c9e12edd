// The pages of the book in their order, as mdBook's own script has listed them in the sidebar; and which of them this browser has
// shown.
const ROOT = new URL("../../", import.meta.url);
const VISITED = "cuda-workbook-visited";

// [{href, title}], each page once.
export function pages(list = document.querySelector("#mdbook-sidebar .chapter")) {
    const links = [...(list?.querySelectorAll("a[href]") ?? [])].filter((link) => !link.hash && link.href.startsWith(ROOT.href));
    const found = new Map();
    for (const link of links) {
        const text = link.querySelector(".wb-state") ? [...link.childNodes].filter((node) => !node.classList?.contains("wb-state")) : [link];
        if (!found.has(link.href)) found.set(link.href, text.map((node) => node.textContent).join("").trim());
    }
    return [...found].map(([href, title]) => ({ href, title }));
}

// The address of this page as the sidebar has it. The first page is also the index.
export function here() {
    const path = location.pathname.replace(/index\.html$/, "");
    return path.endsWith("/") ? (pages()[0]?.href ?? location.href) : new URL(path, location.origin).href;
}

export function nextPage(all = pages(), own = here()) {
    return all[all.findIndex(({ href }) => href === own) + 1] ?? null;
}

// The addresses of the pages that this browser has shown, this one included.
export function visited() {
    try {
        const all = new Set(JSON.parse(localStorage.getItem(VISITED)) ?? []);
        all.add(here());
        localStorage.setItem(VISITED, JSON.stringify([...all]));
        return all;
    } catch {
        return new Set([here()]); // the browser forbids storage, or it is full
    }
}

// The page to go on with: the page of the first open exercise, or a lesson before it that wasn't shown yet. `open` has the
// addresses of the open exercises, and `exercises` those of all.
export function firstUndone(all, open, exercises, seen) {
    const at = all.findIndex(({ href }) => open.has(href));
    if (at < 0) return null;
    let first = at;
    for (let i = at - 1; i >= 0 && !exercises.has(all[i].href); --i) {
        if (!seen.has(all[i].href)) first = i;
    }
    return all[first];
}
