//! Mutations of PTX that mostly keep it valid: of tokens, of lines, and insertions of whole
//! statements.

/// Pseudo-random numbers (Steele, Lea, Flood: SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "3",
    "31",
    "32",
    "33",
    "64",
    "255",
    "4096",
    "0x7fffffff",
    "0xffffffff",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "0f7FC00000",
];

const TYPES: [&str; 16] = [
    "b8", "u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "s64",
    "f64", "pred",
];

const MODIFIERS: [&str; 52] = [
    "global", "shared", "local", "const", "param", "volatile", "relaxed", "acquire", "release",
    "acq_rel", "cta", "gpu", "sys", "v2", "v4", "nc", "rn", "rz", "rm", "rp", "rni", "rzi", "ftz",
    "sat", "approx", "full", "lo", "hi", "wide", "cc", "wrap", "clamp", "sync", "aligned", "up",
    "down", "bfly", "idx", "all", "any", "uni", "ballot", "add", "min", "max", "cas", "exch",
    "inc", "dec", "popc", "lt", "ltu",
];

const STATEMENTS: [&str; 98] = [
    "add.s32 %r1, %r2, %r3;",
    "mad.lo.s32 %r1, %r2, %r3, %r4;",
    "mad.wide.u32 %rd1, %r2, %r3, %rd4;",
    "mul.hi.u64 %rd1, %rd2, %rd3;",
    "div.s32 %r1, %r2, %r3;",
    "rem.u64 %rd1, %rd2, %rd3;",
    "add.cc.u32 %r1, %r2, %r3;",
    "addc.u32 %r1, %r2, %r3;",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
    "bfe.s64 %rd1, %rd2, %r3, %r4;",
    "bfi.b32 %r1, %r2, %r3, %r4, %r5;",
    "prmt.b32 %r1, %r2, %r3, 0x4321;",
    "lop3.b32 %r1, %r2, %r3, %r4, 0xE8;",
    "dp4a.s32.u32 %r1, %r2, %r3, %r4;",
    "clz.b64 %r1, %rd2;",
    "brev.b32 %r1, %r2;",
    "fma.rn.f32 %f1, %f2, %f3, %f4;",
    "div.rn.f64 %fd1, %fd2, %fd3;",
    "sqrt.rn.f32 %f1, %f2;",
    "ex2.approx.ftz.f32 %f1, %f2;",
    "cvt.rzi.s32.f32 %r1, %f1;",
    "cvt.rn.f16.f32 %rs1, %f1;",
    "cvt.sat.u8.s32 %r1, %r2;",
    "cvt.rn.f32.u64 %f1, %rd1;",
    "setp.lt.s32 %p1, %r1, %r2;",
    "setp.ltu.f32 %p1, %f1, %f2;",
    "setp.eq.and.u32 %p1|%p2, %r1, %r2, %p3;",
    "selp.b32 %r1, %r2, %r3, %p1;",
    "slct.s32.f32 %r1, %r2, %r3, %f1;",
    "ld.global.u32 %r1, [%rd1];",
    "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];",
    "ld.global.nc.u8 %rs1, [%rd1];",
    "st.global.u32 [%rd1], %r1;",
    "st.global.v2.u64 [%rd1], {%rd2, %rd3};",
    "ld.shared.u32 %r1, [%r2];",
    "st.shared.u8 [%r2+3], %rs1;",
    "ld.volatile.u32 %r1, [%rd1];",
    "st.local.u64 [%rd1], %rd2;",
    "atom.global.add.u32 %r1, [%rd1], %r2;",
    "atom.shared.cas.b32 %r1, [%r2], %r3, %r4;",
    "atom.acquire.gpu.global.exch.b64 %rd1, [%rd2], %rd3;",
    "red.global.max.s32 [%rd1], %r1;",
    "fence.acq_rel.gpu;",
    "membar.cta;",
    "bar.sync 0;",
    "bar.sync 1, 64;",
    "bar.arrive 1, 64;",
    "barrier.sync %r1;",
    "bar.red.popc.u32 %r1, 0, %p1;",
    "bar.warp.sync -1;",
    "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;",
    "vote.sync.ballot.b32 %r1, %p1, -1;",
    "match.any.sync.b32 %r1, %r2, -1;",
    "activemask.b32 %r1;",
    "mov.u32 %r1, %tid.x;",
    "mov.u64 %rd1, %rd2;",
    "mov.b64 {%r1, %r2}, %rd1;",
    "cvta.to.global.u64 %rd1, %rd2;",
    "cvta.shared.u64 %rd1, %rd2;",
    "@%p1 bra $again;",
    "$again:",
    "@!%p1 ret;",
    "exit;",
    "trap;",
    "add.rm.ftz.sat.f32 %f1, %f2, %f3;",
    "fma.rz.f64 %fd1, %fd2, %fd3, %fd4;",
    "sqrt.rp.f64 %fd1, %fd2;",
    "div.full.ftz.f32 %f1, %f2, %f3;",
    "tanh.approx.f32 %f1, %f2;",
    "rcp.approx.ftz.f64 %fd1, %fd2;",
    "min.NaN.xorsign.abs.f32 %f1, %f2, %f3;",
    "fma.rn.relu.f16x2 %r1, %r2, %r3, %r4;",
    "ex2.approx.ftz.bf16x2 %r1, %r2;",
    "set.gtu.ftz.f16x2.f16x2 %r1, %r2, %r3;",
    "cvt.rn.relu.satfinite.bf16x2.f32 %r1, %f1, %f2;",
    "cvt.rna.tf32.f32 %r1, %f1;",
    "cvt.rpi.sat.u8.f64 %r1, %fd1;",
    "madc.hi.cc.u64 %rd1, %rd2, %rd3, %rd4;",
    "mad.hi.s16 %rs1, %rs2, %rs3, %rs4;",
    "dp2a.hi.u32.s32 %r1, %r2, %r3, %r4;",
    "fns.b32 %r1, %r2, %r3, %r4;",
    "bmsk.clamp.b32 %r1, %r2, %r3;",
    "elect.sync %r1|%p1, -1;",
    "redux.sync.min.s32 %r1, %r2, -1;",
    "match.all.sync.b64 %r1|%p1, %rd1, -1;",
    "atom.global.add.noftz.f16 %rs1, [%rd1+2], %rs2;",
    "red.shared.add.noftz.bf16x2 [%r2], %r1;",
    "atom.acq_rel.cta.cas.b16 %rs1, [%rd1], %rs2, %rs3;",
    "mbarrier.init.shared.b64 [%r2], %r1;",
    "mbarrier.arrive.shared.b64 %rd1, [%r2];",
    "mbarrier.arrive_drop.release.cta.shared::cta.b64 %rd1, [%rd2], 3;",
    "mbarrier.test_wait.shared.b64 %p1, [%r2], %rd1;",
    "mbarrier.try_wait.parity.b64 %p1, [%rd1], 1, 100;",
    "mbarrier.pending_count.b64 %r1, %rd1;",
    "mbarrier.inval.shared.b64 [%r2];",
    "nanosleep.u32 %r1;",
    "vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vabsdiff2.u32.s32.s32 %r1, %r2, %r3, %r4;",
];

const DECLARATIONS: [&str; 12] = [
    ".reg .b32 %r<40>;",
    ".reg .b64 %rd<40>;",
    ".reg .f32 %f<20>;",
    ".reg .pred %p<9>;",
    ".shared .align 4 .b8 tile[128];",
    ".shared .u32 one;",
    ".local .align 8 .b8 depot[64];",
    ".param .b64 temp;",
    ".pragma \"nounroll\";",
    ".loc 1 7 3",
    "{",
    "}",
];

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$%.".contains(c)
}

/// Words and single other characters, white space included.
fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for c in text.chars() {
        match all.last_mut() {
            Some(last) if is_word(c) && last.ends_with(is_word) => last.push(c),
            _ => all.push(c.to_string()),
        }
    }
    all
}

/// Applies one to four mutations to `text`.
pub fn mutate(text: &str, seed: u64) -> String {
    let mut random = Random(seed);
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(4) {
        text = if random.below(2) == 0 {
            lines(&text, &mut random)
        } else {
            words(&text, &mut random)
        };
    }
    text
}

fn lines(text: &str, random: &mut Random) -> String {
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    let (a, b) = (random.below(all.len()), random.below(all.len()));
    match random.below(7) {
        0 if !all.is_empty() => drop(all.remove(a)),
        1 if !all.is_empty() => {
            let line = all[a].clone();
            all.insert(b, line);
        }
        2 if !all.is_empty() => all.swap(a, b),
        3 if all.len() > 2 => drop(all.drain(a.min(b)..a.max(b))),
        4 => all.insert(a, random.one(&DECLARATIONS).to_owned()),
        _ => {
            let statement = random.one(&STATEMENTS);
            let guard = ["", "", "", "@%p1 ", "@!%p2 "][random.below(5)];
            let guard = if statement.starts_with(['@', '$']) { "" } else { guard };
            all.insert(a, format!("{guard}{statement}"));
        }
    }
    all.join("\n")
}

fn words(text: &str, random: &mut Random) -> String {
    let mut all = tokens(text);
    let words: Vec<usize> = (0..all.len()).filter(|i| all[*i].starts_with(is_word)).collect();
    if words.is_empty() {
        return format!("{text}{}", random.one(&STATEMENTS));
    }
    let at = words[random.below(words.len())];
    match random.below(8) {
        0 => all[at].clear(),
        1 => {
            let other = words[random.below(words.len())];
            all.swap(at, other);
        }
        2 => {
            // replaces a register by another, or an opcode by another
            let from = all[at].clone();
            let like = |i: &usize| {
                all[*i].get(..2) == from.get(..2) && all[*i].contains('.') == from.contains('.')
            };
            let like: Vec<usize> = words.iter().copied().filter(like).collect();
            let to = like[random.below(like.len())];
            all[to] = from;
        }
        3 => {
            let numbers =
                words.iter().filter(|i| all[**i].starts_with(|c: char| c.is_ascii_digit()));
            let numbers: Vec<usize> = numbers.copied().collect();
            if !numbers.is_empty() {
                let to = numbers[random.below(numbers.len())];
                all[to] = random.one(&NUMBERS).to_owned();
            }
        }
        4 => {
            // changes the number of the register
            let registers = words.iter().filter(|i| all[**i].starts_with('%'));
            let registers: Vec<usize> = registers.copied().collect();
            if !registers.is_empty() {
                let to = registers[random.below(registers.len())];
                let stem = all[to].trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
                all[to] = format!("{stem}{}", random.below(12));
            }
        }
        _ => {
            // an opcode's or a directive's modifier: changed, left out, added
            let dotted: Vec<usize> =
                words.iter().copied().filter(|i| all[*i].contains('.')).collect();
            if dotted.is_empty() {
                return all.concat();
            }
            let to = dotted[random.below(dotted.len())];
            let mut parts: Vec<String> = all[to].split('.').map(str::to_owned).collect();
            let part = random.below(parts.len());
            match random.below(4) {
                0 => drop(parts.remove(part)),
                1 => parts.insert(part.max(1), random.one(&MODIFIERS).to_owned()),
                2 => parts[part] = random.one(&MODIFIERS).to_owned(),
                _ => {
                    let types = |p: &String| TYPES.contains(&p.as_str());
                    let at = parts.iter().rposition(types).unwrap_or(part);
                    parts[at] = random.one(&TYPES).to_owned();
                }
            }
            all[to] = parts.join(".");
        }
    }
    all.concat()
}
