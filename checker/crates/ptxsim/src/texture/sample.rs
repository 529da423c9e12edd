//! From coordinates to a value: addressing, filtering, conversion (CUDA C++ Programming Guide, "Texture Fetching").
//!
//! Between texels the hardware keeps 8 bits of the fraction ("9-bit fixed point format with 8 bits of fractional
//! value"): coordinates are rounded to multiples of 1/256 of a texel, to nearest.

use super::{AddressMode, ChannelKind, Filter, ReadMode, Texture};
use crate::arith::half;

/// A texel's channels as they lie in memory, zero-extended.
pub(crate) type Raw = [u32; 4];

/// Which texel a tap takes, or the border.
type Tap = Option<[u32; 3]>;

/// 1/256 of a texel.
const STEPS: f64 = 256.0;

impl Texture {
    /// `tex1D`, `tex2D`, `tex3D` at floating-point coordinates; `texel` reads one.
    pub fn sample(&self, at: [f32; 3], texel: &mut impl FnMut([u32; 3]) -> Raw) -> [u32; 4] {
        let n = self.image.dimensions as usize;
        let mut steps = [0_i64; 3];
        for d in 0..n {
            steps[d] = self.steps(at[d], d);
        }
        if self.desc.filter == Filter::Point {
            let index = steps.map(|s| s.div_euclid(256));
            return self.bits(self.tap(index), texel);
        }
        // texels' middles are at one half
        let low = steps.map(|s| (s - 128).div_euclid(256));
        let part = steps.map(|s| (s - 128).rem_euclid(256) as f64 / STEPS);
        let mut sum = [0.0_f64; 4];
        for corner in 0..1_usize << n {
            let (mut index, mut weight) = ([0_i64; 3], 1.0);
            for d in 0..n {
                let upper = corner >> d & 1 == 1;
                index[d] = low[d] + i64::from(upper);
                weight *= if upper { part[d] } else { 1.0 - part[d] };
            }
            if weight != 0.0 {
                let value = self.bits(self.tap(index), texel).map(f32::from_bits);
                for (s, v) in sum.iter_mut().zip(value) {
                    *s += weight * f64::from(v);
                }
            }
        }
        sum.map(|s| (s as f32).to_bits())
    }

    /// `tex1Dfetch` and the like at integer coordinates: no filter, not normalised.
    pub fn fetch(&self, at: [i32; 3], texel: &mut impl FnMut([u32; 3]) -> Raw) -> [u32; 4] {
        let mut index = at.map(i64::from);
        for i in index.iter_mut().skip(self.image.dimensions as usize) {
            *i = 0;
        }
        // linear memory has no address mode: outside is zero
        let linear = matches!(self.desc.resource, super::Resource::Linear { .. });
        if linear && !(0..i64::from(self.image.extent[0])).contains(&index[0]) {
            return self.missing([0; 4]);
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
        let [x, y] = [0, 1].map(|d| (self.steps(at[d], d) - 128).div_euclid(256));
        [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)]
            .map(|(x, y)| self.bits(self.tap([x, y, 0]), texel)[channel & 3])
    }

    /// A coordinate in 1/256 of a texel.
    fn steps(&self, at: f32, dimension: usize) -> i64 {
        let scale =
            if self.desc.normalized { f64::from(self.image.extent[dimension]) } else { 1.0 };
        // far away is far away: what is left must not overflow when halves are taken off
        (f64::from(at) * scale * STEPS).round_ties_even().clamp(-1e15, 1e15) as i64
    }

    /// The texel that an index means under the address modes.
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

    /// What the registers get for a tap.
    fn bits(&self, tap: Tap, texel: &mut impl FnMut([u32; 3]) -> Raw) -> [u32; 4] {
        let Some(at) = tap else {
            return if self.floats() {
                self.desc.border.map(f32::to_bits)
            } else {
                self.desc.border.map(|v| v as i32 as u32)
            };
        };
        self.missing(texel(at).map(|raw| self.value(raw)))
    }

    /// Channels that a texel does not have.
    fn missing(&self, mut bits: [u32; 4]) -> [u32; 4] {
        let one = if self.floats() { 1.0_f32.to_bits() } else { 1 };
        for (c, bits) in bits.iter_mut().enumerate().skip(self.image.format.channels as usize) {
            *bits = if c == 3 { one } else { 0 };
        }
        bits
    }

    /// Do fetches return floats?
    fn floats(&self) -> bool {
        self.image.format.kind == ChannelKind::Float || self.desc.read == ReadMode::NormalizedFloat
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
