//! Checks that an instruction is PTX before it is decoded: its name, its modifiers, and the number
//! and types of its operands.
//!
//! PTX ISA, "Operand Type Checking" and "Operand Size Exceeding Instruction-Type Size". Where the
//! text leaves a case open, what ptxas accepts decides.

use super::forms::{self, Form, Match};
use super::function::{Decoder, Local};
use crate::Error;
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    /// # Errors
    /// [`Error::Parse`] for what is not PTX, [`Error::Unsupported`] for what the simulator does not
    /// support.
    pub(super) fn check(&self, i: &Instruction<'a>) -> Result<(), Error> {
        let form = match forms::find(i) {
            Match::Form(form) => form,
            Match::NoForm => return self.bad(forms::explain(i)),
            Match::Unknown => {
                return self.bad(format!("`{}` is not an instruction of PTX", i.name));
            }
        };
        if !form.supported {
            let instead = supported_instead(i.root());
            return self.unsupported(format!("`{}`{instead}", i.name));
        }
        let (found, counts) = (i.operands.len(), form.counts());
        if !counts.contains(&found) {
            let (least, most) = (*counts.start(), *counts.end());
            let wanted = match most {
                usize::MAX => format!("at least {least}"),
                _ if least == most => format!("{least}"),
                _ => format!("{least} or {most}"),
            };
            let s = if wanted == "1" { "" } else { "s" };
            return self.bad(format!("`{}` takes {wanted} operand{s}, not {found}", i.name));
        }
        let policy = form.operands.last() == Some(&"?c") && found == *counts.end();
        if policy != i.has("L2::cache_hint") && form.operands.contains(&"?c") {
            return self.bad(format!("`{}`: a cache policy goes with `.L2::cache_hint`", i.name));
        }
        self.operands(i, form)
    }

    fn operands(&self, i: &Instruction<'a>, form: &Form) -> Result<(), Error> {
        for (n, (kind, operand)) in form.operands.iter().zip(&i.operands).enumerate() {
            let kind = kind.trim_start_matches('?');
            if kind == "*" {
                break;
            }
            let ty = forms::operand_type(kind, i);
            let wrong = |what: &str| {
                let types = ty.map_or(String::new(), |t| format!(" of type `.{}`", t.name()));
                let types = if what.contains("predicate") || what.contains("constant") {
                    String::new()
                } else {
                    types
                };
                self.bad(format!("operand {} of `{}` must be {what}{types}", n + 1, i.name))
            };
            match kind.split(':').next().unwrap_or_default() {
                "d" if !self.destination(operand, ty) => return wrong("a register"),
                "e" if *operand != Operand::Sink && !self.destination(operand, ty) => {
                    return wrong("a register");
                }
                "d|p" => {
                    let ok = match operand {
                        Operand::Pair(d, p) => {
                            (*d == "_" || self.destination(&Operand::Name(d), ty))
                                && (*p == "_"
                                    || self.destination(&Operand::Name(p), Some(Type::Pred)))
                        }
                        d => self.destination(d, ty),
                    };
                    if !ok {
                        return wrong("a register, or a register and a predicate,");
                    }
                }
                "a" if !self.source(operand, ty) => return wrong("a register or a constant"),
                "o" => {
                    if let Operand::Int(value) = operand {
                        let most = limit(kind);
                        if *value > most {
                            return self.bad(format!(
                                "operand {} of `{}` is {}; the most is {most}",
                                n + 1,
                                i.name,
                                *value as i64
                            ));
                        }
                    }
                    if !self.source(operand, Some(Type::U32)) {
                        return wrong("a 32-bit register or a constant");
                    }
                }
                "=" if *operand != Operand::Int(limit(kind)) => {
                    return wrong(&format!("the constant {}", limit(kind)));
                }
                "i" => match operand {
                    Operand::Int(value) if *value <= limit(kind) => {}
                    Operand::Int(_) => {
                        return wrong(&format!("a constant from 0 to {}", limit(kind)));
                    }
                    _ => return wrong("a constant"),
                },
                "n" => {
                    if let Operand::Int(count) = operand
                        && !count.is_multiple_of(32)
                    {
                        return self.bad(format!(
                            "`{}` takes a multiple of 32 threads, not {count}",
                            i.name
                        ));
                    }
                    if !self.source(operand, Some(Type::U32)) {
                        return wrong("a 32-bit register or a constant");
                    }
                }
                "c" if !self.source(operand, Some(Type::B64)) => {
                    return wrong("a 64-bit register with a cache policy");
                }
                "p" if !self.destination(operand, Some(Type::Pred)) => {
                    return wrong("a predicate register");
                }
                "p|p" => {
                    let ok = match operand {
                        Operand::Pair(p, q) => [p, q].iter().all(|p| {
                            **p == "_" || self.destination(&Operand::Name(p), Some(Type::Pred))
                        }),
                        p => self.destination(p, Some(Type::Pred)),
                    };
                    if !ok {
                        return wrong("a predicate register or two of them");
                    }
                }
                "P" if !self.predicate(operand) => return wrong("a predicate"),
                "m" if !matches!(operand, Operand::Memory { .. }) => {
                    return wrong("an address in brackets");
                }
                "D" | "S" => self.elements(i, n, operand, kind.starts_with('D'))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A `.vN` operand, or a single one.
    fn elements(
        &self,
        i: &Instruction<'a>,
        n: usize,
        operand: &Operand<'a>,
        written: bool,
    ) -> Result<(), Error> {
        let wanted = ["v2", "v4", "v8"].iter().position(|v| i.has(v)).map_or(1, |n| 2 << n);
        let all = match operand {
            Operand::Vector(all) if wanted > 1 => all.as_slice(),
            Operand::Vector(_) => &[],
            one => std::slice::from_ref(one),
        };
        if all.len() != wanted {
            let what = if wanted == 1 {
                "one value".to_owned()
            } else {
                format!("{wanted} values in braces")
            };
            return self.bad(format!("operand {} of `{}` must be {what}", n + 1, i.name));
        }
        // the source type of `cvt` is its second
        let mut types = i.types();
        let first = types.next();
        let second = types.next();
        let ty = if written { first } else { second.or(first) };
        // conversions with `.bf16` take no wider registers
        let exact = [first, second].contains(&Some(Type::Bf16));
        for one in all {
            let fits = match one {
                Operand::Sink => written,
                Operand::Name(_) | Operand::Element(..) => match (self.named(one), ty) {
                    (Some(Local::Register(_, register)), Some(ty)) if exact => {
                        ty.agrees_with(register)
                    }
                    (Some(Local::Register(_, register)), Some(ty)) => ty.fits_in(register),
                    // symbols are for the decoding itself to judge
                    _ => true,
                },
                constant => !written && self.source(constant, ty),
            };
            if !fits {
                let ty = ty.map_or("", Type::name);
                return self.bad(format!(
                    "operand {} of `{}` must be a register that can hold `.{ty}`",
                    n + 1,
                    i.name
                ));
            }
        }
        Ok(())
    }

    /// Checks `mov`, the only instruction that takes special registers and addresses beside
    /// registers and constants.
    pub(super) fn check_mov(
        &self,
        i: &Instruction<'a>,
        ty: Type,
        d: &Operand<'a>,
        a: &Operand<'a>,
    ) -> Result<(), Error> {
        if !self.destination(d, Some(ty)) {
            return self.bad(format!(
                "operand 1 of `{}` must be a register of type `.{}`",
                i.name,
                ty.name()
            ));
        }
        let fits = match a {
            Operand::Name(name) | Operand::Offset(name, _) => match self.lookup(name) {
                Some(Local::Register(_, register)) => {
                    ty.agrees_with(register) && (matches!(a, Operand::Name(_)) || !ty.float())
                }
                Some(
                    Local::Range(..)
                    | Local::Vector(..)
                    | Local::VectorRange(..)
                    | Local::Prototype,
                ) => false,
                Some(_) => ty.bytes() >= 4 && !ty.float() && ty != Type::Pred,
                // a special register
                None => !ty.float() && (name.starts_with('%') || *name == "WARP_SZ"),
            },
            Operand::Not(_) => ty == Type::Pred && self.predicate(a),
            Operand::Int(_) if ty == Type::Pred => true,
            other => self.source(other, Some(ty)),
        };
        if fits {
            return Ok(());
        }
        self.bad(format!(
            "operand 2 of `{}` must be a register, a constant or an address of type `.{}`",
            i.name,
            ty.name()
        ))
    }

    /// Checks that the elements of `{a, b}` together fill the register.
    pub(super) fn check_parts(
        &self,
        ty: Type,
        parts: &[Operand<'a>],
        whole: &Operand<'a>,
    ) -> Result<(), Error> {
        let bad = || {
            self.bad(format!(
                "`mov.{}` needs registers in braces that fill one of {} bits",
                ty.name(),
                ty.bytes() * 8
            ))
        };
        if !ty.untyped() {
            return bad();
        }
        let count = parts.len() as u32;
        let part = match ty.bytes().checked_div(count) {
            Some(1) => Type::B8,
            Some(2) => Type::B16,
            Some(4) => Type::B32,
            Some(8) => Type::B64,
            _ => return bad(),
        };
        let fits = |o: &Operand<'a>, ty: Type| match o {
            Operand::Sink | Operand::Int(_) => true,
            Operand::Name(_) | Operand::Element(..) => match self.named(o) {
                Some(Local::Register(_, register)) => {
                    // there are no registers of 8 bits
                    ty.agrees_with(register) || ty == Type::B8 && register.bytes() == 2
                }
                _ => false,
            },
            _ => false,
        };
        let full = part.bytes() * count == ty.bytes();
        if full && parts.iter().all(|p| fits(p, part)) && fits(whole, ty) { Ok(()) } else { bad() }
    }

    fn destination(&self, operand: &Operand<'a>, ty: Option<Type>) -> bool {
        match operand {
            Operand::Name(_) | Operand::Element(..) => match (self.named(operand), ty) {
                (Some(Local::Register(_, register)), Some(ty)) => ty.agrees_with(register),
                _ => false,
            },
            _ => false,
        }
    }

    pub(super) fn source(&self, operand: &Operand<'a>, ty: Option<Type>) -> bool {
        let Some(ty) = ty else { return false };
        match operand {
            Operand::Name("WARP_SZ") => !ty.float(),
            Operand::Int(_) => !ty.float(),
            Operand::F32(_) => matches!(ty, Type::F32 | Type::F64 | Type::B32 | Type::B64),
            Operand::F64(_) => matches!(ty, Type::F32 | Type::F64 | Type::B64),
            Operand::Name(_) | Operand::Element(..) => match self.named(operand) {
                Some(Local::Register(_, register)) => ty.agrees_with(register),
                _ => false,
            },
            // `%r1 + 4`
            Operand::Offset(..) => match self.named(operand) {
                Some(Local::Register(_, register)) => !ty.float() && ty.agrees_with(register),
                _ => false,
            },
            _ => false,
        }
    }

    fn predicate(&self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Name(name) | Operand::Not(name) => {
                matches!(self.lookup(name), Some(Local::Register(_, Type::Pred)))
            }
            Operand::Int(_) => true,
            _ => false,
        }
    }
}

/// What the simulator runs instead of an unsupported form, where that is worth saying.
fn supported_instead(root: &str) -> &'static str {
    match root {
        "wmma" => {
            " (`wmma` runs with f16, bf16, s8 and u8 in the shapes m16n16k16, m32n8k16 and m8n32k16, \
             and with tf32 in m16n16k8)"
        }
        "mma" => {
            " (`mma` runs with f16 and bf16 in the shapes m16n8k8 and m16n8k16, with tf32 in m16n8k4 \
             and m16n8k8, and with s8 and u8 in m8n8k16, m16n8k16 and m16n8k32)"
        }
        _ => "",
    }
}

fn limit(kind: &str) -> u64 {
    kind.split_once(':').and_then(|(_, n)| n.parse().ok()).unwrap_or(u64::MAX)
}
