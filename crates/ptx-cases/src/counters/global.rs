//! Launches of `kernels/global.cu`: loads and stores of every width at every kind of address.

use crate::{Launch, Random};

/// Threads of a launch here: two blocks of 64.
const THREADS: usize = 128;

fn k(name: &str) -> Launch {
    Launch::new("global", name).grid(2, 1, 1).block(64, 1, 1)
}

pub(super) fn launches() -> Vec<Launch> {
    [one_word(), widths(), structs(), matrices()].concat()
}

fn one_word() -> Vec<Launch> {
    let mut all = Vec::new();
    for by in [0, 1, 3, 8, 17, 31] {
        let simple =
            |l: Launch| l.variant(by).zeros(THREADS + 32, 4).zeros(THREADS + 32, 4).scalar(by);
        all.push(simple(k("offset")));
        all.push(simple(k("offset_store")));
    }
    for stride in [1, 2, 3, 4, 6, 8, 16, 32] {
        let n = THREADS * stride;
        all.push(k("strided").variant(stride).zeros(n, 4).zeros(n, 4).scalar(stride as i32));
    }
    all.push(k("backwards").zeros(THREADS, 4).zeros(THREADS, 4).scalar(THREADS as i32));
    let mut random = Random(2);
    for range in [1, 32, 256, 100_000] {
        let index: Vec<i32> = (0..THREADS).map(|_| random.below(range) as i32).collect();
        let n = range as usize;
        all.push(k("gather").variant(range).buffer(&index).zeros(n, 4).zeros(THREADS, 4));
        all.push(k("scatter").variant(range).buffer(&index).zeros(THREADS, 4).zeros(n, 4));
    }
    all.push(k("broadcast").zeros(2, 4).zeros(THREADS, 4));
    for lanes in [1_u32, 0x5555_5555, 0xffff, 0x8000_0001, 0x1234_5678] {
        all.push(
            k("some_lanes")
                .variant(format_args!("{lanes:08x}"))
                .zeros(THREADS, 4)
                .zeros(THREADS, 4)
                .scalar(lanes),
        );
    }
    for stride in [1, 2, 4] {
        let n = THREADS * stride;
        all.push(
            k("read_only").variant(stride).zeros(n, 4).zeros(THREADS, 4).scalar(stride as i32),
        );
        all.push(k("hints").variant(stride).zeros(n + 1, 4).zeros(2048, 4).scalar(stride as i32));
    }
    all.push(k("stencil").zeros(THREADS, 4).zeros(THREADS, 4).scalar(THREADS as i32));
    all
}

fn widths() -> Vec<Launch> {
    let mut all = Vec::new();
    for by in [0, 1, 31] {
        all.push(k("chars").variant(by).zeros(THREADS + 32, 1).zeros(THREADS, 1).scalar(by));
    }
    for stride in [1, 2, 16] {
        let n = THREADS * stride;
        all.push(k("shorts").variant(stride).zeros(n, 2).zeros(n, 2).scalar(stride as i32));
    }
    for by in [0, 1, 4] {
        all.push(k("doubles").variant(by).zeros(THREADS + 4, 8).zeros(THREADS, 8).scalar(by));
    }
    for stride in [1, 2, 3] {
        let n = THREADS * stride;
        all.push(k("pairs").variant(stride).zeros(n, 8).zeros(n, 8).scalar(stride as i32));
    }
    for by in [0, 1] {
        all.push(k("quads").variant(by).zeros(THREADS + 1, 16).zeros(THREADS, 16).scalar(by));
    }
    let mut random = Random(3);
    let index: Vec<i32> = (0..THREADS).map(|_| random.below(300) as i32).collect();
    all.push(k("quads_gather").buffer(&index).zeros(300, 16).zeros(THREADS, 16));
    let n = 4 * 100 + 3;
    all.push(k("quads_and_tail").zeros(n, 4).zeros(n, 4).scalar(n as i32));
    for stride in [1, 2] {
        let n = THREADS * stride;
        all.push(
            k("read_only_quads")
                .variant(stride)
                .zeros(n, 16)
                .zeros(THREADS, 16)
                .scalar(stride as i32),
        );
    }
    all
}

fn structs() -> Vec<Launch> {
    vec![
        k("array_of_structs").zeros(3 * THREADS, 4).zeros(3 * THREADS, 4),
        k("struct_of_arrays")
            .zeros(THREADS, 4)
            .zeros(THREADS, 4)
            .zeros(THREADS, 4)
            .zeros(3 * THREADS, 4)
            .scalar(THREADS as i32),
        k("padded_structs").zeros(THREADS, 16).zeros(THREADS, 16),
    ]
}

fn matrices() -> Vec<Launch> {
    let mut all = Vec::new();
    for cols in [96, 65] {
        all.push(
            k("row_sums")
                .variant(cols)
                .zeros(THREADS * cols, 4)
                .zeros(THREADS, 4)
                .scalar(cols as i32),
        );
    }
    let rows = 40;
    all.push(
        k("column_sums")
            .zeros(rows * THREADS, 4)
            .zeros(THREADS, 4)
            .scalar(rows as i32)
            .scalar(THREADS as i32),
    );
    all
}
