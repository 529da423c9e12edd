// Zip archives: writes files as they are, and reads those that other programs have packed.

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF8 = 0x0800;
const ENCRYPTED = 0x0001;
const [STORED, DEFLATED] = [0, 8];

// What an archive may contain at most, so that a small one can't fill the memory.
const MAX_FILES = 10_000;
const MAX_BYTES = 64 << 20;

const table = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let bit = 0; bit < 8; ++bit) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
});

export function crc32(bytes) {
    let sum = ~0;
    for (const byte of bytes) sum = (sum >>> 8) ^ table[(sum ^ byte) & 255];
    return ~sum >>> 0;
}

// A record of numbers of 2 and 4 bytes: [2, value], [4, value].
function record(fields) {
    const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
    let at = 0;
    for (const [size, value] of fields) {
        if (size === 2) view.setUint16(at, value, true);
        else view.setUint32(at, value, true);
        at += size;
    }
    return new Uint8Array(view.buffer);
}

// The time and the date as MS-DOS has them.
function dosTime(time) {
    const date = ((Math.max(time.getFullYear(), 1980) - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
    return [
        [2, (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1)],
        [2, date],
    ];
}

// An archive with these files: [{name, text}].
export function pack(files, time = new Date()) {
    const [parts, directory] = [[], []];
    let at = 0;
    const encoder = new TextEncoder();
    for (const { name, text } of files) {
        const [path, bytes] = [encoder.encode(name), encoder.encode(text)];
        const about = [[2, 20], [2, UTF8], [2, STORED], ...dosTime(time), [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, path.length], [2, 0]];
        const local = record([[4, LOCAL], ...about]);
        directory.push(record([[4, CENTRAL], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]), path);
        parts.push(local, path, bytes);
        at += local.length + path.length + bytes.length;
    }
    const size = directory.reduce((sum, part) => sum + part.length, 0);
    const end = record([[4, END], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0]]);
    return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

async function inflate(bytes, size) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const [parts, reader] = [[], stream.getReader()];
    let length = 0;
    for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        length += value.length;
        if (length > size) throw new Error("a file is larger than the archive says");
        parts.push(value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// The place of the archive's last record, which a comment of up to 64 KiB may follow.
function findEnd(view) {
    for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); --at) {
        if (view.getUint32(at, true) === END) return at;
    }
    throw new Error("this is no zip archive, or its end is missing");
}

// The files of an archive whose names `isWanted`: [{name, bytes}]. Rejects with a reason as a sentence's end.
export async function unpack(buffer, isWanted) {
    const view = new DataView(buffer);
    const slice = (at, size) => {
        if (at + size > view.byteLength) throw new Error("a part of the archive is missing");
        return new Uint8Array(buffer, at, size);
    };
    const end = findEnd(view);
    const count = view.getUint16(end + 10, true);
    if (count > MAX_FILES) throw new Error(`it has more than ${MAX_FILES} files`);
    const [files, decoder] = [[], new TextDecoder()];
    let [at, total] = [view.getUint32(end + 16, true), 0];
    for (let i = 0; i < count; ++i) {
        const head = slice(at, 46);
        const field = (offset, size = 2) => (size === 2 ? view.getUint16(at + offset, true) : view.getUint32(at + offset, true));
        if (head.length < 46 || field(0, 4) !== CENTRAL) throw new Error("its list of files is damaged");
        const [flags, method, sum, packed, size] = [field(8), field(10), field(16, 4), field(20, 4), field(24, 4)];
        const name = decoder.decode(slice(at + 46, field(28)));
        const local = field(42, 4);
        at += 46 + field(28) + field(30) + field(32);
        if (!isWanted(name)) continue;
        total += size;
        if (total > MAX_BYTES) throw new Error(`its files have more than ${MAX_BYTES >> 20} MiB`);
        if (flags & ENCRYPTED) throw new Error(`${name} is encrypted`);
        if (view.getUint32(slice(local, 30).byteOffset, true) !== LOCAL) throw new Error(`${name} is damaged`);
        const data = slice(local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true), packed);
        if (method !== STORED && method !== DEFLATED) throw new Error(`${name} is packed in an unknown way`);
        const bytes = method === STORED ? data : await inflate(data, size).catch(() => new Uint8Array());
        if (bytes.length !== size || crc32(bytes) !== sum) throw new Error(`${name} is damaged`);
        files.push({ name, bytes });
    }
    return files;
}
