// The commands that the comment at the beginning of an exercise names are for a terminal. The editor shows in their place what has
// the same effect on the page; the text of the file stays.
import { Decoration, EditorView, StateField, WidgetType } from "./codemirror.js";
import { commands } from "./header-commands.js";

class Words extends WidgetType {
    constructor(text) {
        super();
        this.text = text;
    }

    eq(other) {
        return other.text === this.text;
    }

    toDOM() {
        const element = document.createElement("span");
        element.className = "wb-in-browser";
        element.textContent = this.text;
        return element;
    }

    // A click puts the cursor before or after the words.
    ignoreEvent() {
        return false;
    }
}

function decorations(doc) {
    const found = [];
    for (let number = 1; number <= doc.lines; ++number) {
        const line = doc.line(number);
        if (!line.text.startsWith("//")) break;
        for (const { from, to, text } of commands(line.text)) {
            found.push(Decoration.replace({ widget: new Words(text) }).range(line.from + from, line.from + to));
        }
    }
    return Decoration.set(found);
}

export const inBrowser = StateField.define({
    create: ({ doc }) => decorations(doc),
    update: (current, { docChanged, state }) => (docChanged ? decorations(state.doc) : current),
    provide: (field) => EditorView.decorations.from(field),
});
