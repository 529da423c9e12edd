//! The figure of chapter 13 about a tile that looks back at earlier tiles.

use super::Panel;
use super::svg::{Svg, WIDTH};

/// What a tile has published.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Own(i32),
    Prefix(i32),
}

/// What tile `tile` finds, the nearest tile first, up to the first prefix.
fn looked_at(states: &[State], tile: usize) -> Vec<(usize, State)> {
    let mut found = vec![];
    for (t, state) in states.iter().enumerate().take(tile).rev() {
        found.push((t, *state));
        if matches!(state, State::Prefix(_)) {
            break;
        }
    }
    found
}

const fn number(state: State) -> i32 {
    match state {
        State::Own(sum) | State::Prefix(sum) => sum,
    }
}

/// Tiles with these sums, of which the first `known` know their prefixes, and what the last one
/// does.
pub fn panels(sums: &[i32], known: usize) -> Vec<Panel> {
    let prefix = |tile: usize| sums.iter().take(tile + 1).sum();
    let state = |tile: usize| {
        if tile < known { State::Prefix(prefix(tile)) } else { State::Own(sums[tile]) }
    };
    let states: Vec<State> = (0..sums.len()).map(state).collect();
    let last = sums.len() - 1;
    let found = looked_at(&states, last);
    let terms: Vec<String> = found.iter().map(|(_, state)| number(*state).to_string()).collect();
    let before: i32 = found.iter().map(|(_, state)| number(*state)).sum();
    let farthest = found.last().map_or(last, |(tile, _)| *tile);
    let mut published = states.clone();
    published[last] = State::Prefix(before + sums[last]);
    vec![
        Panel {
            title: "Published",
            caption: format!(
                "The first {known} tiles already know their prefixes, which are the sums of \
                 everything up to their ends, and have published them. The other tiles have \
                 published their own sums."
            ),
            svg: draw(&states, None),
        },
        Panel {
            title: "Look back",
            caption: format!(
                "Tile {last} looks back to tile {farthest}, the nearest one with a prefix. The \
                 sum of everything before tile {last} is {} = {before}.",
                terms.join(" + ")
            ),
            svg: draw(&states, Some((farthest, last))),
        },
        Panel {
            title: "Publish",
            caption: format!(
                "Tile {last} publishes {before} + {} = {} as its prefix. It hasn't waited for the \
                 prefixes of the tiles in between.",
                sums[last],
                before + sums[last]
            ),
            svg: draw(&published, None),
        },
    ]
}

/// The tiles with what they have published, and a mark for those from `range.0` to the one before
/// `range.1`.
fn draw(states: &[State], range: Option<(usize, usize)>) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / states.len() as f64;
    for (tile, state) in states.iter().enumerate() {
        let x = tile as f64 * w;
        svg.word([x, 10.0], "small", &format!("tile {tile}"));
        let (class, what) = match state {
            State::Own(_) => ("data", "own sum"),
            State::Prefix(_) => ("g0", "prefix"),
        };
        svg.cell([x, 16.0], [w - 4.0, 28.0], class, &number(*state).to_string());
        svg.word([x, 58.0], "small", what);
    }
    if let Some((from, to)) = range {
        let middle = |tile: usize| (tile as f64 + 0.5) * w;
        svg.line([middle(to), 70.0], [middle(from), 70.0], "arrow");
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_at_the_nearest_prefix() {
        let states = [State::Prefix(3), State::Prefix(7), State::Own(2), State::Own(5)];
        assert_eq!(looked_at(&states, 3), [(2, State::Own(2)), (1, State::Prefix(7))]);
        assert_eq!(looked_at(&states, 0), []);
    }
}
