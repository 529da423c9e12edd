// Call-outs of listings: a comment `// (3)`, or `# (3)` in Python, at the end of a line becomes a badge before the line, where
// a narrow screen shows it too. The badge is drawn by the style sheet, so copied code does not contain it. Without scripts, the
// comments stay as they are.
(() => {
    const CALLOUT = /[ \t]*(?:\/\/|#) \((\d+)\)(?=\n|$)/;

    // The text nodes of an element, in order.
    function texts(element) {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walker.nextNode()) found.push(walker.currentNode);
        return found;
    }

    function badge(number) {
        const element = document.createElement("span");
        element.className = "wb-callout";
        element.dataset.number = number;
        element.setAttribute("role", "img");
        element.setAttribute("aria-label", `note ${number}`);
        return element;
    }

    // Puts `element` at the start of the line in which `node` begins.
    function insert(element, node, code) {
        const nodes = texts(code);
        for (const before of nodes.slice(0, nodes.indexOf(node)).reverse()) {
            const end = before.data.lastIndexOf("\n");
            if (end >= 0) {
                const line = before.splitText(end + 1);
                line.parentNode.insertBefore(element, line);
                return;
            }
        }
        code.prepend(element);
    }

    for (const code of document.querySelectorAll("pre > code:is(.language-cpp, .language-python)")) {
        for (let i = 0; i < texts(code).length; ++i) {
            const node = texts(code)[i];
            const match = CALLOUT.exec(node.data);
            if (!match) continue;
            // From here on, `comment` begins with the comment, and what is before it is in `node`.
            const comment = node.splitText(match.index);
            comment.data = comment.data.slice(match[0].length);
            node.data = node.data.replace(/[ \t]+$/, "");
            insert(badge(match[1]), comment, code);
            code.classList.add("wb-called");
        }
    }
})();
