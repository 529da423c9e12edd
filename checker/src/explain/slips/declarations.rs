//! Names that are not declared, and declarations that are wrong.

use super::super::names::{self, Name};
use super::super::scan::is_word;
use super::{Help, Setting, Slip, headers};

pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    if slip.says("is undefined") && !slip.says("in device code") {
        return Some(undefined(slip));
    }
    if slip.says("has no member") {
        return Some(no_member(slip));
    }
    if slip.says("unresolved device symbol") {
        return Some(unresolved(slip));
    }
    if slip.says("followed by \"::\"") || slip.says("must be a namespace name") {
        return namespace(slip);
    }
    if slip.says("is not a template") && slip.says("texture") {
        return Some(
            Help::new("a texture reference")
                .titled("texture references were removed from CUDA in version 12")
                .note("use a texture object: cudaCreateTextureObject makes a cudaTextureObject_t, which the kernel gets as an argument"),
        );
    }
    if slip.says("explicit type is missing") || slip.says("no storage class") {
        return Some(missing_type(slip));
    }
    if slip.says("attribute \"__") && slip.says("does not apply here") {
        let keyword = slip.quoted(0);
        return Some(match keyword {
            "__global__" => Help::new("no function begins here")
                .note("a kernel starts with: extern \"C\" __global__ void"),
            keyword => Help::new("a type is missing after it")
                .titled(format!("a {keyword} variable needs a type"))
                .note(format!("for example: {keyword} float tile[256];")),
        });
    }
    if slip.says("attributes are not allowed here") {
        return Some(
            Help::new("this keyword comes too early")
                .titled("the keywords of the kernel are in the wrong order")
                .note("a kernel starts with: extern \"C\" __global__ void"),
        );
    }
    arrays(slip).or_else(|| again(slip))
}

/// The name is used before anything declares it.
fn undefined(slip: &Slip<'_>) -> Help {
    let word = slip.quoted(0);
    let device = slip.in_device_code();
    if let Some(help) = assigned_first(slip, word) {
        return help;
    }
    if slip.setting.has_host_code()
        && let Some(help) = headers::of_name(word, false, device)
    {
        return help;
    }
    if let Some(help) = foreign(slip, word) {
        return help;
    }
    if slip.setting == Setting::Kernel
        && let Some(help) = headers::in_kernels(word)
    {
        return help;
    }
    match names::about(word, slip.setting.has_host_code(), device) {
        Some(Name::Spelled { right, what }) => {
            return Help::new(format!("CUDA's {what} is spelled {right}"));
        }
        Some(Name::NotHere(why)) => {
            let label =
                if slip.setting == Setting::Kernel { "not available here" } else { "no such name" };
            return Help::new(label).note(why);
        }
        None => {}
    }
    if let Some(help) = declared_below(slip, word) {
        return help;
    }
    if let Some(help) = out_of_scope(slip, word) {
        return help;
    }
    match names::nearest(word, slip.source.identifiers().filter(|name| name != word)) {
        Some(near) => Help::new(format!("did you mean {near}?")),
        None if names_a_type(slip, word) => unknown_type(slip, word),
        None if is_called(slip, word) => Help::new("nothing above has this name").note(if device {
            "define the function above this line, with __device__ in front of it"
        } else {
            "define the function above this line, or include its header"
        }),
        None => Help::new("nothing above has this name").note(undeclared(slip)),
    }
}

/// What a variable needs that nothing declares. In a kernel, it may be meant for a parameter.
fn undeclared(slip: &Slip<'_>) -> String {
    let kernel = slip.function().filter(|_| slip.in_device_code());
    let parameters = kernel.map(|kernel| (slip.source.parameters(&kernel.name), kernel.name));
    match parameters.filter(|(names, _)| !names.is_empty()) {
        Some((names, kernel)) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "`{kernel}` has the parameters {}; any other variable needs a declaration, with its type, above this line",
                names.join(", ")
            )
        }
        None => "declare a variable, with its type, before the line that uses it".into(),
    }
}

/// Whether the name stands where a type belongs: before a name that is declared, or in a cast.
fn names_a_type(slip: &Slip<'_>, word: &str) -> bool {
    let (line, column) = (slip.message.line, slip.message.column);
    let before = slip.source.before(line, column);
    let rest = slip.source.after(line, column + word.chars().count() as u32);
    let begins_name = |text: &str| text.starts_with(|c: char| is_word(c) && !c.is_ascii_digit());
    let declares = begins_name(rest.trim_start().trim_start_matches(['*', '&']).trim_start());
    word.ends_with("_t") || before.trim_end().ends_with("_cast<") || declares
}

/// A type that nothing defines: a misspelled one, or one whose definition is missing.
fn unknown_type(slip: &Slip<'_>, word: &str) -> Help {
    let standard = headers::types().map(str::to_owned);
    match names::nearest(word, standard) {
        Some(near) => {
            let help = Help::new(format!("did you mean {near}?"));
            let included = |header: &&str| {
                let directive = format!("<{header}>");
                let mut lines = (1..=slip.source.len()).filter_map(|line| slip.source.line(line));
                lines.any(|line| line.contains(&directive))
            };
            match headers::header_of(&near).filter(|header| !included(header)) {
                Some(header) => help.note(format!("{near} needs #include <{header}> at the top")),
                None => help,
            }
        }
        None => Help::new("no type has this name").note(
            "compare its spelling with the line that defines the type, or include its header",
        ),
    }
}

/// Whether parentheses follow the name.
fn is_called(slip: &Slip<'_>, word: &str) -> bool {
    let end = slip.message.column + word.chars().count() as u32;
    slip.source.after(slip.message.line, end).trim_start().starts_with('(')
}

/// `col = threadIdx.x;`: a statement that would be right with a type in front.
fn assigned_first(slip: &Slip<'_>, word: &str) -> Option<Help> {
    let (line, column) = (slip.message.line, slip.message.column);
    let before = slip.source.before(line, column);
    let before = before.trim();
    let starts = before.is_empty() || matches!(before, "for (" | "for(" | "let" | "var" | "auto");
    let rest = slip.source.after(line, column + word.chars().count() as u32);
    let rest = rest.trim_start();
    let assigns = rest.starts_with('=') && !rest.starts_with("==");
    if !(starts && assigns) || names::about(word, true, true).is_some() {
        return None;
    }
    let ty = value_type(rest);
    Some(
        Help::new("write its type in front of it")
            .titled(format!("`{word}` is not declared"))
            .note(format!("a new variable needs a type: {ty} {word} = ...")),
    )
}

/// The type of a value, as far as its text shows it.
fn value_type(text: &str) -> &'static str {
    let number = text
        .split(|c: char| !(is_word(c) || c == '.'))
        .any(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'));
    let whole = ["Idx", "Dim"].iter().any(|part| text.contains(part));
    if number && !whole { "float" } else { "int" }
}

/// A name of another language or library.
fn foreign(slip: &Slip<'_>, word: &str) -> Option<Help> {
    let code = slip.code();
    let (label, note) = match word {
        "get_global_id" => {
            ("a function of OpenCL", "in CUDA this is blockIdx.x * blockDim.x + threadIdx.x")
        }
        "get_local_id" => ("a function of OpenCL", "in CUDA this is threadIdx.x"),
        "get_group_id" => ("a function of OpenCL", "in CUDA this is blockIdx.x"),
        "get_local_size" => ("a function of OpenCL", "in CUDA this is blockDim.x"),
        "barrier" if code.contains("CLK_") => {
            ("a function of OpenCL", "in CUDA this is __syncthreads()")
        }
        "hipMalloc" | "hipMemcpy" | "hipFree" | "hipDeviceSynchronize" => {
            ("a function of HIP", "CUDA's functions begin with cuda instead of hip")
        }
        "cuda" if code.contains("cuda.") => (
            "a module of Python",
            "in CUDA C++ the built-ins stand alone: threadIdx.x, blockIdx.x, blockDim.x, gridDim.x",
        ),
        "len" => ("a function of Python", "an array does not know its length: use the parameter n"),
        "print" => ("a function of Python", "a GPU thread prints with printf(\"%d\\n\", value)"),
        "rand" | "srand" | "random" => (
            "a function of the host",
            "a GPU thread draws random numbers with cuRAND (curand_kernel.h) or with a generator of its own",
        ),
        "True" => ("a word of Python", "in C++ it is true"),
        "False" => ("a word of Python", "in C++ it is false"),
        "None" | "null" | "nil" => ("a word of another language", "in C++ it is nullptr"),
        "then" => ("not a word of C++", "the condition in ( ) is followed by a statement or by {"),
        "elif" | "elseif" | "elsif" => ("not a word of C++", "write else if"),
        "let" | "var" => {
            ("not a word of C++", "a declaration begins with its type, such as int, or with auto")
        }
        "string" => (
            "a type of the C++ library",
            "a GPU thread has no strings: use const char*, or numbers",
        ),
        "atomicMul" | "atomicDiv" => (
            "there is no such atomic function",
            "a loop with atomicCAS can do any operation atomically",
        ),
        "this_thread_block" | "tiled_partition" | "this_grid" | "thread_block" => (
            "a name of cooperative groups",
            "include <cooperative_groups.h>, and write cooperative_groups:: in front of it",
        ),
        "__pipeline_memcpy_async" | "__pipeline_commit" | "__pipeline_wait_prior" => {
            ("a function of a header", "include <cuda_pipeline.h>")
        }
        "__half" | "half" | "__half2" | "half2" => ("a type of a header", "include <cuda_fp16.h>"),
        "__nv_bfloat16" | "__nv_bfloat162" => ("a type of a header", "include <cuda_bf16.h>"),
        "curandState"
        | "curand_init"
        | "curand_uniform"
        | "curand_normal"
        | "curandState_t"
        | "curandStatePhilox4_32_10_t"
        | "curand" => ("a name of cuRAND", "include <curand_kernel.h>"),
        _ => return None,
    };
    Some(Help::new(label).note(note))
}

/// A function or variable that the file declares further down.
fn declared_below(slip: &Slip<'_>, word: &str) -> Option<Help> {
    let line = slip.message.line;
    let functions = slip.source.functions();
    let below = functions.iter().find(|function| function.name == word && function.line > line);
    let at = match below {
        Some(function) => function.line,
        None => {
            let declared = slip.source.declaration(word).filter(|d| d.line > line)?;
            let outside = functions.iter().all(|f| !(f.line..=f.end).contains(&declared.line));
            let same = slip.function().is_some_and(|f| (f.line..=f.end).contains(&declared.line));
            (outside || same).then_some(declared.line)?
        }
    };
    let (_, column) = slip.source.occurrences(word).into_iter().find(|(found, _)| *found == at)?;
    let length = word.chars().count() as u32;
    Some(
        Help::new("used here")
            .titled(format!("`{word}` is used before it is declared"))
            .also(Some((at, column, length)), "declared here")
            .note(
                "the compiler reads from top to bottom: move the declaration above its first use",
            ),
    )
}

/// A variable that another function, or an inner block that has ended, declares.
fn out_of_scope(slip: &Slip<'_>, word: &str) -> Option<Help> {
    let line = slip.message.line;
    let declared = slip.source.declaration(word).filter(|d| d.line < line)?;
    let length = word.chars().count() as u32;
    let place = Some((declared.line, declared.column, length));
    let here = slip.function();
    let there = slip.source.function_around(declared.line);
    let help = Help::new("unknown here")
        .titled(format!("`{word}` is declared elsewhere, and unknown here"))
        .also(place, "declared here");
    Some(match (here, there) {
        (Some(here), Some(there)) if here.name != there.name => help.note(format!(
            "a variable of `{}` exists only there: pass it as an argument",
            there.name
        )),
        _ => help.note("a variable exists only inside the { } in which it is declared"),
    })
}

fn no_member(slip: &Slip<'_>) -> Help {
    let (class, member) = (slip.quoted(0), slip.quoted(1));
    match class {
        "uint3" | "dim3" | "int3" | "float3" => {
            Help::new("its parts are x, y and z").note("write them in lower case: threadIdx.x")
        }
        "uint2" | "int2" | "float2" | "double2" => Help::new("its parts are x and y"),
        "cudaDeviceProp" => match member {
            "clockRate"
            | "memoryClockRate"
            | "deviceOverlap"
            | "computeMode"
            | "kernelExecTimeoutEnabled" => Help::new("removed in CUDA 13")
                .titled(format!("CUDA 13 removed {member} from cudaDeviceProp"))
                .note("call cudaDeviceGetAttribute, for example with cudaDevAttrClockRate"),
            _ => Help::new("no such member"),
        },
        "std" => {
            let device = slip.in_device_code();
            if slip.setting.has_host_code()
                && let Some(help) = headers::of_name(member, true, device)
            {
                return help;
            }
            let instead = match member {
                "cout" | "cerr" | "endl" => Some("printf(\"%d\\n\", value)"),
                "max" => Some("max for integers, and fmaxf for floats"),
                "min" => Some("min for integers, and fminf for floats"),
                "abs" => Some("abs for integers, and fabsf for floats"),
                "sqrt" | "sin" | "cos" | "exp" | "log" | "pow" | "floor" | "ceil" | "round" => {
                    Some("the function without std::, with an f at its end for floats, as in sqrtf")
                }
                _ => None,
            };
            let help = Help::new(format!("there is no std::{member} here"));
            if let Some(instead) = instead {
                return help.note(format!("on the GPU, use {instead}"));
            }
            help.note("a GPU thread has no C++ standard library: use CUDA's own functions, such as sqrtf, fminf, printf")
        }
        _ => Help::new("no such member"),
    }
}

/// Device code that is declared and never defined.
fn unresolved(slip: &Slip<'_>) -> Help {
    let shown = crate::abi::demangle(slip.quoted(0));
    let name = shown.split('(').next().unwrap_or(&shown).to_owned();
    let place = slip.source.occurrences(&name).into_iter().next();
    let place = place.map(|(line, column)| (line, column, name.chars().count() as u32));
    let help = Help::new("declared or used here")
        .titled(format!("device code uses `{name}`, but nothing defines it"))
        .at(place);
    if slip.says("in the same file") {
        help.note("without -rdc=true, device code can only use what its own file defines")
            .note("define it here, or compile all files together: checker run -rdc=true a.cu b.cu")
    } else {
        help.note("one of the files must define it, with __device__")
    }
}

/// `cg::sync(block)` or `using namespace nvcuda` without the header.
fn namespace(slip: &Slip<'_>) -> Option<Help> {
    match slip.word.as_str() {
        "cg" | "cooperative_groups" => Some(
            Help::new("this namespace is not declared")
                .titled("cooperative groups need their header")
                .note("at the top: #include <cooperative_groups.h> and namespace cg = cooperative_groups;"),
        ),
        "thrust" => Some(
            Help::new("this namespace is not declared")
                .note("include the header of the algorithm, for example <thrust/reduce.h>"),
        ),
        "cub" => Some(
            Help::new("this namespace is not declared")
                .note("include the header of the algorithm, for example <cub/block/block_reduce.cuh>"),
        ),
        "nvcuda" | "wmma" => Some(
            Help::new("this namespace is not declared")
                .note("at the top: #include <mma.h> and using namespace nvcuda;"),
        ),
        _ => None,
    }
}

/// No type at the beginning of a declaration, often a misspelt keyword.
fn missing_type(slip: &Slip<'_>) -> Help {
    let word = slip.word.as_str();
    if word == "C" && slip.code().trim_start().starts_with("extern") {
        return Help::new("write \"C\"")
            .titled("the C after extern needs quotes")
            .note("a kernel starts with: extern \"C\" __global__ void");
    }
    if matches!(word, "__kernel" | "kernel") {
        return Help::new("write __global__")
            .titled(format!("{word} is OpenCL's word for a kernel"))
            .note("in CUDA, a kernel starts with: __global__ void");
    }
    if let Some(Name::Spelled { right, what: "keyword" }) = names::about(word, true, true) {
        return Help::new(format!("write {right}")).titled(format!(
            "CUDA's keyword is spelled {right}, with two underscores on each side"
        ));
    }
    let code = slip.code();
    if code.contains("__global__") && !code.contains("void") {
        return Help::new("void is missing in front of it")
            .titled("a kernel needs the return type void")
            .note(format!("write __global__ void {word}(...)"));
    }
    Help::new("no type has this name").note("a kernel starts with: extern \"C\" __global__ void")
}

/// Arrays and variables of a memory space.
fn arrays(slip: &Slip<'_>) -> Option<Help> {
    let code = slip.code();
    if slip.says("incomplete type") && slip.says("[]") && code.contains("__shared__") {
        return Some(
            Help::new("no length")
                .titled("a shared array without a length needs extern")
                .note("with extern __shared__, the launch gives the number of bytes: kernel<<<grid, block, bytes>>>")
                .note("without extern, the length must be a constant"),
        );
    }
    if slip.says("initializer not allowed for __shared__") {
        return Some(
            Help::new("a value is not allowed here")
                .titled("a shared variable cannot get its value in its declaration")
                .note("all threads of the block share it: let threads store the value in a statement of its own, and then wait with __syncthreads()"),
        );
    }
    if slip.says("variable declaration is not allowed inside a") {
        let keyword = slip.quoted(0);
        let host = slip.says("host function");
        let help = Help::new("inside a function")
            .titled(format!("a {keyword} variable does not belong here"));
        return Some(match keyword {
            "__shared__" => help.note("shared memory belongs to the blocks of a kernel: declare it in the kernel"),
            _ if host => help.note(format!(
                "declare a {keyword} variable outside every function; a pointer to memory of the device is an ordinary variable of the host"
            )),
            _ => help.note(format!("declare a {keyword} variable outside every function")),
        });
    }
    if slip.says("must have a constant value") {
        let inside =
            code.split_once('[').map_or("", |(_, rest)| rest.split(']').next().unwrap_or(""));
        let help = Help::new("the compiler must know this size");
        return Some(if code.contains("__shared__") {
            let why = if inside.contains("blockDim") {
                "blockDim is known only when the kernel is launched"
            } else {
                "the length of a __shared__ array is fixed when the file is compiled"
            };
            help.note(why)
                .note("use a constexpr, or extern __shared__, whose size the launch gives")
        } else {
            help.note("the size of an array is fixed when the file is compiled: use a constexpr")
        });
    }
    None
}

/// A second declaration.
fn again(slip: &Slip<'_>) -> Option<Help> {
    let name = slip.quoted(0);
    slip.says("already been declared")
        .then(|| Help::new(format!("`{name}` is already declared above")))
}
