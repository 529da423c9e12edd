//! Slips in the launch of a kernel.

use super::{Help, Slip};

/// The launch of `kernel` as it should be written, with the configuration that the source has.
fn written(kernel: &str, configuration: &str) -> String {
    let configuration = configuration.trim();
    let configuration = if configuration.is_empty() { "grid, block" } else { configuration };
    format!("write {kernel}<<<{configuration}>>>(...)")
}

pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    brackets(slip).or_else(|| messages(slip))
}

/// A launch with other brackets than three.
fn brackets(slip: &Slip<'_>) -> Option<Help> {
    let line = slip.message.line;
    let kernels = slip.source.functions().into_iter().filter(|function| function.is_kernel());
    kernels.into_iter().filter(|kernel| kernel.line != line).find_map(|kernel| {
        let name = kernel.name.as_str();
        let (line, column, length) = slip.place_of(name)?;
        let rest = slip.source.after(line, column + length);
        let rest = rest.trim_start();
        let open = rest.chars().take_while(|c| *c == '<').count();
        let until = |end: char| rest.get(open..).and_then(|rest| rest.split(end).next());
        let launch = |label: &str, configuration: &str| {
            Help::new(written(name, configuration))
                .titled(label.to_owned())
                .at(Some((line, column, length)))
        };
        let three = "the launch of a kernel needs three angle brackets on each side";
        match open {
            0 if rest.starts_with('[') => {
                let inner = rest.get(1..)?.split(']').next()?;
                Some(
                    launch("a launch in CUDA C++ is written with <<< and >>>", inner).note(
                        "square brackets after a kernel are Numba's and CuPy's way to launch it",
                    ),
                )
            }
            0 if rest.starts_with("(") && slip.says("must be configured") => {
                Some(launch("a kernel must be launched, not called", "").note(
                    "the grid and the block stand between the kernel's name and its arguments",
                ))
            }
            1 | 2 | 4.. if !kernel.header.contains("template") || open > 1 => {
                Some(launch(three, until('>')?))
            }
            3 => {
                let (inner, after) = rest.get(3..)?.split_once('>')?;
                let close = 1 + after.chars().take_while(|c| *c == '>').count();
                let after = after.trim_start_matches('>').trim_start();
                if close != 3 {
                    return Some(launch(three, inner));
                }
                (!after.starts_with('(') && !after.is_empty()).then(|| {
                    launch("the launch has no arguments", inner)
                        .note(format!("`{name}` takes {}", parameters(&kernel.parameters())))
                })
            }
            _ => None,
        }
    })
}

/// `(const float* a, int n)`.
fn parameters(all: &[String]) -> String {
    if all.is_empty() {
        "no arguments: write ()".to_owned()
    } else {
        format!("({})", all.join(", "))
    }
}

/// What the compiler itself says about launches.
fn messages(slip: &Slip<'_>) -> Option<Help> {
    let place = |name: &str| {
        let function = slip.source.functions().into_iter().find(|f| f.name == name)?;
        let mut found = slip.source.occurrences(name).into_iter();
        let (line, column) = found.find(|(line, _)| *line == function.line)?;
        Some((line, column, name.chars().count() as u32))
    };
    if slip.says("host function call cannot be configured") {
        let name = slip.word.as_str();
        return Some(
            Help::new("this function has no __global__")
                .titled(format!(
                    "`{name}` is launched like a kernel, but it is a function for the CPU"
                ))
                .at(place(name))
                .also(slip.place_of(name), "launched here")
                .note(format!("a kernel starts with __global__: __global__ void {name}(...)")),
        );
    }
    let name = slip.quoted(0).split('(').next().unwrap_or_default().to_owned();
    let end = slip.message.column + slip.word.chars().count() as u32;
    let launched = slip.source.after(slip.message.line, end).trim_start().starts_with("<<<");
    if slip.says("calling a __device__ function") && launched {
        return Some(
            Help::new("write __global__ instead of __device__")
                .titled(format!("`{name}` is launched, but it isn't a kernel"))
                .at(place(&name))
                .also(slip.place_of(&name), "launched here")
                .note("the host launches __global__ functions; __device__ functions are called by them"),
        );
    }
    if slip.says("cannot be used to initialize") || slip.says("cannot be assigned to") {
        return (slip.quoted(0) == "void" && slip.code().contains("<<<")).then(|| {
            Help::new("a launch has no value")
                .titled("a kernel returns nothing")
                .note("a kernel stores its results in an array, and the host copies them back")
        });
    }
    if slip.says("requires separate compilation mode") || slip.says("could not be processed") {
        if !slip.setting.has_host_code() {
            return Some(
                Help::new("the checker does this for you")
                    .titled("a kernel exercise does not launch anything")
                    .note("the checker chooses the grid and the block, and launches the kernel"),
            );
        }
        return Some(
            Help::new("launched by a kernel")
                .titled("the simulator does not support kernels that launch kernels")
                .note("dynamic parallelism is correct CUDA, and needs nvcc -rdc=true and a GPU")
                .note("here, return to the host and launch the next kernel from there"),
        );
    }
    if slip.says("must be configured") {
        return Some(
            Help::new(written(&slip.word, ""))
                .titled("a kernel must be launched, not called")
                .note("the grid and the block stand between the kernel's name and its arguments"),
        );
    }
    if slip.says("must have a void return type") {
        return Some(Help::new("a kernel returns nothing").note(
            "write `void` in front of the kernel's name, and store the results in an array",
        ));
    }
    None
}
