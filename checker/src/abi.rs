//! Compares the parameters of a compiled kernel with the arguments of the exercise. This happens
//! before any launch, because the driver copies as many bytes as the kernel declares.
//!
//! PTX says little about a C++ type: a pointer and a 64-bit integer look alike, as do `int` and
//! `unsigned int`, and the type behind a pointer is missing (PTX ISA, "Kernel Function
//! Parameters"). Only what PTX does say is compared.

pub mod declared;

use crate::compile::{Kernel, Shape};
use crate::spec::{Param, Role, Spec};
use crate::value::DType;
use crate::verdict::Signature;

/// How the parameters of the kernel `spec.id` differ from the Spec's; `None` when they do not.
pub fn compare(spec: &Spec, kernels: &[Kernel]) -> Option<Signature> {
    let Some(kernel) = kernels.iter().find(|k| k.name == spec.id) else {
        let found = kernels.iter().map(|k| demangle(&k.name)).collect();
        return Some(Signature::NoSuchKernel { expected: spec.id.to_owned(), found });
    };
    let found = kernel.params.iter().copied();
    if kernel.params.len() != spec.params.len() {
        let found = found.map(describe).collect();
        return Some(Signature::Count { expected: spec.params.to_vec(), found });
    }
    let (index, (expected, found)) = spec
        .params
        .iter()
        .zip(found)
        .enumerate()
        .find(|(_, (expected, found))| !accepts(*found, expected))?;
    Some(Signature::Type { index, expected: *expected, found: describe(found) })
}

/// Whether a parameter of this shape can receive the exercise's argument.
fn accepts(shape: Shape, expected: &Param) -> bool {
    let bytes = match expected.role {
        Role::Scalar => expected.dtype.bytes() as u32,
        Role::In | Role::Out | Role::InOut | Role::Time | Role::Host | Role::Answer => 8,
    };
    let float = expected.role == Role::Scalar && expected.dtype.is_float();
    match shape {
        Shape::Integer(n) => !float && n == bytes,
        Shape::Float(n) => float && n == bytes,
        Shape::Bits(n) => n == bytes,
        Shape::Structure(_) => false,
    }
}

/// The type in C++ terms, as far as PTX describes it: "pointer or 64-bit integer".
fn describe(shape: Shape) -> String {
    match shape {
        Shape::Integer(8) => "pointer or 64-bit integer".into(),
        Shape::Integer(4) => DType::I32.cuda_name().into(),
        Shape::Integer(2) => "short".into(),
        Shape::Integer(1) => "char or bool".into(),
        Shape::Float(4) => DType::F32.cuda_name().into(),
        Shape::Float(8) => DType::F64.cuda_name().into(),
        Shape::Bits(8) => "pointer or 64-bit value".into(),
        Shape::Bits(4) => "int or float".into(),
        Shape::Structure(n) => format!("structure of {n} bytes"),
        Shape::Integer(n) | Shape::Float(n) | Shape::Bits(n) => format!("{}-bit value", n * 8),
    }
}

/// `_Z9double_itPKfPfi` as `double_it(...)`, `_ZN3lab4scanEPf` as `lab::scan(...)`; any other name
/// as it is.
///
/// Only names of the Itanium C++ ABI (section 5.1) are decoded, which is enough to show that
/// `extern "C"` is missing.
pub(crate) fn demangle(name: &str) -> String {
    try_demangle(name).unwrap_or_else(|| name.to_owned())
}

fn try_demangle(name: &str) -> Option<String> {
    let encoding = name.strip_prefix("_Z")?;
    let Some(mut nested) = encoding.strip_prefix('N') else {
        let (part, _) = source_name(encoding)?;
        return Some(format!("{part}(...)"));
    };
    let mut parts = Vec::new();
    while let Some((part, rest)) = source_name(nested) {
        // Compilers write a namespace without a name like this.
        parts.push(if part.starts_with("_GLOBAL__N_") { "(anonymous namespace)" } else { part });
        nested = rest;
    }
    (!parts.is_empty()).then(|| format!("{}(...)", parts.join("::")))
}

/// `9double_itPKf` as `double_it` and the rest.
fn source_name(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = text.get(..digits)?.parse().ok().filter(|n| *n > 0)?;
    text.get(digits..)?.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Shape::{Bits, Float, Integer, Structure};
    use super::*;
    use crate::diagnostic::Slug;
    use crate::spec::{Kind, Start, Tolerance};

    const fn param(name: &'static str, role: Role, dtype: DType) -> Param {
        Param { name, role, dtype, shape: "" }
    }

    /// `scale(const float* in, float* out, int n, float factor)`
    static SPEC: Spec = Spec {
        id: "scale",
        chapter: "ch01_threads",
        kind: Kind::Kernel,
        start: Start::Write,
        minutes: 15,
        goal: "",
        cooperative: false,
        ordered: &[],
        params: &[
            param("in", Role::In, DType::F32),
            param("out", Role::Out, DType::F32),
            param("n", Role::Scalar, DType::I32),
            param("factor", Role::Scalar, DType::F32),
        ],
        cases: &[],
        large: None,
        tolerance: Tolerance::Exact,
        gates: &[],
        hints: &[],
        pitfalls: &[],
        learn: "",
        skeleton: Slug::NotStarted,
        inputs: |_, _| Vec::new(),
        reference: |_, _| Vec::new(),
    };

    fn with(params: &[Shape]) -> Option<Signature> {
        compare(
            &SPEC,
            &[Kernel { name: "scale".into(), params: params.to_vec(), registers_at_most: 255 }],
        )
    }

    /// One of NVIDIA's code generators writes `.u32` and `.f32`, the other `.b32` for both.
    #[test]
    fn what_the_compiler_makes_of_the_skeleton_is_accepted() {
        assert_eq!(with(&[Integer(8), Integer(8), Integer(4), Float(4)]), None);
        assert_eq!(with(&[Bits(8), Bits(8), Bits(4), Bits(4)]), None);
    }

    /// With each of these, the launch would interpret an argument as another type.
    #[test]
    fn a_parameter_of_another_type_is_found() {
        let cases: [(&[Shape], usize, &str); 6] = [
            (&[Integer(4), Integer(8), Integer(8), Float(4)], 0, "int"),
            (&[Integer(8), Integer(8), Integer(8), Float(4)], 2, "pointer or 64-bit integer"),
            (&[Integer(8), Integer(8), Float(4), Integer(4)], 2, "float"),
            (&[Integer(8), Integer(8), Integer(4), Float(8)], 3, "double"),
            (&[Integer(8), Structure(8), Integer(4), Float(4)], 1, "structure of 8 bytes"),
            (&[Integer(8), Integer(8), Integer(2), Float(4)], 2, "short"),
        ];
        for (params, at, shown) in cases {
            match with(params) {
                Some(Signature::Type { index, expected, found }) => {
                    assert_eq!((index, found.as_str()), (at, shown));
                    assert_eq!(expected, SPEC.params[at]);
                }
                other => panic!("{params:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn missing_and_extra_parameters_are_counted() {
        for count in [0, 3, 5] {
            match with(&vec![Integer(8); count]) {
                Some(Signature::Count { expected, found }) => {
                    assert_eq!((expected.len(), found.len()), (4, count));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// The list has the names in the source, so that the learner notices a typo or a missing
    /// `extern "C"`.
    #[test]
    fn other_kernels_are_listed_by_their_source_names() {
        let kernel =
            |name: &str| Kernel { name: name.into(), params: Vec::new(), registers_at_most: 255 };
        let names = ["_Z5scalePKfPfif", "_ZN3lab4scanEPf", "_ZN12_GLOBAL__N_13addEv", "scales"];
        let found = names.map(kernel);
        assert_eq!(
            compare(&SPEC, &found),
            Some(Signature::NoSuchKernel {
                expected: "scale".into(),
                found: [
                    "scale(...)",
                    "lab::scan(...)",
                    "(anonymous namespace)::add(...)",
                    "scales"
                ]
                .map(String::from)
                .into(),
            })
        );
        assert!(
            matches!(compare(&SPEC, &[]), Some(Signature::NoSuchKernel { found, .. }) if found.is_empty())
        );
    }

    proptest! {
        /// Names come from the learner: any is shown, none panics.
        #[test]
        fn any_name_is_shown(name in "(_Z|_ZN)?[0-9]{0,3}.{0,12}") {
            prop_assert!(!demangle(&name).is_empty() || name.is_empty());
        }
    }
}
