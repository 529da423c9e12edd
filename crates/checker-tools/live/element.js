// Makes elements of the page. Text is always added as text, and never as markup.
export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== false && value !== null) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

export function button(text, click, attributes = {}) {
    const made = element("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", click);
    return made;
}

// A sentence in which `code` stands in backquotes.
export function sentence(text) {
    return text.split("`").map((part, i, all) => (i % 2 === 1 && all.length % 2 === 1 ? element("code", {}, part) : part));
}
