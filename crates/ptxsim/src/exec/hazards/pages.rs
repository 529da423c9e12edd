//! The shadow of global memory: pages of cells, made when a launch first touches them.
//!
//! A cell is 16 bytes and stands for 4 bytes of data, so pages take at most 4 bytes per byte of the
//! arrays that a launch may write, plus 16 bytes per 4 KiB for the list of pages. Arrays that the
//! launch can only read, and pages that it does not touch, take nothing. The side table of lists
//! comes on top: a word is in it while several threads share its bytes in a way that a cell cannot
//! hold, mostly where two warps meet in one word.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::cell::ShadowCell;
use super::prior_access::{PriorLists, Workspace};
use super::renumber::renumber_cells;
use super::saved_pages::SavedPages;
use crate::memory::{Allocation, Initialised};

/// How many more cells the host threads of a launch may make together. It begins with one for each
/// word of memory.
pub(crate) type CellBudget = Arc<AtomicI64>;

/// What the host threads of a launch share of an allocation.
#[derive(Debug, Clone)]
pub(crate) struct SharedPages {
    pub budget: CellBudget,
    pub saved: Arc<SavedPages>,
}

/// Words per page: 4 KiB of data.
pub(crate) const PAGE_WORDS: usize = 1024;

/// The shadow of one allocation.
#[derive(Debug, Default)]
pub(crate) struct SlotShadow {
    pub pages: Pages,
    pub lists: PriorLists,
}

/// Cells by page; no pages at all for an allocation that the launch cannot write.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: Vec<Option<Box<[ShadowCell]>>>,
    words: usize,
    /// `None` with a single host thread, which cannot make more cells than there are words, and
    /// whose launch is not undone.
    shared: Option<SharedPages>,
}

impl SlotShadow {
    /// The shadow of an allocation of `words` words that the launch may write.
    pub fn new(words: usize, shared: Option<SharedPages>) -> Self {
        let pages = (0..words.div_ceil(PAGE_WORDS)).map(|_| None).collect();
        Self { pages: Pages { pages, words, shared }, lists: PriorLists::default() }
    }

    /// Joins the shadows that several host threads made of an allocation, each for the blocks that
    /// it ran: what is initialised, and how often each word was written. `None` when accesses of
    /// two threads conflict.
    pub fn join(mut all: Vec<Self>) -> Option<Self> {
        let numbers = all.iter().map(|s| s.pages.pages.len()).max().unwrap_or(0);
        for number in 0..numbers {
            let mut having: Vec<&mut Self> = all
                .iter_mut()
                .filter(|s| s.pages.pages.get(number).is_some_and(Option::is_some))
                .collect();
            if having.len() > 1 && have_conflict(&mut having, number) {
                return None;
            }
            let pages = having.into_iter().filter_map(|s| s.pages.pages[number].take());
            let joined = pages.reduce(|mut joined, page| {
                joined.iter_mut().zip(&page).for_each(|(cell, other)| cell.add_history(other));
                joined
            });
            if let Some(page) = all.first_mut().and_then(|s| s.pages.pages.get_mut(number)) {
                *page = joined;
            }
        }
        all.into_iter().next()
    }

    /// Does the allocation have a shadow? Not if the launch cannot write it.
    pub fn is_followed(&self) -> bool {
        self.pages.words > 0
    }

    /// Have the host's threads together made more cells than they may?
    pub fn exceeds_budget(&self) -> bool {
        self.pages.shared.as_ref().is_some_and(|shared| shared.budget.load(Relaxed) < 0)
    }

    /// All cells of the pages that were touched, with their words' indices.
    pub fn cells(&self) -> impl Iterator<Item = (usize, &ShadowCell)> {
        self.pages.pages.iter().enumerate().flat_map(|(number, page)| {
            page.iter().flatten().enumerate().map(move |(i, cell)| (number * PAGE_WORDS + i, cell))
        })
    }

    /// Replaces the stamps of a block's marks by what `map` makes of them.
    pub fn renumber(&mut self, block: u32, map: &impl Fn(u32) -> u32) {
        let cells = self.pages.pages.iter_mut().flatten().flat_map(|page| page.iter_mut());
        renumber_cells(cells, &mut self.lists, block, map);
    }

    /// Bytes of host memory that the shadow takes.
    pub fn bytes(&self) -> usize {
        let pages = &self.pages.pages;
        pages.iter().flatten().map(|page| page.len() * size_of::<ShadowCell>()).sum::<usize>()
            + pages.capacity() * size_of::<Option<Box<[ShadowCell]>>>()
            + self.lists.bytes()
    }
}

impl Pages {
    /// The cells of page `number`; none beyond the end. Every access asks for its pages before it
    /// writes to them.
    #[inline(always)]
    pub fn page(&mut self, number: usize, allocation: &Allocation) -> &mut [ShadowCell] {
        let words = self.words;
        match self.pages.get_mut(number) {
            Some(Some(page)) => page,
            Some(page) => {
                if let Some(SharedPages { budget, saved }) = &self.shared {
                    saved.save(number, &allocation.words);
                    // a run that exceeds the budget is repeated on one host thread, so it need not
                    // see every access
                    let cells = words.min((number + 1) * PAGE_WORDS) - number * PAGE_WORDS;
                    if budget.fetch_sub(cells as i64, Relaxed) < cells as i64 {
                        return &mut [];
                    }
                }
                page.insert(new_page(number, words, &allocation.initialised))
            }
            None => &mut [],
        }
    }

    /// The cell of word `word`; `None` for an allocation that is not followed, or beyond its end.
    pub fn cell(&mut self, word: usize, allocation: &Allocation) -> Option<&mut ShadowCell> {
        self.page(word / PAGE_WORDS, allocation).get_mut(word % PAGE_WORDS)
    }
}

#[cold]
#[inline(never)]
fn new_page(number: usize, words: usize, initialised: &Initialised) -> Box<[ShadowCell]> {
    let first = number * PAGE_WORDS;
    let end = words.min(first + PAGE_WORDS);
    match initialised {
        Initialised::Some(_) => {
            (first..end).map(|w| ShadowCell::untouched(initialised.bits(w))).collect()
        }
        same => vec![ShadowCell::untouched(same.bits(0)); end - first].into(),
    }
}

/// Do two accesses of different host threads to page `number` conflict? All the shadows have that
/// page. Blocks that different host threads run are never ordered.
fn have_conflict(shadows: &mut [&mut SlotShadow], number: usize) -> bool {
    // a launch with volatile accesses has one host thread
    let mut words: Vec<Workspace> = shadows.iter().map(|_| Workspace::default()).collect();
    for word in 0..PAGE_WORDS {
        let mut threads = 0;
        for (shadow, workspace) in shadows.iter_mut().zip(&mut words) {
            workspace.list.clear();
            let SlotShadow { pages, lists } = &mut **shadow;
            if let Some(cell) = pages.pages[number].as_ref().and_then(|page| page.get(word)) {
                cell.unpack(None, lists, workspace);
            }
            threads += usize::from(!workspace.list.is_empty());
        }
        if threads < 2 {
            continue;
        }
        for (i, own) in words.iter().enumerate() {
            let mut others = words[i + 1..].iter().flat_map(|other| &other.list);
            if others.any(|other| own.list.iter().any(|own| own.conflicts(other))) {
                return true;
            }
        }
    }
    false
}
