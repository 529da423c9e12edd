//! Writes `*(a + i)` as `a[i]`, which means the same (C++ standard, "Subscripting").

use super::{Class, Tok};

/// Replaces the pointers by elements.
pub(super) fn elements(tokens: &[Tok]) -> Vec<Tok> {
    let mut out: Vec<Tok> = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some((token, after)) = rest.split_first() {
        match out.last().is_none_or(|last| !last.ends_operand()).then(|| element(rest)).flatten() {
            Some((array, index, length)) => {
                out.push(array.clone());
                out.push(Tok::sign("[", token.line));
                out.extend(elements(index));
                out.push(Tok::sign("]", token.line));
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                out.push(token.clone());
                rest = after;
            }
        }
    }
    out
}

/// The array and the index of `*(array + index)` at the beginning, and how many tokens that are.
fn element(tokens: &[Tok]) -> Option<(&Tok, &[Tok], usize)> {
    let [star, open, array, plus, inside @ ..] = tokens else { return None };
    if !(star.is("*") && open.is("(") && array.class == Class::Name && plus.is("+")) {
        return None;
    }
    let mut depth = 0_usize;
    for (at, token) in inside.iter().enumerate() {
        match token.text.as_str() {
            _ if token.class != Class::Sign && !token.is("(") => {}
            "(" | "[" | "{" => depth += 1,
            ")" if depth == 0 => return (at > 0).then(|| (array, &inside[..at], at + 5)),
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            // what binds less tightly than the addition is not part of the index
            "," | ";" | "?" | "=" | "<" | ">" | "&&" | "||" if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
