// All work as a zip archive that `checker grade` takes and `checker init` makes room for, and the way back.
import { sha256 } from "./sha256.js";
import { pack, unpack } from "./zip.js";

const MAX_SOURCE_BYTES = 1 << 20;

// The archive. `exercises` are the course's: {id, path}.
export function exported(vault, exercises) {
    const files = [];
    const progress = [];
    for (const { id, path } of exercises) {
        const text = vault.get("file", id);
        if (text !== null) files.push({ name: path, text });
        const passed = vault.passed(id);
        if (passed) progress.push(`passed ${id} ${passed.hash}`);
        if (vault.hints(id) > 0) progress.push(`hints ${id} ${vault.hints(id)}`);
    }
    for (const name of vault.names("copy").sort()) {
        files.push({ name: `.workbook/backup/${name.replace("/", ".")}.cu`, text: vault.get("copy", name) });
    }
    if (progress.length > 0) files.push({ name: ".workbook/progress.txt", text: `${progress.join("\n")}\n` });
    return pack(files);
}

// The exercise that a file of an archive is: its path ends with that of the exercise in the course.
function exerciseOf(name, exercises) {
    const isHidden = name.split("/").some((part) => part.startsWith("."));
    const short = (path) => path.slice("exercises/".length);
    return isHidden ? null : exercises.find(({ path }) => `/${name}`.endsWith(`/${short(path)}`) || `${name}` === short(path).split("/")[1]);
}

// The exercise that a copy in an archive belongs to, or null.
function copyOf(name, exercises) {
    const [, id] = /(?:^|\/)\.workbook\/backup\/([a-z0-9_]+)\.\d+\.cu$/.exec(name) ?? [];
    return exercises.some((exercise) => exercise.id === id) ? id : null;
}

const isRecord = (name) => /(?:^|\/)\.workbook\/progress\.txt$/.test(name);

// The lines of a record that are about exercises of the course: {passed: {id: hash}, hints: {id: count}}.
function recorded(text, exercises) {
    const record = { passed: {}, hints: {} };
    for (const line of text.split("\n")) {
        const [kind, id, value] = line.trim().split(" ");
        if (!exercises.some((exercise) => exercise.id === id)) continue;
        if (kind === "passed" && /^[0-9a-f]{64}$/.test(value)) record.passed[id] = value;
        if (kind === "hints" && /^\d{1,3}$/.test(value)) record.hints[id] = Number(value);
    }
    return record;
}

// What an archive contains: {texts: Map of id and text, copies: [{id, text}], record}, or {problem}.
export async function unpacked(exercises, buffer) {
    const nothing = (why) => ({ problem: `Nothing was imported, because ${why}.` });
    let found;
    try {
        found = await unpack(buffer, (name) => Boolean(exerciseOf(name, exercises) ?? copyOf(name, exercises)) || isRecord(name));
    } catch (error) {
        return nothing(error instanceof RangeError ? "the archive is damaged" : error.message);
    }
    const texts = new Map();
    const copies = [];
    let record = { passed: {}, hints: {} };
    for (const { name, bytes } of found) {
        const exercise = exerciseOf(name, exercises);
        if (bytes.length > MAX_SOURCE_BYTES && exercise) return nothing(`${name} has more than 1 MiB`);
        let text;
        try {
            text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        } catch {
            if (exercise) return nothing(`${name} isn't text (UTF-8)`);
        }
        if (text === undefined || bytes.length > MAX_SOURCE_BYTES) continue; // a copy that can't be read
        if (exercise && texts.has(exercise.id)) return nothing(`the archive has two files of ${exercise.id}`);
        if (exercise) texts.set(exercise.id, text);
        else if (isRecord(name)) record = recorded(text, exercises);
        else copies.push({ id: copyOf(name, exercises), text });
    }
    if (texts.size === 0 && Object.keys(record.passed).length === 0) return nothing("no exercise is in this archive");
    return { texts, copies, record };
}

// The exercises whose text here is another one than in the archive.
export function replaced(vault, { texts }) {
    const differs = ([id, text]) => vault.get("file", id) !== null && vault.get("file", id) !== text;
    return [...texts].filter(differs).map(([id]) => id);
}

// Takes the contents of an archive into the vault: all of them or none. A text that is here stays as a copy, or in its place if
// `keepsMine`; then the archive's one becomes the copy. Returns {files: ids} or {problem}.
export function imported(vault, { texts, copies, record }, keepsMine = false) {
    const problem = vault.together((vault) => {
        for (const [id, text] of texts) {
            const current = vault.get("file", id);
            const differs = current !== null && current !== text;
            const problem = differs && vault.keep(id, keepsMine ? text : current);
            if (problem) return problem;
            if (differs && keepsMine) continue;
            const failure = vault.set("file", id, text);
            if (failure) return failure;
        }
        for (const { id, text } of copies) {
            const problem = vault.get("file", id) === text ? null : vault.keep(id, text);
            if (problem) return problem;
        }
        // A pass is a mark for the learner, so the archive's word is enough.
        for (const [id, hash] of Object.entries(record.passed)) {
            const text = texts.has(id) && sha256(texts.get(id)) === hash ? texts.get(id) : null;
            const problem = vault.passed(id) ? null : vault.pass(id, hash, text);
            if (problem) return problem;
        }
        for (const [id, count] of Object.entries(record.hints)) {
            const problem = count > vault.hints(id) ? vault.set("hints", id, String(count)) : null;
            if (problem) return problem;
        }
        return null;
    });
    if (problem) return { problem: "Nothing was imported, because the storage of this browser has no room for it." };
    vault.announce("all", null);
    return { files: [...texts.keys()] };
}
