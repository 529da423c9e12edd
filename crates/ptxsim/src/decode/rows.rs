//! Which rows an operation reads and writes.

use super::Program;
use super::op::{Address, AtomicOp, Code, CopySize, ImageKind, MemOp, Op, Target};

/// A register file: 32-bit rows, 64-bit rows, predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    R,
    X,
    P,
}

/// The files of an operation that computes `d` from `a`, `b` and `c` and does nothing else.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pure {
    pub d: File,
    pub a: File,
    pub b: Option<File>,
    pub c: Option<File>,
}

/// What an operation has to do with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Reads,
    Writes,
}

impl Code {
    /// The operands' files, where the operation only computes.
    pub(super) const fn pure(&self) -> Option<Pure> {
        use File::{P, R, X};
        const fn of(d: File, a: File, b: Option<File>, c: Option<File>) -> Option<Pure> {
            Some(Pure { d, a, b, c })
        }
        match self {
            Self::Enter
            | Self::Jump
            | Self::Branch
            | Self::Exit
            | Self::Return
            | Self::Trap
            | Self::Call
            | Self::Barrier
            | Self::Collective
            | Self::Load
            | Self::Store
            | Self::Atomic
            | Self::Image
            | Self::Copy
            | Self::CopyCommit
            | Self::CopyWait
            | Self::Fence
            | Self::ClockL
            | Self::ClockI
            | Self::Carry(_)
            | Self::CarryIn(_)
            | Self::Carry64(_)
            | Self::CarryIn64(_) => None,
            Self::LocalBase => of(X, X, None, None),
            Self::MovI
            | Self::NotI
            | Self::NegI
            | Self::SextB
            | Self::SextH
            | Self::ZextB
            | Self::ZextH
            | Self::SqrtF
            | Self::RcpF
            | Self::RsqrtF
            | Self::AbsF
            | Self::NegF
            | Self::CvtFS
            | Self::CvtFU
            | Self::CvtSF
            | Self::CvtUF
            | Self::Un32(_)
            | Self::Cvt32 => of(R, R, None, None),
            Self::AddI
            | Self::SubI
            | Self::MulI
            | Self::AndI
            | Self::OrI
            | Self::XorI
            | Self::ShlI
            | Self::ShrUI
            | Self::ShrSI
            | Self::MinSI
            | Self::MaxSI
            | Self::MinUI
            | Self::MaxUI
            | Self::AddF
            | Self::SubF
            | Self::MulF
            | Self::DivF
            | Self::MinF
            | Self::MaxF
            | Self::Bin32(_) => of(R, R, Some(R), None),
            Self::MadI | Self::FmaF | Self::Tern32(_) => of(R, R, Some(R), Some(R)),
            Self::SelI => of(R, R, Some(R), Some(P)),
            Self::MovL
            | Self::NotL
            | Self::NegL
            | Self::SqrtD
            | Self::AbsD
            | Self::NegD
            | Self::Un64(_)
            | Self::Cvt64 => of(X, X, None, None),
            Self::AddL
            | Self::SubL
            | Self::MulL
            | Self::AndL
            | Self::OrL
            | Self::XorL
            | Self::AddD
            | Self::SubD
            | Self::MulD
            | Self::DivD
            | Self::MinD
            | Self::MaxD
            | Self::Bin64(_) => of(X, X, Some(X), None),
            Self::MadL | Self::FmaD | Self::Tern64(_) => of(X, X, Some(X), Some(X)),
            Self::ShlL | Self::ShrUL | Self::ShrSL | Self::Field64(_) => of(X, X, Some(R), Some(R)),
            Self::SelL => of(X, X, Some(X), Some(P)),
            Self::MulWideS | Self::MulWideU | Self::Pack => of(X, R, Some(R), None),
            Self::MadWideS | Self::MadWideU => of(X, R, Some(R), Some(X)),
            Self::SextIL | Self::ZextIL | Self::CvtDF | Self::CvtDS | Self::CvtWiden => {
                of(X, R, None, None)
            }
            Self::TruncLI
            | Self::LowLI
            | Self::HighLI
            | Self::CvtFD
            | Self::Narrow(_)
            | Self::CvtNarrow => of(R, X, None, None),
            Self::MovP | Self::NotP => of(P, P, None, None),
            Self::AndP | Self::OrP | Self::XorP => of(P, P, Some(P), None),
            Self::EqI
            | Self::NeI
            | Self::LtSI
            | Self::LeSI
            | Self::GtSI
            | Self::GeSI
            | Self::LtUI
            | Self::LeUI
            | Self::GtUI
            | Self::GeUI
            | Self::EqF
            | Self::NeF
            | Self::LtF
            | Self::LeF
            | Self::GtF
            | Self::GeF
            | Self::EquF
            | Self::NeuF
            | Self::LtuF
            | Self::LeuF
            | Self::GtuF
            | Self::GeuF
            | Self::NumF
            | Self::NanF => of(P, R, Some(R), None),
            Self::EqL
            | Self::NeL
            | Self::LtSL
            | Self::LeSL
            | Self::GtSL
            | Self::GeSL
            | Self::LtUL
            | Self::LeUL
            | Self::GtUL
            | Self::GeUL
            | Self::EqD
            | Self::NeD
            | Self::LtD
            | Self::LeD
            | Self::GtD
            | Self::GeD
            | Self::EquD
            | Self::NeuD
            | Self::LtuD
            | Self::LeuD
            | Self::GtuD
            | Self::GeuD
            | Self::NumD
            | Self::NanD => of(P, X, Some(X), None),
        }
    }
}

impl MemOp {
    /// The file of the data.
    pub(super) const fn file(&self) -> File {
        if self.wide { File::X } else { File::R }
    }
}

/// Tells every row that an operation reads or writes. Rows whose file depends on details are told in each file that it
/// could be.
pub(super) fn touched(op: &Op, program: &Program, mut tell: impl FnMut(Touch, File, u32)) {
    use File::{P, R, X};
    use Touch::{Reads, Writes};
    if let Some(pure) = op.code.pure() {
        tell(Reads, pure.a, op.a);
        if let Some(file) = pure.b {
            tell(Reads, file, op.b);
        }
        if let Some(file) = pure.c {
            tell(Reads, file, op.c);
        }
        tell(Writes, pure.d, op.d);
        return;
    }
    match op.code {
        Code::Branch => tell(Reads, P, op.a),
        Code::ClockL => tell(Writes, X, op.d),
        Code::ClockI => tell(Writes, R, op.d),
        Code::Carry(_) | Code::CarryIn(_) | Code::Carry64(_) | Code::CarryIn64(_) => {
            let wide = matches!(op.code, Code::Carry64(_) | Code::CarryIn64(_));
            let file = if wide { X } else { R };
            [op.a, op.b, op.c].into_iter().for_each(|row| tell(Reads, file, row));
            // the condition code
            tell(Reads, P, 0);
            tell(Writes, P, 0);
            tell(Writes, file, op.d);
        }
        Code::Load | Code::Store | Code::Atomic => {
            let Some(memory) = program.memory.get(op.d as usize) else { return };
            match memory.address {
                Address::Row64(row) => tell(Reads, X, row),
                Address::Row32(row) => tell(Reads, R, row),
            }
            let touch = if matches!(op.code, Code::Store) { Reads } else { Writes };
            for row in memory.rows.into_iter().filter(|row| *row != u32::MAX) {
                tell(touch, memory.file(), row);
            }
            if memory.waits.is_some() {
                tell(Reads, X, memory.b);
            }
            if let Some(atomic) = memory.atomic {
                tell(Reads, memory.file(), memory.b);
                if atomic == AtomicOp::Cas {
                    tell(Reads, memory.file(), memory.c);
                }
            }
        }
        Code::Image => {
            let Some(image) = program.images.get(op.d as usize) else { return };
            tell(Reads, X, image.object);
            image.layer.iter().chain(&image.at).for_each(|row| tell(Reads, R, *row));
            let store = matches!(image.kind, ImageKind::Store(_));
            let touch = if store { Reads } else { Writes };
            for row in image.memory.rows.into_iter().filter(|row| *row != u32::MAX) {
                tell(touch, image.memory.file(), row);
            }
        }
        Code::Copy => {
            let Some(copy) = program.copies.get(op.d as usize) else { return };
            for memory in [copy.from, copy.to] {
                match program.memory.get(memory as usize).map(|m| m.address) {
                    Some(Address::Row64(row)) => tell(Reads, X, row),
                    Some(Address::Row32(row)) => tell(Reads, R, row),
                    None => {}
                }
            }
            match copy.size {
                CopySize::All => {}
                CopySize::Row(row) => tell(Reads, R, row),
                CopySize::Unless(row) => tell(Reads, P, row),
            }
        }
        Code::Barrier => {
            let Some(barrier) = program.barriers.get(op.d as usize) else { return };
            tell(Reads, R, barrier.id);
            if let Some(count) = barrier.count {
                tell(Reads, R, count);
            }
            if let Some(reduce) = barrier.reduce {
                tell(Reads, P, reduce.source);
                tell(Writes, P, reduce.d);
                tell(Writes, R, reduce.d);
            }
        }
        Code::Collective => {
            let Some(collective) = program.collectives.get(op.d as usize) else { return };
            tell(Reads, R, collective.mask);
            for row in [collective.a, collective.b, collective.c] {
                [R, X, P].into_iter().for_each(|file| tell(Reads, file, row));
            }
            tell(Writes, R, collective.d);
            tell(Writes, P, collective.d);
            if let Some(p) = collective.p {
                tell(Writes, P, p);
            }
        }
        Code::Call => {
            let Some(call) = program.calls.get(op.d as usize) else { return };
            if let Target::Indirect(row) = call.target {
                tell(Reads, X, row);
            }
            for (row, words) in &call.args {
                (0..*words).for_each(|w| tell(Reads, R, row + w));
            }
            for (row, words) in &call.results {
                (0..*words).for_each(|w| tell(Writes, R, row + w));
            }
        }
        // everything else that is not pure only moves on
        _ => {}
    }
}
