//! The operations of the decoded program, in one table.
//!
//! An operation that only computes stands under the register files that it writes and reads; `exec/alu.rs` says what
//! it computes. Names end in the type: `I` 32-bit integer, `L` 64-bit integer, `F` f32, `D` f64, `P` predicate.

/// A register file: 32-bit rows, 64-bit rows, predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        /// To operation `c` where predicate `a` (negated when `b` is 1). `d` is 0 for a guard that PTX wrote as `@p op`.
        Branch,
        Exit,
        Return,
        /// `d` is 1 for the one that cooperative groups execute where there is no grid barrier.
        Trap,
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
        /// Carry arithmetic: `(a, b, c, carry in) -> (result, carry out)`. The condition code is predicate 0 of the
        /// function; `CarryIn` reads it and does not write it.
        Carry(fn(u32, u32, u32, bool) -> (u32, bool)),
        CarryIn(fn(u32, u32, u32, bool) -> (u32, bool)),
        Carry64(fn(u64, u64, u64, bool) -> (u64, bool)),
        CarryIn64(fn(u64, u64, u64, bool) -> (u64, bool)),
    }

    R <- R {
        MovI, NotI, NegI,
        SextB, SextH, ZextB, ZextH,
        SqrtF,
        /// `.approx`, as is the next.
        RcpF,
        RsqrtF,
        AbsF, NegF,
        CvtFS, CvtFU, CvtSF, CvtUF,
        /// Any function of one lane's values; so are all that hold a function. They are slower than the others, and
        /// right for whatever kernels do not execute all the time.
        Un32(fn(u32) -> u32),
        /// Conversion number `c`, as are `Cvt64`, `CvtWiden` and `CvtNarrow`.
        Cvt32,
    }
    R <- R R {
        AddI, SubI, MulI,
        AndI, OrI, XorI,
        ShlI, ShrUI, ShrSI,
        MinSI, MaxSI, MinUI, MaxUI,
        AddF, SubF, MulF, DivF, MinF, MaxF,
        Bin32(fn(u32, u32) -> u32),
    }
    R <- R R R { MadI, FmaF, Tern32(fn(u32, u32, u32) -> u32), }
    R <- R R P { SelI, }
    X <- X {
        /// `d` = this frame's local-memory base + `a` (a constant, in the row).
        LocalBase,
        MovL, NotL, NegL,
        SqrtD, AbsD, NegD,
        Un64(fn(u64) -> u64),
        Cvt64,
    }
    X <- X X {
        AddL, SubL, MulL,
        AndL, OrL, XorL,
        AddD, SubD, MulD, DivD, MinD, MaxD,
        Bin64(fn(u64, u64) -> u64),
    }
    X <- X X X { MadL, FmaD, Tern64(fn(u64, u64, u64) -> u64), }
    X <- X R R {
        /// Shifts ignore `c`.
        ShlL,
        ShrUL,
        ShrSL,
        Field64(fn(u64, u32, u32) -> u64),
    }
    X <- X X P { SelL, }
    X <- R R {
        MulWideS, MulWideU,
        /// From low `a` and high `b`.
        Pack,
    }
    X <- R R X { MadWideS, MadWideU, }
    X <- R { SextIL, ZextIL, CvtDF, CvtDS, CvtWiden, }
    R <- X {
        TruncLI,
        /// The halves of a packed row.
        LowLI,
        HighLI,
        CvtFD,
        Narrow(fn(u64) -> u32),
        CvtNarrow,
    }
    P <- P { MovP, NotP, }
    P <- P P { AndP, OrP, XorP, }
    P <- R R {
        EqI, NeI,
        LtSI, LeSI, GtSI, GeSI,
        LtUI, LeUI, GtUI, GeUI,
        EqF, NeF, LtF, LeF, GtF, GeF,
        EquF, NeuF, LtuF, LeuF, GtuF, GeuF,
        NumF, NanF,
    }
    P <- X X {
        EqL, NeL,
        LtSL, LeSL, GtSL, GeSL,
        LtUL, LeUL, GtUL, GeUL,
        EqD, NeD, LtD, LeD, GtD, GeD,
        EquD, NeuD, LtuD, LeuD, GtuD, GeuD,
        NumD, NanD,
    }
}
