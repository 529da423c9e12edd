//! Decodes barriers and warp-wide operations.

use super::function::Decoder;
use super::op::{BarrierOp, Code, CollectiveKind, CollectiveOp, Constant, Reduce, ReduceKind};
use crate::Error;
use crate::parse::ast::{Instruction, Operand};

impl<'a> Decoder<'_, 'a> {
    pub(super) fn barrier(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        if i.has("warp") {
            let mask = self.operand(i, 0)?;
            let whole = matches!(mask, Operand::Int(bits) if *bits as u32 == u32::MAX);
            self.func.syncs |= !whole;
            let mask = self.r32(mask)?;
            return self.emit_collective(CollectiveOp::new(CollectiveKind::Sync, mask));
        }
        if i.has("cluster") {
            return self.unsupported("cluster barriers");
        }
        let reduce = i.has("red");
        let first = usize::from(reduce);
        let id = self.operand(i, first)?;
        let id = self.r32(id)?;
        let mut op = BarrierOp { id, count: None, waits: !i.has("arrive"), reduce: None };
        let counts = i.operands.len() - first - usize::from(reduce);
        if counts == 2 {
            let count = self.operand(i, first + 1)?;
            op.count = Some(self.r32(count)?);
        }
        self.func.syncs |= op.count.is_some() || !op.waits;
        if reduce {
            let kind = if i.has("popc") {
                ReduceKind::Popc
            } else if i.has("and") {
                ReduceKind::And
            } else {
                ReduceKind::Or
            };
            let (d, source) = (self.operand(i, 0)?, self.operand(i, i.operands.len() - 1)?);
            let d = if kind == ReduceKind::Popc { self.d32(d)? } else { self.dp(d)? };
            let source = self.pred(source)?;
            op.reduce = Some(Reduce { kind, source, d });
        }
        self.program.barriers.push(op);
        self.emit(Code::Barrier, self.program.barriers.len() as u32 - 1, 0, 0, 0);
        // threads wait at the operation after the barrier, where other splits may join them
        self.open_block();
        Ok(())
    }

    pub(super) fn emit_collective(&mut self, op: CollectiveOp) -> Result<(), Error> {
        // lanes wait for each other at the operation itself, so it starts a block
        if op.kind != CollectiveKind::ActiveMask {
            self.open_block();
        }
        self.program.collectives.push(op);
        self.emit(Code::Collective, self.program.collectives.len() as u32 - 1, 0, 0, 0);
        Ok(())
    }

    pub(super) fn collective(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        use CollectiveKind as K;
        let root = i.root();
        if root == "activemask" {
            let d = self.operand(i, 0)?;
            let mask = self.constant32(Constant::Bits(0));
            let mut op = CollectiveOp::new(K::ActiveMask, mask);
            op.d = self.d32(d)?;
            return self.emit_collective(op);
        }
        if !i.has("sync") {
            return self.unsupported(format!(
                "`{}` without `.sync`, which PTX removed for this target",
                i.name
            ));
        }
        let kind = match (root, i.modifiers().find(|m| *m != "sync").unwrap_or_default()) {
            ("shfl", "up") => K::ShflUp,
            ("shfl", "down") => K::ShflDown,
            ("shfl", "bfly") => K::ShflBfly,
            ("shfl", "idx") => K::ShflIdx,
            ("vote", "all") => K::VoteAll,
            ("vote", "any") => K::VoteAny,
            ("vote", "uni") => K::VoteUni,
            ("vote", "ballot") => K::VoteBallot,
            ("match", "any") => {
                if i.has("b64") {
                    K::MatchAny64
                } else {
                    K::MatchAny32
                }
            }
            ("match", "all") => {
                if i.has("b64") {
                    K::MatchAll64
                } else {
                    K::MatchAll32
                }
            }
            ("elect", _) => K::Elect,
            ("redux", "add") => K::ReduxAdd,
            ("redux", "min") => {
                if i.has("s32") {
                    K::ReduxMinS
                } else {
                    K::ReduxMinU
                }
            }
            ("redux", "max") => {
                if i.has("s32") {
                    K::ReduxMaxS
                } else {
                    K::ReduxMaxU
                }
            }
            ("redux", "and") => K::ReduxAnd,
            ("redux", "or") => K::ReduxOr,
            ("redux", "xor") => K::ReduxXor,
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let mask = self.operand(i, i.operands.len().saturating_sub(1))?;
        let mask = self.r32(mask)?;
        let mut op = CollectiveOp::new(kind, mask);
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        match d {
            Operand::Pair(d, p) => {
                op.d = self.d32(&Operand::register(d))?;
                op.p = Some(self.dp(&Operand::register(p))?);
            }
            _ if matches!(kind, K::VoteAll | K::VoteAny | K::VoteUni) => op.d = self.dp(d)?,
            _ => op.d = self.d32(d)?,
        }
        match root {
            "vote" => op.a = self.pred(a)?,
            "match" if matches!(kind, K::MatchAny64 | K::MatchAll64) => op.a = self.r64(a)?,
            _ => op.a = self.r32(a)?,
        }
        if root == "shfl" {
            let (b, c) = (self.operand(i, 2)?, self.operand(i, 3)?);
            op.b = self.r32(b)?;
            op.c = self.r32(c)?;
        }
        self.emit_collective(op)
    }
}

impl CollectiveOp {
    pub(super) const fn new(kind: CollectiveKind, mask: u32) -> Self {
        Self { kind, mask, d: 0, p: None, a: 0, b: 0, c: 0 }
    }
}
