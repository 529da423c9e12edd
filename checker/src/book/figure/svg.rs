//! A small SVG writer: cells, words and lines, in the classes that the book's style sheet colours.

use std::fmt::Write;

use crate::book::html::escape;

/// Width of every figure in its own units: the text stays readable on a phone, where one unit is about one pixel.
pub const WIDTH: f64 = 360.0;

/// A drawing under construction.
#[derive(Debug, Default)]
pub struct Svg {
    body: String,
    height: f64,
}

impl Svg {
    /// A rectangle with a word in its middle. `class` picks colour and pattern.
    pub fn cell(&mut self, [x, y]: [f64; 2], [w, h]: [f64; 2], class: &str, word: &str) {
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"2\"/>"
        );
        self.grow(y + h);
        if !word.is_empty() {
            self.word([x + w / 2.0, y + h / 2.0 + 4.0], &format!("middle {class}-word"), word);
        }
    }

    /// A word; `at` is its baseline's start, or its middle with the class `middle`.
    pub fn word(&mut self, [x, y]: [f64; 2], class: &str, word: &str) {
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>",
            escape(word)
        );
        self.grow(y + 4.0);
    }

    /// A line; the class `arrow` gives it a head.
    pub fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], class: &str) {
        let _ = write!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        );
        self.grow(y1.max(y2));
    }

    /// Begins a part of the drawing that `wb-rounds` shows as step `number`; `says` says what it shows, in words.
    pub fn begin_step(&mut self, number: usize, says: &str) {
        let says = escape(says);
        let _ = write!(self.body, "<g data-round=\"{number}\" data-says=\"{says}\">");
    }

    /// Ends it.
    pub fn end_step(&mut self) {
        self.body.push_str("</g>");
    }

    fn grow(&mut self, bottom: f64) {
        self.height = self.height.max(bottom + 2.0);
    }

    /// The element, on one line. `label` says what it shows to those who do not see it.
    pub fn finish(&self, label: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">{}</svg>",
            self.height,
            escape(label),
            self.body
        )
    }
}
