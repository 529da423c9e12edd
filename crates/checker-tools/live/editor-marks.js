// The marks of a verdict in an editor: underlined characters, and labels below their lines.
import { Decoration, EditorView, StateEffect, StateField, WidgetType } from "./codemirror.js";

// A label below its line. Its text begins under the marked characters where there is room.
class Label extends WidgetType {
    constructor(label, column, kind) {
        super();
        Object.assign(this, { label, column, kind });
    }

    eq(other) {
        return other.label === this.label && other.column === this.column && other.kind === this.kind;
    }

    toDOM() {
        const element = document.createElement("div");
        element.className = `wb-below ${this.kind}`;
        element.textContent = `\u2191 ${this.label}`;
        // The arrow is under the mark, and a label that doesn't fit beside it is broken.
        const start = `min(${this.column - 1}ch, 62cqw)`;
        element.style.marginInlineStart = start;
        element.style.maxWidth = `calc(96cqw - 5em - ${start})`;
        return element;
    }
}

export const setSpans = StateEffect.define();

// The marks of a verdict. They move with the text around them, and those in a line that is edited disappear.
export const marks = StateField.define({
    create: () => Decoration.none,
    update(current, transaction) {
        let marks = current.map(transaction.changes);
        transaction.changes.iterChangedRanges((_from, _to, from, to) => {
            const doc = transaction.state.doc;
            const [first, last] = [doc.lineAt(from).from, doc.lineAt(to).to];
            marks = marks.update({ filterFrom: first, filterTo: last, filter: () => false });
        });
        for (const effect of transaction.effects) {
            if (effect.is(setSpans)) marks = decorations(transaction.state.doc, effect.value);
        }
        return marks;
    },
    provide: (field) => EditorView.decorations.from(field),
});

function decorations(doc, spans) {
    const found = [];
    for (const span of spans.filter(({ line }) => line >= 1 && line <= doc.lines)) {
        const line = doc.line(span.line);
        const kind = span.primary ? "wb-primary" : "wb-context";
        // Columns count characters, and positions count UTF-16 units.
        const characters = [...line.text];
        const units = (count) => characters.slice(0, count).join("").length;
        const from = line.from + units(span.column - 1);
        const to = line.from + units(span.column - 1 + Math.max(span.length, 1));
        if (from < to) found.push(Decoration.mark({ class: `wb-place ${kind}` }).range(from, to));
        if (span.label) {
            const widget = new Label(span.label, span.column, kind);
            found.push(Decoration.widget({ widget, block: true, side: 1 }).range(line.to));
        }
    }
    return Decoration.set(found, true);
}
