//! Takes out operations that leave a number as it is: `x + 0`, `x - 0`, `x * 1`, `x / 1`, `x << 0`,
//! `x >> 0`, `x | 0`, `x ^ 0`, and `0 + x`, `1 * x`.
//!
//! They cost nothing to write, and the compiler leaves them out, too. An operation is only taken
//! out where its two operands are the whole operands that C++'s precedence gives it, so that
//! `a * b + 0 * c` stays.

use super::{Class, Tok};

/// Signs behind an operand that bind no more tightly than `|`, and those of the operators that do.
const ENDS: [&str; 15] =
    [")", "]", "}", ";", ",", "?", ":", "&&", "||", "|", "<<<", ">>>", "=", "+=", "-="];
const LEVELS: [&[&str]; 6] = [
    &["^"],
    &["&"],
    &["<", ">", "<=", ">=", "==", "!="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Signs before an operand that bind less tightly than `+`.
const BEGINS: [&str; 30] = [
    "(", "[", "{", "}", ";", ",", "?", ":", "&&", "||", "|", "^", "&", "<", ">", "<=", ">=", "==",
    "!=", "=", "+=", "-=", "*=", "/=", "<<=", ">>=", "|=", "^=", "<<", ">>",
];

/// Takes out the operations.
pub(super) fn remove(tokens: Vec<Tok>) -> Vec<Tok> {
    let mut out: Vec<Tok> = Vec::with_capacity(tokens.len());
    let mut rest = tokens.as_slice();
    while let Some((token, after)) = rest.split_first() {
        if follows(out.last(), token, after) || precedes(out.last(), token, after) {
            rest = after.get(1..).unwrap_or_default();
        } else {
            out.push(token.clone());
            rest = after;
        }
    }
    out
}

/// Whether an operator and a literal follow an operand that they leave as it is.
fn follows(operand: Option<&Tok>, operator: &Tok, after: &[Tok]) -> bool {
    let Some((literal, next)) = after.split_first() else { return false };
    let neutral = match operator.text.as_str() {
        "+" | "-" | "<<" | ">>" | "|" | "^" => is_number(literal, "0"),
        "*" | "/" => is_number(literal, "1"),
        _ => false,
    };
    // The operator takes the literal alone only if what follows binds no more tightly.
    let ends = next.first().is_none_or(|next| {
        next.class == Class::Sign
            && (ENDS.iter().any(|sign| next.is(sign)) || level(next) <= level(operator))
    });
    neutral && operator.class == Class::Sign && operand.is_some_and(Tok::ends_operand) && ends
}

/// How tightly a sign binds; what is no operator of this module binds most tightly.
fn level(sign: &Tok) -> usize {
    match LEVELS.iter().position(|level| level.iter().any(|text| sign.is(text))) {
        Some(at) => at + 1,
        None if sign.is("|") => 0,
        None => usize::MAX,
    }
}

/// Whether a literal and an operator precede an operand that they leave as it is.
fn precedes(last: Option<&Tok>, literal: &Tok, after: &[Tok]) -> bool {
    let Some((operator, operand)) = after.split_first() else { return false };
    let neutral =
        is_number(literal, "0") && operator.is("+") || is_number(literal, "1") && operator.is("*");
    let begins = last.is_none_or(|last| {
        last.is("return") || last.class == Class::Sign && BEGINS.iter().any(|sign| last.is(sign))
    });
    neutral
        && begins
        && operand.first().is_some_and(|next| next.class != Class::Sign || next.is("("))
}

fn is_number(token: &Tok, kind: &str) -> bool {
    matches!(token.class, Class::Literal(found) if found == kind)
}
