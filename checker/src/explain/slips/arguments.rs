//! Slips in the arguments of a call.

use super::super::calls::Argument;
use super::super::scan::is_word;
use super::{Help, Slip};

pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    if slip.says("no instance of overloaded function") {
        return overload(slip);
    }
    if slip.says("no instance of function template") {
        return template(slip);
    }
    if slip.says("too few arguments") || slip.says("too many arguments") {
        return Some(number(slip));
    }
    if slip.says("is incompatible with parameter of type") {
        return incompatible(slip);
    }
    if slip.says("no suitable conversion function from") {
        let (from, to) = (slip.quoted(0), slip.quoted(1));
        let address = to.strip_prefix(from).is_some_and(|rest| rest.trim() == "*");
        return (address && is_name(&slip.word)).then(|| address_of(slip, &slip.word));
    }
    None
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word) && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// A call that stores a result through a pointer gets the variable instead of its address.
fn address_of(slip: &Slip<'_>, name: &str) -> Help {
    Help::new(format!("write &{name}"))
        .titled(format!("this call needs the address of `{name}`, to store a result there"))
        .at(slip.place_of(name).filter(|_| slip.word != name))
}

/// The name of the called function: the last word before the parenthesis that the message is in.
fn called(slip: &Slip<'_>) -> Option<String> {
    let before = slip.source.before(slip.message.line, slip.message.column);
    let mut depth = 0_i32;
    let at = before.char_indices().rev().find(|(_, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        depth < 0
    });
    let head = before.get(..at?.0)?.trim_end();
    let head = match head.rsplit_once("<<<") {
        Some((kernel, _)) if head.ends_with(">>>") => kernel.trim_end(),
        _ => head,
    };
    let name: Vec<char> = head.chars().rev().take_while(|c| is_word(*c)).collect();
    let name: String = name.into_iter().rev().collect();
    is_name(&name).then_some(name)
}

/// A function of the source: what it takes.
fn takes(slip: &Slip<'_>, name: &str) -> Option<Vec<String>> {
    let function = slip.source.functions().into_iter().find(|function| function.name == name)?;
    Some(function.parameters())
}

fn number(slip: &Slip<'_>) -> Help {
    let Some(name) = called(slip) else { return Help::new("wrong number of arguments") };
    match name.as_str() {
        "cudaMemcpy" if slip.says("too few") => {
            return Help::new("the direction is missing")
                .titled("cudaMemcpy takes four arguments")
                .note(
                    "they are: to, from, bytes, and the direction, such as cudaMemcpyHostToDevice",
                );
        }
        "cudaGetErrorString" => {
            return Help::new("the error is missing")
                .note("write cudaGetErrorString(error), with the value that a call returned");
        }
        "__syncthreads" => {
            return Help::new("__syncthreads takes no arguments")
                .note("it waits for all threads of the block; __syncwarp takes a mask of lanes");
        }
        _ => {}
    }
    let help = Help::new("wrong number of arguments");
    match takes(slip, &name) {
        Some(parameters) => {
            let given = slip.source.call_arguments(slip.message.line, &name).len();
            help.titled(format!(
                "`{name}` takes {}, and this call has {given}",
                plural(parameters.len(), "argument")
            ))
            .note(format!("`{name}` takes ({})", parameters.join(", ")))
        }
        None => help,
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `argument of type "float" is incompatible with parameter of type "void *"`.
fn incompatible(slip: &Slip<'_>) -> Option<Help> {
    let from = slip.quoted_after("argument of type ")?;
    let to = slip.quoted_after("parameter of type ")?;
    let name = called(slip).unwrap_or_default();
    let arguments = slip.source.call_arguments(slip.message.line, &name);
    let here = (slip.message.line, slip.message.column);
    let argument = arguments.iter().position(|one| (one.place.0, one.place.1) == here);
    let text = argument.and_then(|index| arguments.get(index)).map(|one| one.text.as_str());
    let text = text.unwrap_or_default();
    let plain = |ty: &str| ty.replace("const ", "").replace(' ', "");
    let (given, wanted) = (plain(from), plain(to));
    if to == "cudaMemcpyKind" {
        return Some(
            Help::new("this should be the direction")
                .titled("the last argument of cudaMemcpy is the direction")
                .note("the arguments are: to, from, bytes, direction"),
        );
    }
    let before = slip.source.before(slip.message.line, slip.message.column);
    let configures = before.rfind("<<<") > before.rfind(">>>");
    if from.contains("cudaStream_t") && to.contains("size_t") && configures {
        return Some(
            Help::new("this is the stream")
                .titled("the stream is the fourth value between <<< and >>>, not the third")
                .note("the values are: blocks, threads of each block, bytes of dynamic shared memory, stream")
                .note("without dynamic shared memory, the third value is 0"),
        );
    }
    if from.contains("(*)(") && is_name(text) {
        return Some(
            Help::new(format!("write {text}()"))
                .titled(format!("`{text}` without parentheses is the function, not its result")),
        );
    }
    if wanted == format!("{given}*") && is_name(text) {
        return Some(address_of(slip, text));
    }
    if given == format!("{wanted}*") && text.starts_with('&') {
        let name = text.trim_start_matches('&');
        return Some(
            Help::new(format!("write {name}"))
                .titled(format!("`{text}` is the address of the pointer, not the pointer"))
                .note(format!("`{name}` already holds the address that this call needs: & is for a variable in which a call stores its result")),
        );
    }
    if let (Some(stored), Some(other)) = (wanted.strip_suffix('*'), given.strip_suffix('*'))
        && let Some(variable) = text.strip_prefix('&').filter(|name| is_name(name))
        && takes(slip, &name).is_none()
        && !other.is_empty()
    {
        let declared = slip.source.declaration(variable);
        let at = declared.map(|d| (d.line, d.column, variable.chars().count() as u32));
        return Some(
            Help::new(format!("this is the address of a variable of type {other}"))
                .titled(format!("{name} needs the address of a variable of type {stored}"))
                .also(at, format!("declared as {other}"))
                .note(format!("declare `{variable}` with the type {stored}")),
        );
    }
    if from.starts_with("const ") && from.contains('*') && to.ends_with('*') && is_name(text) {
        let declared = slip.source.declaration(text);
        let at = declared.map(|d| (d.line, d.column, text.chars().count() as u32));
        let help = Help::new("this must be memory that may be written")
            .titled(format!("`{text}` is only for reading, and {name} would write to it"))
            .also(at, format!("declared as {from}"));
        return Some(if name.starts_with("cudaMemcpy") {
            help.note("the arguments are: to, from, bytes, direction")
        } else {
            help.note(format!("a pointer to const can't become one of type {to}"))
        });
    }
    let kernel = takes(slip, &name);
    let parameter = argument.and_then(|index| kernel.as_ref()?.get(index).cloned());
    if wanted.ends_with('*') && !given.contains('*') {
        let array = text.trim_start_matches('*');
        let array = array.split('[').next().unwrap_or_default();
        let element = text.starts_with('*') || text.contains('[');
        if element && is_name(array) && slip.source.declaration(array).is_some_and(|d| d.indexable)
        {
            return Some(
                Help::new(format!("write {array}"))
                    .titled(format!("`{text}` is one element of `{array}`, not the array"))
                    .note("a copy and a kernel get the pointer to the first element"),
            );
        }
    }
    let parameter = parameter?;
    let parameters = kernel.unwrap_or_default().join(", ");
    Some(
        Help::new(format!("this argument is for `{parameter}`"))
            .note(format!("`{name}` takes ({parameters}), in this order")),
    )
}

/// `no instance of function template "zip" matches the argument list`.
fn template(slip: &Slip<'_>) -> Option<Help> {
    let name = slip.quoted(0);
    let arguments = slip.source.call_arguments(slip.message.line, name);
    if let Some(braces) = arguments.iter().find(|argument| argument.text.starts_with('{')) {
        let text = &braces.text;
        return Some(
            Help::new("a list in braces has no type")
                .at(Some(braces.place))
                .titled(format!(
                    "the compiler cannot deduce a type of the template `{name}` from {text}"
                ))
                .note(format!("write the type in front of the braces: Type{text}")),
        );
    }
    let parameters = takes(slip, name)?;
    if parameters.len() != arguments.len() {
        return Some(
            Help::new("wrong number of arguments")
                .titled(format!(
                    "the template `{name}` takes {}, and this call has {}",
                    plural(parameters.len(), "argument"),
                    arguments.len()
                ))
                .note(format!("`{name}` takes ({})", parameters.join(", "))),
        );
    }
    let types = slip.argument_types();
    let help = Help::new("these arguments do not fit the template")
        .note(format!("`{name}` takes ({})", parameters.join(", ")));
    Some(if types.is_empty() {
        help
    } else {
        help.note(format!("the arguments have the types ({})", types.join(", ")))
    })
}

/// `no instance of overloaded function "cudaMalloc" matches the argument list`.
fn overload(slip: &Slip<'_>) -> Option<Help> {
    let name = slip.quoted(0);
    let types = slip.argument_types();
    let arguments = slip.source.call_arguments(slip.message.line, name);
    let first = arguments.first().map(|one| one.text.clone()).unwrap_or_default();
    let place = arguments.first().map(|one| one.place);
    let first_type = types.first().copied().unwrap_or_default();
    let help = match name {
        "cudaMalloc" | "cudaMallocManaged" | "cudaMallocHost" | "cudaHostAlloc" => {
            allocation(slip, name, &types, &arguments)
        }
        name if name.starts_with("atomic") => atomic(name, &types, &first).map(|h| h.at(place)),
        name if name.starts_with("__shfl") && name.ends_with("_sync") && types.len() < 3 => Some(
            Help::new("the mask of the lanes is missing")
                .titled(format!("{name} takes the mask of the lanes first"))
                .note(format!("write {name}(0xffffffff, ...) where all 32 lanes take part")),
        ),
        "cudaEventCreate" | "cudaStreamCreate" if is_name(&first) && !first_type.contains('*') => {
            Some(Help { place, ..address_of(slip, &first) })
        }
        name if name.starts_with("tex") && !has_type(slip, name) => Some(
            Help::new("the type of the texels is missing")
                .titled(format!("`{name}` needs the type of the texels in angle brackets"))
                .note(format!(
                    "a texture object does not say what its texels are: write {name}<float>({}) for floats",
                    arguments.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(", ")
                )),
        ),
        "cudaLaunchKernel" => Some(
            Help::new("this needs an array of pointers to the arguments")
                .titled("cudaLaunchKernel does not take the kernel's arguments one by one")
                .note("write kernel<<<grid, block>>>(...) instead"),
        ),
        _ => None,
    };
    help.or_else(|| {
        Some(
            Help::new("no version of it takes these types")
                .titled(format!("`{name}` cannot be called with these arguments"))
                .note(format!("the arguments have the types ({})", types.join(", "))),
        )
    })
}

/// Whether the call has a type in angle brackets after its name.
fn has_type(slip: &Slip<'_>, name: &str) -> bool {
    let place = slip.place_of(name);
    place.is_some_and(|(line, column, length)| {
        slip.source.after(line, column + length).trim_start().starts_with('<')
    })
}

fn allocation(slip: &Slip<'_>, name: &str, types: &[&str], arguments: &[Argument]) -> Option<Help> {
    let first = arguments.first()?;
    let text = first.text.as_str();
    let ty = *types.first()?;
    let bytes = arguments.get(1).map_or("bytes", |second| second.text.as_str());
    if types.len() == 1 && !ty.contains('*') {
        let before = slip.source.before(slip.message.line, slip.message.column);
        let target = before.split('=').next().unwrap_or_default().trim_end();
        let target: Vec<char> = target.chars().rev().take_while(|c| is_word(*c)).collect();
        let target: String = target.into_iter().rev().collect();
        let pointer = if before.contains('=') && is_name(&target) { &target } else { "pointer" };
        return Some(
            Help::new("the pointer is missing")
                .titled(format!("{name} does not return the pointer, but stores it"))
                .note(format!("write {name}(&{pointer}, {text})")),
        );
    }
    if types.len() == 1 {
        return Some(
            Help::new("the number of bytes is missing")
                .titled(format!("{name} needs to know how many bytes to allocate"))
                .note(format!("write {name}({text}, n * sizeof(float)) for n floats")),
        );
    }
    if let Some(rest) = text.strip_prefix("(void*)").or_else(|| text.strip_prefix("(void *)")) {
        return Some(
            Help::new(format!("write {}", rest.trim()))
                .titled(format!("{name} needs the address of the pointer"))
                .at(Some(first.place))
                .note("no cast is needed; if you write one, it must be (void**)"),
        );
    }
    let variable = text.trim_start_matches('&');
    let declared = slip.source.declaration(variable)?;
    let at = (declared.line, declared.column, variable.chars().count() as u32);
    if text.starts_with('&') && !declared.indexable {
        let element = ty.trim_end_matches(['*', ' ']);
        let list = slip.source.line(declared.line).is_some_and(|line| line.contains(','));
        let help = Help::new(format!("declared as a single {element}, not as a pointer"))
            .titled(format!("`{variable}` is not a pointer, so it cannot hold an address"))
            .at(Some(at))
            .also(Some(first.place), format!("{name} stores an address in it"));
        return Some(if list {
            help.note(format!("each pointer of a list needs its own *: {element} *{variable}"))
        } else {
            help.note(format!("declare it as a pointer: {element}* {variable}"))
        });
    }
    (is_name(text) && declared.indexable).then(|| {
        Help::new(format!("write &{text}"))
            .titled(format!("{name} needs the address of the pointer `{text}`"))
            .at(Some(first.place))
            .note(format!(
                "{name}(&{text}, {bytes}) can then store the address of the new memory in `{text}`"
            ))
    })
}

fn atomic(name: &str, types: &[&str], first: &str) -> Option<Help> {
    let ty = *types.first()?;
    let wanted = if name == "atomicCAS" { 3 } else { 2 };
    if types.len() != wanted && !(types.len() == 1 && matches!(name, "atomicInc" | "atomicDec")) {
        return Some(
            Help::new(format!("{} here", plural(types.len(), "argument")))
                .titled(format!(
                    "{name} takes the address of one element, and {}",
                    match wanted {
                        3 => "the expected and the new value",
                        _ => "a value",
                    }
                ))
                .note(format!("for example {name}(&array[index], value)")),
        );
    }
    if !ty.contains('*') {
        return Some(
            Help::new(format!("write &{first}"))
                .titled(format!("{name} needs the address of the element that it changes")),
        );
    }
    if ty.starts_with("const ") {
        return Some(
            Help::new("this array is const")
                .titled(format!("{name} changes the array, but this one may only be read")),
        );
    }
    let element = ty.trim_end_matches(['*', ' ']);
    Some(
        Help::new(format!("this points to {element}"))
            .titled(format!("{name} has no version for {element}"))
            .note(if element == "float" || element == "double" {
                "atomicAdd and atomicExch take float; the others take integers, and a loop with atomicCAS does the rest"
            } else {
                "the atomic functions take int, unsigned int and unsigned long long; atomicAdd also takes float and double"
            }),
    )
}
