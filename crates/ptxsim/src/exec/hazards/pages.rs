//! The shadow of global memory: pages of cells, made when a launch first touches them.
//!
//! A cell is 16 bytes and stands for 4 bytes of data, so pages take at most 4 bytes per byte of the arrays that a launch
//! may write, plus 16 bytes per 4 KiB for where the page is; arrays that it can only read, and pages that it does not touch, take nothing. The
//! side table of lists comes on top: a word is in it while several threads share its bytes in ways that a cell cannot
//! hold, mostly where two warps meet in one word.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::cell::Cell;
use super::prior_access::{Lists, Past};
use super::renumber::rename;
use crate::memory::Initialised;

/// Cells that the host's threads may still make together: one for each word of memory.
pub(crate) type Room = Arc<AtomicI64>;

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
    /// `None` where there is one thread, whose pages cannot be too many.
    room: Option<Room>,
}

impl SlotShadow {
    /// The shadow of an allocation of `words` words that the launch may write.
    pub fn new(words: usize, room: Option<Room>) -> Self {
        let pages = (0..words.div_ceil(PAGE)).map(|_| None).collect();
        Self { pages: Pages { pages, words, room }, lists: Lists::default() }
    }

    /// One shadow from those that several host threads made of an allocation, each for blocks of its own: what is
    /// initialised, and how often each word was written. `None` when accesses of two threads conflict.
    pub fn join(mut all: Vec<Self>) -> Option<Self> {
        let numbers = all.iter().map(|s| s.pages.pages.len()).max().unwrap_or(0);
        for number in 0..numbers {
            let mut with: Vec<&mut Self> = all
                .iter_mut()
                .filter(|s| s.pages.pages.get(number).is_some_and(Option::is_some))
                .collect();
            if with.len() > 1 && !apart(&mut with, number) {
                return None;
            }
            let pages = with.into_iter().filter_map(|s| s.pages.pages[number].take());
            let joined = pages.reduce(|mut joined, page| {
                joined.iter_mut().zip(&page).for_each(|(cell, other)| cell.add(other));
                joined
            });
            if let Some(page) = all.first_mut().and_then(|s| s.pages.pages.get_mut(number)) {
                *page = joined;
            }
        }
        all.into_iter().next()
    }

    /// Is the allocation followed at all?
    pub fn followed(&self) -> bool {
        self.pages.words > 0
    }

    /// Have the host's threads together made more cells than they may?
    pub fn crowded_out(&self) -> bool {
        self.pages.room.as_ref().is_some_and(|room| room.load(Relaxed) < 0)
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
            Some(Some(page)) => page,
            Some(page) => {
                // a run that has taken too much is given up, and what it has seen does not count
                let cells = words.min((number + 1) * PAGE) - number * PAGE;
                let full = |room: &Room| room.fetch_sub(cells as i64, Relaxed) < cells as i64;
                if self.room.as_ref().is_some_and(full) {
                    return &mut [];
                }
                page.insert(fresh(number, words, initialised))
            }
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

/// Do no two accesses of different threads to page `number` conflict? All of them have it. Blocks of different threads
/// are never ordered.
fn apart(with: &mut [&mut SlotShadow], number: usize) -> bool {
    let mut pasts: Vec<Vec<Past>> = vec![vec![]; with.len()];
    for word in 0..PAGE {
        let mut several = 0;
        for (shadow, pasts) in with.iter_mut().zip(&mut pasts) {
            pasts.clear();
            let SlotShadow { pages, lists } = &mut **shadow;
            if let Some(cell) = pages.pages[number].as_ref().and_then(|page| page.get(word)) {
                cell.unpack(None, lists, pasts);
            }
            several += usize::from(!pasts.is_empty());
        }
        if several < 2 {
            continue;
        }
        for (i, mine) in pasts.iter().enumerate() {
            let others = pasts[i + 1..].iter().flatten();
            if others.clone().any(|p| mine.iter().any(|q| q.conflicts(p))) {
                return false;
            }
        }
    }
    true
}
