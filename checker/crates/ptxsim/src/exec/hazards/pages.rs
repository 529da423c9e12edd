//! The shadow of global memory: pages of cells, made when a launch first touches them.
//!
//! A cell is 16 bytes and stands for 4 bytes of data, so pages take at most 4 bytes per byte of the arrays that a launch
//! may write, plus 16 bytes per 4 KiB for where the page is; arrays that it can only read, and pages that it does not touch, take nothing. The
//! side table of lists comes on top: a word is in it while several threads share its bytes in ways that a cell cannot
//! hold, mostly where two warps meet in one word.

use super::cell::Cell;
use super::past::Lists;
use super::renumber::rename;
use crate::memory::Initialised;

/// Words per page: 4 KiB of data.
pub(crate) const PAGE: usize = 1024;

/// The shadow of one allocation.
#[derive(Debug, Default)]
pub(crate) struct SlotShadow {
    pub pages: Pages,
    pub lists: Lists,
}

/// Cells by page; no pages at all for an allocation that the launch cannot write.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: Vec<Option<Box<[Cell]>>>,
    words: usize,
}

impl SlotShadow {
    /// The shadow of an allocation of `words` words that the launch may write.
    pub fn new(words: usize) -> Self {
        let pages = (0..words.div_ceil(PAGE)).map(|_| None).collect();
        Self { pages: Pages { pages, words }, lists: Lists::default() }
    }

    /// Is the allocation followed at all?
    pub fn followed(&self) -> bool {
        self.pages.words > 0
    }

    /// The cells that were touched, or lie in one page with such, with their words' indices.
    pub fn cells(&self) -> impl Iterator<Item = (usize, &Cell)> {
        self.pages.pages.iter().enumerate().flat_map(|(number, page)| {
            page.iter().flatten().enumerate().map(move |(i, cell)| (number * PAGE + i, cell))
        })
    }

    /// Renames the stamps of a block's marks.
    pub fn rename(&mut self, block: u32, to: &impl Fn(u32) -> u32) {
        let cells = self.pages.pages.iter_mut().flatten().flat_map(|page| page.iter_mut());
        rename(cells, &mut self.lists, block, to);
    }

    /// Bytes that it takes.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let pages = &self.pages.pages;
        pages.iter().flatten().map(|page| page.len() * size_of::<Cell>()).sum::<usize>()
            + pages.capacity() * size_of::<Option<Box<[Cell]>>>()
            + self.lists.bytes()
    }
}

impl Pages {
    /// The cells of page `number`; none beyond the end.
    #[inline(always)]
    pub fn page(&mut self, number: usize, initialised: &Initialised) -> &mut [Cell] {
        let words = self.words;
        match self.pages.get_mut(number) {
            Some(page) => page.get_or_insert_with(|| fresh(number, words, initialised)),
            None => &mut [],
        }
    }

    /// The cell of word `word`; `None` for an allocation that is not followed, or beyond its end.
    pub fn cell(&mut self, word: usize, initialised: &Initialised) -> Option<&mut Cell> {
        self.page(word / PAGE, initialised).get_mut(word % PAGE)
    }
}

#[cold]
#[inline(never)]
fn fresh(number: usize, words: usize, initialised: &Initialised) -> Box<[Cell]> {
    let first = number * PAGE;
    let end = words.min(first + PAGE);
    match initialised {
        Initialised::Some(_) => {
            (first..end).map(|w| Cell::untouched(initialised.bits(w))).collect()
        }
        same => vec![Cell::untouched(same.bits(0)); end - first].into(),
    }
}
