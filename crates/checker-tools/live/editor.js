// The editor of a bench: CodeMirror with the syntax of CUDA, and the labels of a verdict below the lines that they are about.
//
// It is in a shadow root, because the page's content security policy allows no style elements: there, CodeMirror uses style
// sheets that are made by a script.
import {
    Annotation,
    bracketMatching,
    Compartment,
    cpp,
    Decoration,
    defaultKeymap,
    drawSelection,
    EditorState,
    EditorView,
    highlightActiveLine,
    highlightActiveLineGutter,
    HighlightStyle,
    highlightSelectionMatches,
    highlightSpecialChars,
    history,
    historyKeymap,
    indentOnInput,
    indentUnit,
    indentWithTab,
    keymap,
    lineNumbers,
    MatchDecorator,
    search,
    searchKeymap,
    StateEffect,
    StateField,
    syntaxHighlighting,
    syntaxTree,
    tags,
    ViewPlugin,
    WidgetType,
} from "./codemirror.js";

const CUDA_WORDS =
    /\b(?:__(?:global|device|host|shared|constant|managed|restrict|launch_bounds|noinline|forceinline|grid_constant)__|(?:thread|block)Idx|(?:block|grid)Dim|warpSize)\b/g;

const colours = HighlightStyle.define([
    { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], color: "var(--wb-code-keyword)" },
    { tag: [tags.typeName, tags.standard(tags.typeName)], color: "var(--wb-code-type)" },
    { tag: [tags.string, tags.character], color: "var(--wb-code-string)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--wb-code-number)" },
    { tag: tags.comment, color: "var(--wb-code-comment)", fontStyle: "italic" },
    { tag: [tags.processingInstruction, tags.meta], color: "var(--wb-code-keyword)" },
]);

const cudaWords = (() => {
    const mark = Decoration.mark({ class: "wb-cuda" });
    const matcher = new MatchDecorator({
        regexp: CUDA_WORDS,
        decorate(add, from, to, _match, view) {
            const { name } = syntaxTree(view.state).resolveInner(from, 1);
            if (!/Comment|String/.test(name)) add(from, to, mark);
        },
    });
    return ViewPlugin.define(
        (view) => ({
            decorations: matcher.createDeco(view),
            update(update) {
                this.decorations = matcher.updateDeco(update, this.decorations);
            },
        }),
        { decorations: (plugin) => plugin.decorations },
    );
})();

const theme = EditorView.theme({
    "&": { color: "var(--wb-code-fg)", backgroundColor: "var(--wb-code-bg)", fontSize: "1em", containerType: "inline-size" },
    "&.cm-focused": { outline: "2px solid var(--links)" },
    ".cm-scroller": { fontFamily: "var(--mono-font, monospace)", lineHeight: "1.45", maxHeight: "70vh", overflow: "auto" },
    ".cm-content": { caretColor: "var(--wb-code-fg)", padding: "0.5em 0" },
    ".cm-cursor": { borderLeftColor: "var(--wb-code-fg)" },
    ".cm-gutters": { backgroundColor: "var(--wb-code-bg)", color: "var(--wb-code-comment)", border: "none" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--wb-code-line)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
        backgroundColor: "var(--wb-code-selection)",
    },
    "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--wb-code-fg)" },
    ".wb-cuda, .wb-cuda span": { color: "var(--wb-code-keyword)" },
    ".wb-place": { textDecoration: "underline wavy var(--wb-mark)", textUnderlineOffset: "0.2em" },
    ".wb-primary": { "--wb-mark": "var(--wb-code-bad)" },
    ".wb-context": { "--wb-mark": "var(--links)" },
    ".wb-below": {
        color: "var(--wb-mark)",
        fontFamily: "inherit",
        fontWeight: "600",
        whiteSpace: "pre-wrap",
        overflowWrap: "anywhere",
        padding: "0 0.5em 0.15em 6px",
    },
    ".cm-panels": { backgroundColor: "var(--wb-code-bg)", color: "var(--wb-code-fg)" },
    ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--wb-line)" },
    ".cm-panel.cm-search": { fontFamily: "inherit", padding: "0.4em 2em 0.4em 0.4em" },
    ".cm-textfield, .cm-button": {
        padding: "0.2em 0.4em",
        border: "1px solid var(--wb-line)",
        borderRadius: "4px",
        background: "var(--bg)",
        color: "var(--fg)",
        font: "inherit",
    },
    ".cm-panel.cm-search [name=close]": { color: "var(--wb-code-fg)", fontSize: "1.3em" },
    ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--wb-code-number) 30%, transparent)" },
    ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--wb-code-number) 55%, transparent)" },
    ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--wb-code-number) 18%, transparent)" },
});

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

const setSpans = StateEffect.define();

// The marks of a verdict. They move with the text around them, and those in a line that is edited disappear.
const marks = StateField.define({
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

// Where there is little room, long lines are broken.
const NARROW = "(max-width: 620px)";

// Changes that come from the file are not the reader's.
const fromFile = Annotation.define();

// Makes an editor in `parent`. `edited` is called when the reader has changed the text, and `save` for Ctrl-S.
export function createEditor(parent, { label, description, edited, save }) {
    const [ends, readOnly, numbers, wrapping] = Array.from({ length: 4 }, () => new Compartment());
    const narrow = window.matchMedia(NARROW);
    const wrapped = () => (narrow.matches ? EditorView.lineWrapping : []);
    const ctrlS = { key: "Mod-s", preventDefault: true, run: () => (save(), true) };
    const view = new EditorView({
        root: parent.attachShadow({ mode: "open" }),
        state: EditorState.create({
            extensions: [
                numbers.of(lineNumbers()),
                highlightActiveLine(),
                highlightActiveLineGutter(),
                highlightSpecialChars(),
                history(),
                drawSelection(),
                indentOnInput(),
                indentUnit.of("    "),
                EditorState.tabSize.of(4),
                bracketMatching(),
                cpp(),
                cudaWords,
                syntaxHighlighting(colours),
                theme,
                marks,
                search({ top: true }),
                highlightSelectionMatches(),
                keymap.of([ctrlS, indentWithTab, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
                wrapping.of(wrapped()),
                ends.of([]),
                readOnly.of([]),
                EditorView.contentAttributes.of({
                    "aria-label": label,
                    "aria-description": description,
                    tabindex: "0",
                    spellcheck: "false",
                    autocorrect: "off",
                    autocapitalize: "off",
                }),
                EditorView.updateListener.of((update) => {
                    const isOwn = update.transactions.some((transaction) => transaction.annotation(fromFile));
                    if (update.docChanged && !isOwn) edited();
                }),
            ],
        }),
    });
    parent.shadowRoot.append(view.dom);
    narrow.addEventListener("change", () => view.dispatch({ effects: wrapping.reconfigure(wrapped()) }));
    const start = (line) => view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines)).from;
    // Whether the reader can see the line where the editor and the page are scrolled to.
    const isVisible = (position) => {
        const at = view.coordsAtPos(position);
        const { top, bottom } = view.scrollDOM.getBoundingClientRect();
        return at !== null && at.top >= Math.max(top, 0) && at.bottom <= Math.min(bottom, window.innerHeight);
    };
    return {
        text: () => view.state.sliceDoc(),
        // Replaces only what differs, so that the cursor stays where it is. It can be undone.
        setText(text) {
            // Line ends of Windows stay if all are such ones; a mixture becomes line feeds once the text is edited.
            const isWindows = text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
            view.dispatch({ effects: ends.reconfigure(isWindows ? EditorState.lineSeparator.of("\r\n") : []) });
            const old = view.state.doc;
            const now = view.state.toText(text);
            const [a, b] = [old.toString(), now.toString()];
            let [from, same] = [0, Math.min(a.length, b.length)];
            while (from < same && a[from] === b[from]) ++from;
            let end = 0;
            same -= from;
            while (end < same && a[a.length - 1 - end] === b[b.length - 1 - end]) ++end;
            view.dispatch({
                changes: { from, to: a.length - end, insert: now.slice(from, b.length - end) },
                annotations: fromFile.of(true),
            });
        },
        setReadOnly(yes) {
            view.dispatch({ effects: readOnly.reconfigure(EditorState.readOnly.of(yes)) });
        },
        setSpans(spans) {
            view.dispatch({ effects: setSpans.of(spans) });
        },
        // The text is a part of a file that begins with this line.
        setFirstLine(first) {
            const formatNumber = (line) => String(line + first - 1);
            view.dispatch({ effects: numbers.reconfigure(lineNumbers({ formatNumber })) });
        },
        // Scrolls to a line, unless it is visible.
        reveal(line) {
            const position = start(line);
            if (!isVisible(position)) view.dispatch({ effects: EditorView.scrollIntoView(position, { y: "center" }) });
        },
        // Moves the cursor to the first character of a line.
        goTo(line) {
            const position = start(line);
            const text = view.state.doc.lineAt(position).text;
            const anchor = position + /^\s*/.exec(text)[0].length;
            view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(position, { y: "center" }) });
            view.focus();
        },
        focus: () => view.focus(),
    };
}
