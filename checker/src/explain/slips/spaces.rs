//! Slips between the host and the device: functions and variables of the wrong side.

use super::{Help, Slip};

pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    if slip.says("closure type for a lambda") {
        return host_lambda(slip);
    }
    if slip.says("annotation on lambda requires") {
        return annotated_lambda(slip);
    }
    if slip.says("calling a __device__ function") {
        return device_function(slip);
    }
    if slip.says("calling a __host__ function")
        || slip.says("calling a constexpr __host__ function")
    {
        return Some(called_host_function(slip));
    }
    if slip.says("lambda closure class members was inferred to be __host__") {
        return outer_lambda(slip);
    }
    if slip.says("host function") || slip.says("__host__ function") {
        return host_function(slip);
    }
    if slip.says("is undefined in device code") || slip.says("host variable") {
        return host_variable(slip);
    }
    if slip.says("exception handling") {
        return Some(
            Help::new("no exceptions on the GPU")
                .note("store an error code in an array instead, which the host can look at"),
        );
    }
    None
}

/// The host calls a function of the GPU.
fn device_function(slip: &Slip<'_>) -> Option<Help> {
    let name = slip.quoted(0).split('(').next().unwrap_or_default();
    let name = name.rsplit("::").next().unwrap_or(name);
    let help = Help::new("a function for the GPU, called by the host")
        .titled(format!("the host calls {name}, which exists on the GPU only"));
    Some(match name {
        "__syncthreads" | "__syncwarp" => help.note(format!(
            "{name} waits for other threads of a kernel; the host waits for a kernel with cudaDeviceSynchronize()"
        )),
        name if name.starts_with("atomic") || name.starts_with("__") => {
            help.note("call it in a kernel or in a __device__ function")
        }
        _ => help.note(format!("with __host__ __device__ in front of it, `{name}` exists on both")),
    })
}

/// `calling a __host__ function("Scale::operator ()(float) const") from a __global__ function("map<Scale>") is not allowed`,
/// which marks the call.
fn called_host_function(slip: &Slip<'_>) -> Help {
    let quoted = slip.quoted(0);
    // without its parameters, which also begin with a parenthesis in `operator ()(float)`
    let name = match quoted.split_once("operator ()") {
        Some((object, _)) => format!("{object}operator()"),
        None => quoted.split('(').next().unwrap_or_default().trim().to_owned(),
    };
    let name = if name.is_empty() { "a function".to_owned() } else { name };
    let plain = name.rsplit("::").next().unwrap_or(&name);
    let plain = plain.split('<').next().unwrap_or(plain);
    let help = Help::new("this call")
        .titled(format!("code for the GPU calls {name}, which is a function for the CPU"))
        .at(slip.place_of(plain).filter(|_| slip.message.column == 0));
    let own = slip.source.functions().iter().any(|function| function.name == plain);
    if own || name.contains("operator()") {
        return help.note(
            "the function is compiled only for the CPU: add __device__ in front of its definition",
        );
    }
    if let Some(instead) = replacement(plain) {
        return help.note(format!("on the GPU, use {instead}"));
    }
    if plain.starts_with("cuda") {
        return help.note(
            "functions named cuda... are for the host, which calls them before and after a kernel",
        );
    }
    help.note("a GPU thread cannot use the host's C++ library: use CUDA's own functions")
}

/// What a kernel uses instead of a function of the host.
fn replacement(name: &str) -> Option<&'static str> {
    Some(match name {
        "rand" | "srand" | "drand48" => {
            "cuRAND's device functions (curand_kernel.h), or a generator of your own"
        }
        "max" => "max for integers, fmaxf for floats, fmax for doubles",
        "min" => "min for integers, fminf for floats, fmin for doubles",
        "swap" => "a third variable",
        "clock_gettime" | "gettimeofday" | "now" => "clock64()",
        "exit" | "abort" => "return to end the thread, or __trap() to end the kernel with an error",
        "cudaDeviceSynchronize" | "cudaThreadSynchronize" => {
            "__syncthreads() to wait for the threads of a block; the host waits for the whole kernel"
        }
        "cudaMemcpy" => {
            "a loop or an assignment for each element, because every thread can read the device's memory itself"
        }
        "fprintf" | "puts" | "putchar" => "printf",
        _ => return None,
    })
}

/// A function without the keyword of a kernel or of a device function.
fn host_function(slip: &Slip<'_>) -> Option<Help> {
    let word = slip.word.as_str();
    if slip.setting.has_host_code() {
        return None;
    }
    if word == "main" {
        return Some(
            Help::new("the checker is the program around your kernel")
                .titled("a kernel exercise has no main()")
                .note("the checker allocates the arrays, launches the kernel and compares the results"),
        );
    }
    let name = if word.is_empty() { "this function" } else { word };
    let header = slip.source.before(slip.message.line, slip.message.column);
    // Strings are blanked, so `extern "C"` leaves its first word.
    if header.split_whitespace().any(|word| word == "extern") {
        return Some(
            Help::new("__global__ is missing in front of its return type")
                .titled(format!("{name} is not marked as a kernel"))
                .note(format!("a kernel starts with: extern \"C\" __global__ void {name}")),
        );
    }
    Some(
        Help::new("__device__ is missing in front of it")
            .titled(format!("{name} is a function for the CPU, but this file is for the GPU"))
            .note("__global__ marks a kernel, __device__ a function that kernels call"),
    )
}

/// A variable of the host in code for the GPU.
fn host_variable(slip: &Slip<'_>) -> Option<Help> {
    let code = slip.code();
    if slip.says("namespace scope variable") && code.contains("= [") {
        return outer_lambda(slip);
    }
    if slip.says("host variable") && !slip.says("is undefined") {
        let shared = code.contains("extern") && slip.function().is_some();
        return Some(if shared {
            Help::new("write extern __shared__")
                .titled("an array of the block needs __shared__")
                .note("with `extern __shared__`, the launch says how many bytes it has")
        } else {
            Help::new("constexpr, __device__ or __constant__ is missing")
                .titled("a variable outside every function needs a memory space")
        });
    }
    let name = slip.quoted(0);
    let declared = slip.source.declaration(name)?;
    let length = name.chars().count() as u32;
    Some(
        Help::new("a variable of the host")
            .titled(format!("code for the GPU uses `{name}`, which is a variable of the host"))
            .at(Some((declared.line, declared.column, length)))
            .also(slip.place_of(name), "used by the GPU here")
            .note("pass its value to the kernel, make it constexpr, or declare it __device__ or __constant__"),
    )
}

/// A lambda of an exercise's kernel that has `__device__` behind its captures.
fn annotated_lambda(slip: &Slip<'_>) -> Option<Help> {
    if slip.setting.has_host_code() {
        return None;
    }
    Some(
        Help::new("leave the keyword out")
            .at(["__host__", "__device__"].iter().find_map(|word| slip.place_of(word)))
            .titled("a lambda in a kernel has no __device__ of its own")
            .note("a lambda belongs to the GPU if the function around it does")
            .note("with nvcc, the option --extended-lambda allows the keyword; the checker compiles this file without it"),
    )
}

/// A lambda outside every function.
fn outer_lambda(slip: &Slip<'_>) -> Option<Help> {
    let code = slip.code();
    let open = code.find("= [")? + 2;
    let length = code.get(open..)?.find(']')? + 1;
    let column = code.get(..open)?.chars().count() as u32 + 1;
    Some(
        Help::new("this lambda is outside every kernel")
            .at(Some((slip.message.line, column, length as u32)))
            .titled("a kernel cannot call this lambda, which is a function for the CPU")
            .note("a lambda belongs to the GPU only inside a kernel or a __device__ function: write it there, or write a __device__ function instead"),
    )
}

/// A lambda that is a function of the host is passed to a kernel: `The closure type for a lambda
/// ("lambda [](float)->float", defined at file.cu:7) cannot be used in the template argument type`.
fn host_lambda(slip: &Slip<'_>) -> Option<Help> {
    let (_, rest) = slip.message.text.split_once("defined at ")?;
    let place = rest.split(')').next()?;
    let line: u32 = place.rsplit(':').next()?.trim().parse().ok()?;
    let code = slip.source.after(line, 1);
    let open = code.find('[')?;
    let close = open + code.get(open..)?.find(']')?;
    let captures = code.get(open..=close)?;
    let column = code.get(..open)?.chars().count() as u32 + 1;
    Some(
        Help::new("this lambda is a function of the host")
            .at(Some((line, column, captures.chars().count() as u32)))
            .titled("a kernel cannot call this lambda, because it is not a device function")
            .note(format!("write {captures} __device__ (...) {{ ... }}"))
            .also(
                slip.source
                    .statement(slip.message.line, slip.message.column)
                    .map(|(column, length)| (slip.message.line, column, length)),
                "passed to the kernel here",
            ),
    )
}
