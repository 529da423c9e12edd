//! Decodes operands: assigns rows to names, numbers and special registers.

use super::Symbol;
use super::function::{Decoder, Local, Row};
use super::op::{Code, Constant, Special};
use crate::Error;
use crate::parse::ast::Operand;

impl<'a> Decoder<'_, 'a> {
    pub fn pred_register(&self, name: &str) -> Result<u32, Error> {
        match self.lookup(name) {
            Some(Local::Register(Row::Pred(row), _)) => Ok(row),
            _ => self.bad(format!("`{name}` is not a predicate register")),
        }
    }

    /// The row of a predicate operand, with its negation applied.
    pub fn pred(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Name(name) => self.pred_register(name),
            Operand::Not(name) => {
                let source = self.pred_register(name)?;
                let t = self.temp_pred();
                self.emit(Code::NotP, t, source, 0, 0);
                Ok(t)
            }
            Operand::Int(n) => {
                // constants: p xor p, p or not p
                let t = self.temp_pred();
                self.emit(Code::XorP, t, t, t, 0);
                if *n != 0 {
                    self.emit(Code::NotP, t, t, 0, 0);
                }
                Ok(t)
            }
            _ => self.bad("expected a predicate"),
        }
    }

    /// A 32-bit row for a source operand.
    pub fn r32(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Int(n) => Ok(self.constant32(Constant::Bits(*n & 0xffff_ffff))),
            Operand::F32(bits) => Ok(self.constant32(Constant::Bits(u64::from(*bits)))),
            // a decimal number, which PTX takes as `.f64` first
            Operand::F64(bits) => {
                let single = (f64::from_bits(*bits) as f32).to_bits();
                Ok(self.constant32(Constant::Bits(u64::from(single))))
            }
            Operand::Name("WARP_SZ") => Ok(self.constant32(Constant::Bits(32))),
            Operand::Name(name) | Operand::Offset(name, _) | Operand::Element(name, _) => {
                let offset = if let Operand::Offset(_, o) = operand { *o } else { 0 };
                if let Some(special) = special(name) {
                    return Ok(self.special(special));
                }
                if let Some(value) = of_cluster(name) {
                    return Ok(self.constant32(Constant::Bits(value)));
                }
                match self.named(operand) {
                    Some(Local::Register(Row::R32(row), _)) if offset != 0 => {
                        let (t, by) = (
                            self.temp32(),
                            self.constant32(Constant::Bits(offset as u64 & 0xffff_ffff)),
                        );
                        self.emit(Code::AddI, t, row, by, 0);
                        Ok(t)
                    }
                    Some(Local::Register(Row::R32(row), _)) => Ok(row),
                    Some(Local::Register(Row::R64(row), _)) => {
                        let t = self.temp32();
                        self.emit(Code::TruncLI, t, row, 0, 0);
                        Ok(t)
                    }
                    Some(Local::Symbol(symbol)) => {
                        let constant = self.symbol_constant(symbol, offset);
                        Ok(self.constant32(constant))
                    }
                    Some(Local::Stack(at)) => {
                        let t = self.stack_address(i64::from(at).wrapping_add(offset));
                        let low = self.temp32();
                        self.emit(Code::TruncLI, low, t, 0, 0);
                        Ok(low)
                    }
                    _ if is_special(name) => self.unsupported(format!("the register `{name}`")),
                    _ => self.bad(format!("`{name}` is not a 32-bit value")),
                }
            }
            _ => self.bad("expected a 32-bit value"),
        }
    }

    /// A 64-bit row for a source operand.
    pub fn r64(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Int(n) => Ok(self.constant64(Constant::Bits(*n))),
            Operand::F64(bits) => Ok(self.constant64(Constant::Bits(*bits))),
            Operand::F32(bits) => {
                let double = f64::from(f32::from_bits(*bits)).to_bits();
                Ok(self.constant64(Constant::Bits(double)))
            }
            Operand::Name("WARP_SZ") => Ok(self.constant64(Constant::Bits(32))),
            Operand::Name(name) | Operand::Offset(name, _) | Operand::Element(name, _) => {
                let offset = if let Operand::Offset(_, o) = operand { *o } else { 0 };
                match self.named(operand) {
                    Some(Local::Register(Row::R64(row), _)) if offset != 0 => {
                        let bits = Constant::Bits(offset as u64);
                        let (t, by) = (self.temp64(), self.constant64(bits));
                        self.emit(Code::AddL, t, row, by, 0);
                        Ok(t)
                    }
                    Some(Local::Register(Row::R64(row), _)) => Ok(row),
                    Some(Local::Register(Row::R32(row), _)) => {
                        let t = self.temp64();
                        self.emit(Code::ZextIL, t, row, 0, 0);
                        Ok(t)
                    }
                    Some(Local::Symbol(symbol)) => {
                        let constant = self.symbol_constant(symbol, offset);
                        Ok(self.constant64(constant))
                    }
                    Some(Local::Stack(at)) => {
                        Ok(self.stack_address(i64::from(at).wrapping_add(offset)))
                    }
                    Some(Local::Argument(at)) => {
                        let variable = self.arguments();
                        let offset = i64::from(at).wrapping_add(offset);
                        Ok(self.constant64(Constant::Variable(variable, offset)))
                    }
                    Some(Local::Param { .. }) => match self.spilled.get(name) {
                        Some(at) => Ok(self.stack_address(i64::from(*at).wrapping_add(offset))),
                        None => self.unsupported("the address of a call's parameter"),
                    },
                    _ if matches!(*name, "%clock64" | "%globaltimer") => {
                        let t = self.temp64();
                        self.emit(Code::ClockL, t, 0, 0, 0);
                        Ok(t)
                    }
                    _ if is_special(name) => self.unsupported(format!("the register `{name}`")),
                    _ => self.bad(format!("`{name}` is not a 64-bit value")),
                }
            }
            _ => self.bad("expected a 64-bit value"),
        }
    }

    /// The read-only variable with the kernel's arguments, for a kernel that takes the address of
    /// one.
    fn arguments(&mut self) -> usize {
        if let Some(variable) = self.func.arguments {
            return variable;
        }
        self.program.variables.push(super::GlobalVariable {
            symbol: String::new(),
            name: "parameters".to_owned(),
            bytes: self.argument_bytes,
            element: 1,
            init: vec![],
            constant: true,
        });
        let variable = self.program.variables.len() - 1;
        self.func.arguments = Some(variable);
        variable
    }

    pub(super) fn symbol_constant(&self, symbol: Symbol, offset: i64) -> Constant {
        match symbol {
            Symbol::Variable(v) => Constant::Variable(v, offset),
            Symbol::Shared(at) => Constant::Bits(i64::from(at).wrapping_add(offset) as u64),
            Symbol::DynamicShared => Constant::DynamicShared(offset),
            Symbol::Function(f) => Constant::Function(f),
        }
    }

    pub(super) fn stack_address(&mut self, offset: i64) -> u32 {
        let c = self.constant64(Constant::Bits(offset as u64));
        let t = self.temp64();
        self.emit(Code::LocalBase, t, c, 0, 0);
        t
    }

    /// A destination register's row in the 32-bit file.
    pub fn d32(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Sink => Ok(self.temp32()),
            Operand::Name(name) | Operand::Element(name, _) => match self.named(operand) {
                Some(Local::Register(Row::R32(row), _)) => Ok(row),
                _ => self.bad(format!("`{name}` is not a 32-bit register")),
            },
            _ => self.bad("expected a 32-bit register"),
        }
    }

    pub fn d64(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Sink => Ok(self.temp64()),
            Operand::Name(name) | Operand::Element(name, _) => match self.named(operand) {
                Some(Local::Register(Row::R64(row), _)) => Ok(row),
                _ => self.bad(format!("`{name}` is not a 64-bit register")),
            },
            _ => self.bad("expected a 64-bit register"),
        }
    }

    pub fn dp(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Sink => Ok(self.temp_pred()),
            Operand::Name(name) => self.pred_register(name),
            _ => self.bad("expected a predicate register"),
        }
    }

    pub(super) fn is_wide(&self, operand: &Operand<'a>) -> bool {
        matches!(self.named(operand), Some(Local::Register(Row::R64(_), _)))
    }
}

/// Whether PTX has a special register of this name (PTX ISA 9.0, "Special Registers").
fn is_special(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    special(name).is_some()
        || matches!(
            stem,
            "%is_explicit_cluster"
                | "%clusterid"
                | "%nclusterid"
                | "%cluster_ctaid"
                | "%cluster_nctaid"
                | "%cluster_ctarank"
                | "%cluster_nctarank"
                | "%clock"
                | "%clock_hi"
                | "%pm"
                | "%pm0_"
                | "%envreg"
                | "%globaltimer"
                | "%globaltimer_lo"
                | "%globaltimer_hi"
                | "%reserved_smem_offset_begin"
                | "%reserved_smem_offset_end"
                | "%reserved_smem_offset_cap"
                | "%reserved_smem_offset_"
                | "%total_smem_size"
                | "%aggr_smem_size"
                | "%current_graph_exec"
        )
}

/// Special registers about a block's place in its cluster, where it is alone.
fn of_cluster(name: &str) -> Option<u64> {
    let (stem, dimension) = name.split_once('.').unwrap_or((name, ""));
    match (stem, dimension) {
        ("%cluster_ctaid", "x" | "y" | "z") | ("%cluster_ctarank", "") => Some(0),
        ("%cluster_nctaid", "x" | "y" | "z") | ("%cluster_nctarank", "") => Some(1),
        _ => None,
    }
}

fn special(name: &str) -> Option<Special> {
    let axis = |n: &str| match n {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    let (stem, dim) = name.split_once('.').unwrap_or((name, ""));
    if let Some(n) = stem.strip_prefix("%envreg") {
        return n.parse().ok().filter(|n| *n < 32).map(Special::EnvReg);
    }
    Some(match stem {
        "%tid" => Special::Tid(axis(dim)?),
        "%ntid" => Special::Ntid(axis(dim)?),
        "%ctaid" | "%clusterid" => Special::Ctaid(axis(dim)?),
        "%nctaid" | "%nclusterid" => Special::Nctaid(axis(dim)?),
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::NWarpId,
        "%smid" => Special::SmId,
        "%nsmid" => Special::NSmId,
        "%gridid" => Special::GridId,
        "%lanemask_eq" => Special::MaskEq,
        "%lanemask_le" => Special::MaskLe,
        "%lanemask_lt" => Special::MaskLt,
        "%lanemask_ge" => Special::MaskGe,
        "%lanemask_gt" => Special::MaskGt,
        "%dynamic_smem_size" => Special::DynamicSmemSize,
        "%total_smem_size" => Special::TotalSmemSize,
        _ => return None,
    })
}
