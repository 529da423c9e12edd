//! The kernel's name and parameters are not what the exercise launches.

use super::Draft;
use super::scan::{Source, span};
use super::words::many;
use crate::spec::{Param, Role, Spec};
use crate::verdict::Signature;

/// Explains how the signature differs.
pub fn explain(spec: &'static Spec, signature: &Signature, source: &Source<'_>) -> Draft {
    let (what, calls) = (spec.kind.entry_noun(), spec.kind.entry_verb());
    match signature {
        Signature::NoSuchKernel { expected, found } => no_such(spec, expected, found, source),
        Signature::Count { expected, found } => {
            let mut draft = Draft::new(format!(
                "the {what} has {}, but the exercise passes {}",
                many(found.len() as u64, "parameter", "parameters"),
                expected.len()
            ))
            .mark(name(spec.id, source, format!("this {what}")))
            .note(format!("the exercise {calls}: {}", declaration(spec)))
            .think("which value does the exercise pass for each parameter?");
            draft.table = table(what, expected, found, &source.parameters(spec.id));
            draft
        }
        Signature::Order { found } => {
            let passes: Vec<&str> = spec.params.iter().map(|param| param.name).collect();
            Draft::new(format!("the parameters of the {what} are in another order"))
                .mark(name(spec.id, source, format!("takes {}", found.join(", "))))
                .note(format!("the exercise {calls}: {}", declaration(spec)))
                .note(format!(
                    "arguments are passed by position, so `{}` gets what the exercise calls `{}`",
                    found.iter().zip(&passes).find(|(a, b)| a != *b).map_or("", |(a, _)| a),
                    found.iter().zip(&passes).find(|(a, b)| a != *b).map_or("", |(_, b)| b),
                ))
        }
        Signature::Type { index, expected, found } => {
            let yours = source.parameters(spec.id);
            let called = yours.get(*index).map_or(expected.name, String::as_str);
            let place = source.occurrences(called).into_iter().find(|(line, _)| {
                source
                    .occurrences(spec.id)
                    .iter()
                    .any(|(kernel, _)| (*kernel..*kernel + 8).contains(line))
            });
            Draft::new(format!(
                "parameter {} of the {what} has type {found}, but the exercise passes {}",
                index + 1,
                cuda_type(expected)
            ))
            .mark(place.map(|(line, column)| {
                let length = called.chars().count() as u32;
                span(
                    line,
                    column,
                    length,
                    true,
                    format!("the exercise passes {}", cuda_type(expected)),
                )
            }))
            .note(format!("the exercise {calls}: {}", declaration(spec)))
            .think(match called == expected.name {
                true => "which type did this parameter have in the original file?",
                false => "are the parameters still in the order of the original file?",
            })
        }
    }
}

fn no_such(spec: &Spec, expected: &str, found: &[String], source: &Source<'_>) -> Draft {
    let (what, calls) = (spec.kind.entry_noun(), spec.kind.entry_verb());
    let draft = Draft::new(format!("there is no {what} named {expected} in this file"));
    let itanium = format!("_Z{}{expected}", expected.len());
    let plain = format!("{expected}(");
    let mangled = found.iter().any(|name| name.starts_with(&itanium) || name.starts_with(&plain));
    let function = source.functions().into_iter().find(|function| function.name == expected);
    let unmarked = function.filter(|function| !function.is_kernel() && !spec.kind.has_host_code());
    let draft = if let Some(function) = unmarked {
        return draft.mark(name(spec.id, source, "not marked as a kernel")).note(
            if function.is_device() {
                "__device__ marks a function that kernels call: write __global__ instead"
            } else {
                "a kernel needs __global__ in front of its return type"
            },
        );
    } else if mangled {
        draft
            .mark(name(spec.id, source, "no extern \"C\" here"))
            .note("without extern \"C\", C++ adds the parameter types to the name")
            .note(format!(
                "the checker looks for the {what} under its plain name, so it does not find it"
            ))
    } else if found.is_empty() {
        let article = if spec.kind.has_one_launch() { "a" } else { "the" };
        draft.note(format!("{article} {what} starts with: {}", spec.kind.entry_specifiers()))
    } else {
        let shown: Vec<&str> = found.iter().take(5).map(String::as_str).collect();
        let plain = shown.first().filter(|_| found.len() == 1);
        draft
            .mark(plain.and_then(|kernel| name(kernel, source, format!("the only {what} here"))))
            .note(format!("the file has {}", shown.join(", ")))
    };
    draft
        .note(format!("the exercise {calls}: {}", declaration(spec)))
        .think(format!("what did the first line of the {what} look like before you changed it?"))
}

/// Marks the name of a kernel in the source.
fn name(
    kernel: &str,
    source: &Source<'_>,
    label: impl Into<String>,
) -> Option<crate::report::Span> {
    let (line, column) = source.occurrences(kernel).into_iter().next()?;
    Some(span(line, column, kernel.chars().count() as u32, true, label))
}

/// `extern "C" __global__ void guard(const float* in, float* out, int n)`.
fn declaration(spec: &Spec) -> String {
    let params: Vec<String> =
        spec.params.iter().map(|param| format!("{} {}", cuda_type(param), param.name)).collect();
    format!("{} {}({})", spec.kind.entry_specifiers(), spec.id, params.join(", "))
}

fn cuda_type(param: &Param) -> String {
    let element = param.dtype.cuda_name();
    match param.role {
        Role::In => format!("const {element}*"),
        Role::Out | Role::InOut | Role::Time | Role::Host | Role::Answer => format!("{element}*"),
        Role::Scalar => element.to_owned(),
    }
}

fn table(what: &str, expected: &[Param], found: &[String], names: &[String]) -> Vec<Vec<String>> {
    let head =
        ["", "the exercise passes", &format!("your {what} takes")].map(str::to_owned).to_vec();
    let rows = (0..expected.len().max(found.len())).map(|i| {
        vec![
            (i + 1).to_string(),
            expected.get(i).map_or("-".into(), |p| format!("{} {}", cuda_type(p), p.name)),
            found.get(i).map_or("-".into(), |ty| match names.get(i) {
                Some(name) if names.len() == found.len() => format!("{ty} {name}"),
                _ => ty.clone(),
            }),
        ]
    });
    std::iter::once(head).chain(rows).collect()
}
