//! What the launch of several host threads found in memory, to undo it.
//!
//! A page is saved by the host thread that first touches it, before that thread writes to it. So a
//! launch that touches little of a large allocation copies little.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::pages::PAGE_WORDS;

/// The words that an allocation had before a launch, in those pages that the launch touched.
#[derive(Debug)]
pub(crate) struct SavedPages(Box<[OnceLock<Box<[u32]>>]>);

impl SavedPages {
    /// Nothing saved yet of an allocation of `words` words.
    pub fn new(words: usize) -> Self {
        Self((0..words.div_ceil(PAGE_WORDS)).map(|_| OnceLock::new()).collect())
    }

    /// Saves page `number` of `words`, unless a host thread has saved it.
    pub fn save(&self, number: usize, words: &[AtomicU32]) {
        let page = words.chunks(PAGE_WORDS).nth(number).unwrap_or_default();
        if let Some(saved) = self.0.get(number) {
            saved.get_or_init(|| page.iter().map(|word| word.load(Relaxed)).collect());
        }
    }

    /// Saves all pages.
    pub fn save_all(&self, words: &[AtomicU32]) {
        (0..self.0.len()).for_each(|number| self.save(number, words));
    }

    /// Restores all saved pages.
    pub fn restore(&self, words: &[AtomicU32]) {
        for (page, saved) in words.chunks(PAGE_WORDS).zip(&self.0) {
            let saved = saved.get().into_iter().flatten();
            page.iter().zip(saved).for_each(|(word, old)| word.store(*old, Relaxed));
        }
    }
}
