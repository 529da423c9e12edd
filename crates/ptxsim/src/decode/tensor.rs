//! Decodes the multiplication of matrices by a warp: `wmma` and `mma` (PTX ISA, "Warp Level Matrix
//! Multiply-Accumulate Instructions").

use super::fragment::{Element, Fragment, Part};
use super::function::{Decoder, Local};
use super::op::{
    Address, Code, CollectiveKind, CollectiveOp, Constant, MatrixRows, MemOp, MemSpace, MultiplyOp,
    MultiplyShape, Special, TileAddresses, TileOp, TileShuffle,
};
use super::tile::{self, Layout, TileAccess};
use crate::Error;
use crate::arith::tensor::{Accumulator, Arithmetic, Number};
use crate::parse::ast::{Instruction, Operand, Type};

/// Products that the assembler lets a `wmma` of `tf32` add at once: it makes two multiplications of
/// 4 columns of each of 8.
const WMMA_TF32_PRODUCTS: usize = 4;

impl<'a> Decoder<'_, 'a> {
    pub(super) fn wmma(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        if i.has("mma") {
            return self.multiply(i, true);
        }
        let part = match (i.has("a"), i.has("b")) {
            (true, _) => Part::A,
            (_, true) => Part::B,
            _ => Part::Sum,
        };
        if i.operands.len() > 3 {
            return self.bad(format!("`{}` takes 2 or 3 operands", i.name));
        }
        let (Some(shape), &[element]) = (shape(i), elements(i).as_slice()) else {
            return self.unsupported(format!("`{}`", i.name));
        };
        let fragment = Fragment::of_wmma(part, shape, element);
        let load = i.has("load");
        let (registers, memory) = if load { (0, 1) } else { (1, 0) };
        let mut rows = vec![];
        for register in self.fragment_registers(i, registers, &fragment, load)? {
            rows.push(if load { self.d32(&register)? } else { self.r32(&register)? });
        }
        let Operand::Memory { base, offset } = self.operand(i, memory)? else {
            return self.bad("expected `[address]`");
        };
        let first = Operand::Memory { base: *base, offset: 0 };
        let space = self.space(i)?;
        let at = self.memory_at(&first, space, 4, 1)?;
        let columns = i.has("col");
        // the elements of a row or a column
        let [height, width] = match part {
            Part::A => [shape.m, shape.k],
            Part::B => [shape.k, shape.n],
            Part::Sum => [shape.m, shape.n],
        };
        let line = if columns { height } else { width };
        let stride = match i.operands.get(2) {
            Some(stride) if self.source(stride, Some(Type::U32)) => self.r32(stride)?,
            Some(_) => return self.bad(format!("operand 3 of `{}` must be 32 bits wide", i.name)),
            None => self.constant32(Constant::Bits(line.into())),
        };
        let layout = Layout {
            lines: columns == fragment.lines_are_columns,
            shared: at.space == MemSpace::Shared,
        };
        let accesses = tile::accesses(&fragment, layout);
        // PTX ISA, "Matrix Storage for WMMA": the bytes of a lane's fragment; and CUDA C++
        // Programming Guide, "Warp Matrix Functions": lines are multiples of 16 bytes, except
        // shorter ones
        let line_multiple = (line * element.bytes()).min(16);
        let alignment = match line_multiple {
            16 => (4 * fragment.registers()).clamp(16, 32),
            shorter => shorter,
        };
        let addresses = TileAddresses {
            base: at.address,
            offset: *offset,
            stride,
            element_bytes: element.bytes(),
            alignment,
            line_multiple,
            access_bytes: accesses.first().map_or(1, |a| a.width * a.words),
            starts: accesses.iter().map(|a| a.starts.map(|p| p.map(|n| n as u8))).collect(),
            rows: accesses.iter().map(|_| self.address_row(at.address)).collect(),
        };
        if load {
            self.load_tile(&fragment, layout, &accesses, addresses, (at, &rows))
        } else {
            self.store_tile(&fragment, layout, &accesses, addresses, (at, rows))
        }
    }

    fn load_tile(
        &mut self,
        fragment: &Fragment,
        layout: Layout,
        accesses: &[TileAccess],
        addresses: TileAddresses,
        (at, rows): (MemOp, &[u32]),
    ) -> Result<(), Error> {
        let (distinct, copies) = rows.split_at(rows.len() / fragment.copies as usize);
        let sources = tile::loaded(fragment, layout, accesses);
        let bits = fragment.element.bytes() * 8;
        let words: u32 = accesses.iter().map(|access| access.words).sum();
        // every lane may load just what it holds
        let per_row = 32 * fragment.elements_of_register() as usize;
        let own = words as usize == distinct.len()
            && sources.iter().enumerate().all(|(n, source)| {
                let element = n as u32 % fragment.elements_of_register();
                let lane = n as u32 / fragment.elements_of_register() % 32;
                let place = (u32::from(source.lane), u32::from(source.bit));
                usize::from(source.register) == n / per_row && place == (lane, element * bits)
            });
        let loaded: Vec<u32> =
            if own { distinct.to_vec() } else { (0..words).map(|_| self.temp32()).collect() };
        let address_rows = addresses.rows.clone();
        self.emit_tile(TileOp { addresses: Some(addresses), shuffle: None })?;
        self.emit_tile_accesses(Code::Load, accesses, at, &address_rows, &loaded);
        if !own {
            let shuffle = TileShuffle { from: loaded, to: distinct.to_vec(), bits, sources };
            self.emit_tile(TileOp { addresses: None, shuffle: Some(shuffle) })?;
        }
        for (n, copy) in copies.iter().enumerate() {
            self.emit(Code::MovI, *copy, distinct[n % distinct.len()], 0, 0);
        }
        Ok(())
    }

    fn store_tile(
        &mut self,
        fragment: &Fragment,
        layout: Layout,
        accesses: &[TileAccess],
        addresses: TileAddresses,
        (at, rows): (MemOp, Vec<u32>),
    ) -> Result<(), Error> {
        let words: u32 = accesses.iter().map(|access| access.words).sum();
        let stored: Vec<u32> = (0..words).map(|_| self.temp32()).collect();
        let address_rows = addresses.rows.clone();
        let shuffle = TileShuffle {
            from: rows,
            to: stored.clone(),
            bits: fragment.element.bytes() * 8,
            sources: tile::stored(fragment, layout, accesses),
        };
        self.emit_tile(TileOp { addresses: Some(addresses), shuffle: Some(shuffle) })?;
        self.emit_tile_accesses(Code::Store, accesses, at, &address_rows, &stored);
        Ok(())
    }

    fn emit_tile(&mut self, op: TileOp) -> Result<(), Error> {
        self.program.tiles.push(op);
        self.emit_matrices(CollectiveKind::Tile, self.program.tiles.len() as u32 - 1)
    }

    /// An operation on matrices by the whole warp.
    fn emit_matrices(&mut self, kind: CollectiveKind, number: u32) -> Result<(), Error> {
        let all = self.constant32(Constant::Bits(u32::MAX.into()));
        self.emit_collective(CollectiveOp { a: number, ..CollectiveOp::new(kind, all) })
    }

    fn emit_tile_accesses(
        &mut self,
        code: Code,
        accesses: &[TileAccess],
        at: MemOp,
        address_rows: &[u32],
        rows: &[u32],
    ) {
        let mut rows = rows.iter();
        for (access, address) in accesses.iter().zip(address_rows) {
            let address = match at.address {
                Address::Row64(_) => Address::Row64(*address),
                Address::Row32(_) => Address::Row32(*address),
            };
            let mut op = MemOp { address, width: access.width, vector: access.words, ..at };
            for (row, word) in op.rows.iter_mut().zip(rows.by_ref().take(access.words as usize)) {
                *row = *word;
            }
            self.for_first_lanes(access.lanes, |this| this.emit_memory(code, op));
        }
    }

    /// Emits operations that only the lanes below `lanes` execute.
    pub(super) fn for_first_lanes(&mut self, lanes: u32, emit: impl FnOnce(&mut Self)) {
        if lanes >= 32 {
            return emit(self);
        }
        let lane = self.special(Special::LaneId);
        let limit = self.constant32(Constant::Bits(lanes.into()));
        let p = self.temp_pred();
        self.emit(Code::LtUI, p, lane, limit, 0);
        let branch = self.program.ops.len();
        self.emit(Code::Branch, 0, p, 1, 0);
        self.open_block();
        emit(self);
        self.open_block();
        self.program.ops[branch].c = self.program.ops.len() as u32 - 1;
    }

    fn address_row(&mut self, address: Address) -> u32 {
        match address {
            Address::Row64(_) => self.temp64(),
            Address::Row32(_) => self.temp32(),
        }
    }

    /// `wmma.mma` or `mma`.
    pub(super) fn multiply(&mut self, i: &Instruction<'a>, wmma: bool) -> Result<(), Error> {
        let Some(shape) = shape(i) else { return self.unsupported(format!("`{}`", i.name)) };
        let [d, a, b, c] = match elements(i)[..] {
            [d, c] => [d, Element::F16, Element::F16, c],
            [d, a, b, c] => [d, a, b, c],
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        if i.operands.len() != 4 {
            return self.bad(format!("`{}` takes 4 operands", i.name));
        }
        let saturate = i.has("satfinite");
        // sums of two types are computed in `f32`
        let accumulator =
            if [c, d] == [Element::F16; 2] { Accumulator::F16 } else { Accumulator::F32 };
        let number = match a {
            Element::F16 => Some(Number::F16),
            Element::Bf16 => Some(Number::Bf16),
            Element::Tf32 => Some(Number::Tf32),
            _ => None,
        };
        let arithmetic = match number {
            Some(number) => {
                let products = match number {
                    Number::Tf32 if wmma => WMMA_TF32_PRODUCTS,
                    _ => number.products_in_group(),
                };
                Arithmetic::Floats { number, accumulator, products }
            }
            None => Arithmetic::Integers { saturate },
        };
        let mut matrices = vec![];
        for (n, (part, element)) in
            [(Part::Sum, d), (Part::A, a), (Part::B, b), (Part::Sum, c)].into_iter().enumerate()
        {
            let fragment = if wmma {
                Fragment::of_wmma(part, shape, element)
            } else {
                Fragment::of_mma(part, shape, element)
            };
            let mut rows = vec![];
            for register in self.fragment_registers(i, n, &fragment, n == 0)? {
                rows.push(if n == 0 { self.d32(&register)? } else { self.r32(&register)? });
            }
            // copies are equal
            rows.truncate(rows.len() / fragment.copies as usize);
            matrices.push(MatrixRows { element, places: places(&fragment, part, shape), rows });
        }
        let Ok([d, a, b, c]) = <[MatrixRows; 4]>::try_from(matrices) else {
            return self.bad(format!("`{}` takes 4 operands", i.name));
        };
        self.program.multiplications.push(MultiplyOp { shape, arithmetic, a, b, c, d });
        let number = self.program.multiplications.len() as u32 - 1;
        self.emit_matrices(CollectiveKind::Multiply, number)
    }

    /// The registers of an operand that is a fragment.
    fn fragment_registers(
        &self,
        i: &Instruction<'a>,
        n: usize,
        fragment: &Fragment,
        written: bool,
    ) -> Result<Vec<Operand<'a>>, Error> {
        let all = match self.operand(i, n)? {
            Operand::Vector(all) => all.as_slice(),
            _ => &[],
        };
        let wanted = fragment.registers() as usize;
        if all.len() != wanted {
            let s = if wanted == 1 { "" } else { "s" };
            let found = all.len();
            return self.bad(format!(
                "operand {} of `{}` must be {wanted} register{s} in braces, not {found}",
                n + 1,
                i.name
            ));
        }
        let ty = match fragment.element {
            Element::F16 => Type::F16x2,
            Element::F32 => Type::F32,
            Element::S8 | Element::U8 | Element::S32 => Type::S32,
            Element::Bf16 | Element::Tf32 => Type::B32,
        };
        // sums may also be constants
        let constants = !written && fragment.part == Part::Sum;
        let fits = |o: &Operand<'a>| match self.named(o) {
            Some(Local::Register(_, register)) => {
                register == Type::B32 || register == ty || ty == Type::S32 && register == Type::U32
            }
            _ => constants && self.source(o, Some(ty)),
        };
        match all.iter().all(fits) {
            true => Ok(all.to_vec()),
            false => self.bad(format!(
                "operand {} of `{}` must be registers of type `.{}`",
                n + 1,
                i.name,
                ty.name()
            )),
        }
    }
}

/// Where each element of a fragment's distinct registers is in its matrix: the first factor and the
/// sums row by row, and the second factor column by column.
fn places(fragment: &Fragment, part: Part, shape: MultiplyShape) -> Vec<u16> {
    let row_length = if part == Part::Sum { shape.n } else { shape.k };
    let mut all = vec![];
    for register in 0..fragment.registers() / fragment.copies {
        for lane in 0..32 {
            for element in 0..fragment.elements_of_register() {
                let [line, along] = fragment.position(register, lane, element);
                let transposed = part == Part::Sum && fragment.lines_are_columns;
                let [row, column] = if transposed { [along, line] } else { [line, along] };
                all.push((row * row_length + column) as u16);
            }
        }
    }
    all
}

/// The shape that an instruction names, such as `m16n16k16`.
fn shape(i: &Instruction<'_>) -> Option<MultiplyShape> {
    i.modifiers().find_map(|modifier| {
        let (m, rest) = modifier.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(MultiplyShape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    })
}

/// The types of the elements that an instruction names, in order.
fn elements(i: &Instruction<'_>) -> Vec<Element> {
    i.modifiers().filter_map(Element::parse).collect()
}
