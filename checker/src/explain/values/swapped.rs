//! Launches whose two dimensions have changed places, as far as the names of the variables show it.

use super::super::scan::{Source, is_word};

/// A launch `<<<block, grid>>>`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SwappedLaunch {
    pub line: u32,
    /// Where the configuration begins, and its length.
    pub column: u32,
    pub length: u32,
    /// The names in the places of the grid and of the block.
    pub names: [String; 2],
}

/// The first launch whose grid has the name of a block, and whose block has that of a grid.
pub(super) fn swapped_launch(source: &Source<'_>) -> Option<SwappedLaunch> {
    source.texts().find_map(|(line, code)| {
        let (before, rest) = code.split_once("<<<")?;
        let (inner, _) = rest.split_once(">>>")?;
        let mut parts = inner.split(',').map(str::trim);
        let names = [parts.next()?, parts.next()?].map(str::to_owned);
        let plain = names.iter().all(|name| name.chars().all(is_word));
        let swapped = names_block(&names[0]) && names_grid(&names[1]);
        let column = before.chars().count() as u32 + 1;
        let length = inner.chars().count() as u32 + 6;
        (plain && swapped).then_some(SwappedLaunch { line, column, length, names })
    })
}

/// Words of a name: `threadsPerBlock` has `threads`, `per` and `block`.
fn words_of(name: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && before.is_lowercase() {
            all.push(String::new());
        }
        if c != '_'
            && let Some(word) = all.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    all
}

fn names_block(name: &str) -> bool {
    let words = words_of(name);
    let has = |word: &str| words.iter().any(|own| own == word);
    let size = has("block") && !["num", "n", "count", "grid"].iter().any(|word| has(word));
    size || has("threads") || has("tpb") || has("blockdim")
}

fn names_grid(name: &str) -> bool {
    let words = words_of(name);
    let has = |word: &str| words.iter().any(|own| own == word);
    let threads = has("threads") || has("per");
    !threads && (has("grid") || has("blocks") || has("griddim"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_say_so_are_swapped() {
        let swapped = |inner: &str| {
            let text = format!("    k<<<{inner}>>>(a);\n");
            swapped_launch(&Source::new(&text)).is_some()
        };
        for wrong in [
            "block, grid",
            "threads, blocks",
            "threadsPerBlock, numBlocks, 0, s",
            "dimBlock, dimGrid",
            "block_size, grid_size",
            "BLOCK, GRID",
        ] {
            assert!(swapped(wrong), "{wrong}");
        }
        for right in [
            "grid, block",
            "blocks, threads",
            "numBlocks, threadsPerBlock",
            "n, 256",
            "blocks, BLOCK",
            "blocks_per_grid, threads_per_block",
            "(n + 255) / 256, 256",
        ] {
            assert!(!swapped(right), "{right}");
        }
    }
}
