//! Which rows an operation reads and writes.

use super::Program;
use super::code::File;
use super::op::{
    Address, AtomicOp, Code, CollectiveKind, CopySize, ImageKind, MemOp, Op, Target, TileOp,
};

/// How an operation uses a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowAccess {
    Read,
    Write,
}

impl MemOp {
    /// The file of the data.
    pub(super) const fn file(&self) -> File {
        if self.wide { File::X } else { File::R }
    }
}

/// Calls `visit` for every row that an operation reads or writes. A row whose file depends on more
/// than the operation's code is visited in each file that it could be in.
pub(super) fn visit_rows(op: &Op, program: &Program, mut visit: impl FnMut(RowAccess, File, u32)) {
    use File::{P, R, X};
    use RowAccess::{Read, Write};
    if let Some(pure) = op.code.pure() {
        visit(Read, pure.a, op.a);
        if let Some(file) = pure.b {
            visit(Read, file, op.b);
        }
        if let Some(file) = pure.c {
            visit(Read, file, op.c);
        }
        visit(Write, pure.d, op.d);
        return;
    }
    match op.code {
        Code::Branch => visit(Read, P, op.a),
        Code::BadIndex => visit(Read, R, op.a),
        Code::ClockL => visit(Write, X, op.d),
        Code::ClockI => visit(Write, R, op.d),
        Code::Carry(_) | Code::CarryIn(_) | Code::Carry64(_) | Code::CarryIn64(_) => {
            let wide = matches!(op.code, Code::Carry64(_) | Code::CarryIn64(_));
            let file = if wide { X } else { R };
            [op.a, op.b, op.c].into_iter().for_each(|row| visit(Read, file, row));
            // the condition code
            visit(Read, P, 0);
            visit(Write, P, 0);
            visit(Write, file, op.d);
        }
        Code::Load | Code::Store | Code::Atomic => {
            let Some(memory) = program.memory.get(op.d as usize) else { return };
            match memory.address {
                Address::Row64(row) => visit(Read, X, row),
                Address::Row32(row) => visit(Read, R, row),
            }
            let access = if matches!(op.code, Code::Store) { Read } else { Write };
            for row in memory.rows.into_iter().filter(|row| *row != u32::MAX) {
                visit(access, memory.file(), row);
            }
            if memory.waits.is_some() {
                visit(Read, X, memory.b);
            }
            if let Some(atomic) = memory.atomic {
                visit(Read, memory.file(), memory.b);
                if atomic == AtomicOp::Cas {
                    visit(Read, memory.file(), memory.c);
                }
            }
        }
        Code::Image => {
            let Some(image) = program.images.get(op.d as usize) else { return };
            visit(Read, X, image.object);
            image.layer.iter().chain(&image.at).for_each(|row| visit(Read, R, *row));
            let store = matches!(image.kind, ImageKind::Store(_));
            let access = if store { Read } else { Write };
            for row in image.memory.rows.into_iter().filter(|row| *row != u32::MAX) {
                visit(access, image.memory.file(), row);
            }
        }
        Code::Copy => {
            let Some(copy) = program.copies.get(op.d as usize) else { return };
            for memory in [copy.from, copy.to] {
                match program.memory.get(memory as usize).map(|m| m.address) {
                    Some(Address::Row64(row)) => visit(Read, X, row),
                    Some(Address::Row32(row)) => visit(Read, R, row),
                    None => {}
                }
            }
            match copy.size {
                CopySize::All => {}
                CopySize::Row(row) => visit(Read, R, row),
                CopySize::Unless(row) => visit(Read, P, row),
            }
        }
        Code::Barrier => {
            let Some(barrier) = program.barriers.get(op.d as usize) else { return };
            visit(Read, R, barrier.id);
            if let Some(count) = barrier.count {
                visit(Read, R, count);
            }
            if let Some(reduce) = barrier.reduce {
                visit(Read, P, reduce.source);
                visit(Write, P, reduce.d);
                visit(Write, R, reduce.d);
            }
        }
        Code::Collective => {
            let Some(collective) = program.collectives.get(op.d as usize) else { return };
            visit(Read, R, collective.mask);
            match collective.kind {
                CollectiveKind::Tile => {
                    return visit_tile(program.tiles.get(collective.a as usize), visit);
                }
                CollectiveKind::Multiply => {
                    let Some(op) = program.multiplications.get(collective.a as usize) else {
                        return;
                    };
                    for factor in [&op.a, &op.b, &op.c] {
                        factor.rows.iter().for_each(|row| visit(Read, R, *row));
                    }
                    op.d.rows.iter().for_each(|row| visit(Write, R, *row));
                    return;
                }
                _ => {}
            }
            for row in [collective.a, collective.b, collective.c] {
                [R, X, P].into_iter().for_each(|file| visit(Read, file, row));
            }
            visit(Write, R, collective.d);
            visit(Write, P, collective.d);
            if let Some(p) = collective.p {
                visit(Write, P, p);
            }
        }
        Code::Call => {
            let Some(call) = program.calls.get(op.d as usize) else { return };
            if let Target::Indirect(row) = call.target {
                visit(Read, X, row);
            }
            for (row, words) in &call.args {
                (0..*words).for_each(|w| visit(Read, R, row + w));
            }
            for (row, words) in &call.results {
                (0..*words).for_each(|w| visit(Write, R, row + w));
            }
        }
        // everything else that is not pure only moves on
        _ => {}
    }
}

fn visit_tile(op: Option<&TileOp>, mut visit: impl FnMut(RowAccess, File, u32)) {
    use RowAccess::{Read, Write};
    let Some(op) = op else { return };
    if let Some(addresses) = &op.addresses {
        let (file, base) = match addresses.base {
            Address::Row64(row) => (File::X, row),
            Address::Row32(row) => (File::R, row),
        };
        visit(Read, file, base);
        visit(Read, File::R, addresses.stride);
        addresses.rows.iter().for_each(|row| visit(Write, file, *row));
    }
    if let Some(shuffle) = &op.shuffle {
        shuffle.from.iter().for_each(|row| visit(Read, File::R, *row));
        shuffle.to.iter().for_each(|row| visit(Write, File::R, *row));
    }
}
