//! Textures and surfaces: fetches against the formulas of the CUDA C++ Programming Guide ("Texture
//! Fetching") and against recorded results of GPUs, surfaces at their edges, and invalid handles.

use crate::common::{Kernel, Random, bytes_of, line, module, ptx, values_of};
use ptxsim::{
    Action, AddressMode as Mode, ArrayDesc, ChannelKind, Error, Filter, FindingKind, Launch,
    Memory, Module, ObjectProblem, Observations, Options, ReadMode, Resource, TexelFormat,
    TextureDesc, run,
};

const F32: TexelFormat = TexelFormat { kind: ChannelKind::Float, bits: 32, channels: 1 };
const U8X4: TexelFormat = TexelFormat { kind: ChannelKind::Unsigned, bits: 8, channels: 4 };

fn array(format: TexelFormat, extent: [u32; 3], layers: Option<u32>) -> ArrayDesc {
    ArrayDesc { name: "image".to_owned(), format, extent, layers }
}

fn kernels() -> std::sync::Arc<Module> {
    module(&ptx("objects/textures"))
}

fn launch(
    m: &Module,
    memory: &mut Memory,
    entry: &str,
    threads: u32,
    args: &[Vec<u8>],
) -> Observations {
    let block = [threads.min(128), 1, 1];
    let grid = [threads.div_ceil(128), 1, 1];
    let launch =
        Launch { entry: entry.to_owned(), grid, block, args: args.to_vec(), ..Launch::default() };
    run(m, memory, &launch, &Options::default()).unwrap_or_else(|e| panic!("{entry}: {e}"))
}

/// Fetches at each coordinate (x, y, z, layer), with the kernel of `textures.cu`.
fn fetch(
    m: &Module,
    memory: &mut Memory,
    entry: &str,
    texture: u64,
    at: &[[f32; 4]],
) -> Vec<[u32; 4]> {
    let flat: Vec<f32> = at.iter().flatten().copied().collect();
    let input =
        memory.alloc("at", flat.len() as u64 * 4, 4, Some(&bytes_of(&flat))).expect("input");
    let output = memory.alloc("out", flat.len() as u64 * 4, 4, None).expect("output");
    let args = [
        bytes_of(&[texture]),
        bytes_of(&[input]),
        bytes_of(&[output]),
        bytes_of(&[at.len() as i32]),
    ];
    let seen = launch(m, memory, entry, at.len() as u32, &args);
    assert_eq!(seen.findings, [], "{entry}");
    let words = memory.read(output, flat.len() as u64 * 4).expect("results");
    values_of::<u32>(&words).chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect()
}

/// The guide's formulas for one dimension of floats, in plain Rust: the weight has 8 bits of
/// fraction. Normalised coordinates are cut to 18 bits of fraction, and a border is filtered as
/// above the only row of two dimensions, too.
fn guide_1d(t: &[f32], x: f32, mode: Mode, filter: Filter, normalized: bool) -> f32 {
    let n = t.len() as f64;
    let bits = f64::from(1 << 18);
    let x = f64::from(x);
    let x = if normalized { (x * bits).floor() / bits * n } else { x };
    let take = |i: f64| -> f64 {
        let last = n - 1.0;
        let at = match mode {
            Mode::Clamp => i.max(0.0).min(last),
            Mode::Wrap => i - (i / n).floor() * n,
            Mode::Mirror => {
                let (turn, part) = ((i / n).floor(), i - (i / n).floor() * n);
                if turn % 2.0 == 0.0 { part } else { last - part }
            }
            Mode::Border if i < 0.0 || i > last => return 0.25,
            Mode::Border => i,
        };
        f64::from(t[at as usize])
    };
    if filter == Filter::Point {
        return take(x.floor()) as f32;
    }
    let x = (x * 256.0 + 0.5).floor() / 256.0 - 0.5;
    let (i, a) = (x.floor(), x - x.floor());
    if mode == Mode::Border {
        let upper = (a * 128.0 + 0.5).floor() / 256.0;
        return ((0.5 - upper) * take(i) + upper * take(i + 1.0) + 0.5 * 0.25) as f32;
    }
    ((1.0 - a) * take(i) + a * take(i + 1.0)) as f32
}

#[test]
fn one_dimension_in_every_mode() {
    let m = kernels();
    let mut r = Random(4);
    let t = r.floats(6, -100.0, 100.0);
    let at: Vec<[f32; 4]> = (0..400)
        .map(|i| {
            [
                if i < 200 { i as f32 / 16.0 - 4.0 } else { r.floats(1, -9.0, 15.0)[0] },
                0.0,
                0.0,
                0.0,
            ]
        })
        .collect();
    for mode in [Mode::Clamp, Mode::Wrap, Mode::Mirror, Mode::Border] {
        for filter in [Filter::Point, Filter::Linear] {
            for normalized in [false, true] {
                let mut memory = Memory::new();
                let a = memory.create_array(&array(F32, [6, 0, 0], None), Some(&bytes_of(&t)));
                let mut desc = TextureDesc::new(Resource::Array(a.expect("an array")));
                (desc.address, desc.filter, desc.normalized) = ([mode; 3], filter, normalized);
                desc.border = [0.25, 0.5, 0.75, 1.0];
                let texture = memory.create_texture(&desc).expect("a texture");
                let at: Vec<[f32; 4]> =
                    at.iter().map(|c| if normalized { c.map(|v| v / 6.0) } else { *c }).collect();
                let got = fetch(&m, &mut memory, "f1d", texture, &at);
                // wrap and mirror need normalised coordinates
                let mode = if !normalized && mode != Mode::Border { Mode::Clamp } else { mode };
                for (at, got) in at.iter().zip(got) {
                    let wanted = guide_1d(&t, at[0], mode, filter, normalized);
                    assert_eq!(
                        f32::from_bits(got[0]),
                        wanted,
                        "{mode:?} {filter:?} {normalized} {at:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn two_dimensions_are_weighted_by_both_fractions() {
    let (m, mut memory) = (kernels(), Memory::new());
    let t: Vec<f32> = (0..20).map(|i| (i * i) as f32).collect();
    let a = memory.create_array(&array(F32, [5, 4, 0], None), Some(&bytes_of(&t))).expect("array");
    let mut desc = TextureDesc::new(Resource::Array(a));
    desc.filter = Filter::Linear;
    let texture = memory.create_texture(&desc).expect("texture");
    let texel = |x: usize, y: usize| t[y * 5 + x];
    // middle of a texel; middle of an edge; middle of four; a quarter; outside
    let at = [[2.5, 1.5], [2.0, 1.5], [2.0, 2.0], [2.25, 2.0], [-3.0, 9.0]]
        .map(|[x, y]| [x, y, 0.0, 0.0]);
    let wanted = [
        texel(2, 1),
        (texel(1, 1) + texel(2, 1)) / 2.0,
        (texel(1, 1) + texel(2, 1) + texel(1, 2) + texel(2, 2)) / 4.0,
        (0.25 * (texel(1, 1) + texel(1, 2)) + 0.75 * (texel(2, 1) + texel(2, 2))) / 2.0,
        texel(0, 3),
    ];
    let got = fetch(&m, &mut memory, "f2d", texture, &at);
    assert_eq!(got.iter().map(|g| f32::from_bits(g[0])).collect::<Vec<_>>(), wanted);
    // one level: the level and the gradients change nothing
    assert_eq!(fetch(&m, &mut memory, "flevel", texture, &at), got);
    assert_eq!(fetch(&m, &mut memory, "fgrad", texture, &at), got);
    // the four texels around, from the lower left, counter-clockwise
    let four = fetch(&m, &mut memory, "fgather0", texture, &at[2..3])[0].map(f32::from_bits);
    assert_eq!(four, [texel(1, 2), texel(2, 2), texel(2, 1), texel(1, 1)]);
}

#[test]
fn normalised_integer_reads() {
    let (m, mut memory) = (kernels(), Memory::new());
    let bytes: Vec<u8> = vec![0, 51, 255, 1, 128, 127, 102, 204];
    let a = memory.create_array(&array(U8X4, [2, 0, 0], None), Some(&bytes)).expect("array");
    let mut desc = TextureDesc::new(Resource::Array(a));
    let element = memory.create_texture(&desc).expect("texture");
    desc.read = ReadMode::NormalizedFloat;
    let fraction = memory.create_texture(&desc).expect("texture");
    let at = [[0.5, 0.0, 0.0, 0.0], [1.5, 0.0, 0.0, 0.0]];
    assert_eq!(
        fetch(&m, &mut memory, "i1d", element, &at),
        [[0, 51, 255, 1], [128, 127, 102, 204]]
    );
    let got = fetch(&m, &mut memory, "f1d", fraction, &at)[0].map(f32::from_bits);
    assert_eq!(got, [0.0, 0.2, 1.0, 1.0 / 255.0]);
    let signed = TexelFormat { kind: ChannelKind::Signed, bits: 8, channels: 2 };
    let a =
        memory.create_array(&array(signed, [1, 0, 0], None), Some(&[0x80, 0x7f])).expect("array");
    desc.resource = Resource::Array(a);
    let t = memory.create_texture(&desc).expect("texture");
    // both lowest values are -1; channels that the texel lacks are 0
    assert_eq!(
        fetch(&m, &mut memory, "f1d", t, &at[..1])[0].map(f32::from_bits),
        [-1.0, 1.0, 0.0, 0.0]
    );
    desc.read = ReadMode::Element;
    let t = memory.create_texture(&desc).expect("texture");
    assert_eq!(fetch(&m, &mut memory, "i1d", t, &at[..1])[0].map(|v| v as i32), [-128, 127, 0, 0]);
}

#[test]
fn linear_memory_and_pitched_memory() {
    let (m, mut memory) = (kernels(), Memory::new());
    let values: Vec<f32> = (0..32).map(|v| v as f32 + 0.5).collect();
    let address = memory.alloc("values", 128, 4, Some(&bytes_of(&values))).expect("memory");
    let linear = Resource::Linear { address: address + 16, bytes: 40, format: F32 };
    let t = memory.create_texture(&TextureDesc::new(linear)).expect("texture");
    let at = [0.0, 9.0, 10.0, -1.0, 2e9].map(|x| [x, 0.0, 0.0, 0.0]);
    let got: Vec<f32> =
        fetch(&m, &mut memory, "flinear", t, &at).iter().map(|g| f32::from_bits(g[0])).collect();
    // outside is zero, even where the allocation continues
    assert_eq!(got, [4.5, 13.5, 0.0, 0.0, 0.0]);
    let rows = Resource::Pitch2D { address, extent: [3, 4], pitch: 32, format: F32 };
    let t = memory.create_texture(&TextureDesc::new(rows)).expect("texture");
    let at = [[0.0, 0.0], [2.9, 1.0], [7.0, 3.0]].map(|[x, y]| [x, y, 0.0, 0.0]);
    let got: Vec<f32> =
        fetch(&m, &mut memory, "f2d", t, &at).iter().map(|g| f32::from_bits(g[0])).collect();
    assert_eq!(got, [0.5, 10.5, 26.5]);
}

#[test]
fn layers_and_planes() {
    let (m, mut memory) = (kernels(), Memory::new());
    let values: Vec<f32> = (0..24).map(|v| v as f32).collect();
    let planes = memory.create_array(&array(F32, [4, 3, 2], None), Some(&bytes_of(&values)));
    let layers = memory.create_array(&array(F32, [4, 3, 0], Some(2)), Some(&bytes_of(&values)));
    let rows = memory.create_array(&array(F32, [4, 0, 0], Some(6)), Some(&bytes_of(&values)));
    let [planes, layers, rows] = [planes, layers, rows].map(|a| {
        memory
            .create_texture(&TextureDesc::new(Resource::Array(a.expect("array"))))
            .expect("texture")
    });
    let at = [[1.0, 2.0, 1.0, 1.0], [3.9, 0.1, 0.9, -5.0], [0.0, 0.0, 9.0, 9.0]];
    let first = |all: Vec<[u32; 4]>| all.iter().map(|g| f32::from_bits(g[0])).collect::<Vec<_>>();
    assert_eq!(first(fetch(&m, &mut memory, "f3d", planes, &at)), [21.0, 3.0, 12.0]);
    assert_eq!(first(fetch(&m, &mut memory, "fa2d", layers, &at)), [21.0, 3.0, 12.0]);
    assert_eq!(first(fetch(&m, &mut memory, "fa1d", rows, &at)), [5.0, 3.0, 20.0]);
}

/// The kernels of the corpus: a filter over an image, four floats at once, a surface read and
/// written.
#[test]
fn texture_and_surface_kernels_of_the_corpus() {
    let (m, mut memory) = (module(&ptx("09_texture")), Memory::new());
    let image = Random(8).floats(12 * 7, 0.0, 1.0);
    let a =
        memory.create_array(&array(F32, [12, 7, 0], None), Some(&bytes_of(&image))).expect("array");
    let t = memory.create_texture(&TextureDesc::new(Resource::Array(a))).expect("texture");
    let out = memory.alloc("out", 12 * 7 * 4, 4, None).expect("memory");
    let args = [bytes_of(&[t]), bytes_of(&[out]), bytes_of(&[12_i32]), bytes_of(&[7_i32])];
    let shape = Launch {
        entry: "tex2d".to_owned(),
        grid: [2, 2, 1],
        block: [8, 4, 1],
        args: args.to_vec(),
        ..Launch::default()
    };
    let seen = run(&m, &mut memory, &shape, &Options::default()).expect("tex2d");
    assert_eq!(seen.findings, []);
    assert_eq!(values_of::<f32>(&memory.read(out, 12 * 7 * 4).expect("out")), image);
    assert_eq!(seen.totals.texture_requests, 4);

    let address = memory.alloc("four", 64, 4, Some(&bytes_of(&image[..16]))).expect("memory");
    let format = TexelFormat { channels: 4, ..F32 };
    let linear = Resource::Linear { address, bytes: 64, format };
    let t = memory.create_texture(&TextureDesc::new(linear)).expect("texture");
    let args = [bytes_of(&[t]), bytes_of(&[out]), bytes_of(&[4_i32])];
    assert_eq!(launch(&m, &mut memory, "tex1df", 32, &args).findings, []);
    assert_eq!(values_of::<f32>(&memory.read(out, 64).expect("out")), image[..16]);

    let s = memory.create_surface(a).expect("surface");
    let shape = Launch {
        entry: "surf2d".to_owned(),
        grid: [1; 3],
        block: [12, 7, 1],
        args: vec![bytes_of(&[s]), bytes_of(&[12_i32])],
        ..Launch::default()
    };
    let seen = run(&m, &mut memory, &shape, &Options::default()).expect("surf2d");
    assert_eq!(seen.findings, []);
    let doubled: Vec<f32> = image.iter().map(|v| v * 2.0).collect();
    assert_eq!(values_of::<f32>(&memory.read_array(a).expect("array")), doubled);
}

#[test]
fn a_filter_and_a_copy() {
    let (m, mut memory) = (kernels(), Memory::new());
    let image = Random(2).floats(9 * 5, -1.0, 1.0);
    let a =
        memory.create_array(&array(F32, [9, 5, 0], None), Some(&bytes_of(&image))).expect("array");
    let mut desc = TextureDesc::new(Resource::Array(a));
    desc.address = [Mode::Border; 3];
    let t = memory.create_texture(&desc).expect("texture");
    let out = memory.alloc("out", 9 * 5 * 4, 4, None).expect("memory");
    let args = vec![bytes_of(&[t]), bytes_of(&[out]), bytes_of(&[9_i32]), bytes_of(&[5_i32])];
    let mut shape = Launch {
        entry: "blur".to_owned(),
        grid: [2, 1, 1],
        block: [8, 8, 1],
        args,
        ..Launch::default()
    };
    let seen = run(&m, &mut memory, &shape, &Options::default()).expect("blur");
    assert_eq!(seen.findings, []);
    let wanted: Vec<f32> = (0..45_i32)
        .map(|i| {
            let mut sum = 0.0;
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let (x, y) = (i % 9 + dx, i / 9 + dy);
                    let inside = (0..9).contains(&x) && (0..5).contains(&y);
                    sum += if inside { image[(y * 9 + x) as usize] } else { 0.0 };
                }
            }
            sum / 9.0
        })
        .collect();
    assert_eq!(values_of::<f32>(&memory.read(out, 180).expect("out")), wanted);

    let bytes: Vec<u8> = (0..9 * 5 * 4).map(|i| (i * 7) as u8).collect();
    let from = memory.create_array(&array(U8X4, [9, 5, 0], None), Some(&bytes)).expect("array");
    let to = memory.create_array(&array(U8X4, [9, 5, 0], None), None).expect("array");
    let [s, d] = [from, to].map(|a| memory.create_surface(a).expect("surface"));
    shape.entry = "copy_surface".to_owned();
    shape.args = vec![bytes_of(&[s]), bytes_of(&[d]), bytes_of(&[9_i32]), bytes_of(&[5_i32])];
    assert_eq!(run(&m, &mut memory, &shape, &Options::default()).expect("copy").findings, []);
    assert_eq!(memory.read_array(to).expect("array"), bytes);
    // in the other order the texels that are read are uninitialised
    let never = memory.create_array(&array(U8X4, [9, 5, 0], None), None).expect("array");
    shape.args[0] = bytes_of(&[memory.create_surface(never).expect("surface")]);
    let seen = run(&m, &mut memory, &shape, &Options::default()).expect("copy");
    assert_eq!(seen.findings.len(), 1);
    assert_eq!(seen.findings[0].what, FindingKind::UninitialisedRead);
    assert_eq!((seen.findings[0].count, seen.findings[0].at.array.as_deref()), (45, Some("image")));
}

#[test]
fn surfaces_of_every_size() {
    let (m, mut memory) = (kernels(), Memory::new());
    let texel = |kind, bits, channels| TexelFormat { kind, bits, channels };
    let one =
        memory.create_array(&array(texel(ChannelKind::Unsigned, 8, 1), [16, 0, 0], None), None);
    let three =
        memory.create_array(&array(texel(ChannelKind::Signed, 16, 1), [4, 2, 2], None), None);
    let layers =
        memory.create_array(&array(texel(ChannelKind::Signed, 32, 2), [2, 2, 0], Some(4)), None);
    let handles =
        [one, three, layers].map(|a| memory.create_surface(a.expect("array")).expect("surface"));
    let out = memory.alloc("out", 128, 8, None).expect("memory");
    let mut args: Vec<Vec<u8>> = handles.iter().map(|h| bytes_of(&[*h])).collect();
    args.push(bytes_of(&[out]));
    assert_eq!(launch(&m, &mut memory, "sizes", 16, &args).findings, []);
    let wanted: Vec<i64> =
        (0..16_i64).map(|i| 15 - i).map(|j| j + 1 + 3000 * j + j * 1_234_567_891_011).collect();
    assert_eq!(values_of::<i64>(&memory.read(out, 128).expect("out")), wanted);
}

/// Outside the surface, `zero` reads zeros and ignores writes, `clamp` accesses the nearest texel,
/// `trap` is a finding.
#[test]
fn surface_boundary_modes() {
    let m = kernels();
    let format = TexelFormat { kind: ChannelKind::Signed, bits: 32, channels: 4 };
    let data: Vec<i32> = (0..24).collect();
    for (x, y, zero, clamp) in
        [(0, 0, 0, 0), (32, 1, 20, 20), (48, 0, -1, 8), (-16, -1, -1, 0), (16, 2, -1, 16)]
    {
        let mut memory = Memory::new();
        let a = memory
            .create_array(&array(format, [3, 2, 0], None), Some(&bytes_of(&data)))
            .expect("array");
        let s = memory.create_surface(a).expect("surface");
        let out = memory.alloc("out", 32, 4, None).expect("memory");
        let args = [bytes_of(&[s]), bytes_of(&[out]), bytes_of(&[x]), bytes_of(&[y])];
        assert_eq!(launch(&m, &mut memory, "edges", 1, &args).findings, []);
        let four = |first: i32| if first < 0 { vec![0; 4] } else { (first..first + 4).collect() };
        let got = values_of::<i32>(&memory.read(out, 32).expect("out"));
        assert_eq!(got, [four(zero), four(clamp)].concat(), "{x} {y}");
        let mut wanted = data.clone();
        if zero >= 0 {
            wanted[zero as usize..zero as usize + 4].copy_from_slice(&[1, 2, 3, 4]);
        }
        assert_eq!(values_of::<i32>(&memory.read_array(a).expect("array")), wanted);
    }
}

#[test]
fn races_through_surfaces_and_textures() {
    let m = kernels();
    let mut memory = Memory::new();
    let image = Random(4).floats(64, 0.0, 1.0);
    let a =
        memory.create_array(&array(F32, [64, 0, 0], None), Some(&bytes_of(&image))).expect("array");
    let s = memory.create_surface(a).expect("surface");
    assert_eq!(launch(&m, &mut memory, "shift_right", 64, &[bytes_of(&[s])]).findings, []);
    let seen = launch(&m, &mut memory, "shift", 64, &[bytes_of(&[s])]);
    let [f] = seen.findings.as_slice() else { panic!("{:#?}", seen.findings) };
    let with = f.with.as_ref().expect("the reader");
    assert_eq!((&f.what, f.at.array.as_deref()), (&FindingKind::GlobalRace, Some("image")));
    let lines = ["shift", "shift_with"].map(|mark| line("objects/textures", mark));
    // within a warp all lanes read first; with two warps, the second reads what the first has
    // written
    let parties = [(f.at.source.line, f.at.action), (with.source.line, with.action)];
    let one = [(lines[0], Action::Write), (lines[1], Action::Read)];
    assert!(parties == one || parties == [one[1], one[0]], "{parties:?}");
    assert_eq!((f.at.linear.abs_diff(with.linear), f.at.index), (1, with.index));

    let grey = TexelFormat { kind: ChannelKind::Unsigned, bits: 8, channels: 1 };
    let a = memory.create_array(&array(grey, [128, 0, 0], None), None).expect("array");
    let s = bytes_of(&[memory.create_surface(a).expect("surface")]);
    // one block, and two blocks that write the same
    for (threads, same) in [(128, 0_i32), (256, 1)] {
        let args = [s.clone(), bytes_of(&[same])];
        assert_eq!(launch(&m, &mut memory, "paint", threads, &args).findings, []);
    }
    let seen = launch(&m, &mut memory, "paint", 256, &[s, bytes_of(&[0_i32])]);
    let [f] = seen.findings.as_slice() else { panic!("{:#?}", seen.findings) };
    assert_eq!((&f.what, f.count, f.at.index), (&FindingKind::GlobalRace, 128, Some(0)));

    let address = memory.alloc("data", 256, 4, Some(&bytes_of(&image))).expect("memory");
    let linear = Resource::Linear { address, bytes: 256, format: F32 };
    let t = memory.create_texture(&TextureDesc::new(linear)).expect("texture");
    let args = [bytes_of(&[t]), bytes_of(&[address])];
    let seen = launch(&m, &mut memory, "fetch_while", 64, &args);
    let [f] = seen.findings.as_slice() else { panic!("{:#?}", seen.findings) };
    assert_eq!((&f.what, f.at.array.as_deref()), (&FindingKind::GlobalRace, Some("data")));
    assert_eq!(f.at.source.line, line("objects/textures", "fetch_while"));
}

#[test]
fn surface_accesses_out_of_bounds() {
    let m = kernels();
    let mut memory = Memory::new();
    let a = memory.create_array(&array(F32, [8, 2, 0], None), None).expect("array");
    let s = memory.create_surface(a).expect("surface");
    // x counts bytes, not elements
    let seen = launch(&m, &mut memory, "no_bytes", 8, &[bytes_of(&[s])]);
    let [f] = seen.findings.as_slice() else { panic!("{:#?}", seen.findings) };
    let what = FindingKind::BadSurfaceCoordinate { at: [1, 0, 0], extent: [32, 2, 1], texel: 4 };
    assert_eq!((&f.what, f.at.thread, f.count), (&what, [1, 0, 0], 6));
    assert_eq!(f.at.source.line, line("objects/textures", "no_bytes"));
    assert_eq!(f.at.array.as_deref(), Some("image"));
    // the eighth element is past the end
    let seen = launch(&m, &mut memory, "too_far", 9, &[bytes_of(&[s]), bytes_of(&[1_i32])]);
    let [f] = seen.findings.as_slice() else { panic!("{:#?}", seen.findings) };
    let what = FindingKind::BadSurfaceCoordinate { at: [32, 1, 0], extent: [32, 2, 1], texel: 4 };
    assert_eq!((&f.what, f.at.thread, f.count), (&what, [8, 0, 0], 1));
    assert_eq!(f.at.source.line, line("objects/textures", "too_far"));
    let seen = launch(&m, &mut memory, "too_far", 8, &[bytes_of(&[s]), bytes_of(&[2_i32])]);
    assert_eq!(seen.findings[0].count, 8);
}

#[test]
fn invalid_handles() {
    let (m, mut memory) = (kernels(), Memory::new());
    let a = memory.create_array(&array(F32, [8, 0, 0], None), Some(&[0; 32])).expect("array");
    let flat = memory.create_texture(&TextureDesc::new(Resource::Array(a))).expect("texture");
    let surface = memory.create_surface(a).expect("surface");
    let out = memory.alloc("out", 128, 4, None).expect("memory");
    for (handle, problem) in [
        (0, ObjectProblem::Unknown),
        (flat + 1, ObjectProblem::Unknown),
        (flat + 160, ObjectProblem::Unknown),
        (out, ObjectProblem::Pointer),
        (surface, ObjectProblem::OtherKind),
        (flat, ObjectProblem::Dimensions),
    ] {
        let args = [bytes_of(&[handle]), bytes_of(&[out])];
        let seen = launch(&m, &mut memory, "wrong_handle", 32, &args);
        let [f] = seen.findings.as_slice() else { panic!("{:#?}", seen.findings) };
        assert_eq!(f.what, FindingKind::BadObject { surface: false, problem });
        assert_eq!((f.at.address, f.count), (handle, 32));
        assert_eq!(f.at.source.line, line("objects/textures", "wrong_handle"));
    }
}

#[test]
fn invalid_texture_descriptions_are_refused() {
    let mut memory = Memory::new();
    let text = |e: Option<Error>| e.map_or(String::new(), |e| e.to_string());
    let odd = TexelFormat { kind: ChannelKind::Float, bits: 8, channels: 1 };
    assert!(text(memory.create_array(&array(odd, [4, 0, 0], None), None).err()).contains("8 bits"));
    let three = TexelFormat { channels: 3, ..F32 };
    assert!(memory.create_array(&array(three, [4, 0, 0], None), None).is_err());
    assert!(memory.create_array(&array(F32, [4, 0, 2], None), None).is_err());
    assert!(memory.create_array(&array(F32, [1 << 31, 1 << 31, 1 << 31], None), None).is_err());
    let a = memory.create_array(&array(U8X4, [4, 4, 0], None), None).expect("array");
    let mut desc = TextureDesc::new(Resource::Array(a));
    desc.filter = Filter::Linear;
    assert!(text(memory.create_texture(&desc).err()).contains("cudaReadModeNormalizedFloat"));
    let address = memory.alloc("values", 128, 4, None).expect("memory");
    for (address, bytes, format) in [(address, 132, F32), (address + 2, 16, F32), (7, 4, F32)] {
        let linear = Resource::Linear { address, bytes, format };
        assert!(memory.create_texture(&TextureDesc::new(linear)).is_err());
    }
    let rows = Resource::Pitch2D { address, extent: [4, 4], pitch: 12, format: F32 };
    assert!(memory.create_texture(&TextureDesc::new(rows)).is_err());
}

#[test]
fn texture_and_surface_queries() {
    let (m, mut memory) = (kernels(), Memory::new());
    let a = memory.create_array(&array(F32, [8, 3, 0], None), None).expect("array");
    let mut desc = TextureDesc::new(Resource::Array(a));
    desc.normalized = true;
    let t = memory.create_texture(&desc).expect("texture");
    let layers = memory.create_array(&array(F32, [5, 4, 0], Some(6)), None).expect("array");
    let s = memory.create_surface(layers).expect("surface");
    let out = memory.alloc("out", 24, 4, None).expect("memory");
    let args = [bytes_of(&[t]), bytes_of(&[s]), bytes_of(&[out])];
    assert_eq!(launch(&m, &mut memory, "ask", 1, &args).findings, []);
    assert_eq!(values_of::<i32>(&memory.read(out, 24).expect("out")), [8, 3, 1, 5, 4, 6]);
}

/// Compares a table of fetches, as the probe prints it:
/// `case KIND FORMAT READ FILTER ADDRESS COORDINATES W H D LAYERS`, followed by one line for each
/// fetch, with the words of four coordinates and of four results. Returns how many fetches agree,
/// and the first that do not.
fn check_table(text: &str) -> (usize, Vec<String>) {
    let m = kernels();
    let (mut agree, mut wrong) = (0, vec![]);
    for case in text.split("case ").skip(1) {
        let (head, rows) = case.split_once('\n').expect("a line");
        let words: Vec<&str> = head.split(' ').collect();
        let [kind, format, read, filter, address, coordinates, sizes @ ..] = words.as_slice()
        else {
            panic!("{head}")
        };
        let sizes: Vec<u32> = sizes.iter().map(|s| s.parse().expect("a size")).collect();
        let (bits, channels) = format[1..].split_once('x').expect("u8x4");
        let format = TexelFormat {
            kind: match &format[..1] {
                "f" => ChannelKind::Float,
                "u" => ChannelKind::Unsigned,
                _ => ChannelKind::Signed,
            },
            bits: bits.parse().expect("bits"),
            channels: channels.parse().expect("channels"),
        };
        let texels: u32 = sizes.iter().map(|s| (*s).max(1)).product();
        let contents: Vec<u8> =
            (0..texels * format.channels).flat_map(|k| channel(format, k)).collect();
        let mut memory = Memory::new();
        let resource = if *kind == "linear" {
            let bytes = contents.len() as u64;
            let address = memory.alloc("image", bytes, 4, Some(&contents)).expect("memory");
            Resource::Linear { address, bytes, format }
        } else {
            let layers = (sizes[3] > 0).then_some(sizes[3]);
            let desc = array(format, [sizes[0], sizes[1], sizes[2]], layers);
            Resource::Array(memory.create_array(&desc, Some(&contents)).expect("array"))
        };
        let mut desc = TextureDesc::new(resource);
        desc.read = if *read == "element" { ReadMode::Element } else { ReadMode::NormalizedFloat };
        desc.filter = if *filter == "point" { Filter::Point } else { Filter::Linear };
        desc.address = [match *address {
            "wrap" => Mode::Wrap,
            "mirror" => Mode::Mirror,
            "border" => Mode::Border,
            _ => Mode::Clamp,
        }; 3];
        desc.normalized = *coordinates == "normalised";
        desc.border = [0.25, 0.5, 0.75, 1.0];
        let floats = format.kind == ChannelKind::Float || desc.read == ReadMode::NormalizedFloat;
        let t = memory.create_texture(&desc).expect("texture");
        let rows: Vec<[u32; 8]> = rows
            .lines()
            .map(|l| {
                let words = l.split(' ').map(|w| u32::from_str_radix(w, 16).expect("a word"));
                words.collect::<Vec<_>>().try_into().expect("8 words")
            })
            .collect();
        let at: Vec<[f32; 4]> =
            rows.iter().map(|r| [r[0], r[1], r[2], r[3]].map(f32::from_bits)).collect();
        let entry = format!("{}{kind}", if floats { "f" } else { "i" });
        for ((row, at), got) in rows.iter().zip(&at).zip(fetch(&m, &mut memory, &entry, t, &at)) {
            let nan = |w: u32| floats && f32::from_bits(w).is_nan();
            if got.iter().zip(&row[4..]).all(|(g, w)| g == w || nan(*g) && nan(*w)) {
                agree += 1;
            } else if wrong.len() < 20 {
                wrong.push(format!("{head}: at {at:?} {got:08x?}, not {:08x?}", &row[4..]));
            }
        }
    }
    (agree, wrong)
}

/// Channel `k` of the probe's image; channels are numbered through all texels.
fn channel(format: TexelFormat, k: u32) -> Vec<u8> {
    let hash = k.wrapping_mul(2_654_435_761);
    match (format.kind, format.bits) {
        (ChannelKind::Float, 32) => bytes_of(&[(hash >> 8 & 0xffff) as f32 / 256.0 - 100.0]),
        (ChannelKind::Float, _) => {
            let value = ((k * 37 % 64) as i32 - 32) as f32 * 0.125;
            bytes_of(&[ptxsim::arith::half::f32_to_f16(value, ptxsim::arith::float::Round::Near)])
        }
        (_, bits) => bytes_of(&[hash >> 3])[..bits as usize / 8].to_vec(),
    }
}

/// The recorded results of GPUs in `tests/records`, and a few results of the guide's formulas,
/// worked out by hand.
#[test]
fn fetches_match_the_gpu() {
    // texels 0 and 1 of the probe's contents are -100 and -44.52734375: between them their mean
    let by_hand = "case 1d f32x1 element linear clamp texels 2 0 0 0\n\
                   3f800000 00000000 00000000 00000000 c2908700 00000000 00000000 00000000\n\
                   00000000 00000000 00000000 00000000 c2c80000 00000000 00000000 00000000\n";
    let (agree, wrong) = check_table(by_hand);
    assert_eq!((agree, wrong.as_slice()), (2, &[][..]));
    assert_eq!(check_table(&by_hand.replace("c2908700", "c2908701")).1.len(), 1);
    let records = std::fs::read_dir("tests/records").expect("a folder of records");
    for file in records.map(|f| f.expect("a file").path()) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("textures") {
            let (agree, wrong) = check_table(&std::fs::read_to_string(&file).expect("text"));
            // the rule is unknown for signed bytes, and for how weights in three dimensions are
            // kept at a sum of one
            let known = |line: &&String| {
                let mut words = line.split(' ');
                (words.next() == Some("3d") || words.next() == Some("s8x2"))
                    && line.contains("linear")
            };
            let (known, other): (Vec<_>, Vec<_>) = wrong.iter().partition(known);
            assert!(
                other.is_empty() && known.len() * 500 < agree && agree > 1000,
                "{name}: {agree} agree\n{}",
                wrong.join("\n")
            );
        }
    }
}

#[test]
fn textures_beside_other_instructions() {
    // the handle is a scalar like any other, so a wrong one is found at the fetch
    let m = kernels();
    let ran = Kernel::new(&m, "f1d")
        .scalar(0_u64)
        .buffer("at", &[0.0_f32; 4])
        .uninitialised::<f32>("out", 4)
        .scalar(1_i32)
        .full();
    assert!(matches!(
        ran.only_finding().what,
        FindingKind::BadObject { problem: ObjectProblem::Unknown, .. }
    ));
}

/// An array's texels have addresses, for copies. Destroying one object keeps the others valid.
#[test]
fn arrays_have_addresses_and_objects_can_be_destroyed() {
    let (m, mut memory) = (kernels(), Memory::new());
    let a = memory.create_array(&array(F32, [4, 3, 0], None), None).expect("an array");
    let (address, pitch, plane) = memory.array_rows(a).expect("an array");
    assert_eq!((pitch, plane, memory.rest(address)), (16, 48, Some(48)));
    let texels: Vec<f32> = (0..12).map(|i| i as f32).collect();
    memory.write(address, &bytes_of(&texels)).expect("its texels");
    assert_eq!(memory.read_array(a).expect("an array"), bytes_of(&texels));
    let desc = TextureDesc::new(Resource::Array(a));
    let [one, other] = [(); 2].map(|()| memory.create_texture(&desc).expect("a texture"));
    let surface = memory.create_surface(a).expect("a surface");
    memory.destroy_object(one);
    memory.destroy_object(surface);
    memory.destroy_object(1234);
    let at = [[1.5, 2.5, 0.0, 0.0]];
    assert_eq!(fetch(&m, &mut memory, "f2d", other, &at)[0][0], 9_f32.to_bits());
    let out = memory.alloc("out", 128, 4, None).expect("memory");
    for gone in [one, surface] {
        let args = [bytes_of(&[gone]), bytes_of(&[out])];
        let seen = launch(&m, &mut memory, "wrong_handle", 32, &args);
        let problem = ObjectProblem::Unknown;
        let what = FindingKind::BadObject { surface: false, problem };
        assert_eq!(seen.findings.first().map(|f| &f.what), Some(&what));
    }
}
