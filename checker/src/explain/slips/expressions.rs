//! Slips in expressions: arrays for elements, built-ins without an axis, operators of other
//! languages, and assignments.

use super::super::scan::is_word;
use super::{Help, Slip};

const BUILT_INS: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    axis(slip)
        .or_else(|| power(slip))
        .or_else(|| flat_array(slip))
        .or_else(|| whole_array(slip))
        .or_else(|| assigned(slip))
        .or_else(|| types(slip))
}

/// A built-in with three parts is used as a number, an array, a function or a pointer.
fn axis(slip: &Slip<'_>) -> Option<Help> {
    let about = ["uint3", "dim3"].iter().any(|ty| slip.message.text.contains(ty));
    let called = slip.says("call of an object of a class type without");
    if !about && !called || slip.says("has no member") || slip.says("no suitable constructor") {
        return None;
    }
    let (name, place, rest) = BUILT_INS.into_iter().find_map(|name| {
        let length = name.len() as u32;
        slip.source.occurrences(name).into_iter().find_map(|(line, column)| {
            let rest = slip.source.after(line, column + length);
            let rest = rest.trim_start().to_owned();
            (line == slip.message.line && !rest.starts_with('.')).then_some((
                name,
                (line, column, length),
                rest,
            ))
        })
    })?;
    let title = match rest.chars().next() {
        Some('(') => format!("`{name}` is a variable, not a function"),
        Some('[') => format!("`{name}` is not an array, so it can't have an index"),
        Some('-') if rest.starts_with("->") => {
            format!("`{name}` is not a pointer, so its members need a dot")
        }
        _ => format!("`{name}` has three parts, so it is not a single number"),
    };
    Some(
        Help::new(format!("write {name}.x"))
            .titled(title)
            .at(Some(place))
            .note(format!("its parts are {name}.x, {name}.y and {name}.z")),
    )
}

/// `x ^ 2`, `x ** 2`, `x % 2` with floats.
fn power(slip: &Slip<'_>) -> Option<Help> {
    let code = slip.code();
    if slip.says("operand of \"*\" must be a pointer") && code.contains("**") {
        return Some(
            Help::new("no power operator")
                .titled("C++ has no ** operator")
                .at(operator(slip, &code, "**"))
                .note("write x * x for a square, and powf(x, y) for any power"),
        );
    }
    if !slip.says("must have integral") {
        return None;
    }
    let alone = |sign: char| {
        code.char_indices().any(|(at, c)| {
            c == sign && !code[..at].ends_with(sign) && !code[at + 1..].starts_with([sign, '='])
        })
    };
    if alone('^') {
        return Some(
            Help::new("bitwise exclusive or")
                .titled("^ is not a power in C++, and works on whole numbers only")
                .at(operator(slip, &code, "^"))
                .note("write x * x for a square, powf(x, y) for any power, and k % 2 == 0 ? 1 : -1 for (-1) to the power of k"),
        );
    }
    if alone('%') {
        return Some(
            Help::new("remainder of whole numbers")
                .titled("% works on whole numbers only")
                .at(operator(slip, &code, "%"))
                .note("for floats the function is fmodf(x, y)"),
        );
    }
    None
}

fn operator(slip: &Slip<'_>, code: &str, sign: &str) -> Option<(u32, u32, u32)> {
    let at = code.get(..code.find(sign)?)?.chars().count() as u32;
    Some((slip.message.line, at + 1, sign.len() as u32))
}

/// `out[row][col]` of a flat array.
fn flat_array(slip: &Slip<'_>) -> Option<Help> {
    if !slip.says("must have pointer-to-object type") {
        return None;
    }
    let name = slip.word.as_str();
    let declared = slip.source.declaration(name);
    let length = name.chars().count() as u32;
    let here = (slip.message.line, slip.message.column, length);
    match declared {
        Some(declared) if !declared.indexable => {
            let place = (declared.line, declared.column, length);
            let fix = if declared.parameter {
                "an array parameter needs a *"
            } else {
                "an array has a length in [ ], and a pointer a *"
            };
            Some(
                Help::new("declared as a single value")
                    .titled(format!("`{name}` is not an array, so it can't have an index"))
                    .at(Some(place))
                    .also(Some(here), "used like an array here")
                    .note(format!("{fix}, as in float* {name}")),
            )
        }
        Some(_) => {
            let rest = slip.source.after(here.0, here.1 + length);
            let second = second_subscript(&rest)?;
            Some(
                Help::new(format!("{name}[...] is already a single number"))
                    .titled(format!("`{name}` has one index, not two"))
                    .at(Some((here.0, here.1, length + second)))
                    .note(
                        "memory has no rows and columns: an array that a pointer points to is flat",
                    )
                    .note("compute one index from the row, the column and the length of a row"),
            )
        }
        None => Some(
            Help::new("this is a single number, not an array")
                .note("only arrays (pointers, such as const float* in) take an index in [ ]"),
        ),
    }
}

/// The length of `[a][b]`, if there are two subscripts.
fn second_subscript(rest: &str) -> Option<u32> {
    let (mut depth, mut count) = (0_i32, 0);
    for (at, c) in rest.chars().enumerate() {
        match c {
            '[' => depth += 1,
            ']' => {
                depth -= 1;
                count += i32::from(depth == 0);
                if count == 2 {
                    return Some(at as u32 + 1);
                }
            }
            c if depth == 0 && !c.is_whitespace() => return None,
            _ => {}
        }
    }
    None
}

/// The name of an array where one element is meant, or a function's name.
fn whole_array(slip: &Slip<'_>) -> Option<Help> {
    let arithmetic = slip.says("must have arithmetic") || slip.says("must have integral");
    let compared = slip.says("operand types are incompatible") && slip.message.text.contains('*');
    let converted = slip.says("cannot be assigned to") || slip.says("cannot be used to initialize");
    let from_array = converted && slip.quoted(0).contains('*') && !slip.quoted(1).contains('*');
    if slip.says("must have class type") {
        return member_of_array(slip);
    }
    if !arithmetic && !compared && (!from_array || slip.quoted(0).contains("char")) {
        return whole_target(slip);
    }
    let line = slip.message.line;
    let code = slip.code();
    let chars: Vec<char> = code.chars().collect();
    let names = super::super::scan::words(&chars).filter_map(|(start, word)| {
        let length = word.chars().count();
        let rest: String = chars.iter().skip(start + length).collect();
        let rest = rest.trim_start().to_owned();
        let before: String = chars.iter().take(start).collect();
        let bare = !rest.starts_with(['[', '(', '.']) && !rest.starts_with("->");
        let taken =
            before.trim_end().ends_with(['*', '&', '.']) && !before.trim_end().ends_with("2 *");
        let product = before.trim_end().ends_with('*');
        let declared = slip.source.declaration(&word).filter(|d| d.indexable)?;
        let itself = (declared.line, declared.column) == (line, start as u32 + 1);
        (bare && (!taken || product) && !itself)
            .then_some((word, (line, start as u32 + 1, length as u32)))
    });
    if let Some((name, place)) = names.into_iter().next() {
        let index = subscript_in(&code).unwrap_or_else(|| "...".into());
        return Some(
            Help::new(format!("write {name}[{index}]"))
                .titled(format!("`{name}` is the whole array, where one element is needed"))
                .at(Some(place))
                .note("an array in an expression is only an address: select one element with an index"),
        );
    }
    slip.says("must have integral").then(|| {
        if in_subscript(slip) {
            Help::new("an index must be a whole number").note("convert it: int(...)")
        } else {
            Help::new("this needs a whole number")
                .titled("this operator works on whole numbers only")
        }
    })
}

/// `out = value`, where `out[...]` is meant.
fn whole_target(slip: &Slip<'_>) -> Option<Help> {
    if !slip.says("cannot be assigned to")
        || slip.quoted(0).contains('*')
        || !slip.quoted(1).contains('*')
    {
        return None;
    }
    let before = slip.source.before(slip.message.line, slip.message.column);
    let name = before.rsplit(|c: char| !is_word(c) && !c.is_whitespace()).next()?.trim().to_owned();
    let place = slip.place_of(&name)?;
    let index = subscript_in(&slip.code()).unwrap_or_else(|| "...".into());
    Some(
        Help::new(format!("write {name}[{index}]"))
            .titled(format!("`{name}` is the whole array, where one element is needed"))
            .at(Some(place))
            .note("a value goes into one element of an array, which an index selects"),
    )
}

/// The first short subscript on a line.
fn subscript_in(code: &str) -> Option<String> {
    let inner = code.split_once('[')?.1.split(']').next()?.trim();
    (!inner.is_empty() && inner.len() <= 24 && !inner.contains('[')).then(|| inner.to_owned())
}

/// Whether the compiler's mark is inside `[ ]`.
fn in_subscript(slip: &Slip<'_>) -> bool {
    let before = slip.source.before(slip.message.line, slip.message.column);
    before.matches('[').count() > before.matches(']').count()
}

/// `a.size()`, `bins[i].atomicAdd(...)`.
fn member_of_array(slip: &Slip<'_>) -> Option<Help> {
    let name = slip.word.as_str();
    let code = slip.code();
    if let Some(at) = code.find(".atomic") {
        let function: String = code.get(at + 1..)?.chars().take_while(|c| is_word(*c)).collect();
        return Some(
            Help::new("no member of a number")
                .titled(format!("{function} is a function, not a member"))
                .note(format!("write {function}(&{name}[...], value)")),
        );
    }
    let pointer = slip.message.text.contains('*');
    Some(if pointer {
        Help::new("a pointer has no members")
            .titled(format!("`{name}` is only a pointer, so it does not know its length"))
            .note("the number of elements is a parameter of its own, usually n")
    } else {
        Help::new("a number has no members")
            .titled(format!("`{name}` is a number, so it has no members"))
    })
}

/// A target that cannot be assigned to.
fn assigned(slip: &Slip<'_>) -> Option<Help> {
    if !slip.says("modifiable lvalue") {
        return None;
    }
    let name = slip.word.as_str();
    let text = slip.source.statement_text(slip.message.line, 3);
    if in_condition(slip) && single_equals(&text) {
        return Some(
            Help::new("= assigns a value")
                .titled("a condition that compares is written with ==")
                .note("= stores a value, == asks whether two values are equal"),
        );
    }
    if BUILT_INS.contains(&name) || name == "warpSize" {
        return Some(
            Help::new(format!("{name} is read-only"))
                .note("the hardware sets it for each thread: keep your own value in a variable"),
        );
    }
    let declared = slip.source.declaration(name);
    let length = name.chars().count() as u32;
    match declared {
        Some(declared) if declared.constant && !declared.parameter => Some(
            Help::new("const: it keeps its initial value")
                .titled(format!("`{name}` is const, so it cannot get a new value"))
                .at(Some((declared.line, declared.column, length)))
                .also(slip.place_of(name), "assigned again here")
                .note(format!(
                    "give it its value in line {}, or declare it without const",
                    declared.line
                )),
        ),
        Some(declared) if declared.indexable && !declared.parameter && !subscripted(slip) => Some(
            Help::new("an array cannot be assigned as a whole")
                .note("select one element with an index: name[...]"),
        ),
        Some(declared) if !declared.parameter && has_rows(slip, declared.line, name) => Some(
            Help::new("this is a whole row of the array")
                .titled(format!("`{name}` has more than one index"))
                .note("select one element with an index for each dimension: name[row][col]"),
        ),
        _ => Some(
            Help::new(format!("`{name}` is const, so it cannot be changed"))
                .note("const in the parameter list is a promise to the caller")
                .thinking("which parameter is meant for the results?"),
        ),
    }
}

/// Whether the compiler's mark is inside the parentheses of an `if` or a `while`, and not in the
/// statement behind them.
fn in_condition(slip: &Slip<'_>) -> bool {
    let before = slip.source.before(slip.message.line, slip.message.column);
    let word = |word: &str| before.rfind(word).map(|at| &before[at..]);
    [word("if"), word("while")]
        .into_iter()
        .flatten()
        .any(|rest| rest.matches('(').count() > rest.matches(')').count())
}

/// Whether `name` is declared in this line as an array with several dimensions, and not as const.
fn has_rows(slip: &Slip<'_>, line: u32, name: &str) -> bool {
    let line = slip.source.line(line).unwrap_or_default();
    let Some((before, dimensions)) = line.split_once(&format!("{name}[")) else { return false };
    !before.contains("const") && dimensions.split(';').next().is_some_and(|d| d.contains("]["))
}

fn subscripted(slip: &Slip<'_>) -> bool {
    let end = slip.message.column + slip.word.chars().count() as u32;
    slip.source.after(slip.message.line, end).trim_start().starts_with('[')
}

/// Whether a condition has `=` alone.
fn single_equals(text: &str) -> bool {
    text.char_indices().any(|(at, c)| {
        c == '='
            && !text[..at].ends_with(['=', '<', '>', '!', '+', '-', '*', '/', '%', '&', '|', '^'])
            && !text[at + 1..].starts_with('=')
    })
}

/// Values whose type does not fit, and calls of what is no function.
fn types(slip: &Slip<'_>) -> Option<Help> {
    if slip.says("pointer-to-) function type") {
        let name = slip.word.as_str();
        return Some(
            Help::new(format!("`{name}` is not a function"))
                .note("use ( ) for a call and [ ] for an element of an array"),
        );
    }
    if slip.says("operand of \"*\" must be a pointer") {
        return Some(
            Help::new("already a value")
                .titled("* in front of a value that is not a pointer")
                .note("array[index] is the element itself, without a * in front of it"),
        );
    }
    if slip.says("more than one instance of overloaded function") {
        let name = slip.quoted(0);
        return Some(
            Help::new("the values have different types")
                .titled(format!("more than one version of {name} fits these values"))
                .note("give all of them the same type: 2.0f is a float, 2.0 a double, 2 an int"),
        );
    }
    if slip.says("initialization with \"{...}\" expected") {
        return Some(
            Help::new("an array cannot get a pointer")
                .note("malloc and new return a pointer: declare it as one, float* name"),
        );
    }
    if slip.says("return value type") {
        return Some(match slip.in_device_code() {
            true => Help::new("a kernel returns nothing")
                .note("a kernel returns its results by writing them to an array; `return;` alone ends the thread"),
            false => Help::new("the function has another return type"),
        });
    }
    if slip.says("cannot be assigned to") || slip.says("cannot be used to initialize") {
        return Some(conversion(slip));
    }
    None
}

/// `a value of type "const float *" cannot be assigned to an entity of type "float"`.
fn conversion(slip: &Slip<'_>) -> Help {
    let (from, to) = (slip.quoted(0), slip.quoted(1));
    let line = slip.message.line;
    let place = slip.source.statement(line, slip.message.column).filter(|_| slip.word == "=");
    let place = place.map(|(column, length)| (line, column, length));
    // The compiler points at the `=`, but the value after it has the wrong type.
    let place = place.and_then(|place| slip.source.without_first_char(place));
    let help = match (from.contains('*'), to.contains('*')) {
        (true, false) if !from.contains("char") => {
            Help::new("the whole array instead of one element")
                .note("select one element with an index: name[...]")
        }
        (false, true) if to.starts_with("void") && slip.code().contains(['&', '{']) => {
            let word = &slip.word;
            let plain = word.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
            let write = if plain { format!("write &{word}") } else { "& is missing".to_owned() };
            Help::new(write)
                .titled("an array of pointers to arguments needs the address of each argument")
                .note("cudaLaunchKernel reads the value of each argument at the address that the array holds")
        }
        (false, true) => Help::new("one number instead of an array"),
        (true, true) if from.starts_with("void") => {
            Help::new(format!("write ({})", to.replace(" *", "*")))
                .titled("C++ does not convert a void pointer by itself")
                .note(format!(
                    "put the type in front of the call: ({})malloc(...)",
                    to.replace(" *", "*")
                ))
        }
        (true, true) if from.contains("const") && !to.contains("const") => {
            Help::new("a const array cannot become a writable one")
        }
        _ => Help::new(format!("{from} cannot become {to}")),
    };
    help.at(place)
}
