// The text in the editor and the file on disk. The file is the truth: a text is saved only over the version that this page has
// seen, and when both have changed, the reader decides. This class has no DOM, clock or network of its own, so that a test can
// play through any order of events (file.test.mjs).

// How long the reader has to pause before a text is saved and checked.
export const TYPING_PAUSE_MS = 250;

const NOT_KEPT = "This browser can't store the text, so copy it before you close the page.";

export class File {
    // page     a name that no other page has
    // server   save({base, text, by, keep_copy}) -> {saved: version}, {conflict: file}, {refused: why} or {offline: why};
    //          keep(text) -> {} or {problem}
    // editor   text(), setText(text), setReadOnly(yes)
    // drafts   load() -> {base, text} or null, store(draft) -> whether that worked, clear()
    // timer    start(milliseconds, call) replaces the call that waits, and stop()
    // show     what is known about the file: {state, why?, file?}; the states are saved, unsaved, saving, conflict, missing,
    //          unusable, refused and offline
    constructor({ page, server, editor, drafts, timer, show }) {
        Object.assign(this, { page, server, editor, drafts, timer, show });
        this.version = null; // what the editor's text is based on
        this.saved = null; // the text of that version
        this.isSaving = false;
        this.later = null; // a change on disk that came while a text was being saved
        this.conflict = null; // the file on disk, when both have changed
    }

    get isChanged() {
        return this.saved === null || this.editor.text() !== this.saved;
    }

    // The page has connected, for the first time or again.
    opened(file) {
        if (this.version !== null) {
            this.changedOnDisk(file);
            if (this.isChanged && !this.conflict) this.saveSoon();
            return;
        }
        const draft = this.drafts.load();
        this.accept(file);
        if (!draft || draft.text === file.text) return this.drafts.clear();
        // The last page was closed before its text was saved.
        this.editor.setReadOnly(false);
        this.editor.setText(draft.text);
        if (draft.base === file.version) this.saveSoon();
        else this.ask(file);
    }

    // The reader has typed: a key was pressed `since` milliseconds ago.
    edited(since = 0) {
        if (this.version === null) return;
        if (!this.isChanged) {
            this.drafts.clear();
            if (!this.isSaving) this.timer.stop();
            if (!this.conflict && !this.isSaving) this.show({ state: "saved" });
            return;
        }
        this.drafts.store({ base: this.version, text: this.editor.text() });
        if (this.conflict) return;
        this.saveSoon(since);
    }

    saveSoon(since = 0) {
        this.show({ state: "unsaved" });
        this.timer.start(TYPING_PAUSE_MS - since, () => this.save());
    }

    // Saves now. Resolves to whether a text was sent.
    async save({ keepCopy = false } = {}) {
        this.timer.stop();
        if (this.version === null || this.conflict || this.isSaving || !this.isChanged) return false;
        const text = this.editor.text();
        this.isSaving = true;
        this.show({ state: "saving" });
        const answer = await this.server.save({ base: this.version, text, by: this.page, keep_copy: keepCopy });
        this.isSaving = false;
        const later = answer.conflict ?? this.later;
        this.later = null;
        if (answer.saved !== undefined) {
            this.version = answer.saved;
            this.saved = text;
        }
        if (later) this.changedOnDisk(later);
        if (this.conflict) return true;
        if (answer.refused || answer.offline) this.showFailure(answer);
        else if (this.isChanged) this.edited();
        else {
            this.drafts.clear();
            this.show({ state: "saved" });
        }
        return true;
    }

    showFailure({ refused, offline }) {
        const isKept = this.drafts.store({ base: this.version, text: this.editor.text() });
        const why = refused ?? offline;
        this.show({ state: refused ? "refused" : "offline", why: isKept ? why : `${why} ${NOT_KEPT}` });
    }

    // The file on disk is now this one; `by` is the page that has changed it.
    changedOnDisk(file, by = null) {
        if (by === this.page || this.version === null) return;
        if (this.isSaving) {
            this.later = file;
        } else if (file.version === this.version) {
            const was = this.conflict;
            this.conflict = null;
            if (!this.isChanged) this.show({ state: "saved" });
            else if (was) this.saveSoon();
        } else if (!this.isChanged || file.text === this.editor.text()) {
            this.timer.stop();
            this.accept(file);
        } else {
            this.ask(file);
        }
    }

    // The page shows the file as it is on disk. The text of a file that is deleted stays in the editor.
    accept(file) {
        this.conflict = null;
        this.version = file.version;
        if (file.text === null) {
            const isMissing = file.version === "missing";
            this.saved = null;
            this.editor.setReadOnly(true);
            this.show({ state: isMissing ? "missing" : "unusable", why: file.problem, file });
            return;
        }
        this.saved = file.text;
        this.editor.setReadOnly(false);
        if (this.editor.text() !== file.text) this.editor.setText(file.text);
        // An editor may change line ends; what it shows is what was saved.
        this.saved = this.editor.text();
        this.drafts.clear();
        this.show({ state: "saved" });
    }

    ask(file) {
        this.timer.stop();
        this.conflict = file;
        this.drafts.store({ base: this.version, text: this.editor.text() });
        this.show({ state: "conflict", file });
    }

    // The reader's answers to a conflict, and to a file that is missing.
    keepMine() {
        const file = this.conflict;
        if (file) this.version = file.version;
        this.saved = null;
        this.conflict = null;
        this.editor.setReadOnly(false);
        return this.save({ keepCopy: true });
    }

    // Puts another text into the file, and keeps a copy of the present one. Resolves to a problem or null.
    async replace(text) {
        if (this.version === null || this.editor.text() === text) return null;
        const { problem } = await this.server.keep(this.editor.text());
        if (problem) return problem;
        this.editor.setReadOnly(false);
        this.editor.setText(text);
        this.edited();
        await this.save();
        return null;
    }

    // The reader's text goes to the backups; if that fails, the page goes on asking.
    async takeTheirs() {
        const { problem } = await this.server.keep(this.editor.text());
        if (problem) this.show({ state: "conflict", why: problem, file: this.conflict });
        else if (this.conflict) this.accept(this.conflict);
    }
}
