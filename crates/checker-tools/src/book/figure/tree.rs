//! The figure of chapter 6 with steps: three trees that add up the same values, with the threads
//! that work in each round and the slots that they use.

use std::collections::BTreeSet;

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// How the threads are assigned to the slots in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tree {
    /// `tid % (2 * stride) == 0`: thread and slot have the same number.
    EveryOther,
    /// `left = 2 * stride * tid`: neighbouring threads, slots far apart.
    Neighbours,
    /// `tid < stride`: neighbouring threads, neighbouring slots.
    Halves,
}

/// The addition of one thread, of slot `right` to slot `left`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Addition {
    thread: usize,
    left: usize,
    right: usize,
}

impl Tree {
    /// The distance of the two slots in each round. The number of slots is a power of two.
    fn strides(self, slots: usize) -> Vec<usize> {
        let rounds = slots.ilog2();
        match self {
            Self::EveryOther | Self::Neighbours => (0..rounds).map(|round| 1 << round).collect(),
            Self::Halves => (0..rounds).rev().map(|round| 1 << round).collect(),
        }
    }

    /// The additions of the round with this `stride`.
    fn round(self, slots: usize, stride: usize) -> Vec<Addition> {
        let left = |thread: usize| match self {
            Self::EveryOther => thread.is_multiple_of(2 * stride).then_some(thread),
            Self::Neighbours => Some(2 * stride * thread).filter(|left| *left < slots),
            Self::Halves => (thread < stride).then_some(thread),
        };
        let addition =
            |thread| left(thread).map(|left| Addition { thread, left, right: left + stride });
        (0..slots).filter_map(addition).collect()
    }
}

/// The cost of a round.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// Warps with at least one active lane.
    busy: usize,
    /// Of these, warps in which some lanes are inactive.
    split: usize,
    /// The maximum of wavefronts for one access of a warp to its left slots, with as many banks as
    /// lanes.
    turns: usize,
    /// Wavefronts beyond the first, over all loads and stores: two loads and a store for each warp
    /// with work.
    conflicts: usize,
}

/// The cost of a round for warps of `lanes` lanes.
fn cost(additions: &[Addition], lanes: usize) -> Cost {
    let mut cost = Cost::default();
    for warp in additions.chunk_by(|a, b| a.thread / lanes == b.thread / lanes) {
        let turns = |slot: fn(&Addition) -> usize| {
            let words: BTreeSet<usize> = warp.iter().map(slot).collect();
            (0..lanes).map(|bank| words.iter().filter(|w| *w % lanes == bank).count()).max()
        };
        let left = turns(|a| a.left).unwrap_or(0);
        let right = turns(|a| a.right).unwrap_or(0);
        cost.busy += 1;
        cost.split += usize::from(warp.len() < lanes);
        cost.turns = cost.turns.max(left);
        cost.conflicts += 2 * (left - 1) + (right - 1);
    }
    cost
}

const VALUES: [i32; 16] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];
/// Lanes of a warp in the picture.
const LANES: usize = 4;

/// A panel for each tree, with its rounds one below the other.
pub fn panels() -> Vec<Panel> {
    let panel = |title, tree, words: &str| {
        let total = Tree::strides(tree, VALUES.len())
            .into_iter()
            .map(|stride| cost(&tree.round(VALUES.len(), stride), LANES))
            .fold(Cost::default(), |sum, cost| Cost {
                busy: sum.busy + cost.busy,
                split: sum.split + cost.split,
                turns: sum.turns.max(cost.turns),
                conflicts: sum.conflicts + cost.conflicts,
            });
        Panel {
            title,
            caption: format!(
                "{words} If we add up the four rounds, {} warps have work, {} of these warps diverge, and {}. (Here, a warp has \
                 4 lanes, and shared memory has 4 banks.)",
                total.busy,
                total.split,
                match total.conflicts {
                    0 => "there are no bank conflicts".to_owned(),
                    n => format!("there are {n} bank conflicts"),
                }
            ),
            svg: draw(tree),
        }
    };
    vec![
        panel(
            "1. Every other thread",
            Tree::EveryOther,
            "The branch is `if (tid % (2 * stride) == 0)`, so the thread with the same number as \
             the left slot does the addition.",
        ),
        panel(
            "2. Neighbours",
            Tree::Neighbours,
            "With `left = 2 * stride * tid`, neighbouring threads work, but their slots are farther apart in each round.",
        ),
        panel(
            "3. Halves",
            Tree::Halves,
            "The branch is `if (tid < stride)`, so the threads add the upper half of the slots to \
             the lower half.",
        ),
    ]
}

fn draw(tree: Tree) -> Svg {
    const ROUND: f64 = 84.0;
    let slots = VALUES.len();
    let w = WIDTH / slots as f64;
    let middle = |i: usize| i as f64 * w + w / 2.0 - 1.0;
    let mut svg = Svg::default();
    let mut values = VALUES.to_vec();
    svg.begin_step(0, &format!("Start: each of the {slots} threads in four warps loads one slot."));
    svg.word([0.0, 11.0], "small", "slots (grey), and the threads that add (coloured)");
    row(&mut svg, &values, slots, 16.0, &[]);
    svg.end_step();
    let mut live = slots;
    for (round, stride) in tree.strides(slots).into_iter().enumerate() {
        let additions = tree.round(slots, stride);
        let cost = cost(&additions, LANES);
        for a in &additions {
            values[a.left] += values[a.right];
        }
        live = live.div_ceil(2);
        let y = 46.0 + round as f64 * ROUND;
        svg.begin_step(round + 1, &description(round + 1, stride, &additions, cost));
        let label = format!("round {}, stride {stride}", round + 1);
        svg.word([0.0, y + 11.0], "small", &label);
        svg.word([WIDTH - 2.0, y + 11.0], "small end", &short(cost));
        for thread in 0..slots {
            let works = additions.iter().any(|a| a.thread == thread);
            let class = if works { group(thread / LANES) } else { "spare" };
            let word = if works { thread.to_string() } else { String::new() };
            let gap = if thread % LANES == LANES - 1 { 5.0 } else { 2.0 };
            svg.cell([thread as f64 * w, y + 15.0], [w - gap, 19.0], class, &word);
        }
        for a in &additions {
            for slot in [a.left, a.right] {
                svg.line([middle(a.thread), y + 34.0], [middle(slot), y + 54.0], "reach");
            }
        }
        let changed: Vec<usize> = additions.iter().map(|a| a.left).collect();
        row(&mut svg, &values, live, y + 54.0, &changed);
        svg.end_step();
    }
    svg
}

/// The slots, with those that this round changed highlighted.
fn row(svg: &mut Svg, values: &[i32], live: usize, y: f64, changed: &[usize]) {
    let w = WIDTH / values.len() as f64;
    let all = live == values.len();
    for (slot, value) in values.iter().enumerate() {
        let fresh = changed.contains(&slot);
        let word = if fresh || all { value.to_string() } else { String::new() };
        let class = if fresh { "data-new" } else { "data" };
        svg.cell([slot as f64 * w, y], [w - 2.0, 21.0], class, &word);
    }
}

fn short(cost: Cost) -> String {
    let busy = if cost.busy == 1 { "1 warp".to_owned() } else { format!("{} warps", cost.busy) };
    let split = match cost.split {
        0 => String::new(),
        1 => ", 1 diverges".to_owned(),
        n => format!(", {n} diverge"),
    };
    let turns = if cost.turns > 1 { format!(", {} wavefronts", cost.turns) } else { String::new() };
    format!("{busy}{split}{turns}")
}

fn description(round: usize, stride: usize, additions: &[Addition], cost: Cost) -> String {
    let threads: Vec<String> = additions.iter().map(|a| a.thread.to_string()).collect();
    let (noun, work) = if threads.len() == 1 { ("thread", "works") } else { ("threads", "work") };
    let warps = if cost.busy == 1 { "warp has" } else { "warps have" };
    let split = match (cost.busy, cost.split) {
        (_, 0) => "and none diverges".to_owned(),
        (1, 1) => "and it diverges".to_owned(),
        (_, 1) => "and 1 of them diverges".to_owned(),
        (_, n) => format!("and {n} of them diverge"),
    };
    let turns = match cost.turns {
        1 => "An access to the slots takes one wavefront.".to_owned(),
        n => format!(
            "An access to the slots takes {n} wavefronts, because several slots are in the \
                      same bank."
        ),
    };
    format!(
        "Round {round}, stride {stride}: {noun} {} {work}. {} {warps} work, {split}. {turns}",
        threads.join(", "),
        cost.busy
    )
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::book::figure::simulated;

    const TREES: [Tree; 3] = [Tree::EveryOther, Tree::Neighbours, Tree::Halves];

    /// Each tree ends with the sum of all values in slot 0, after one addition fewer than there are
    /// values.
    #[test]
    fn every_tree_adds_up_all_values() {
        for tree in TREES {
            let mut values = VALUES.to_vec();
            let mut count = 0;
            for stride in tree.strides(VALUES.len()) {
                for a in tree.round(VALUES.len(), stride) {
                    values[a.left] += values[a.right];
                    count += 1;
                }
            }
            assert_eq!((values[0], count), (VALUES.iter().sum(), 15), "{tree:?}");
        }
    }

    /// A kernel with the tree over 256 threads, unrolled.
    fn kernel(tree: Tree) -> String {
        let mut text = String::from(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry fold() {\n\
             .reg .pred %p;\n.reg .b32 %t, %r, %a, %x, %y;\n.shared .align 4 .b8 tile[1024];\n\
             mov.u32 %t, %tid.x;\nshl.b32 %r, %t, 2;\nmov.u32 %a, tile;\nadd.s32 %a, %a, %r;\n\
             st.shared.u32 [%a], %t;\nbar.sync 0;\n",
        );
        for stride in tree.strides(256) {
            let rests = match tree {
                Tree::EveryOther => {
                    format!("and.b32 %r, %t, {};\nsetp.ne.s32 %p, %r, 0;", 2 * stride - 1)
                }
                Tree::Neighbours => format!("setp.ge.u32 %p, %t, {};", 128 / stride),
                Tree::Halves => format!("setp.ge.u32 %p, %t, {stride};"),
            };
            let slot = if tree == Tree::Neighbours { 2 * stride } else { 1 };
            let _ = write!(
                text,
                "{rests}\n@%p bra REST{stride};\nmul.lo.s32 %r, %t, {};\nmov.u32 %a, tile;\nadd.s32 %a, %a, %r;\n\
                 ld.shared.u32 %x, [%a];\nld.shared.u32 %y, [%a+{}];\nadd.s32 %x, %x, %y;\nst.shared.u32 [%a], %x;\n\
                 REST{stride}:\nbar.sync 0;\n",
                4 * slot,
                4 * stride
            );
        }
        text + "ret;\n}\n"
    }

    /// For a block of 256 threads, the simulator counts what the model of the figure computes.
    #[test]
    fn figures_and_simulator_count_the_same() -> Result<(), ptxsim::Error> {
        for (tree, split, conflicts) in
            [(Tree::EveryOther, 47, 0), (Tree::Neighbours, 5, 105), (Tree::Halves, 5, 0)]
        {
            let rounds: Vec<Cost> = tree
                .strides(256)
                .into_iter()
                .map(|stride| cost(&tree.round(256, stride), 32))
                .collect();
            let sum = |of: fn(&Cost) -> usize| rounds.iter().map(of).sum::<usize>();
            assert_eq!((sum(|c| c.split), sum(|c| c.conflicts)), (split, conflicts), "{tree:?}");

            let seen = simulated::run(&kernel(tree), "fold", 256, vec![], ptxsim::Memory::new())?;
            let counted = (seen.totals.divergent_branches, seen.totals.shared_conflicts());
            assert_eq!(counted, (split as u64, conflicts as u64), "{tree:?}");
            assert!(seen.findings.is_empty(), "{tree:?}: {:?}", seen.findings);
        }
        Ok(())
    }

    /// The answer to the question on the page: which warps have work in the fourth round.
    #[test]
    fn the_fourth_round_keeps_eight_warps_busy_or_one() {
        let busy = |tree: Tree| {
            let stride = tree.strides(256)[3];
            cost(&tree.round(256, stride), 32).busy
        };
        assert_eq!((busy(Tree::EveryOther), busy(Tree::Halves)), (8, 1));
    }

    #[test]
    fn each_round_has_a_description() {
        let svg = draw(Tree::Halves).finish("");
        assert_eq!(svg.matches("data-round").count(), 5);
        assert!(
            svg.contains("threads 0, 1, 2, 3 work. 1 warp has work, and none diverges."),
            "{svg}"
        );
    }
}
