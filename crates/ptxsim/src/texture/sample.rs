//! Texture fetches: addressing, filtering, conversion (CUDA C++ Programming Guide, "Texture
//! Fetching").
//!
//! Between texels the hardware keeps 8 bits of the fraction ("9-bit fixed point format with 8 bits
//! of fractional value"). Where the guide leaves details open, this follows an H200
//! (`hardware/README.md`, `tests/records/textures-h200.txt`).

use super::{AddressMode, ChannelKind, Filter, ReadMode, Texture};
use crate::arith::half;
use crate::arith::soft::Round;

/// A texel's channels as in memory, zero-extended.
pub(crate) type Raw = [u32; 4];

/// The texel that a tap reads; `None` for the border.
type Tap = Option<[u32; 3]>;

/// Normalised coordinates are truncated to 18 fractional bits.
const NORMALISED: f64 = (1 << 18) as f64;

/// The product of two numbers of 256ths.
const fn times(a: i64, b: i64) -> i64 {
    (a * b + 128) >> 8
}

/// The weights of a square's four corners, in 256ths with a sum of 256. Bit 0 of the index is x,
/// bit 1 is y.
const fn square(x: i64, y: i64) -> [i64; 4] {
    let both = times(x, y);
    [256 - x - y + both, x - both, y - both, both]
}

/// The same for a cube, with bit 2 for z: a square of x and z, each of whose weights is divided by
/// y.
fn cube(x: i64, y: i64, z: i64) -> [i64; 8] {
    let mut all = [0; 8];
    for (corner, weight) in square(x, z).into_iter().enumerate() {
        let low = (corner & 1) | (corner & 2) << 1;
        let upper = times(weight, y);
        (all[low], all[low | 2]) = (weight - upper, upper);
    }
    all
}

impl Texture {
    /// `tex1D`, `tex2D`, `tex3D` at floating-point coordinates; `texel` reads one.
    pub fn sample(&self, at: [f32; 3], texel: &mut impl FnMut([u32; 3]) -> Raw) -> [u32; 4] {
        let mut n = self.image.dimensions as usize;
        let mut places = [0.0; 3];
        for d in 0..n {
            places[d] = self.place(at[d], d);
        }
        if self.desc.filter == Filter::Point {
            let index = places.map(|p| p.floor() as i64);
            return self.bits(self.tap(index), texel);
        }
        // one dimension is filtered like two, at the upper edge of the only row, so half of the
        // weight is border
        if n == 1 && self.desc.address[0] == AddressMode::Border {
            n = 2;
        }
        // the centres of texels are at one half
        let steps = places.map(|p| steps(p) - 128);
        let (low, [x, y, z]) = (steps.map(|s| s.div_euclid(256)), steps.map(|s| s.rem_euclid(256)));
        let mut weights = [0; 8];
        match n {
            1 => weights[..2].copy_from_slice(&[256 - x, x]),
            2 => weights[..4].copy_from_slice(&square(x, y)),
            _ => weights = cube(x, y, z),
        }
        let mut taps = vec![];
        for (corner, weight) in weights.into_iter().enumerate().filter(|(_, weight)| *weight != 0) {
            let index = std::array::from_fn(|d| low[d] + (corner >> d & 1) as i64);
            let outside = n == 2 && self.image.dimensions == 1 && index[1] != 0;
            let tap = if outside { None } else { self.tap(index) };
            taps.push((weight, tap.map_or_else(|| self.border(), &mut *texel)));
        }
        let mut bits = [0; 4];
        for (c, bits) in bits.iter_mut().enumerate().take(self.image.format.channels as usize) {
            *bits = self.blend(taps.iter().map(|(weight, raw)| (*weight, raw[c]))).to_bits();
        }
        bits
    }

    /// The weighted sum of one channel, rounded once: integers to 16 bits, `f16` to itself.
    fn blend(&self, taps: impl Iterator<Item = (i64, u32)>) -> f32 {
        let format = self.image.format;
        if format.kind == ChannelKind::Float {
            let value = |raw: u32| f64::from(f32::from_bits(self.value(raw)));
            let sum = taps.map(|(weight, raw)| weight as f64 * value(raw)).sum::<f64>() / 256.0;
            return if format.bits == 16 { to_half(sum) } else { sum as f32 };
        }
        let sum: i64 = taps.map(|(weight, raw)| weight * self.integer(raw)).sum();
        let (from, to) = match format.kind {
            ChannelKind::Signed => ((1 << (format.bits - 1)) - 1, (1 << 15) - 1),
            _ => ((1_i64 << format.bits) - 1, (1 << 16) - 1),
        };
        (2 * sum * to + 256 * from).div_euclid(512 * from) as f32 / to as f32
    }

    /// `tex1Dfetch` and the like at integer coordinates: no filter, not normalised.
    pub fn fetch(&self, at: [i32; 3], texel: &mut impl FnMut([u32; 3]) -> Raw) -> [u32; 4] {
        let mut index = at.map(i64::from);
        for i in index.iter_mut().skip(self.image.dimensions as usize) {
            *i = 0;
        }
        // linear memory has no address mode, and reads zeros outside
        let linear = matches!(self.desc.resource, super::Resource::Linear { .. });
        if linear && !(0..i64::from(self.image.extent[0])).contains(&index[0]) {
            return [0; 4];
        }
        self.bits(self.tap(index), texel)
    }

    /// `tex2Dgather`: one channel of the four texels around, counter-clockwise from the lower left.
    pub fn gather(
        &self,
        at: [f32; 3],
        channel: usize,
        texel: &mut impl FnMut([u32; 3]) -> Raw,
    ) -> [u32; 4] {
        let [x, y] = [0, 1].map(|d| (steps(self.place(at[d], d)) - 128).div_euclid(256));
        [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)]
            .map(|(x, y)| self.bits(self.tap([x, y, 0]), texel)[channel & 3])
    }

    /// A coordinate in texels.
    fn place(&self, at: f32, dimension: usize) -> f64 {
        let at = f64::from(at);
        let texels = if self.desc.normalized {
            (at * NORMALISED).floor() / NORMALISED * f64::from(self.image.extent[dimension])
        } else {
            at
        };
        // clamped, so that later subtractions do not overflow
        texels.clamp(-1e12, 1e12)
    }

    /// The texel of an index, under the address modes.
    fn tap(&self, index: [i64; 3]) -> Tap {
        let mut at = [0_u32; 3];
        for d in 0..self.image.dimensions as usize {
            let n = i64::from(self.image.extent[d]);
            let i = match self.desc.address[d] {
                AddressMode::Clamp => index[d].clamp(0, n - 1),
                AddressMode::Wrap => index[d].rem_euclid(n),
                AddressMode::Mirror => {
                    let i = index[d].rem_euclid(2 * n);
                    if i < n { i } else { 2 * n - 1 - i }
                }
                AddressMode::Border if (0..n).contains(&index[d]) => index[d],
                AddressMode::Border => return None,
            };
            at[d] = i as u32;
        }
        Some(at)
    }

    /// The register values of a tap; zero for channels that a texel does not have.
    fn bits(&self, tap: Tap, texel: &mut impl FnMut([u32; 3]) -> Raw) -> [u32; 4] {
        let raw = tap.map_or_else(|| self.border(), texel);
        let mut bits = [0; 4];
        for (c, bits) in bits.iter_mut().enumerate().take(self.image.format.channels as usize) {
            *bits = self.value(raw[c]);
        }
        bits
    }

    /// The border's colour in the texel's format. Where integers are fetched, its words are used
    /// unchanged.
    fn border(&self) -> Raw {
        let format = self.image.format;
        let mask = u32::MAX >> (32 - format.bits);
        self.desc.border.map(|color| match format.kind {
            ChannelKind::Float if format.bits == 16 => {
                u32::from(half::f32_to_f16(color, Round::Near))
            }
            kind if kind != ChannelKind::Float && self.desc.read == ReadMode::NormalizedFloat => {
                let signed = kind == ChannelKind::Signed;
                let most = f64::from(mask >> u32::from(signed));
                let least = if signed { -most } else { 0.0 };
                // halves are rounded down
                ((f64::from(color) * most - 0.5).ceil().clamp(least, most) as i32 as u32) & mask
            }
            _ => color.to_bits() & mask,
        })
    }

    /// A channel of an integer format. The least signed number is replaced by the next greater one.
    fn integer(&self, raw: u32) -> i64 {
        let bits = self.image.format.bits;
        if self.image.format.kind == ChannelKind::Signed {
            let signed = (raw << (32 - bits)) as i32 >> (32 - bits);
            i64::from(signed).max(1 - (1 << (bits - 1)))
        } else {
            i64::from(raw)
        }
    }

    /// One channel as a register holds it.
    fn value(&self, raw: u32) -> u32 {
        let bits = self.image.format.bits;
        let signed = (raw << (32 - bits)) as i32 >> (32 - bits);
        let normalised = self.desc.read == ReadMode::NormalizedFloat;
        match self.image.format.kind {
            ChannelKind::Float if bits == 16 => half::f16_to_f32(raw as u16).to_bits(),
            ChannelKind::Float => raw,
            ChannelKind::Unsigned if normalised => {
                (raw as f32 / ((1_u32 << bits) - 1) as f32).to_bits()
            }
            ChannelKind::Signed if normalised => {
                (signed as f32 / ((1_u32 << (bits - 1)) - 1) as f32).max(-1.0).to_bits()
            }
            ChannelKind::Signed => signed as u32,
            ChannelKind::Unsigned => raw,
        }
    }
}

/// A coordinate in 1/256 of a texel; halves are rounded up.
fn steps(place: f64) -> i64 {
    (place * 256.0 + 0.5).floor() as i64
}

/// Rounded to an `f16`, halves away from zero.
fn to_half(value: f64) -> f32 {
    if value == 0.0 || !value.is_finite() {
        return value as f32;
    }
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let ulp = 2.0_f64.powi(exponent - 10);
    ((value.abs() / ulp + 0.5).floor() * ulp).copysign(value) as f32
}
