//! Takes out parentheses without which an expression has the same meaning.
//!
//! A pair is redundant around a name, a literal, a call, or another pair, and around an operator
//! that binds more tightly than the operators beside the pair (C++ standard, "Expressions"). All
//! other pairs stay, because they distinguish solutions: `a * (b + c)`, `a - (b - c)`. Those of
//! calls, parameters, casts and statements such as `if (...)` stay, too.

use super::{Class, Tok};

/// How tightly an operator binds, from nothing at all to what needs no operator.
type Precedence = u8;

const NONE: Precedence = 0;
const ASSIGNMENT: Precedence = 2;
const PREFIX: Precedence = 14;
const POSTFIX: Precedence = 15;
const OPERAND: Precedence = 16;

/// Words after which an expression begins.
const BEFORE_EXPRESSIONS: [&str; 5] = ["return", "else", "do", "case", "throw"];

/// Words whose parentheses belong to a statement.
const HEADS: [&str; 4] = ["if", "for", "while", "switch"];

/// Takes out the redundant parentheses.
pub(super) fn remove(tokens: Vec<Tok>) -> Vec<Tok> {
    let mut pairs = Pairs::new(&tokens);
    // pairs end in this order from the inside to the outside
    for close in 0..tokens.len() {
        if let Some(open) = pairs.partner(close).filter(|&open| open < close && pairs.group[open])
            && pairs.are_redundant(open, close)
        {
            (pairs.removed[open], pairs.removed[close]) = (true, true);
        }
    }
    let Pairs { removed, .. } = pairs;
    let kept = tokens.into_iter().zip(removed).filter(|(_, removed)| !removed);
    let as_sign = |token: Tok| match token.is("(") {
        true => Tok { class: Class::Sign, ..token },
        false => token,
    };
    kept.map(|(token, _)| as_sign(token)).collect()
}

/// The brackets of a file.
struct Pairs<'t> {
    tokens: &'t [Tok],
    /// Of each bracket, the one that belongs to it.
    partners: Vec<Option<usize>>,
    /// Whether an opening parenthesis only groups an expression.
    group: Vec<bool>,
    removed: Vec<bool>,
}

impl<'t> Pairs<'t> {
    fn new(tokens: &'t [Tok]) -> Self {
        let mut partners = vec![None; tokens.len()];
        let mut group = vec![false; tokens.len()];
        let mut open: Vec<usize> = vec![];
        let is_head = |at: usize| {
            let word = at.checked_sub(1).and_then(|before| tokens.get(before));
            word.is_some_and(|word| HEADS.iter().any(|head| word.is(head)))
        };
        for (at, token) in tokens.iter().enumerate() {
            if ["(", "[", "{"].iter().any(|sign| token.is(sign)) {
                let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                let after_head = before.is_some_and(|before| before.is(")"))
                    && partners[at - 1].is_some_and(is_head);
                let starts = before.is_none_or(|before| !ends_operand(before));
                group[at] = token.is("(")
                    && token.class == Class::Sign
                    && !is_head(at)
                    && (after_head || starts && !before.is_some_and(|before| before.is(">>>")));
                open.push(at);
            } else if [")", "]", "}"].iter().any(|sign| token.is(sign))
                && let Some(start) = open.pop()
            {
                (partners[start], partners[at]) = (Some(at), Some(start));
            }
        }
        Self { tokens, partners, group, removed: vec![false; tokens.len()] }
    }

    fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().flatten()
    }

    fn are_redundant(&self, open: usize, close: usize) -> bool {
        let inner = self.inner(open, close);
        let (left, right) = (self.left(open), self.right(close));
        inner > left && (inner > right || inner == right && inner > ASSIGNMENT)
    }

    /// How tightly what is between two parentheses binds; [`NONE`] for what is no expression.
    fn inner(&self, open: usize, close: usize) -> Precedence {
        let mut least = OPERAND;
        let mut empty = true;
        let mut at = open + 1;
        while at < close {
            let token = &self.tokens[at];
            if self.removed[at] {
                at += 1;
                continue;
            }
            empty = false;
            if token.is_type() {
                return NONE;
            }
            if ["(", "[", "{"].iter().any(|sign| token.is(sign)) {
                let Some(end) = self.partner(at) else { return NONE };
                at = end + 1;
                continue;
            }
            if token.class == Class::Sign {
                least = least.min(self.operator(at));
            }
            at += 1;
        }
        if empty { NONE } else { least }
    }

    /// How tightly the operator at `at` binds.
    fn operator(&self, at: usize) -> Precedence {
        let token = &self.tokens[at];
        let before = (0..at).rev().find(|&before| !self.removed[before]);
        let binary = before.is_some_and(|before| ends_operand(&self.tokens[before]));
        match token.text.as_str() {
            "." | "->" | "::" => POSTFIX,
            "++" | "--" if binary => POSTFIX,
            "++" | "--" | "!" | "~" => PREFIX,
            "+" | "-" | "*" | "&" if !binary => PREFIX,
            "*" | "/" | "%" => 13,
            "+" | "-" => 12,
            "<<" | ">>" => 11,
            "<" | ">" | "<=" | ">=" => 10,
            "==" | "!=" => 9,
            "&" => 8,
            "^" => 7,
            "|" => 6,
            "&&" => 5,
            "||" => 4,
            "?" | ":" => 3,
            sign if sign.ends_with('=') => ASSIGNMENT,
            _ => NONE,
        }
    }

    /// How tightly the operator before a parenthesis binds.
    fn left(&self, open: usize) -> Precedence {
        let before = (0..open).rev().find(|&before| !self.removed[before]);
        before.filter(|&at| self.tokens[at].class == Class::Sign).map_or(NONE, |at| {
            if ends_operand(&self.tokens[at]) { NONE } else { self.operator(at) }
        })
    }

    /// How tightly what follows a parenthesis binds. An operand follows the type of a cast.
    fn right(&self, close: usize) -> Precedence {
        let after = (close + 1..self.tokens.len()).find(|&after| !self.removed[after]);
        let Some(after) = after else { return NONE };
        let token = &self.tokens[after];
        match token.text.as_str() {
            _ if token.class != Class::Sign => u8::MAX,
            "(" | "[" | "<<<" => POSTFIX,
            _ => self.operator(after),
        }
    }
}

/// Whether an operand may end with this token, so that a binary operator or a call may follow.
fn ends_operand(token: &Tok) -> bool {
    match token.class {
        Class::Sign => token.is(")") || token.is("]"),
        // the parenthesis around what is cast
        _ if token.is("(") => false,
        _ => !BEFORE_EXPRESSIONS.iter().any(|word| token.is(word)),
    }
}
