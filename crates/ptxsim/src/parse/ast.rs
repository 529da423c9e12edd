//! The syntax tree of PTX: names are not resolved, and modifiers are as written.

/// A whole PTX file.
#[derive(Debug, Default)]
pub(crate) struct Ptx<'a> {
    pub functions: Vec<Function<'a>>,
    pub variables: Vec<Variable<'a>>,
    /// `.file` table: number and path.
    pub files: Vec<(u32, &'a str)>,
    /// The file has DWARF sections, so it is a debug build.
    pub debug: bool,
}

/// A `.entry` or `.func`.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub name: &'a str,
    pub entry: bool,
    pub returns: Vec<Variable<'a>>,
    pub params: Vec<Variable<'a>>,
    pub bounds: Bounds,
    /// `None` for a declaration.
    pub body: Option<Vec<Statement<'a>>>,
}

/// Performance directives that limit a kernel's launches (PTX ISA, "Performance-Tuning
/// Directives").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bounds {
    /// `.maxntid`: threads of a block.
    pub threads: Option<u32>,
    /// `.reqntid`: the shape that a block must have.
    pub required: Option<[u32; 3]>,
}

/// A variable in any state space, also a parameter.
#[derive(Debug, Clone)]
pub(crate) struct Variable<'a> {
    pub name: &'a str,
    /// `global`, `const`, `shared`, `local`, `param`.
    pub space: &'a str,
    pub ty: Type,
    pub align: u32,
    /// Elements; `None` for an unsized `extern` array.
    pub elements: Option<u64>,
    pub init: Vec<Init<'a>>,
}

impl Variable<'_> {
    /// Size in bytes; 0 for an unsized array.
    pub fn bytes(&self) -> u64 {
        self.elements.unwrap_or(0).saturating_mul(u64::from(self.ty.bytes()))
    }
}

/// One initialiser element.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Init<'a> {
    Bits(u64),
    /// The address of a symbol plus an offset.
    Symbol(&'a str, i64),
}

/// PTX's fundamental types (PTX ISA, "Fundamental Types").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    B8,
    B16,
    B32,
    B64,
    B128,
    S16x2,
    U16x2,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
    Pred,
}

impl Type {
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "u8" => Self::U8,
            "u16" => Self::U16,
            "u32" => Self::U32,
            "u64" => Self::U64,
            "b8" => Self::B8,
            "b16" => Self::B16,
            "b32" => Self::B32,
            "b64" => Self::B64,
            "b128" => Self::B128,
            "s16x2" => Self::S16x2,
            "u16x2" => Self::U16x2,
            "f16" => Self::F16,
            "f16x2" => Self::F16x2,
            "bf16" => Self::Bf16,
            "bf16x2" => Self::Bf16x2,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "pred" => Self::Pred,
            _ => return None,
        })
    }

    pub const fn bytes(self) -> u32 {
        match self {
            Self::S8 | Self::U8 | Self::B8 | Self::Pred => 1,
            Self::S16 | Self::U16 | Self::B16 | Self::F16 | Self::Bf16 => 2,
            Self::S32 | Self::U32 | Self::B32 | Self::F32 => 4,
            Self::S16x2 | Self::U16x2 | Self::F16x2 | Self::Bf16x2 => 4,
            Self::S64 | Self::U64 | Self::B64 | Self::F64 => 8,
            Self::B128 => 16,
        }
    }

    /// As PTX writes it, without the dot.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S8 => "s8",
            Self::S16 => "s16",
            Self::S32 => "s32",
            Self::S64 => "s64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::B8 => "b8",
            Self::B16 => "b16",
            Self::B32 => "b32",
            Self::B64 => "b64",
            Self::B128 => "b128",
            Self::S16x2 => "s16x2",
            Self::U16x2 => "u16x2",
            Self::F16 => "f16",
            Self::F16x2 => "f16x2",
            Self::Bf16 => "bf16",
            Self::Bf16x2 => "bf16x2",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Pred => "pred",
        }
    }

    /// The type of the full product of two of this type.
    pub const fn doubled(self) -> Self {
        match self {
            Self::S16 => Self::S32,
            Self::U16 => Self::U32,
            Self::S32 => Self::S64,
            Self::U32 => Self::U64,
            other => other,
        }
    }

    /// Two numbers of 16 bits in one register.
    pub const fn packed(self) -> bool {
        matches!(self, Self::S16x2 | Self::U16x2 | Self::F16x2 | Self::Bf16x2)
    }

    /// Whether a packed integer type is signed.
    pub const fn signed_halves(self) -> bool {
        matches!(self, Self::S16x2)
    }

    /// Untyped bits, and types that have no register type of their own.
    pub const fn untyped(self) -> bool {
        matches!(self, Self::B8 | Self::B16 | Self::B32 | Self::B64 | Self::B128) || self.packed()
    }

    /// Whether an operand of an instruction of this type may be a register of that type (PTX ISA,
    /// "Type Checking").
    pub fn agrees_with(self, register: Self) -> bool {
        if self == Self::Pred || register == Self::Pred {
            return self == register;
        }
        self.bytes() == register.bytes()
            && (self.untyped() || register.untyped() || self.float() == register.float())
    }

    /// The same for loads, stores and conversions, whose registers may be wider (PTX ISA, "Operand
    /// Size Exceeding Instruction-Type Size").
    pub fn fits_in(self, register: Self) -> bool {
        if self == Self::Pred || register == Self::Pred || self.bytes() == register.bytes() {
            return self.agrees_with(register);
        }
        let bits = self.untyped() || register.untyped();
        self.bytes() < register.bytes() && (bits || !self.float() && !register.float())
    }

    pub const fn signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    pub const fn float(self) -> bool {
        matches!(self, Self::F16 | Self::F16x2 | Self::Bf16 | Self::Bf16x2 | Self::F32 | Self::F64)
    }
}

/// One statement of a function body. Nested scopes are flattened: `Open` and `Close` mark them.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    Label(&'a str),
    /// `.reg .b32 %r<5>` declares `%r0` to `%r4`; without a count, one register. `elements` is 2 or
    /// 4 for a vector, otherwise 1.
    Register {
        ty: Type,
        elements: u32,
        name: &'a str,
        count: Option<u32>,
    },
    Variable(Variable<'a>),
    Location {
        file: u32,
        line: u32,
        column: u32,
        inlined_at: Option<(u32, u32, u32)>,
    },
    /// The label of a `.callprototype`; calls through it name it.
    Prototype(&'a str),
    /// `.branchtargets`: a list of labels for `brx.idx`.
    Targets(&'a str, Vec<&'a str>),
    Instruction(Instruction<'a>),
    Open,
    Close,
}

#[derive(Debug, Clone)]
pub(crate) struct Instruction<'a> {
    /// Line in the PTX text.
    pub line: u32,
    /// `@%p` or `@!%p`: negated, register.
    pub guard: Option<(bool, &'a str)>,
    /// `ld.global.f32`, whole.
    pub name: &'a str,
    pub operands: Vec<Operand<'a>>,
}

impl<'a> Instruction<'a> {
    /// `ld` of `ld.global.f32`.
    pub fn root(&self) -> &'a str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// `global`, `f32` of `ld.global.f32`.
    pub fn modifiers(&self) -> impl Iterator<Item = &'a str> + Clone {
        self.name.split('.').skip(1)
    }

    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers().any(|m| m == modifier)
    }

    /// The types among the modifiers, in order.
    pub fn types(&self) -> impl Iterator<Item = Type> + Clone {
        self.modifiers().filter_map(Type::parse)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand<'a> {
    Name(&'a str),
    /// `!%p`
    Not(&'a str),
    /// `-%r`, in `vmad`.
    Minus(&'a str),
    Int(u64),
    F32(u32),
    F64(u64),
    /// `[base + offset]`; the base is a name or an absolute address.
    Memory {
        base: Option<&'a str>,
        offset: i64,
    },
    /// `name + offset` outside brackets.
    Offset(&'a str, i64),
    /// `{a, b}`
    Vector(Vec<Operand<'a>>),
    /// One element of a vector register that the text names as a whole.
    Element(&'a str, u32),
    /// `d|p`
    Pair(&'a str, &'a str),
    /// `(a, b)` of a call.
    List(Vec<Operand<'a>>),
    /// `_`
    Sink,
}

/// The index of the element that a component of a vector register names.
pub(crate) fn component(name: &str) -> Option<u32> {
    Some(match name {
        "x" | "r" => 0,
        "y" | "g" => 1,
        "z" | "b" => 2,
        "w" | "a" => 3,
        _ => return None,
    })
}

/// The register that a name is about: `%v` for the component `%v.x`.
pub(crate) fn whole_register(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((whole, last)) if component(last).is_some() => whole,
        _ => name,
    }
}

impl<'a> Operand<'a> {
    /// One of a pair: a name, or `_`.
    pub fn register(name: &'a str) -> Self {
        if name == "_" { Self::Sink } else { Self::Name(name) }
    }
}
