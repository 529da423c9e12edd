// All work as a zip archive that `checker grade` takes and `checker init` makes room for, and the way back.
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

// Takes the files of an archive into the vault: all of them or none. A different file that is there is kept as a copy. Resolves to
// {files: ids} or {problem}.
export async function imported(vault, exercises, buffer) {
    let found;
    try {
        found = await unpack(buffer, (name) => Boolean(exerciseOf(name, exercises)));
    } catch (error) {
        return { problem: `Nothing was imported, because ${error instanceof RangeError ? "the archive is damaged" : error.message}.` };
    }
    const texts = new Map();
    for (const { name, bytes } of found) {
        const { id } = exerciseOf(name, exercises);
        if (texts.has(id)) return { problem: `Nothing was imported, because the archive has two files of ${id}.` };
        if (bytes.length > MAX_SOURCE_BYTES) return { problem: `Nothing was imported, because ${name} has more than 1 MiB.` };
        try {
            texts.set(id, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
        } catch {
            return { problem: `Nothing was imported, because ${name} isn't text (UTF-8).` };
        }
    }
    if (texts.size === 0) return { problem: "Nothing was imported, because no exercise is in this archive." };
    const problem = vault.together((vault) => {
        for (const [id, text] of texts) {
            const current = vault.get("file", id);
            const problem = (current !== null && current !== text && vault.keep(id, current)) || vault.set("file", id, text);
            if (problem) return problem;
        }
        return null;
    });
    if (problem) return { problem: "Nothing was imported, because the storage of this browser has no room for it." };
    for (const id of texts.keys()) vault.announce("file", id);
    return { files: [...texts.keys()] };
}
