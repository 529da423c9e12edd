//! A small SVG writer for cells, words and lines. The book's style sheet colours their classes.

use std::fmt::Write;

use crate::book::html::escape;

/// Width of every figure in its own units. On a phone one unit is about one pixel, so the text
/// stays readable.
pub const WIDTH: f64 = 360.0;

/// A drawing under construction.
#[derive(Debug, Default)]
pub struct Svg {
    body: String,
    height: f64,
    steps: Vec<String>,
}

impl Svg {
    /// Draws a rectangle with a word in its middle. `class` selects colour and pattern.
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

    /// Draws a word. The position is the start of its baseline, or its middle with the class
    /// `middle`.
    pub fn word(&mut self, [x, y]: [f64; 2], class: &str, word: &str) {
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>",
            escape(word)
        );
        self.grow(y + 4.0);
    }

    /// Draws a line; with the class `arrow`, it has a head.
    pub fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], class: &str) {
        let _ = write!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        );
        self.grow(y1.max(y2));
    }

    /// Starts a part of the drawing that `wb-rounds` shows as step `number`; `says` describes it
    /// for screen readers.
    pub fn begin_step(&mut self, number: usize, says: &str) {
        self.steps.push(says.to_owned());
        let says = escape(says);
        let _ = write!(self.body, "<g data-round=\"{number}\" data-says=\"{says}\">");
    }

    /// Ends the part.
    pub fn end_step(&mut self) {
        self.body.push_str("</g>");
    }

    /// The descriptions of the steps, in order.
    pub fn steps(&self) -> &[String] {
        &self.steps
    }

    fn grow(&mut self, bottom: f64) {
        self.height = self.height.max(bottom + 2.0);
    }

    /// The SVG element on one line. `label` describes it for screen readers.
    pub fn finish(&self, label: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">{}</svg>",
            self.height,
            escape(label),
            self.body
        )
    }
}
