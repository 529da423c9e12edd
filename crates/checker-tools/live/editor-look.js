// How code looks in an editor: the colours of C++ and of CUDA's own words, and the styles of what CodeMirror draws.
import { Decoration, EditorView, HighlightStyle, MatchDecorator, syntaxTree, tags, ViewPlugin } from "./codemirror.js";

const CUDA_WORDS =
    /\b(?:__(?:global|device|host|shared|constant|managed|restrict|launch_bounds|noinline|forceinline|grid_constant)__|(?:thread|block)Idx|(?:block|grid)Dim|warpSize)\b/g;

export const colours = HighlightStyle.define([
    { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], color: "var(--wb-code-keyword)" },
    { tag: [tags.typeName, tags.standard(tags.typeName)], color: "var(--wb-code-type)" },
    { tag: [tags.string, tags.character], color: "var(--wb-code-string)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--wb-code-number)" },
    { tag: tags.comment, color: "var(--wb-code-comment)", fontStyle: "italic" },
    { tag: [tags.processingInstruction, tags.meta], color: "var(--wb-code-keyword)" },
]);

export const cudaWords = (() => {
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

export const theme = EditorView.theme({
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
    ".wb-in-browser": { color: "var(--wb-code-comment)", fontStyle: "italic", whiteSpace: "pre-wrap" },
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
