// The text of an exercise's page names commands for a terminal. A button beside each of them does the same on the page.
import { button, element } from "./element.js";

const COMMAND = /^(?:cargo )?checker (profile|trace) (\w+)\b/;

// Which view a command of this exercise is about, or nothing.
export function viewOf(command, id) {
    const match = COMMAND.exec(command);
    return match?.[2] === id ? match[1] : null;
}

// `show(view, command)` shows what the command does.
export function addButtons(root, id, show) {
    for (const code of root.querySelectorAll(":not(pre) > code")) {
        const command = code.textContent;
        const view = code.closest("wb-bench") ? null : viewOf(command, id);
        if (!view) continue;
        const here = button("Show here", () => show(view, command), { "aria-label": `Show here what ${command} shows` });
        code.after(" ", element("span", { class: "wb-here" }, here));
    }
}
