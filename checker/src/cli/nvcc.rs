//! nvcc's options for `checker run`, so that a command for nvcc also works here.
//!
//! nvcc's long options begin with a single dash, which clap does not know. [`translate`] turns them
//! into hidden options before clap reads the command line.

use std::ffi::OsString;

/// What happens to an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// nvcc gets it for each compilation.
    Compile,
    /// nvcc gets it for the link.
    Link,
    /// It has no effect on the simulator, or the checker decides about it.
    Ignored,
}

/// Options without a value, or with a value after `=`.
const SINGLE: [(Use, &[&str]); 2] = [
    (
        Use::Compile,
        &[
            "std",
            "extended-lambda",
            "expt-extended-lambda",
            "expt-relaxed-constexpr",
            "use_fast_math",
            "fmad",
            "ftz",
            "prec-div",
            "prec-sqrt",
            "default-stream",
            "maxrregcount",
            "disable-warnings",
            "w",
            "Werror",
        ],
    ),
    (
        Use::Ignored,
        &[
            "arch",
            "gpu-architecture",
            "gencode",
            "generate-code",
            "code",
            "gpu-code",
            "g",
            "debug",
            "G",
            "device-debug",
            "lineinfo",
            "generate-line-info",
            "O0",
            "O1",
            "O2",
            "O3",
            "m64",
            "v",
            "verbose",
            "res-usage",
            "resource-usage",
            "cudart",
            "cudadevrt",
            "dlto",
            "Wno-deprecated-gpu-targets",
            "allow-unsupported-compiler",
            "split-compile",
            "threads",
            "extra-device-vectorization",
            "restrict",
        ],
    ),
];

/// Options whose value is the next argument, or follows at once or after `=`.
const WITH_VALUE: [(Use, &[&str]); 3] = [
    (
        Use::Compile,
        &["Xcompiler", "compiler-options", "Xcudafe", "diag-suppress", "isystem", "include", "x"],
    ),
    (Use::Link, &["Xlinker", "linker-options"]),
    (
        Use::Ignored,
        &["o", "output-file", "Xptxas", "ptxas-options", "Xnvlink", "ccbin", "optimize", "j", "t"],
    ),
];

/// Options of one letter whose value usually follows at once: `-Ifolder`, `-DNAME=3`, `-lm`.
const LETTERS: [(Use, char); 5] = [
    (Use::Compile, 'I'),
    (Use::Compile, 'D'),
    (Use::Compile, 'U'),
    (Use::Link, 'L'),
    (Use::Link, 'l'),
];

/// Libraries that every program here has anyway.
const OWN_LIBRARIES: [&str; 6] =
    ["cudart", "cudart_static", "cudadevrt", "cuda", "stdc++", "nvToolsExt"];

/// The command line with the options of nvcc after `run` as `--nvcc=...` (for the compilation) and
/// `--nvcc-link=...`.
pub fn translate(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.into_iter();
    let mut all: Vec<OsString> = arguments.by_ref().take(2).collect();
    if all.get(1).is_none_or(|command| command != "run") {
        all.extend(arguments);
        return all;
    }
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        if text == "--" {
            all.push(argument);
            break;
        }
        match option(text) {
            None => all.push(argument),
            Some((usage, None)) => add(&mut all, usage, &[text]),
            Some((usage, Some(name))) => match arguments.next().as_ref().and_then(|v| v.to_str()) {
                // A letter and its value become one argument, as `-I folder` is `-Ifolder`.
                Some(value) if name.len() == 1 => {
                    add(&mut all, usage, &[&format!("-{name}{value}")])
                }
                Some(value) => add(&mut all, usage, &[text, value]),
                None => all.push(argument),
            },
        }
    }
    all.extend(arguments);
    all
}

fn add(all: &mut Vec<OsString>, usage: Use, parts: &[&str]) {
    let library = parts.first().and_then(|part| part.strip_prefix("-l"));
    if library.is_some_and(|name| OWN_LIBRARIES.contains(&name)) {
        return;
    }
    let option = match usage {
        Use::Compile => "--nvcc",
        Use::Link => "--nvcc-link",
        Use::Ignored => return,
    };
    all.extend(parts.iter().map(|part| format!("{option}={part}").into()));
}

/// What happens to this option, and its name if the value is the next argument. `None` if this is
/// no option of nvcc.
fn option(text: &str) -> Option<(Use, Option<&str>)> {
    let name = text.strip_prefix('-')?;
    let long = name.strip_prefix('-');
    let name = long.unwrap_or(name);
    let plain = name.split('=').next().unwrap_or(name);
    let listed = |table: &[(Use, &[&str])]| {
        table.iter().find(|(_, names)| names.contains(&plain)).map(|(usage, _)| *usage)
    };
    if matches!(plain, "rdc" | "relocatable-device-code") {
        return Some((Use::Compile, None));
    }
    let single = listed(&SINGLE);
    // `-arch sm_90`, `-std c++20`
    let spaced = [
        "arch",
        "gpu-architecture",
        "gencode",
        "generate-code",
        "code",
        "gpu-code",
        "std",
        "maxrregcount",
        "cudart",
        "default-stream",
        "threads",
    ];
    if let Some(usage) = single {
        return Some((usage, (!name.contains('=') && spaced.contains(&plain)).then_some(plain)));
    }
    if let Some(usage) = listed(&WITH_VALUE) {
        return Some((usage, (!name.contains('=')).then_some(plain)));
    }
    if long.is_some() {
        return None;
    }
    let letter = name.chars().next()?;
    let (usage, _) = LETTERS.iter().find(|(_, known)| *known == letter)?;
    Some((*usage, (name.len() == 1).then_some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(text: &str) -> String {
        let all = translate(text.split(' ').map(OsString::from));
        all.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn options_of_nvcc_are_translated() {
        assert_eq!(
            translated("checker run -I inc -Iother -DN=3 a.cu -std=c++20 --seed 3 -- -I x"),
            "checker run --nvcc=-Iinc --nvcc=-Iother --nvcc=-DN=3 a.cu --nvcc=-std=c++20 --seed 3 -- -I x"
        );
        assert_eq!(
            translated(
                "checker run -arch=sm_80 -gencode arch=compute_80,code=sm_80 -O3 -lineinfo -o out a.cu -lm -lcudart"
            ),
            "checker run a.cu --nvcc-link=-lm"
        );
        assert_eq!(
            translated("checker run -rdc=true -Xcompiler -fopenmp -arch sm_90 a.cu b.cu"),
            "checker run --nvcc=-rdc=true --nvcc=-Xcompiler --nvcc=-fopenmp a.cu b.cu"
        );
        assert_eq!(translated("checker check -D x"), "checker check -D x");
        assert_eq!(translated("checker run --profile a.cu -h"), "checker run --profile a.cu -h");
    }
}
