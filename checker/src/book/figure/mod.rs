//! The figures of the book. Each is a row of panels: with JavaScript one at a time, with buttons and arrow keys;
//! without it, in print, and for screen readers all of them, one below the other.

use super::html::inline;

mod coalesce;
mod image;
mod index;
mod memory;
mod science;
mod stride;
mod svg;
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
        "timeline" => timeline::panels(1 << 20),
        "streams" => science::streams(7, 4, 4),
        "checkerboard" => science::checkerboard(4, 6, [1, 3]),
        "neurons" => science::neurons(7),
        "ping-pong" => science::ping_pong(7, 3),
        "butterflies" => science::butterflies(3, 1),
        _ => return None,
    };
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
    Some(format!("<wb-steps>\n{figures}</wb-steps>\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 16] = [
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
        "timeline",
        "streams",
        "checkerboard",
        "neurons",
        "ping-pong",
        "butterflies",
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
