//! Generic lambdas in kernels.
//!
//! In nvcc, the lambdas of a kernel belong to the GPU as the kernel does. NVRTC treats a lambda
//! with an `auto` parameter as a function template of its own, which belongs to the host unless
//! `-default-device` says otherwise, and refuses it. That option would also accept functions and
//! variables that nvcc refuses, so a file is compiled with it only if nothing else is wrong, and
//! the result must not use a variable that has no memory space.

use super::{Message, Severity};

/// The option of NVRTC with which it accepts generic lambdas.
pub(super) const OPTION: &std::ffi::CStr = c"-default-device";

/// Whether NVRTC refuses a file only for its generic lambdas.
pub(super) fn are_all_errors(messages: &[Message], source: &str) -> bool {
    let mut errors = messages.iter().filter(|m| m.severity == Severity::Error).peekable();
    errors.peek().is_some() && errors.all(|message| is_about_lambda(message, source))
}

/// Removes the errors about generic lambdas where others remain, which are the real ones.
pub(super) fn remove(messages: &mut Vec<Message>, source: &str) {
    let real = |m: &Message| m.severity == Severity::Error && !is_about_lambda(m, source);
    if messages.iter().any(real) {
        messages.retain(|message| !is_about_lambda(message, source));
    }
}

/// Is this NVRTC's error about a generic lambda? It marks the parenthesis after the captures, and
/// the name of any other function.
fn is_about_lambda(message: &Message, source: &str) -> bool {
    let host = "A function without execution space annotations";
    if !message.text.starts_with(host) || message.file.is_some() {
        return false;
    }
    let Some(index) = (message.line as usize).checked_sub(1) else { return false };
    let column = (message.column as usize).saturating_sub(1);
    let Some(line) = source.lines().nth(index) else { return false };
    let above = source.lines().take(index).flat_map(|line| line.chars().chain([' ']));
    let before: String = above.chain(line.chars().take(column)).collect();
    line.chars().nth(column) == Some('(') && before.trim_end().ends_with(']')
}

/// The error that nvcc gives for the first variable without a memory space that the PTX of a file
/// uses although it stands outside every function; `None` if there is none.
pub(super) fn host_variable(ptx: &str, source: &str) -> Option<Message> {
    let name = ptx.lines().filter_map(module_variable).find(|name| {
        let used = words(ptx).filter(|word| word == name).nth(1).is_some();
        used && !has_memory_space(last_name(name), source)
    })?;
    let name = last_name(name);
    let places = source.lines().enumerate().flat_map(|(index, line)| {
        let at = line.match_indices(name).map(|(at, _)| at);
        let whole = move |at: &usize| {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            !line[..*at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word)
        };
        at.filter(whole).map(move |at| (index, line[..at].chars().count()))
    });
    // the first is the declaration
    let (line, column) = places.take(2).last().unwrap_or_default();
    Some(Message {
        file: None,
        severity: Severity::Error,
        line: u32::try_from(line + 1).unwrap_or(u32::MAX),
        column: u32::try_from(column + 1).unwrap_or(u32::MAX),
        length: u32::try_from(name.chars().count()).unwrap_or(1),
        text: format!("identifier \"{name}\" is undefined in device code"),
    })
}

/// The name of the variable that a line of PTX declares outside every function. Strings, whose
/// names begin with a dollar sign, and variables of a function, whose mangled names begin with
/// `_ZZ`, may belong to the device without a keyword.
fn module_variable(line: &str) -> Option<&str> {
    let space = line.split_whitespace().find(|word| !matches!(*word, ".visible" | ".weak"))?;
    if !matches!(space, ".global" | ".const") {
        return None;
    }
    let name = line.split(['[', '=', ';']).next()?.split_whitespace().last()?;
    (!name.starts_with('$') && !name.starts_with("_ZZ")).then_some(name)
}

/// The words of PTX, names included.
fn words(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')
}

/// The last part of a mangled name, without templates' arguments: `other` of `_ZN1q5otherE`.
fn last_name(mangled: &str) -> &str {
    let Some(mut rest) = mangled.strip_prefix("_Z") else { return mangled };
    rest = rest.strip_prefix('N').unwrap_or(rest);
    rest = rest.trim_start_matches(['L', 'K']);
    let mut last = mangled;
    loop {
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        let part = rest[..digits].parse().ok().and_then(|length: usize| {
            let rest = rest.get(digits..)?;
            Some((rest.get(..length)?, rest.get(length..)?.trim_start_matches('L')))
        });
        match part {
            Some((name, after)) => (last, rest) = (name, after),
            None => return last,
        }
    }
}

/// Whether a line of the source declares this variable with a memory space.
fn has_memory_space(name: &str, source: &str) -> bool {
    source.lines().any(|line| {
        let space = ["__device__", "__constant__", "__managed__"];
        space.iter().any(|space| line.contains(space)) && words(line).any(|word| word == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: u32, column: u32, text: &str) -> Message {
        let (severity, text) = (Severity::Error, text.to_owned());
        Message { file: None, severity, line, column, length: 1, text }
    }

    const HOST: &str = "A function without execution space annotations (__host__/__device__/__global__) is considered a host function";

    #[test]
    fn a_generic_lambda_is_marked_behind_its_captures() {
        let source = "float f(float x) { return x; }\n  auto g = [a](auto i) {};\n  auto h = [=]\n    (auto i) {};\n";
        let lambdas = [error(2, 15, HOST), error(4, 5, HOST)];
        assert!(are_all_errors(&lambdas, source));
        let mut all = vec![error(1, 7, HOST)];
        all.extend(lambdas.clone());
        assert!(!are_all_errors(&all, source) && !are_all_errors(&[], source));
        remove(&mut all, source);
        assert_eq!(all, [error(1, 7, HOST)]);
        let mut only = lambdas.to_vec();
        remove(&mut only, source);
        assert_eq!(only, lambdas);
    }

    #[test]
    fn a_variable_of_the_host_is_found() {
        let source =
            "const float table[3] = {1, 2, 3};\n__device__ int count;\n  out[i] = table[i];\n";
        let ptx = ".visible .global .align 4 .u32 count;\n.global .align 4 .b8 table[12] = {0};\n.global .align 1 .b8 $str[2] = {0};\n.global .align 4 .b8 _ZZ1kE5local[12];\nmov.u64 %rd1, table;\nld.global.u32 %r1, [count];\nmov.u64 %rd2, $str;\nmov.u64 %rd3, _ZZ1kE5local;\n";
        let found = host_variable(ptx, source).expect("a variable of the host");
        assert_eq!((found.line, found.column, found.length), (3, 12, 5));
        assert!(found.text.contains("\"table\" is undefined in device code"));
        let unused = ptx.replace("mov.u64 %rd1, table;\n", "");
        assert_eq!(host_variable(&unused, source), None);
    }

    #[test]
    fn mangled_names() {
        let other = "_ZN27_INTERNAL_00000000_4_k_cu_k1q5otherE";
        for (mangled, name) in
            [("table", "table"), ("_ZN1T5thirdE", "third"), (other, "other"), ("_Z2tvIfE", "tv")]
        {
            assert_eq!(last_name(mangled), name);
        }
    }
}
