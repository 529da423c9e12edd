//! The figures about banks and padding, and the data of `<bank-grid>`: which bank serves which
//! lane, and in which wavefront.

use std::collections::BTreeSet;

use super::Panel;
use super::svg::{Svg, WIDTH};

/// Lanes of a warp.
const LANES: usize = 32;
/// Banks of shared memory, each 4 bytes wide.
const BANKS: usize = 32;
/// Number of strides that the reader can choose: 0 to one more than a row.
const STRIDES: usize = 34;
/// Number of paddings that the reader can choose: 0 to 3 words after every 32.
const PADDINGS: usize = 4;
/// Number of banks, of lanes, and of words in a row of the small picture of a tile, which shows
/// with 8 what happens with 32.
const SMALL: usize = 8;

/// The word of an element when `padding` unused words follow every 32.
const fn word(element: usize, padding: usize) -> usize {
    element + padding * (element / BANKS)
}

/// The bank and the wavefront in which each lane gets its word. A bank serves one word in a
/// wavefront, to all lanes that need it.
fn served(words: &[usize], banks: usize) -> Vec<(usize, usize)> {
    let mut queues: Vec<Vec<usize>> = vec![vec![]; banks];
    words
        .iter()
        .map(|word| {
            let bank = word % banks;
            let queue = &mut queues[bank];
            let turn = queue.iter().position(|known| known == word).unwrap_or_else(|| {
                queue.push(*word);
                queue.len() - 1
            });
            (bank, turn)
        })
        .collect()
}

/// The number of wavefronts until every lane has its word.
fn turns(words: &[usize], banks: usize) -> usize {
    served(words, banks).iter().map(|(_, turn)| turn + 1).max().unwrap_or(0)
}

/// The words that the lanes read when lane l reads element `stride * l`.
fn words(stride: usize, padding: usize) -> Vec<usize> {
    (0..LANES).map(|lane| word(stride * lane, padding)).collect()
}

/// `<bank-grid>`, a grid with sliders for stride and padding. The element computes nothing, because
/// it has the bank and wavefront of each lane for every position of both sliders. It contains
/// pictures of some positions for readers without JavaScript.
pub fn grid() -> String {
    let digit = |n: usize| char::from_digit(n as u32, 36).unwrap_or('?');
    let mut lanes = String::new();
    for padding in 0..PADDINGS {
        for stride in 0..STRIDES {
            let served = served(&words(stride, padding), BANKS);
            lanes.extend(served.iter().flat_map(|(bank, turn)| [digit(*bank), digit(*turn)]));
        }
    }
    format!(
        "<bank-grid data-strides=\"{STRIDES}\" data-paddings=\"{PADDINGS}\" data-lanes=\"{lanes}\">\n{}</bank-grid>\n",
        super::steps(&pictures())
    )
}

/// Pictures of some positions of the sliders.
pub fn pictures() -> Vec<Panel> {
    let shown = [
        ("Stride 1", 1, 0),
        ("Stride 2", 2, 0),
        ("Stride 32", 32, 0),
        ("Stride 33", 33, 0),
        ("Stride 32, padding 1", 32, 1),
    ];
    let panel = |(title, stride, padding)| Panel {
        title,
        caption: caption(stride, padding),
        svg: columns(stride, padding),
    };
    shown.map(panel).into()
}

fn caption(stride: usize, padding: usize) -> String {
    let words = words(stride, padding);
    let turns = counted(turns(&words, BANKS));
    let banks: BTreeSet<usize> = words.iter().map(|word| word % BANKS).collect();
    let banks = if banks.len() == 1 { "one bank".into() } else { format!("{} banks", banks.len()) };
    let padded = match padding {
        0 => String::new(),
        1 => ", with 1 unused word after every 32 words".to_owned(),
        n => format!(", with {n} unused words after every 32 words"),
    };
    let element = if stride == 1 { "l".to_owned() } else { format!("{stride} * l") };
    format!("Lane l reads element {element}{padded}. The read takes {turns} and uses {banks}.")
}

/// A number of wavefronts in words.
fn counted(wavefronts: usize) -> String {
    match wavefronts {
        1 => "1 wavefront".to_owned(),
        n => format!("{n} wavefronts"),
    }
}

/// Height of a wavefront in the picture, and of the numbers above the banks.
const TURN: f64 = 8.0;
const HEAD: f64 = 14.0;

/// A column for each bank, a row for each wavefront, and a cell where a bank serves a lane.
fn columns(stride: usize, padding: usize) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / BANKS as f64;
    for bank in (0..BANKS).step_by(4) {
        svg.word([bank as f64 * w + w / 2.0, HEAD - 4.0], "small middle", &bank.to_string());
    }
    let served: BTreeSet<(usize, usize)> =
        served(&words(stride, padding), BANKS).into_iter().collect();
    let last = served.iter().map(|(_, turn)| *turn).max().unwrap_or(0);
    for bank in 0..BANKS {
        for turn in 0..=last {
            let class = match (served.contains(&(bank, turn)), turn) {
                (false, _) => "sector",
                (true, 0) => "g0",
                (true, _) => "g1",
            };
            let at = [bank as f64 * w, HEAD + turn as f64 * TURN];
            svg.cell(at, [w - 1.5, TURN - 1.0], class, "");
        }
    }
    svg.word(
        [0.0, HEAD + (last + 1) as f64 * TURN + 12.0],
        "small",
        "each column is a bank, and each row is a wavefront",
    );
    svg
}

/// A tile of `SMALL` rows, and the bank conflicts of a warp that reads one of its columns.
pub fn tile() -> Vec<Panel> {
    let column = 2;
    let plain = |length: usize| move |row: usize, col: usize| row * length + col;
    vec![
        panel("Rows of 8", SMALL, column, "the whole column is in one bank", plain(SMALL)),
        panel(
            "Rows of 9",
            SMALL + 1,
            column,
            "each row begins one bank after the row above",
            plain(SMALL + 1),
        ),
        panel(
            "Rows of 10",
            SMALL + 2,
            column,
            "rows 0 and 4 begin in the same bank",
            plain(SMALL + 2),
        ),
        panel(
            "Swizzled",
            SMALL,
            column,
            "row r stores the element of column c in column c ^ r, so the column is spread over all \
             banks",
            |row, col| row * SMALL + (col ^ row),
        ),
    ]
}

/// `place` returns the word of the element (row, col).
fn panel(
    title: &'static str,
    length: usize,
    column: usize,
    why: &str,
    place: impl Fn(usize, usize) -> usize,
) -> Panel {
    let read: Vec<usize> = (0..SMALL).map(|row| place(row, column)).collect();
    let turns = counted(turns(&read, SMALL));
    let mut svg = Svg::default();
    let (w, h, left) = (30.0, 22.0, 30.0);
    let same_bank = |word: usize| word % SMALL == column && !read.contains(&word);
    let legend = if (0..SMALL).any(|row| (0..SMALL).any(|col| same_bank(place(row, col)))) {
        format!("each cell shows its bank; orange: bank {column}, not read")
    } else {
        "each cell shows its bank".to_owned()
    };
    svg.word([left, 12.0], "small", &legend);
    for row in 0..SMALL {
        for col in 0..length {
            let word = row * length + col;
            let used = (0..SMALL).any(|c| place(row, c) == word);
            let class = match (read.contains(&word), used, word % SMALL == column) {
                (true, ..) => "picked",
                (_, false, _) => "spare",
                (.., true) => "g1",
                _ => "data",
            };
            let at = [left + col as f64 * w, 20.0 + row as f64 * h];
            svg.cell(at, [w - 2.0, h - 2.0], class, &(word % SMALL).to_string());
        }
    }
    Panel {
        title,
        caption: format!(
            "This tile is in {SMALL} banks. A warp of {SMALL} lanes reads column {column} (the \
             filled cells). The read takes {turns}, because {why}."
        ),
        svg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::figure::simulated;

    const LOAD: &str = "
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry load(.param .u32 stride, .param .u32 padding) {
            .shared .align 4 .b8 tile[8192];
            .reg .b32 %r<10>;
            ld.param.u32 %r1, [stride];
            ld.param.u32 %r2, [padding];
            mov.u32 %r3, %tid.x;
            mul.lo.u32 %r4, %r3, %r1;
            shr.u32 %r5, %r4, 5;
            mad.lo.u32 %r6, %r5, %r2, %r4;
            shl.b32 %r7, %r6, 2;
            mov.u32 %r8, tile;
            add.u32 %r8, %r8, %r7;
            ld.shared.u32 %r9, [%r8];
            ret;
        }";

    /// The wavefronts that the simulator counts for this read.
    fn counted_turns(stride: usize, padding: usize) -> Result<u64, ptxsim::Error> {
        let args = [stride, padding].map(simulated::word).to_vec();
        let observations = simulated::run(LOAD, "load", LANES, args, ptxsim::Memory::new())?;
        Ok(observations.totals.shared_wavefronts)
    }

    /// Every position of the sliders shows as many wavefronts as the simulator counts.
    #[test]
    fn grid_and_simulator_count_the_same_turns() -> Result<(), ptxsim::Error> {
        for padding in 0..PADDINGS {
            for stride in 0..STRIDES {
                let drawn = turns(&words(stride, padding), BANKS) as u64;
                assert_eq!(
                    counted_turns(stride, padding)?,
                    drawn,
                    "stride {stride}, padding {padding}"
                );
            }
        }
        Ok(())
    }

    /// The text of the right answer to question `number` of chapter 4's checkpoint.
    fn answer(number: usize) -> String {
        let quiz: toml::Table =
            toml::from_str(include_str!("../../../../../book/quizzes/ch04.toml"))
                .expect("a quiz that the book shows");
        let answers = &quiz["question"][number - 1]["answer"];
        let right = answers.as_array().expect("answers").iter().find(|a| a.get("right").is_some());
        right.expect("a right one")["text"].as_str().expect("a text").to_owned()
    }

    /// The wavefronts of one shared load. `address` computes the address into register r5 from the
    /// lane in r3.
    fn wavefronts(address: &str, load: &str) -> Result<u64, ptxsim::Error> {
        let ptx = format!(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry load() {{\n\
             .shared .align 16 .b8 tile[16384];\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .f64 %d<2>;\n\
             mov.u32 %r3, %tid.x;\nmov.u32 %r4, tile;\n{address}\nadd.u32 %r5, %r5, %r4;\n{load}\nret;\n}}"
        );
        let observations = simulated::run(&ptx, "load", LANES, vec![], ptxsim::Memory::new())?;
        Ok(observations.totals.shared_wavefronts)
    }

    /// The counts in the answers of the checkpoint are those of the simulator.
    #[test]
    fn the_checkpoint_agrees_with_the_simulator() -> Result<(), ptxsim::Error> {
        let half = "shr.u32 %r5, %r3, 1;\nshl.b32 %r5, %r5, 2;";
        assert_eq!(wavefronts(half, "ld.shared.f32 %f1, [%r5];")?.to_string(), answer(3));
        let quad = "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r5];";
        assert_eq!(wavefronts("shl.b32 %r5, %r3, 4;", quad)?.to_string(), answer(4));
        let double = |row: usize| {
            wavefronts(&format!("mul.lo.u32 %r5, %r3, {};", 8 * row), "ld.shared.f64 %d1, [%r5];")
        };
        assert_eq!(double(33)?.to_string(), answer(5));
        assert_eq!((double(32)?, double(34)?), (32, 4), "what the answer says of other paddings");
        let second_round = (0..64).filter(|thread| thread + 64 < 100).count();
        assert_eq!(second_round.to_string(), answer(2));
        Ok(())
    }

    /// The data of the element have two digits for each lane of each position.
    #[test]
    fn the_element_gets_a_place_for_every_lane() {
        let html = grid();
        let lanes = html.split("data-lanes=\"").nth(1).and_then(|rest| rest.split('"').next());
        let lanes = lanes.expect("the attribute");
        assert_eq!(lanes.len(), 2 * LANES * STRIDES * PADDINGS);
        assert!(!lanes.contains('?'));
        // With stride 0, all lanes use bank 0 in wavefront 0; with stride 32, they use bank 0
        // one after the other.
        let of = |stride: usize| &lanes[2 * LANES * stride..2 * LANES * (stride + 1)];
        assert_eq!(of(0), "00".repeat(LANES));
        assert!(of(32).starts_with("000102030405060708090a0b"), "{}", of(32));
        assert!(!html.contains("\n\n"), "an empty line would end the HTML block");
    }

    /// The numbers in the chapter, and the rule that it asks the reader for.
    #[test]
    fn odd_strides_have_no_conflicts() {
        for stride in 1..STRIDES {
            let one = turns(&words(stride, 0), BANKS) == 1;
            assert_eq!(one, stride % 2 == 1, "stride {stride}");
        }
        assert_eq!(turns(&words(32, 0), BANKS), 32);
        assert_eq!(turns(&words(32, 1), BANKS), 1);
        assert_eq!(turns(&words(32, 2), BANKS), 2);
        assert_eq!(turns(&words(0, 0), BANKS), 1, "a broadcast");
    }

    /// Eight banks take 8, 1, 2 and 1 wavefronts where 32 banks take 32, 1, 2 and 1.
    #[test]
    fn the_small_tile_is_a_model_of_the_real_one() {
        let captions: Vec<String> = tile().into_iter().map(|panel| panel.caption).collect();
        let expected = ["8 wavefronts", "1 wavefront,", "2 wavefronts", "1 wavefront,"];
        for (caption, turns) in captions.iter().zip(expected) {
            assert!(caption.contains(turns), "{caption}");
        }
        let column =
            |place: fn(usize) -> usize| turns(&(0..BANKS).map(place).collect::<Vec<_>>(), BANKS);
        assert_eq!(column(|row| row * 32 + 5), 32);
        assert_eq!(column(|row| row * 33 + 5), 1);
        assert_eq!(column(|row| row * 34 + 5), 2);
        assert_eq!(column(|row| row * 32 + (5 ^ row)), 1);
    }
}
