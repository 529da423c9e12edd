// The editor of a bench: CodeMirror with the syntax of CUDA, and the labels of a verdict below the lines that they are about.
//
// It is in a shadow root, because the page's content security policy allows no style elements: there, CodeMirror uses style
// sheets that are made by a script.
import {
    Annotation,
    bracketMatching,
    Compartment,
    cpp,
    defaultKeymap,
    drawSelection,
    EditorState,
    EditorView,
    highlightActiveLine,
    highlightActiveLineGutter,
    highlightSelectionMatches,
    highlightSpecialChars,
    history,
    historyKeymap,
    indentOnInput,
    indentUnit,
    indentWithTab,
    keymap,
    lineNumbers,
    search,
    searchKeymap,
    syntaxHighlighting,
} from "./codemirror.js";
import { inBrowser } from "./editor-commands.js";
import { colours, cudaWords, theme } from "./editor-look.js";
import { marks, setSpans } from "./editor-marks.js";

// Where there is little room, long lines are broken.
const NARROW = "(max-width: 620px)";

// Changes that come from the file are not the reader's.
const fromFile = Annotation.define();

// The longest time that the editor takes to show a key, in milliseconds. A change after a longer time has another cause.
const MAX_TYPING_MS = 100;

// The cursor keeps this distance from the upper edge of the window, because the bar of the page covers it.
const BAR_PIXELS = 60;

// Makes an editor in `parent`. `edited(since)` is called when the reader has changed the text with a key that was pressed `since`
// milliseconds ago, and `save` for Ctrl-S.
export function createEditor(parent, { label, description, edited, save }) {
    const [ends, readOnly, numbers, wrapping] = Array.from({ length: 4 }, () => new Compartment());
    const narrow = window.matchMedia(NARROW);
    const wrapped = () => (narrow.matches ? EditorView.lineWrapping : []);
    let pressed = 0;
    const sinceKey = () => {
        const since = performance.now() - pressed;
        return since <= MAX_TYPING_MS ? since : 0;
    };
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
                inBrowser,
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
                EditorView.scrollMargins.of((view) => ({ top: Math.max(0, BAR_PIXELS - Math.max(0, view.scrollDOM.getBoundingClientRect().top)) })),
                EditorView.domEventHandlers({ keydown: (event) => void (pressed = event.timeStamp) }),
                EditorView.updateListener.of((update) => {
                    const isOwn = update.transactions.some((transaction) => transaction.annotation(fromFile));
                    if (update.docChanged && !isOwn) edited(sinceKey());
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
        // The labels move the lines below them, but never the line of the cursor out of the editor.
        setSpans(spans) {
            const { head } = view.state.selection.main;
            const stays = view.hasFocus && isVisible(head);
            view.dispatch({ effects: setSpans.of(spans) });
            if (stays) view.dispatch({ effects: EditorView.scrollIntoView(head) });
        },
        // The text is a part of a file that begins with this line.
        setFirstLine(first) {
            const formatNumber = (line) => String(line + first - 1);
            view.dispatch({ effects: numbers.reconfigure(lineNumbers({ formatNumber })) });
        },
        // Scrolls to the first line after the comment at the beginning, unless the whole text is visible. The page doesn't move.
        skipHeader() {
            const { doc } = view.state;
            let line = 1;
            while (line < doc.lines && doc.line(line).text.startsWith("//")) ++line;
            view.requestMeasure({
                read: () => view.lineBlockAt(doc.line(line).from).top,
                write: (top) => void (view.scrollDOM.scrollTop = top),
            });
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
        // Moves the focus and the page to the editor.
        enter() {
            parent.scrollIntoView({ block: "start" });
            view.focus();
        },
    };
}
