// SHA-256 of a text. The browser's own one is missing on pages without https, and answers later.

const primes = [];
for (let n = 2; primes.length < 64; ++n) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = primes.map((prime) => fraction(Math.cbrt(prime)));

const turn = (word, bits) => (word >>> bits) | (word << (32 - bits));

// The message with its end: one bit, zeros, and its length in bits.
function padded(bytes) {
    const length = Math.ceil((bytes.length + 9) / 64) * 64;
    const view = new DataView(new ArrayBuffer(length));
    new Uint8Array(view.buffer).set(bytes);
    view.setUint8(bytes.length, 0x80);
    view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(length - 4, bytes.length << 3);
    return view;
}

// Of a string as UTF-8, in hexadecimal.
export function sha256(text) {
    const message = padded(new TextEncoder().encode(text));
    const sum = Int32Array.from(START);
    const words = new Int32Array(64);
    for (let at = 0; at < message.byteLength; at += 64) {
        for (let i = 0; i < 16; ++i) words[i] = message.getInt32(at + 4 * i);
        for (let i = 16; i < 64; ++i) {
            const [a, b] = [words[i - 15], words[i - 2]];
            const [low, high] = [turn(a, 7) ^ turn(a, 18) ^ (a >>> 3), turn(b, 17) ^ turn(b, 19) ^ (b >>> 10)];
            words[i] = words[i - 16] + low + words[i - 7] + high;
        }
        let [a, b, c, d, e, f, g, h] = sum;
        for (let i = 0; i < 64; ++i) {
            const choice = (e & f) ^ (~e & g);
            const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + ROUNDS[i] + words[i]) | 0;
            const majority = (a & b) ^ (a & c) ^ (b & c);
            const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
            [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
        }
        [a, b, c, d, e, f, g, h].forEach((word, i) => (sum[i] += word));
    }
    return [...sum].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
