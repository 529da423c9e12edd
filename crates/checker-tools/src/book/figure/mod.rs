//! The figures of the book. Each is a row of panels. With JavaScript, the page shows one panel at a
//! time, with buttons and arrow keys. Without JavaScript, in print and for screen readers, it shows
//! all of them, one below the other.

use std::path::Path;

use super::Problem;
use super::html::{escape, inline};
use super::recording::Recording;

pub use notebook::images;

mod atomics;
mod banks;
mod barrier;
mod coalesce;
mod fold;
mod generic;
mod halo;
mod hardware;
mod image;
mod index;
mod layout;
mod lookback;
mod memory;
mod notebook;
mod operators;
mod pixels;
mod roofline;
mod scan;
mod science;
#[cfg(test)]
pub(crate) mod simulated;
mod softmax;
mod speed;
mod spread;
mod stride;
mod svg;
mod tiles;
mod timeline;
mod tree;

/// One picture and its caption.
struct Panel {
    /// The text of its button: "The block".
    title: &'static str,
    /// One or two sentences that describe what the picture shows.
    caption: String,
    svg: svg::Svg,
}

/// The figure called `name` of the book in `root`, as HTML without an empty line.
///
/// # Errors
/// When there is no such figure, or a recording that it is drawn from can't be read.
pub fn named(name: &str, root: &Path) -> Result<String, Problem> {
    match name {
        "bank-grid" => Ok(banks::grid()),
        "stride-and-offset" => {
            let (panels, table) = coalesce::stride_and_offset();
            let panels = steps(&panels);
            Ok(format!("<wb-coalesce data-sectors=\"{table}\">\n{panels}</wb-coalesce>\n"))
        }
        _ => Ok(steps(&panels(name, root)?)),
    }
}

/// The panels of the figure called `name`, of a figure with sliders those of some positions.
fn panels(name: &str, root: &Path) -> Result<Vec<Panel>, Problem> {
    let recorded = |name: &str| Recording::read(root, name);
    let panels = match name {
        "barrier" => {
            barrier::write_and_read(&recorded("differences")?, &recorded("differences_wrong")?)
        }
        "barrier-spare-threads" => {
            barrier::spare_threads(&recorded("above_lowest")?, &recorded("above_lowest_wrong")?)
        }
        "loop-or-chunk" => {
            coalesce::loop_or_chunk(&recorded("partial_sums")?, &recorded("chunk_sums")?)
        }
        "cars" => layout::cars(&recorded("cars")?, &recorded("cars_in_arrays")?),
        "frames" => timeline::frames(&recorded("frames")?, &recorded("frames_pageable")?),
        _ => return drawn(name).ok_or_else(|| Problem::UnknownFigure(name.to_owned())),
    };
    Ok(panels)
}

/// A figure that needs no recording.
fn drawn(name: &str) -> Option<Vec<Panel>> {
    let panels = match name {
        "look-back" => lookback::panels(&[8, 10, 18, 7, 12, 9], 3),
        "stride-and-offset" => coalesce::stride_and_offset().0,
        "bank-grid" => banks::pictures(),
        "one-block" => index::one_block(3, 5, [1, 2]),
        "spare-threads" => index::spare_threads(16, 13),
        "many-blocks" => index::many_blocks(3, 4, 10),
        "grid-stride" => stride::panels(2, 4, 21),
        "row-or-column" => coalesce::row_or_column(),
        "strides" => layout::strides(),
        "struct-padding" => layout::padding(),
        "row-sums" => layout::rows(),
        "wide-loads" => layout::wide(),
        "nan-spread" => spread::panels(),
        "cpu-and-gpu" => hardware::cpu_and_gpu(),
        "multiprocessor" => hardware::multiprocessor(),
        "round-trip" => memory::round_trip(),
        "pitch" => memory::pitch(3, 14, 16, 8),
        "texels" => image::texels([8, 16, 24, 0], 1.75),
        "halo" => image::halo(4),
        "packed-pixels" => pixels::packed(),
        "unroll" => generic::unroll(1),
        "fused" => generic::fused(),
        "neutral" => generic::identity_element([-5.0, -3.0, -8.0]),
        "timeline" => timeline::panels(1 << 20),
        "stencil-tile" => halo::stencil(8, 3),
        "tile-turn" => tiles::turn(2, 3),
        "tile-banks" => banks::tile(),
        "matmul-tiles" => tiles::product([8, 12, 8]),
        "lost-update" => atomics::lost_update(),
        "private-bins" => atomics::private_bins(),
        "tree" => tree::panels(),
        "shuffle" => fold::shuffle(&[3, 1, 4, 1, 5, 9, 2, 6]),
        "up-and-down" => scan::up_and_down(&[3, 1, 4, 1, 5, 9, 2, 6]),
        "carry" => scan::carry(&[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], 4),
        "streams" => science::streams(7, 4, 4),
        "checkerboard" => science::checkerboard(4, 6, [1, 3]),
        "neurons" => science::neurons(7),
        "ping-pong" => science::ping_pong(7, 3),
        "butterflies" => science::butterflies(3, 1),
        "running-norm" => operators::running([[6.0, 8.0], [24.0, 7.0]]),
        "embedding" => operators::embedding(),
        "counters-in-banks" => speed::counters([3, 11, 6, 0, 19, 4, 3, 9]),
        "roofline" => roofline::panels(),
        "running-softmax" => softmax::running(&[1.0, 3.0, 2.0, 5.0, 4.0, 0.0]),
        _ => return None,
    };
    Some(panels)
}

/// An HTML element with a figure for each panel. If the reader can step through the parts of a
/// drawing, their descriptions follow it for print, and for readers without scripts.
fn steps(panels: &[Panel]) -> String {
    let figures: String = panels
        .iter()
        .map(|p| {
            let words = p.caption.replace('`', "");
            let parts: String =
                p.svg.steps().iter().map(|says| format!("<li>{}</li>", escape(says))).collect();
            let list = match parts.is_empty() {
                true => parts,
                false => format!("<ol class=\"wb-said\">{parts}</ol>"),
            };
            format!(
                "<figure data-title=\"{}\">{}<figcaption><strong>{}.</strong> {}</figcaption>{list}</figure>\n",
                p.title,
                p.svg.finish(&words),
                p.title,
                inline(&p.caption)
            )
        })
        .collect();
    let steps = format!("<wb-steps>\n{figures}</wb-steps>\n");
    let in_parts = panels.iter().any(|panel| !panel.svg.steps().is_empty());
    if in_parts { format!("<wb-rounds>\n{steps}</wb-rounds>\n") } else { steps }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The book of this repository.
    pub fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book")
    }

    fn html(name: &str) -> String {
        named(name, &root()).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    const ALL: [&str; 49] = [
        "cpu-and-gpu",
        "multiprocessor",
        "roofline",
        "look-back",
        "counters-in-banks",
        "one-block",
        "spare-threads",
        "many-blocks",
        "grid-stride",
        "row-or-column",
        "loop-or-chunk",
        "stride-and-offset",
        "strides",
        "cars",
        "nan-spread",
        "struct-padding",
        "row-sums",
        "wide-loads",
        "round-trip",
        "pitch",
        "texels",
        "halo",
        "packed-pixels",
        "unroll",
        "fused",
        "neutral",
        "timeline",
        "barrier",
        "frames",
        "barrier-spare-threads",
        "stencil-tile",
        "tile-turn",
        "tile-banks",
        "matmul-tiles",
        "bank-grid",
        "lost-update",
        "private-bins",
        "tree",
        "shuffle",
        "up-and-down",
        "carry",
        "streams",
        "checkerboard",
        "neurons",
        "ping-pong",
        "butterflies",
        "running-norm",
        "embedding",
        "running-softmax",
    ];

    /// Markdown would end the HTML at an empty line, and a screen reader needs the caption.
    #[test]
    fn figures_are_one_html_block_with_words() {
        for name in ALL {
            let html = html(name);
            assert!(!html.contains("\n\n"), "{name}");
            assert_eq!(
                html.matches("<svg").count(),
                html.matches("<figcaption>").count(),
                "{name}"
            );
            assert!(
                html.matches("<svg").count() >= 2,
                "{name}: a figure compares at least two pictures"
            );
        }
        assert!(named("nothing", &root()).is_err());
    }

    /// What a figure draws has a rule in the style sheet; without one it would be invisible.
    #[test]
    fn every_class_has_a_style() {
        let style = std::fs::read_to_string(root().join("widgets/workbook.css")).expect("styles");
        for name in ALL {
            let html = html(name);
            for part in html.split("<rect class=\"").skip(1) {
                let class = part.split('"').next().expect("a class");
                assert!(style.contains(&format!("rect.{class} ")), "{name}: {class}");
            }
        }
    }

    /// What moves on the screen has its steps in words for print.
    #[test]
    fn steps_are_listed_for_print() {
        let mut stepped = 0;
        for name in ALL {
            let html = html(name);
            let parts = html.matches("data-round=").count();
            assert_eq!(parts, html.matches("<li>").count(), "{name}");
            stepped += usize::from(parts > 0);
        }
        assert!(stepped >= 4, "only {stepped}");
    }

    /// Text does not extend beyond its picture. Small letters of the book's monospaced font are 6.6
    /// units wide.
    #[test]
    fn small_words_fit_their_picture() {
        for name in ALL {
            let html = html(name);
            for text in html.split("<text class=\"small\" x=\"").skip(1) {
                let (x, rest) = text.split_once('"').expect("an attribute ends");
                let word = rest.split(['>', '<']).nth(1).unwrap_or_default();
                let x: f64 = x.parse().expect("a number");
                let end = x + 6.6 * word.chars().count() as f64;
                assert!(end <= svg::WIDTH + 2.0, "{name}: {word} ends at {end}");
            }
        }
    }
}
