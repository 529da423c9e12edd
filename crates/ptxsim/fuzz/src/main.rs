//! libFuzzer's target: parses, decodes and runs any bytes as PTX. `fuzz/run` builds and starts it.

#![no_main]

mod launch;
mod mutate;

use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    let text = String::from_utf8_lossy(data);
    match ptxsim::Module::parse(&text) {
        Ok(module) => {
            launch::all(&module, launch::shape(data));
            Corpus::Keep
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Corpus::Keep
        }
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // sometimes libFuzzer's own mutations of bytes, to test the lexer, too
    if seed.is_multiple_of(5) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let text = String::from_utf8_lossy(&data[..size]).into_owned();
    let changed = mutate::mutate(&text, u64::from(seed));
    // truncated at a character boundary
    let end =
        (0..=changed.len().min(max_size)).rfind(|i| changed.is_char_boundary(*i)).unwrap_or(0);
    data[..end].copy_from_slice(&changed.as_bytes()[..end]);
    end
});
