//! Texture fetches, surface loads and stores, and queries of their objects (PTX ISA, "Texture
//! Instructions", "Surface Instructions").
//!
//! "The memory consistency model does not apply to texture and surface accesses", so they promise
//! less than plain accesses. What would be a race between plain accesses is one here, too
//! (`hazards::image`).

use super::access::Context;
use super::disturb::Disturbance;
use super::hazards::image::Texels;
use super::hazards::pages::SlotShadow;
use super::machine::{Location, Machine};
use super::warp::lanes;
use super::words::{Global, Words};
use super::{COUNT, FULL, hazards};
use crate::count;
use crate::decode::op::{ImageKind, ImageOp, Outside, Property};
use crate::texture::sample::Raw;
use crate::texture::{Image, Texture};
use crate::{AccessMode, FindingKind, ObjectProblem};

/// Executes operation `index` of the program's texture and surface operations.
#[inline(never)]
pub(super) fn execute<const L: u8>(cx: &mut Context<'_, '_, '_>, index: u32, mask: u32) {
    let Some(op) = cx.m.grid.program.images.get(index as usize) else { return };
    if L >= COUNT {
        cx.m.image_sectors.clear();
    }
    for lane in lanes(mask) {
        match op.kind {
            ImageKind::Query(property, surface) => {
                let answer = query(cx, op, property, surface, lane);
                set(cx, op, lane, [answer, 0, 0, 0]);
            }
            ImageKind::Load(outside) | ImageKind::Store(outside) => {
                surface::<L>(cx, op, outside, lane);
            }
            _ => {
                let value = texture::<L>(cx, op, lane);
                let blank = match cx.m.grid.disturbance {
                    Some(Disturbance::Fetches) => true,
                    Some(Disturbance::Gathers) => matches!(op.kind, ImageKind::Gather(_)),
                    _ => false,
                };
                set(cx, op, lane, if blank { [0; 4] } else { value });
            }
        }
    }
    if L >= COUNT {
        count_request(cx.m, index, op, mask);
    }
}

/// Counts an executed operation, with the sectors that its lanes accessed.
fn count_request(m: &mut Machine<'_>, index: u32, op: &ImageOp, mask: u32) {
    m.image_sectors.sort_unstable();
    m.image_sectors.dedup();
    let sectors = m.image_sectors.len() as u32;
    let Some(moves) = m.images.get_mut(index as usize) else { return };
    moves.requests += 1;
    if !matches!(op.kind, ImageKind::Query(..)) {
        let lanes = mask.count_ones();
        moves.lanes += u64::from(lanes);
        moves.words += u64::from(lanes * op.memory.bytes().div_ceil(4));
        moves.sectors += u64::from(sectors);
        let ideal = count::ideal_sectors(lanes, op.memory.bytes(), sectors);
        moves.sectors_ideal += u64::from(ideal);
        moves.idle_words += u64::from(count::idle_words(lanes, op.memory.bytes(), ideal));
    }
}

/// Notes that the operation accesses this byte of an image.
fn note_sector<const L: u8>(m: &mut Machine<'_>, image: &Image, byte: u64) {
    if L >= COUNT {
        m.image_sectors.push((image.slot, byte / count::SECTOR));
    }
}

fn r32(cx: &Context<'_, '_, '_>, row: u32, lane: usize) -> u32 {
    cx.rows.r[row as usize].0[lane]
}

fn set(cx: &mut Context<'_, '_, '_>, op: &ImageOp, lane: usize, values: [u32; 4]) {
    for (row, value) in op.memory.rows.iter().zip(values).take(op.memory.vector as usize) {
        cx.rows.r[*row as usize].0[lane] = value;
    }
}

/// Reports a handle that is no such object.
#[cold]
fn report_bad_object(
    cx: &mut Context<'_, '_, '_>,
    op: &ImageOp,
    lane: usize,
    surface: bool,
    handle: u64,
) {
    let objects = &cx.m.grid.memory.objects;
    let problem = if objects.texture(handle).is_some() || objects.surface(handle).is_some() {
        let same = if surface {
            objects.surface(handle).is_some()
        } else {
            objects.texture(handle).is_some()
        };
        if same { ObjectProblem::Dimensions } else { ObjectProblem::OtherKind }
    } else if cx.m.grid.memory.slot(handle).is_some() {
        ObjectProblem::Pointer
    } else {
        ObjectProblem::Unknown
    };
    let what = FindingKind::BadObject { surface, problem };
    let thread = cx.b.thread(cx.warp.index * 32 + lane as u32);
    let write = matches!(op.kind, ImageKind::Store(_));
    cx.m.fault(what, &op.memory, Location::Unmapped(handle), thread, write);
}

fn texture<const L: u8>(cx: &mut Context<'_, '_, '_>, op: &ImageOp, lane: usize) -> [u32; 4] {
    let handle = cx.rows.x[op.object as usize].0[lane];
    let memory = cx.m.grid.memory;
    let fits = |t: &&Texture| {
        t.image.dimensions == op.dimensions && t.image.layers.is_some() == op.layer.is_some()
    };
    let Some(texture) = memory.objects.texture(handle).filter(fits) else {
        report_bad_object(cx, op, lane, false, handle);
        return [0; 4];
    };
    let image = &texture.image;
    let layer = op.layer.map_or(0, |row| {
        let most = image.layers.unwrap_or(1).saturating_sub(1);
        (r32(cx, row, lane) as i32).clamp(0, most as i32) as u32
    });
    let at = op.at.map(|row| r32(cx, row, lane));
    let mut unwritten = None;
    let words = words_of(cx, image);
    let mut texel = |at: [u32; 3]| -> Raw {
        let byte = image.byte(at, layer);
        note_sector::<L>(cx.m, image, byte);
        if L >= FULL {
            if !cx.m.is_initialised(image.slot, byte, image.format.bytes()) {
                unwritten = Some(byte);
            }
            check_read(cx, op, lane, image.slot, byte, image.format.bytes());
            cx.m.touch(image.slot, byte, image.format.bytes(), AccessMode::Read);
        }
        raw(&words, image, byte)
    };
    let value = match op.kind {
        ImageKind::Fetch => texture.fetch(at.map(|c| c as i32), &mut texel),
        ImageKind::Gather(channel) => texture.gather(at.map(f32::from_bits), channel, &mut texel),
        _ => texture.sample(at.map(f32::from_bits), &mut texel),
    };
    if let Some(byte) = unwritten {
        let location = Location::Global(image.slot as u64, byte as i64);
        let thread = cx.b.thread(cx.warp.index * 32 + lane as u32);
        let what = FindingKind::UninitialisedRead;
        cx.m.fault(what, &op.memory, location, thread, false);
    }
    value
}

/// The words of an image's texels; none when its memory is freed.
fn words_of<'g>(cx: &Context<'_, 'g, '_>, image: &Image) -> Global<'g> {
    let grid = cx.m.grid;
    let words = grid.memory.allocations.get(image.slot).map_or(&[][..], |a| &a.words);
    // launches that store to surfaces run on one host thread
    Global { words, vectors: grid.vectors, parallel: false }
}

/// A texel's channels.
fn raw(words: &Global<'_>, image: &Image, byte: u64) -> Raw {
    let format = image.format;
    let mut raw = [0; 4];
    for (c, raw) in raw.iter_mut().enumerate().take(format.channels as usize) {
        let at = byte as usize + c * (format.bits / 8) as usize;
        let bits = if format.bits < 32 { (1_u32 << format.bits) - 1 } else { u32::MAX };
        *raw = words.get(at / 4) >> (at % 4 * 8) & bits;
    }
    raw
}

/// `suld.b` and `sust.b`: the first coordinate counts bytes.
fn surface<const L: u8>(cx: &mut Context<'_, '_, '_>, op: &ImageOp, outside: Outside, lane: usize) {
    let handle = cx.rows.x[op.object as usize].0[lane];
    let memory = cx.m.grid.memory;
    let store = matches!(op.kind, ImageKind::Store(_));
    let fits =
        |i: &&Image| i.dimensions == op.dimensions && i.layers.is_some() == op.layer.is_some();
    let Some(image) = memory.objects.surface(handle).filter(fits) else {
        report_bad_object(cx, op, lane, true, handle);
        return load(cx, op, lane, None);
    };
    let bytes = op.memory.bytes();
    let mut at = [0_i64; 3];
    for (at, row) in at.iter_mut().zip(op.at).take(op.dimensions as usize) {
        *at = i64::from(r32(cx, row, lane) as i32);
    }
    let row = i64::from(image.extent[0]) * i64::from(image.format.bytes());
    let mut layer = op.layer.map_or(0, |row| i64::from(r32(cx, row, lane) as i32));
    let layers = i64::from(image.layers.unwrap_or(1));
    let [_, height, depth] = image.extent.map(i64::from);
    let inside = at[0] >= 0
        && at[0] + i64::from(bytes) <= row
        && (0..height).contains(&at[1])
        && (0..depth).contains(&at[2])
        && (0..layers).contains(&layer);
    let aligned = at[0].rem_euclid(i64::from(bytes)) == 0;
    if !aligned || !inside && outside == Outside::Trap {
        let what = FindingKind::BadSurfaceCoordinate {
            at: [at[0], at[1], if image.layers.is_some() { layer } else { at[2] }],
            extent: [
                row as u64,
                u64::from(image.extent[1]),
                u64::from(image.layers.unwrap_or(image.extent[2])),
            ],
            texel: image.format.bytes(),
        };
        // the finding names the array, whatever the coordinates
        let location = Location::Global(image.slot as u64, 0);
        let thread = cx.b.thread(cx.warp.index * 32 + lane as u32);
        cx.m.fault(what, &op.memory, location, thread, store);
        return load(cx, op, lane, None);
    }
    if !inside {
        if outside == Outside::Zero || row < i64::from(bytes) {
            return load(cx, op, lane, None);
        }
        at[0] = at[0].clamp(0, row - i64::from(bytes));
        at[1] = at[1].clamp(0, height - 1);
        at[2] = at[2].clamp(0, depth - 1);
        layer = layer.clamp(0, layers - 1);
    }
    let byte = image.byte([0, at[1] as u32, at[2] as u32], layer as u32) + at[0] as u64;
    note_sector::<L>(cx.m, image, byte);
    if store {
        save::<L>(cx, op, lane, image, byte);
    } else {
        if L >= FULL && !cx.m.is_initialised(image.slot, byte, bytes) {
            let location = Location::Global(image.slot as u64, byte as i64);
            let thread = cx.b.thread(cx.warp.index * 32 + lane as u32);
            let what = FindingKind::UninitialisedRead;
            cx.m.fault(what, &op.memory, location, thread, false);
        }
        if L >= FULL {
            check_read(cx, op, lane, image.slot, byte, bytes);
            cx.m.touch(image.slot, byte, bytes, AccessMode::Read);
        }
        let blank = cx.m.grid.disturbance == Some(Disturbance::Fetches);
        load(cx, op, lane, Some((image, byte)).filter(|_| !blank));
    }
}

/// Checks the read of some bytes for races.
fn check_read(
    cx: &mut Context<'_, '_, '_>,
    op: &ImageOp,
    lane: usize,
    slot: usize,
    byte: u64,
    bytes: u32,
) {
    if !cx.m.shadows.get(slot).is_some_and(SlotShadow::is_followed) {
        return;
    }
    for (word, bytes) in words(byte, bytes) {
        let texels = Texels { slot, word, bytes, write: false, same_value: false };
        let warp = cx.warp.sync_epoch();
        hazards::image::check(cx.m, cx.b, warp, lane, op, &texels);
    }
}

/// Fills the registers of a surface load, from an image's byte or with zeros; does nothing for a
/// store.
fn load(cx: &mut Context<'_, '_, '_>, op: &ImageOp, lane: usize, from: Option<(&Image, u64)>) {
    if matches!(op.kind, ImageKind::Store(_)) {
        return;
    }
    let width = op.memory.width as usize;
    for (e, row) in op.memory.rows.iter().take(op.memory.vector as usize).enumerate() {
        let value = from.map_or(0, |(image, byte)| {
            let (words, at) = (words_of(cx, image), byte as usize + e * width);
            let low = u64::from(words.get(at / 4) >> (at % 4 * 8));
            match width {
                8 => low | u64::from(words.get(at / 4 + 1)) << 32,
                4 => low,
                n => low & ((1 << (n * 8)) - 1),
            }
        });
        if op.memory.wide {
            cx.rows.x[*row as usize].0[lane] = value;
        } else {
            cx.rows.r[*row as usize].0[lane] = value as u32;
        }
    }
}

fn save<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    op: &ImageOp,
    lane: usize,
    image: &Image,
    byte: u64,
) {
    cx.m.changes += 1;
    let (memory, slot) = (cx.m.grid.memory, image.slot);
    let before: Vec<_> = if L >= FULL {
        cx.m.open_pages(slot, byte, op.memory.bytes());
        words(byte, op.memory.bytes()).map(|(w, b)| (w, b, memory.word(slot, w))).collect()
    } else {
        vec![]
    };
    let blank = cx.m.grid.disturbance == Some(Disturbance::SurfaceStores);
    let mut words = words_of(cx, image);
    let width = op.memory.width as usize;
    for (e, row) in op.memory.rows.iter().take(op.memory.vector as usize).enumerate() {
        let at = byte as usize + e * width;
        let (word, shift) = (at / 4, at % 4 * 8);
        if op.memory.wide {
            let value = if blank { 0 } else { cx.rows.x[*row as usize].0[lane] };
            words.set(word, value as u32, u32::MAX);
            words.set(word + 1, (value >> 32) as u32, u32::MAX);
        } else {
            let bits = if width == 4 { u32::MAX } else { (1 << (width * 8)) - 1 };
            let value = if blank { 0 } else { cx.rows.r[*row as usize].0[lane] };
            words.set(word, value << shift, bits << shift);
        }
    }
    if L >= FULL {
        for (word, bytes, old) in before {
            let same_value = old == memory.word(slot, word);
            let texels = Texels { slot, word, bytes, write: true, same_value };
            let warp = cx.warp.sync_epoch();
            hazards::image::check(cx.m, cx.b, warp, lane, op, &texels);
        }
        cx.m.mark_written(slot, byte, op.memory.bytes());
        cx.m.touch(slot, byte, op.memory.bytes(), AccessMode::Write);
    }
}

fn query(
    cx: &mut Context<'_, '_, '_>,
    op: &ImageOp,
    property: Property,
    surface: bool,
    lane: usize,
) -> u32 {
    let handle = cx.rows.x[op.object as usize].0[lane];
    let objects = &cx.m.grid.memory.objects;
    let texture = objects.texture(handle);
    let image = if surface { objects.surface(handle) } else { texture.map(|t| &t.image) };
    let Some(image) = image else {
        report_bad_object(cx, op, lane, surface, handle);
        return 0;
    };
    let size = |d: u32| if d < image.dimensions { image.extent[d as usize] } else { 0 };
    match property {
        Property::Width => size(0),
        Property::Height => size(1),
        Property::Depth => size(2),
        Property::Layers => image.layers.unwrap_or(0),
        Property::One => 1,
        Property::Normalized => u32::from(texture.is_some_and(|t| t.desc.normalized)),
    }
}

impl Machine<'_> {
    /// Records that bytes of a slot are touched, if the caller asked for it.
    fn touch(&mut self, slot: usize, byte: u64, bytes: u32, how: AccessMode) {
        if let Some(touched) = self.touched.as_deref_mut() {
            touched.bytes(slot, byte, bytes.into(), how);
        }
    }

    /// Have all these bytes of a slot been written?
    fn is_initialised(&mut self, slot: usize, byte: u64, bytes: u32) -> bool {
        let Some(allocation) = self.grid.memory.allocations.get(slot) else { return true };
        let Some(shadow) = self.shadows.get_mut(slot) else { return true };
        words(byte, bytes).all(|(word, needed)| {
            let initialised = match shadow.pages.cell(word, allocation) {
                Some(cell) => cell.initialised(None),
                None => allocation.initialised.bits(word),
            };
            initialised & needed == needed
        })
    }

    /// Makes the shadow's pages of these bytes, as every access does before it writes.
    fn open_pages(&mut self, slot: usize, byte: u64, bytes: u32) {
        let Some(allocation) = self.grid.memory.allocations.get(slot) else { return };
        let Some(shadow) = self.shadows.get_mut(slot) else { return };
        words(byte, bytes).for_each(|(word, _)| _ = shadow.pages.cell(word, allocation));
    }

    /// Marks bytes of a slot as written.
    fn mark_written(&mut self, slot: usize, byte: u64, bytes: u32) {
        let Some(allocation) = self.grid.memory.allocations.get(slot) else { return };
        let Some(shadow) = self.shadows.get_mut(slot) else { return };
        for (word, written) in words(byte, bytes) {
            let Some(cell) = shadow.pages.cell(word, allocation) else { return };
            cell.initialise(written);
            cell.count_write();
        }
    }
}

/// The words that `bytes` bytes from `byte` touch, with a bit per byte touched.
fn words(byte: u64, bytes: u32) -> impl Iterator<Item = (usize, u8)> {
    let end = byte + u64::from(bytes);
    (byte / 4..end.div_ceil(4)).map(move |word| {
        let inside = (0..4).filter(|b| (byte..end).contains(&(word * 4 + b)));
        (word as usize, inside.fold(0, |all, b| all | 1 << b))
    })
}
