//! Decodes texture and surface instructions (PTX ISA, "Texture Instructions", "Surface
//! Instructions").

use super::function::Decoder;
use super::op::{Address, Code, ImageKind, ImageOp, MemOp, MemSpace, Outside, Property, Scope};
use crate::Error;
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    pub(super) fn image(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        match i.root() {
            "txq" | "suq" => self.image_query(i),
            "sust" => self.image_access(i, 1, 0),
            _ => self.image_access(i, 0, 1),
        }
    }

    /// `tex`, `tld4`, `suld` and `sust`. `values` and `place` are the indices of two operands: the
    /// values, and `[object, {coordinates}]`.
    fn image_access(
        &mut self,
        i: &Instruction<'a>,
        values: usize,
        place: usize,
    ) -> Result<(), Error> {
        let Some((dimensions, layered)) = geometry(i) else {
            return self.unsupported(format!("`{}`", i.name));
        };
        let Operand::Vector(place) = self.operand(i, place)? else {
            return self.bad("expected `[object, {coordinates}]`");
        };
        let [object, coordinates] = place.as_slice() else {
            // a separate sampler exists in the independent texture mode only
            return self.unsupported(format!("`{}` with a sampler", i.name));
        };
        let (object, coordinates) = (object.clone(), coordinates.clone());
        let coordinates =
            if let Operand::Vector(all) = coordinates { all } else { vec![coordinates] };
        if coordinates.len() < (dimensions + u32::from(layered)) as usize {
            return self.bad(format!("`{}` lacks coordinates", i.name));
        }
        let types: Vec<Type> = i.types().collect();
        let kind = match (i.root(), types.as_slice()) {
            ("tex", [_, coordinate]) => match coordinate {
                Type::S32 => ImageKind::Fetch,
                Type::F32 => ImageKind::Sample,
                _ => return self.unsupported(format!("`{}`", i.name)),
            },
            ("tld4", [_, Type::F32]) if dimensions == 2 && !layered => {
                match i.modifiers().find_map(|m| "rgba".find(m).filter(|_| m.len() == 1)) {
                    Some(channel) => ImageKind::Gather(channel),
                    None => return self.bad(format!("`{}` names no channel", i.name)),
                }
            }
            (root @ ("suld" | "sust"), [_]) if i.has("b") => {
                let outside = if i.has("clamp") {
                    Outside::Clamp
                } else if i.has("zero") {
                    Outside::Zero
                } else {
                    Outside::Trap
                };
                if root == "suld" { ImageKind::Load(outside) } else { ImageKind::Store(outside) }
            }
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let width = types.first().map_or(4, |t| t.bytes());
        let surface = matches!(kind, ImageKind::Load(_) | ImageKind::Store(_));
        if !matches!(width, 1 | 2 | 4 | 8) || width != 4 && !surface {
            return self.unsupported(format!("`{}`", i.name));
        }
        let mut op = ImageOp {
            kind,
            object: self.r64(&object)?,
            dimensions,
            layer: None,
            at: [0; 3],
            memory: MemOp { width, wide: width == 8, ..self.image_memory() },
            site: 0,
        };
        let mut coordinates = coordinates.iter();
        if layered && let Some(layer) = coordinates.next() {
            op.layer = Some(self.r32(layer)?);
        }
        for (row, coordinate) in op.at.iter_mut().zip(coordinates.take(dimensions as usize)) {
            *row = self.r32(coordinate)?;
        }
        // levels and gradients select a mipmap level, and a texture has one
        let values = self.operand(i, values)?.clone();
        let values = if let Operand::Vector(all) = values { all } else { vec![values] };
        if !matches!(values.len(), 1 | 2 | 4) || values.len() != 4 && !surface {
            return self.bad(format!("`{}` with {} registers", i.name, values.len()));
        }
        op.memory.vector = values.len() as u32;
        for (row, value) in op.memory.rows.iter_mut().zip(&values) {
            *row = match (kind, width) {
                (ImageKind::Store(_), 8) => self.r64(value)?,
                (ImageKind::Store(_), _) => self.r32(value)?,
                (_, 8) => self.d64(value)?,
                _ => self.d32(value)?,
            };
        }
        self.emit_image(op);
        Ok(())
    }

    /// `txq` and `suq`: a property of the object.
    fn image_query(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, object) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let Operand::Memory { base: Some(object), offset: 0 } = object else {
            return self.bad("expected `[object]`");
        };
        let property = match i.modifiers().find(|m| *m != "level" && *m != "b32") {
            Some("width") => Property::Width,
            Some("height") => Property::Height,
            Some("depth") => Property::Depth,
            Some("array_size") => Property::Layers,
            Some("num_mipmap_levels" | "num_samples") => Property::One,
            Some("normalized_coords") => Property::Normalized,
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let (d, object) = (self.d32(d)?, self.r64(&Operand::Name(object))?);
        let mut memory = self.image_memory();
        memory.rows[0] = d;
        self.emit_image(ImageOp {
            kind: ImageKind::Query(property, i.root() == "suq"),
            object,
            dimensions: 0,
            layer: None,
            at: [0; 3],
            memory,

            site: 0,
        });
        Ok(())
    }

    /// The memory operation that findings and counters need for the instruction.
    const fn image_memory(&self) -> MemOp {
        MemOp {
            space: MemSpace::Global,
            width: 4,
            vector: 1,
            signed: false,
            wide: false,
            rows: [u32::MAX; 4],
            address: Address::Row32(0),
            offset: 0,
            strong: false,
            volatile: false,
            read_only: false,
            scope: Scope::Gpu,
            acquire: false,
            release: false,
            atomic: None,
            at_barrier: false,
            waits: None,
            by_one: false,
            observation: None,
            unused: None,
            b: 0,
            c: 0,
            array: u32::MAX,
            parameter: None,
            pc: 0,
        }
    }

    fn emit_image(&mut self, mut op: ImageOp) {
        op.memory.pc = self.program.ops.len() as u32;
        op.site = self.program.memory.len() as u32;
        self.program.memory.push(op.memory);
        self.program.images.push(op);
        self.emit(Code::Image, self.program.images.len() as u32 - 1, 0, 0, 0);
    }
}

/// Dimensions, and whether a layer comes before them; `None` for cubes and multi-sampled images.
fn geometry(i: &Instruction<'_>) -> Option<(u32, bool)> {
    i.modifiers().find_map(|m| match m {
        "1d" => Some((1, false)),
        "2d" => Some((2, false)),
        "3d" => Some((3, false)),
        "a1d" => Some((1, true)),
        "a2d" => Some((2, true)),
        _ => None,
    })
}
