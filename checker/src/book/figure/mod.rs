//! The figures of the book. Each is a row of panels: with JavaScript one at a time, with buttons and arrow keys;
//! without it, in print, and for screen readers all of them, one below the other.

use super::html::inline;

mod banks;
mod coalesce;
mod generic;
mod image;
mod index;
mod memory;
mod pixels;
mod shared;
mod stride;
mod svg;
mod tiles;
mod timeline;

/// One picture and what it says.
struct Panel {
    /// On its button: "The block".
    title: &'static str,
    /// One or two sentences that say in words what the picture shows.
    caption: String,
    svg: svg::Svg,
}

/// The figure called `name`, as HTML without an empty line.
pub fn named(name: &str) -> Option<String> {
    let panels = match name {
        "one-block" => index::one_block(3, 5, [1, 2]),
        "spare-threads" => index::spare_threads(16, 13),
        "many-blocks" => index::many_blocks(3, 4, 10),
        "grid-stride" => stride::panels(2, 4, 21),
        "row-or-column" => coalesce::row_or_column(),
        "chunk-or-step" => coalesce::chunk_or_step(),
        "round-trip" => memory::round_trip(),
        "pitch" => memory::pitch(3, 12, 16, 8),
        "texels" => image::texels([8, 16, 24, 0], 1.75),
        "halo" => image::halo(4),
        "packed-pixels" => pixels::packed(),
        "unroll" => generic::unroll(1),
        "fused" => generic::fused(),
        "neutral" => generic::neutral([-5.0, -3.0, -8.0]),
        "timeline" => timeline::panels(1 << 20),
        "wall" => shared::wall(8, 4),
        "everybody" => shared::everybody([3, 1, 4, 1, 5], 8),
        "stencil-tile" => shared::stencil(8, 3),
        "tile-turn" => tiles::turn(2, 3),
        "tile-banks" => banks::tile(),
        "matmul-tiles" => tiles::product([8, 12, 8]),
        "bank-grid" => return Some(banks::grid()),
        _ => return None,
    };
    Some(steps(&panels))
}

/// Panels as an element of their own, one figure each.
fn steps(panels: &[Panel]) -> String {
    let figures: String = panels
        .iter()
        .map(|p| {
            let words = p.caption.replace('`', "");
            format!(
                "<figure data-title=\"{}\">{}<figcaption><strong>{}.</strong> {}</figcaption></figure>\n",
                p.title,
                p.svg.finish(&words),
                p.title,
                inline(&p.caption)
            )
        })
        .collect();
    format!("<wb-steps>\n{figures}</wb-steps>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 22] = [
        "one-block",
        "spare-threads",
        "many-blocks",
        "grid-stride",
        "row-or-column",
        "chunk-or-step",
        "round-trip",
        "pitch",
        "texels",
        "halo",
        "packed-pixels",
        "unroll",
        "fused",
        "neutral",
        "timeline",
        "wall",
        "everybody",
        "stencil-tile",
        "tile-turn",
        "tile-banks",
        "matmul-tiles",
        "bank-grid",
    ];

    /// An empty line would end the HTML block; a figure without words says nothing to a screen reader.
    #[test]
    fn figures_are_one_html_block_with_words() {
        for name in ALL {
            let html = named(name).expect("known");
            assert!(!html.contains("\n\n"), "{name}");
            assert_eq!(
                html.matches("<svg").count(),
                html.matches("<figcaption>").count(),
                "{name}"
            );
            assert!(html.matches("<svg").count() >= 2, "{name}: something to compare");
        }
        assert_eq!(named("nothing"), None);
    }
}
