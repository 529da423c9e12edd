//! How a kernel declares its parameters in the source. PTX says nothing about the type behind a
//! pointer, so a kernel with another type there runs, and fails for a reason that its results don't
//! show.

use crate::spec::{Param, Role, Spec};
use crate::value::DType;
use crate::verdict::Signature;

/// How the parameters that the source of the kernel `spec.id` declares differ from the Spec's:
/// their order, by their names, or a type behind a pointer. `None` when they do not, and when a
/// declaration is not understood.
pub fn compare(spec: &Spec, source: &str) -> Option<Signature> {
    let declared = parameters(source, spec.id)?;
    if declared.len() != spec.params.len() {
        return None;
    }
    let names: Vec<&str> = declared.iter().map(|parameter| parameter.name.as_str()).collect();
    let expected: Vec<&str> = spec.params.iter().map(|param| param.name).collect();
    let same = names.iter().all(|name| expected.contains(name))
        && expected.iter().all(|name| names.contains(name));
    if names != expected && same {
        let found = names.into_iter().map(str::to_owned).collect();
        return Some(Signature::Order { found });
    }
    let mut both = spec.params.iter().zip(&declared).enumerate();
    let (index, (expected, found)) =
        both.find(|(_, (expected, found))| differs(expected, found))?;
    Some(Signature::Type { index, expected: *expected, found: format!("{}*", found.element) })
}

/// Whether a pointer is declared with a type that holds other numbers than the exercise's.
fn differs(expected: &Param, found: &Declared) -> bool {
    let element = expected.role != Role::Scalar && found.pointer;
    element && number(&found.element).is_some_and(|number| number != class(expected.dtype))
}

/// What the bytes of a number mean: whether it is a float, and its bytes. Signed and unsigned
/// integers of one size differ in few operations only.
type Class = (bool, usize);

fn class(dtype: DType) -> Class {
    (dtype.is_float(), dtype.bytes())
}

/// The class of a built-in type; `None` for any other, such as a vector or a structure.
fn number(element: &str) -> Option<Class> {
    let mut words: Vec<&str> = element.split(' ').collect();
    words.retain(|word| !["signed", "unsigned"].contains(word));
    Some(match words.as_slice() {
        ["float"] => (true, 4),
        ["double"] => (true, 8),
        ["char" | "int8_t" | "uint8_t"] => (false, 1),
        ["half" | "__half"] => (true, 2),
        ["short" | "int16_t" | "uint16_t"] | ["short", "int"] => (false, 2),
        [] | ["int" | "int32_t" | "uint32_t"] => (false, 4),
        ["long" | "int64_t" | "uint64_t" | "size_t"]
        | ["long", "long"]
        | ["long", "long", "int"] => (false, 8),
        _ => return None,
    })
}

/// A parameter as the source declares it.
struct Declared {
    name: String,
    /// The type without qualifiers and stars, its words separated by one blank.
    element: String,
    /// Whether it is a pointer to such elements.
    pointer: bool,
}

/// The parameters of the first function of this name that is declared as a kernel.
fn parameters(source: &str, name: &str) -> Option<Vec<Declared>> {
    let code = without_comments(source);
    let (_, after) = code.split_once("__global__")?;
    let (head, rest) = after.split_once('(')?;
    if head.split_whitespace().last() != Some(name) {
        return None;
    }
    let (list, _) = rest.split_once(')')?;
    list.split(',').map(parameter).collect()
}

fn parameter(text: &str) -> Option<Declared> {
    const QUALIFIERS: [&str; 6] =
        ["const", "volatile", "restrict", "__restrict__", "__restrict", "__grid_constant__"];
    let stars = text.matches('*').count();
    let text = text.replace(['*', '&'], " ");
    if text.contains(['<', '[', ':', '=']) {
        return None;
    }
    let mut words = text.split_whitespace().filter(|word| !QUALIFIERS.contains(word));
    let name = words.next_back()?.to_owned();
    let element = words.collect::<Vec<_>>().join(" ");
    Some(Declared { name, element, pointer: stars == 1 })
}

/// The source with blanks in place of comments.
fn without_comments(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        code.push_str(&rest[..start]);
        code.push(' ');
        let comment = &rest[start..];
        let end = match comment.starts_with("//") {
            true => comment.find('\n'),
            false => comment.find("*/").map(|end| end + 2),
        };
        rest = &comment[end.unwrap_or(comment.len())..];
    }
    code + rest
}

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::exercises;
    use crate::verdict::Signature;

    /// How this head of the kernel of `guard` differs: `guard(const float* a, float* out, int n)`.
    fn differs(head: &str) -> Option<Signature> {
        let spec = exercises::find("guard").expect("guard");
        compare(spec, &format!("// a comment about guard(double* a)\n{head} {{\n}}\n"))
    }

    fn found(head: &str) -> Option<String> {
        match differs(head)? {
            Signature::Type { found, index, .. } => Some(format!("{index}: {found}")),
            Signature::Order { found } => Some(found.join(", ")),
            _ => None,
        }
    }

    #[test]
    fn the_type_behind_a_pointer_counts() {
        let of =
            |a: &str| found(&format!("extern \"C\" __global__ void guard({a}, float* out, int n)"));
        assert_eq!(of("const float* a"), None);
        assert_eq!(of("float const* __restrict__ a"), None);
        assert_eq!(of("double* a").as_deref(), Some("0: double*"));
        assert_eq!(of("const int * a").as_deref(), Some("0: int*"));
        assert_eq!(of("const unsigned char *a").as_deref(), Some("0: unsigned char*"));
        assert_eq!(of("const __half* a").as_deref(), Some("0: __half*"));
    }

    /// Vectors, structures and names of types may be right.
    #[test]
    fn what_is_not_understood_is_not_judged() {
        let of =
            |a: &str| found(&format!("extern \"C\" __global__ void guard({a}, float* out, int n)"));
        assert_eq!(of("const float4* a"), None);
        assert_eq!(of("const Point* a"), None);
        assert_eq!(of("const number* a"), None);
        assert_eq!(found("extern \"C\" __global__ void other(double* a, float* out, int n)"), None);
        assert_eq!(found(""), None);
    }

    /// The kernel runs with the arrays exchanged.
    #[test]
    fn the_order_counts_by_the_names() {
        let head = "extern \"C\" __global__ void guard(float* out, const float* a, int n)";
        assert_eq!(found(head).as_deref(), Some("out, a, n"));
        let renamed = "extern \"C\" __global__ void guard(const float* x, float* y, int count)";
        assert_eq!(found(renamed), None);
    }
}
