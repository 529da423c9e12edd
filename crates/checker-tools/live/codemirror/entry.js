// What editor.js uses of CodeMirror. `build` bundles it into codemirror.js.
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { cpp } from "@codemirror/lang-cpp";
export { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { Annotation, Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
export {
    Decoration,
    drawSelection,
    EditorView,
    highlightActiveLine,
    highlightActiveLineGutter,
    highlightSpecialChars,
    keymap,
    lineNumbers,
    MatchDecorator,
    ViewPlugin,
    WidgetType,
} from "@codemirror/view";
export { tags } from "@lezer/highlight";
