//! The operations of the decoded program, in one table.
//!
//! An operation that only computes stands under the register files that it writes and reads;
//! `exec/alu.rs` says what it computes. The order of the table is that of the interpreter's jump
//! table, and it matters: sorting it by register files alone made the benchmark `mandelbrot` 5 %
//! slower. So measure `cargo bench -p ptxsim` after moving a line. Names end in the type: `I`
//! 32-bit integer, `L` 64-bit integer, `F` f32, `D` f64, `P` predicate.

/// A register file: 32-bit rows, 64-bit rows, predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum File {
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

/// Declares [`Code`] and [`Code::pure`] from the table below.
macro_rules! codes {
    (
        effects { $($(#[$effect_doc:meta])* $effect:ident $(($effect_fn:ty))?,)* }
        $($d:ident <- $a:ident $($b:ident $($c:ident)?)? {
            $($(#[$doc:meta])* $name:ident $(($function:ty))?,)*
        })*
    ) => {
        /// What an operation does.
        #[derive(Debug, Clone, Copy)]
        pub(crate) enum Code {
            $($(#[$effect_doc])* $effect $(($effect_fn))?,)*
            $($($(#[$doc])* $name $(($function))?,)*)*
        }

        impl Code {
            /// The operands' files, where the operation only computes.
            pub(super) const fn pure(&self) -> Option<Pure> {
                match self {
                    $(Self::$effect { .. })|* => None,
                    $($(Self::$name { .. })|* => Some(Pure {
                        d: File::$d,
                        a: File::$a,
                        b: codes!(@file $($b)?),
                        c: codes!(@file $($($c)?)?),
                    }),)*
                }
            }
        }
    };
    (@file) => { None };
    (@file $file:ident) => { Some(File::$file) };
}

codes! {
    effects {
        /// Start of basic block `d`: fuel, counting, reconvergence.
        Enter,
        /// To operation `c`.
        Jump,
        /// To operation `c` where predicate `a` (negated when `b` is 1). `d` is 0 for a guard that
        /// PTX wrote as `@p op`.
        Branch,
        Exit,
        Return,
        /// `d` is 1 for the one that cooperative groups execute where there is no grid barrier.
        Trap,
        /// The index of a `brx.idx`, in row `a`, is not below `d`, the number of its labels.
        BadIndex,
        /// Call number `d`.
        Call,
        /// Barrier number `d`.
        Barrier,
        /// Warp-wide operation number `d`.
        Collective,
        /// Memory operation number `d`.
        Load,
        Store,
        Atomic,
        /// Texture or surface operation number `d`.
        Image,
        /// Asynchronous copy number `d`.
        Copy,
        /// The copies since the last one become a group.
        CopyCommit,
        /// Waits until at most `d` groups are in flight; with [`u32::MAX`], until no copy is.
        CopyWait,
        /// For the block when `d` is 0, else for the device.
        Fence,
        /// `d` = clock ticks (64-bit row), or the same in 32 bits.
        ClockL,
        ClockI,
        /// Carry arithmetic: `(a, b, c, carry in) -> (result, carry out)`. The condition code is
        /// predicate 0 of the function; `CarryIn` reads it and does not write it.
        Carry(fn(u32, u32, u32, bool) -> (u32, bool)),
        CarryIn(fn(u32, u32, u32, bool) -> (u32, bool)),
        Carry64(fn(u64, u64, u64, bool) -> (u64, bool)),
        CarryIn64(fn(u64, u64, u64, bool) -> (u64, bool)),
    }

    X <- X {
        /// `d` = this frame's local-memory base + `a` (a constant, in the row).
        LocalBase,
    }

    // 32-bit integers
    R <- R { MovI, }
    R <- R R { AddI, SubI, MulI, }
    R <- R R R { MadI, }
    R <- R R { AndI, OrI, XorI, }
    R <- R { NotI, NegI, }
    R <- R R { ShlI, ShrUI, ShrSI, MinSI, MaxSI, MinUI, MaxUI, }
    R <- R { SextB, SextH, ZextB, ZextH, }
    R <- R R P { SelI, }

    // 64-bit integers, and between both widths
    X <- X { MovL, }
    X <- X X { AddL, SubL, MulL, }
    X <- X X X { MadL, }
    X <- X X { AndL, OrL, XorL, }
    X <- X { NotL, NegL, }
    X <- X R R {
        /// Shifts ignore `c`.
        ShlL, ShrUL, ShrSL,
    }
    X <- X X P { SelL, }
    X <- R R { MulWideS, MulWideU, }
    X <- R R X { MadWideS, MadWideU, }
    X <- R { SextIL, ZextIL, }
    R <- X { TruncLI, }
    X <- R R {
        /// From low `a` and high `b`.
        Pack,
    }
    R <- X {
        /// The halves of a packed row.
        LowLI, HighLI,
    }

    // f32
    R <- R R { AddF, SubF, MulF, }
    R <- R R R { FmaF, }
    R <- R R { DivF, }
    R <- R { SqrtF,
        /// `.approx`, as is the next.
        RcpF,
        RsqrtF,
    }
    R <- R R { MinF, MaxF, }
    R <- R { AbsF, NegF, }

    // f64
    X <- X X { AddD, SubD, MulD, }
    X <- X X X { FmaD, }
    X <- X X { DivD, }
    X <- X { SqrtD, }
    X <- X X { MinD, MaxD, }
    X <- X { AbsD, NegD, }

    // Conversions
    R <- R { CvtFS, CvtFU, CvtSF, CvtUF, }
    X <- R { CvtDF, }
    R <- X { CvtFD, }
    X <- R { CvtDS, }

    // Predicates and comparisons
    P <- P { MovP, }
    P <- P P { AndP, OrP, XorP, }
    P <- P { NotP, }
    P <- R R { EqI, NeI, LtSI, LeSI, GtSI, GeSI, LtUI, LeUI, GtUI, GeUI, }
    P <- X X { EqL, NeL, LtSL, LeSL, GtSL, GeSL, LtUL, LeUL, GtUL, GeUL, }
    P <- R R { EqF, NeF, LtF, LeF, GtF, GeF, EquF, NeuF, LtuF, LeuF, GtuF, GeuF, NumF, NanF, }
    P <- X X { EqD, NeD, LtD, LeD, GtD, GeD, EquD, NeuD, LtuD, LeuD, GtuD, GeuD, NumD, NanD, }

    // Functions and conversions of one value, for what kernels do not execute all the time
    R <- R {
        /// Any function of one lane's values, like all operations that hold a function. They are
        /// slower than the others.
        Un32(fn(u32) -> u32),
    }
    R <- R R { Bin32(fn(u32, u32) -> u32), }
    R <- R R R { Tern32(fn(u32, u32, u32) -> u32), }
    X <- X { Un64(fn(u64) -> u64), }
    X <- X X { Bin64(fn(u64, u64) -> u64), }
    X <- X X X { Tern64(fn(u64, u64, u64) -> u64), }
    R <- X { Narrow(fn(u64) -> u32), }
    X <- X R R { Field64(fn(u64, u32, u32) -> u64), }
    R <- R {
        /// Conversion number `c`, as are `Cvt64`, `CvtWiden` and `CvtNarrow`.
        Cvt32,
    }
    X <- X { Cvt64, }
    X <- R { CvtWiden, }
    R <- X { CvtNarrow, }
}

impl Code {
    /// Whether all that the operation does is to compute rows from others.
    pub(crate) const fn computes(&self) -> bool {
        matches!(self, Self::Carry(_) | Self::CarryIn(_) | Self::Carry64(_) | Self::CarryIn64(_))
            || self.pure().is_some()
    }
}
