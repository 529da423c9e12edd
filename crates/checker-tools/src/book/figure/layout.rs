//! The figures of chapter 3: layouts of structs, threads or warps that read rows, and the alignment
//! of wide loads.

use std::collections::BTreeSet;
use std::mem::{align_of, offset_of, size_of};

use super::Panel;
use super::coalesce::{Access, sectors_of};
use super::index::group;
use super::svg::{Svg, WIDTH};
use crate::book::recording::Recording;

/// Floats in a sector.
const SECTOR: usize = 8;

/// The first lanes of a warp that read floats with stride 1, and with stride 2.
pub fn strides() -> Vec<Panel> {
    let panel = |title, stride: usize| Panel {
        title,
        caption: format!(
            "Lane k reads element {}. Together, the 32 lanes touch {} sectors.",
            if stride == 1 { "k".to_owned() } else { format!("{stride}k") },
            sectors_of(Access { stride, first: 0, width: 1 })
        ),
        svg: lanes_apart(stride),
    };
    vec![panel("Stride 1", 1), panel("Stride 2", 2)]
}

fn lanes_apart(stride: usize) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / (SECTOR as f64 + 0.2);
    svg.word([0.0, 12.0], "small", "4 sectors, and the lanes that read from them");
    for at in 0..4 * SECTOR {
        let (class, word) = match at % stride {
            0 => ("picked", (at / stride).to_string()),
            _ => ("fetched", String::new()),
        };
        let (x, y) = ((at % SECTOR) as f64 * w, 20.0 + (at / SECTOR) as f64 * 28.0);
        svg.cell([x, y], [w - 2.0, 23.0], class, &word);
    }
    svg
}

/// The first load of warp 0 in the two kernels of `cars`, as it was recorded: the speed of each
/// car.
pub fn cars(structs: &Recording, arrays: &Recording) -> Vec<Panel> {
    let floats = |recording: &Recording| -> BTreeSet<usize> {
        recording.first_reads().into_iter().map(|byte| byte as usize / 4).collect()
    };
    let panel = |title, words: &str, recording: &Recording, name: &dyn Fn(usize) -> String| {
        let wanted = floats(recording);
        let sectors: BTreeSet<usize> = wanted.iter().map(|float| float / SECTOR).collect();
        Panel {
            title,
            caption: format!(
                "{words} The request of warp 0 moves {} sectors with {} bytes, and the lanes use \
                 {} of these bytes.",
                sectors.len(),
                32 * sectors.len(),
                4 * wanted.len()
            ),
            svg: fields(name, |at| wanted.contains(&at)),
        }
    };
    vec![
        panel(
            "Array of structs",
            "The position (p), speed (s) and length (l) of a car are together in memory, and then the next car begins.",
            structs,
            &|at| format!("{}{}", ["p", "s", "l"][at % 3], at / 3),
        ),
        panel(
            "Struct of arrays",
            "This is the array of the speeds. The positions and the lengths are in arrays of their own.",
            arrays,
            &|at| format!("s{at}"),
        ),
    ]
}

/// Four sectors of memory, with the field in each float, and whether the load uses it.
fn fields(name: impl Fn(usize) -> String, wanted: impl Fn(usize) -> bool) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / (SECTOR as f64 + 0.2);
    svg.word([0.0, 12.0], "small", "the first 4 sectors, with a float in each cell");
    for at in 0..4 * SECTOR {
        let (line, place) = (at / SECTOR, at % SECTOR);
        let class = if wanted(at) { "picked" } else { "fetched" };
        svg.cell([place as f64 * w, 20.0 + line as f64 * 30.0], [w - 2.0, 24.0], class, &name(at));
    }
    let y = 20.0 + 4.0 * 30.0 + 8.0;
    for (class, word, x) in [("picked", "in use", 0.0), ("fetched", "moved, not used", 90.0)] {
        svg.cell([x, y], [16.0, 10.0], class, "");
        svg.word([x + 22.0, y + 9.0], "small", word);
    }
    svg
}

/// The layout of a C or C++ compiler.
#[repr(C)]
struct AsDeclared {
    kind: u8,
    mass: f64,
    charge: f32,
}

/// The same fields in order of size, the largest first.
#[repr(C)]
struct LargestFirst {
    mass: f64,
    charge: f32,
    kind: u8,
}

/// A `char`, a `double` and a `float` in one struct.
pub fn padding() -> Vec<Panel> {
    let (kind, mass, charge) = (("kind", 1), ("mass", 8), ("charge", 4));
    let declared = [
        (kind, offset_of!(AsDeclared, kind)),
        (mass, offset_of!(AsDeclared, mass)),
        (charge, offset_of!(AsDeclared, charge)),
    ];
    let sorted = [
        (mass, offset_of!(LargestFirst, mass)),
        (charge, offset_of!(LargestFirst, charge)),
        (kind, offset_of!(LargestFirst, kind)),
    ];
    let packed = [(kind, 0), (mass, 1), (charge, 9)];
    let (all, less) = (size_of::<AsDeclared>(), size_of::<LargestFirst>());
    vec![
        Panel {
            title: "As declared",
            caption: format!(
                "`struct {{ char kind; double mass; float charge; }}` is {all} bytes long. Each field \
                 begins at a multiple of its own size. The size of the struct is a multiple of {}, so \
                 that the next struct in an array is aligned, too. {} bytes are padding.",
                align_of::<AsDeclared>(),
                all - 13
            ),
            svg: bytes(all, &declared),
        },
        Panel {
            title: "Largest first",
            caption: format!(
                "In another order, the same three fields need {less} bytes, and {} of these bytes \
                 are padding.",
                less - 13
            ),
            svg: bytes(less, &sorted),
        },
        Panel {
            title: "Packed",
            caption: "A file, or a NumPy record array without `align=True`, stores the fields in 13 \
                      bytes. In C++, that's a different struct. If a program reads these bytes as the \
                      first struct of this figure, only `kind` is in the right place."
                .to_owned(),
            svg: bytes(13, &packed),
        },
    ]
}

/// A struct of `size` bytes, with eight bytes in a row.
fn bytes(size: usize, fields: &[((&str, usize), usize)]) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / 8.3;
    svg.word([0.0, 12.0], "small", &format!("{size} bytes, 8 in a row; padding has no name"));
    for at in 0..size {
        let field =
            fields.iter().position(|((_, width), from)| (*from..from + width).contains(&at));
        let (class, word) = match field {
            Some(f) if fields[f].1 == at => (group(f), fields[f].0.0),
            Some(f) => (group(f), ""),
            None => ("spare", ""),
        };
        let (x, y) = ((at % 8) as f64 * w, 20.0 + (at / 8) as f64 * 32.0);
        svg.cell([x, y], [w - 2.0, 26.0], class, "");
        if !word.is_empty() {
            svg.word([x + 3.0, y + 17.0], "small", word);
        }
    }
    svg
}

/// Rows and columns of the matrix in the picture. A warp in the picture has as many lanes as there
/// are rows.
const ROWS: usize = 8;
const COLS: usize = 16;

/// A thread for each row, and a warp for each row, each in its first two iterations.
pub fn rows() -> Vec<Panel> {
    let real = |stride| sectors_of(Access { stride, first: 0, width: 1 });
    let (apart, together) = (real(COLS), real(1));
    let drawn = |sectors: usize| {
        let noun = if sectors == 1 { "sector" } else { "sectors" };
        format!("{sectors} {noun} for {ROWS} ints")
    };
    let panel = |title, place: &dyn Fn(usize) -> [usize; 2], words: String| {
        let touched: BTreeSet<usize> =
            (0..ROWS).map(place).map(|[row, col]| (row * COLS + col) / SECTOR).collect();
        Panel {
            title,
            caption: format!("{} {words}", drawn(touched.len())),
            svg: matrix(place, &touched),
        }
    };
    vec![
        panel(
            "Thread per row, iteration 0",
            &|lane| [lane, 0],
            format!(
                "are necessary in iteration 0, because lane k reads from row k. A whole warp needs {apart} sectors."
            ),
        ),
        panel(
            "Thread per row, iteration 1",
            &|lane| [lane, 1],
            "are necessary in iteration 1. These are the same sectors again, because each lane \
             continues with the next int. A cache may still contain these sectors."
                .to_owned(),
        ),
        panel(
            "Warp per row, iteration 0",
            &|lane| [0, lane],
            format!(
                "is enough in iteration 0, because lane k reads column k of row 0. A whole warp needs \
                 {together} sectors."
            ),
        ),
        panel(
            "Warp per row, iteration 1",
            &|lane| [0, ROWS + lane],
            "is enough in iteration 1, too, because all lanes have moved on by the number of lanes. At \
             the end, each lane has a part of the sum."
                .to_owned(),
        ),
    ]
}

fn matrix(place: &dyn Fn(usize) -> [usize; 2], touched: &BTreeSet<usize>) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / (COLS as f64 + 1.0);
    let title = format!("{ROWS} rows of {COLS} ints, and the numbers of {ROWS} lanes");
    svg.word([0.0, 12.0], "small", &title);
    let lane_at = |row, col| (0..ROWS).find(|&lane| place(lane) == [row, col]);
    for row in 0..ROWS {
        for col in 0..COLS {
            let sector = (row * COLS + col) / SECTOR;
            let (class, word) = match lane_at(row, col) {
                Some(lane) => ("picked", lane.to_string()),
                None if touched.contains(&sector) => ("fetched", String::new()),
                None => ("data", String::new()),
            };
            let x = col as f64 * w + (col / SECTOR) as f64 * w * 0.5;
            svg.cell([x, 20.0 + row as f64 * 24.0], [w - 2.0, 20.0], class, &word);
        }
    }
    svg
}

/// One float for each lane, four floats for each lane, and a `float4` pointer that is not aligned.
pub fn wide() -> Vec<Panel> {
    let sectors = |stride, width| sectors_of(Access { stride, first: 0, width });
    let (one, four) = (sectors(1, 1), sectors(4, 4));
    vec![
        Panel {
            title: "One float each",
            caption: format!(
                "Each lane loads one float. (The figure shows only 8 lanes.) A request of 32 lanes \
                 loads {} bytes in {one} sectors, so 128 floats need four requests.",
                32 * one
            ),
            svg: lanes(1, 0),
        },
        Panel {
            title: "Four floats each",
            caption: format!(
                "Each lane loads a `float4`, which is four neighbouring floats or 16 bytes. A \
                 request loads {} bytes in {four} sectors. Each request moves more sectors, but the \
                 number of sectors for each byte is the same.",
                32 * four
            ),
            svg: lanes(4, 0),
        },
        Panel {
            title: "A view from float 1",
            caption: "The view begins one float after the start of the array, so its `float4`s would \
                      begin at bytes 4, 20, 36 and so on. A load of 16 bytes needs an address that's a \
                      multiple of 16."
                .to_owned(),
            svg: lanes(4, 1),
        },
    ]
}

fn lanes(width: usize, first: usize) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / (SECTOR as f64 + 0.2);
    svg.word([0.0, 12.0], "small", "each row is a sector; each cell shows its lane");
    for at in 0..4 * SECTOR {
        let lane = at.checked_sub(first).map(|i| i / width).filter(|&lane| lane < 8);
        let class = match lane {
            Some(_) if first > 0 => "clash",
            Some(lane) => group(lane),
            None => "data",
        };
        let word = lane.map_or(String::new(), |lane| lane.to_string());
        let (x, y) = ((at % SECTOR) as f64 * w, 20.0 + (at / SECTOR) as f64 * 28.0);
        svg.cell([x, y], [w - 2.0, 23.0], class, &word);
    }
    svg.word([0.0, 146.0], "small", "a float4 may begin at cell 0 or 4 of a row");
    svg
}

#[cfg(test)]
mod tests {
    use super::super::tests::root;
    use super::*;

    fn captions(panels: Vec<Panel>) -> Vec<String> {
        panels.into_iter().map(|panel| panel.caption).collect()
    }

    #[test]
    fn a_stride_of_two_touches_twice_as_many_sectors() {
        let words = captions(strides());
        assert!(
            words[0].contains("touch 4 sectors") && words[1].contains("touch 8 sectors"),
            "{words:?}"
        );
    }

    #[test]
    fn a_load_of_x_costs_what_the_chapter_says() {
        let recorded = |name| Recording::read(&root(), name).expect("a recording");
        let words = captions(cars(&recorded("cars"), &recorded("cars_in_arrays")));
        for (words, sectors) in words.iter().zip(["12 sectors with 384", "4 sectors with 128"]) {
            assert!(words.contains(sectors), "{words}");
        }
    }

    /// The sizes are those of nvcc and of the host's compiler, because `repr(C)` has their layout.
    #[test]
    fn padding_is_what_the_compiler_puts_there() {
        let words = captions(padding());
        assert!(
            words[0].contains("is 24 bytes") && words[0].contains("11 bytes are padding"),
            "{words:?}"
        );
        assert!(words[1].contains("16 bytes, and 3 of these bytes are padding"), "{words:?}");
    }

    #[test]
    fn a_warp_for_each_row_needs_an_eighth() {
        let words = captions(rows());
        assert!(
            words[0].starts_with("8 sectors for 8 ints") && words[0].contains("32 sectors"),
            "{words:?}"
        );
        assert!(
            words[2].starts_with("1 sector for 8 ints") && words[2].contains("4 sectors"),
            "{words:?}"
        );
    }

    #[test]
    fn a_wide_request_moves_four_times_the_bytes() {
        let words = captions(wide());
        assert!(words[0].contains("128 bytes in 4 sectors"), "{words:?}");
        assert!(words[1].contains("512 bytes in 16 sectors"), "{words:?}");
    }
}
