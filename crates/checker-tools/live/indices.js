// Indices of blocks and threads as the reader types them and as reports name them.

// Reads an index such as `1`, `1,2` or `1,2,0`; `null` if it is none.
export function index(text) {
    const parts = text.split(",").map((part) => part.trim());
    if (parts.length > 3 || !parts.every((part) => /^\d{1,9}$/.test(part))) return null;
    return [...parts.map(Number), 0, 0].slice(0, 3);
}

// An index as the reader types it: `1,2` for [1, 2, 0], and `1,0` for [1, 0, 0] where `size` has two dimensions.
export function shown(at, size = [1, 1, 1]) {
    const last = at.findLastIndex((part, axis) => part > 0 || size[axis] > 1);
    return at.slice(0, Math.max(last, 0) + 1).join(",");
}

// The position of an index in a box, x fastest.
export function linear([x, y, z], [width, height]) {
    return x + width * (y + height * z);
}

// The index at a position of a box.
export function at(position, [width, height]) {
    return [position % width, Math.floor(position / width) % height, Math.floor(position / (width * height))];
}

// What a report's command chooses: `checker trace guard --case 'one element' --block 1 --thread 3`.
export function chosen(command) {
    const option = (name) => {
        const match = new RegExp(` --${name} (?:'([^']*)'|(\\S+))`).exec(command ?? "");
        return match?.[1] ?? match?.[2] ?? null;
    };
    return { case: option("case"), block: option("block") ?? "0", thread: option("thread") ?? "0", launch: option("launch") };
}

// The lanes of a mask.
export function lanes(mask) {
    return Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);
}
