//! Finds the structures of a source, their members, and other names of types.

use super::tokens::{Token, closing, split};

/// A `struct`, `class` or `union` with a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Definition {
    /// Its name; empty if it has none.
    pub name: String,
    pub union: bool,
    /// Template parameters with their defaults.
    pub parameters: Vec<(String, Option<Vec<Token>>)>,
    /// The argument of `alignas` or `__align__`.
    pub align: Option<Vec<Token>>,
    pub bases: Vec<Vec<Token>>,
    pub body: Vec<Token>,
    /// Whether its layout follows from its members alone.
    pub plain: bool,
}

/// A member as it is declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberText {
    pub name: String,
    pub ty: Vec<Token>,
    pub align: Option<Vec<Token>>,
    /// A structure that is defined in the declaration.
    pub inner: Option<Definition>,
    /// The width of a bit-field.
    pub bits: Option<Vec<Token>>,
}

/// A name with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarator {
    pub name: String,
    /// The type before the name, with its `*`.
    pub ty: Vec<Token>,
    pub dims: Vec<Vec<Token>>,
    /// `(*name)[4]`
    pub grouped: bool,
}

/// All structures of a source that have names.
pub fn definitions(all: &[Token]) -> Vec<Definition> {
    let mut found = vec![];
    for at in 0..all.len() {
        let Some((mut definition, _)) = definition(all, at) else { continue };
        // `enum struct`, `template <struct T>`
        if at.checked_sub(1).and_then(|before| all.get(before)).is_some_and(|t| t.is("enum")) {
            continue;
        }
        definition.parameters = parameters_before(all, at);
        if !definition.name.is_empty() {
            found.push(definition);
        }
    }
    found
}

/// The structure whose definition begins at `at`, and the position behind its `}`. The name of a
/// `typedef struct { ... } Name` is that of the type.
pub fn definition(all: &[Token], at: usize) -> Option<(Definition, usize)> {
    let keyword = all.get(at)?;
    if !["struct", "class", "union"].iter().any(|word| keyword.is(word)) {
        return None;
    }
    let mut found = Definition { union: keyword.is("union"), plain: true, ..Definition::default() };
    let mut next = at + 1;
    loop {
        let token = all.get(next)?;
        match token.text() {
            "alignas" | "__align__" | "__builtin_align__" => {
                let close = closing(all, next + 1)?;
                found.align = Some(all.get(next + 2..close)?.to_vec());
                next = close + 1;
            }
            "__attribute__" => {
                found.plain = false;
                next = closing(all, next + 1)? + 1;
            }
            "final" => next += 1,
            "{" => break,
            ":" => {
                let open = (next..all.len()).find(|at| all[*at].is("{"))?;
                for base in split(all.get(next + 1..open)?, ",") {
                    found.plain &= !base.iter().any(|t| t.is("virtual"));
                    let access = |t: &Token| ["public", "private", "protected"].contains(&t.text());
                    found.bases.push(base.into_iter().filter(|t| !access(t)).collect());
                }
                next = open;
            }
            // a specialisation of a template
            "<" if !found.name.is_empty() => {
                found.plain = false;
                next = closing(all, next)? + 1;
            }
            _ if token.word().is_some() && found.name.is_empty() => {
                found.name = token.text().to_owned();
                next += 1;
            }
            _ => return None,
        }
    }
    let close = closing(all, next)?;
    found.body = all.get(next + 1..close)?.to_vec();
    let directive = |t: &Token| t.is("virtual") || t.is("#");
    found.plain &= !found.body.iter().any(directive);
    if found.name.is_empty()
        && at.checked_sub(1).and_then(|before| all.get(before)).is_some_and(|t| t.is("typedef"))
    {
        found.name = all.get(close + 1)?.word()?.to_owned();
    }
    Some((found, close + 1))
}

/// The template parameters in front of a definition at `at`.
fn parameters_before(all: &[Token], at: usize) -> Vec<(String, Option<Vec<Token>>)> {
    let before = all.get(..at).unwrap_or_default();
    let Some(open) = before.iter().rposition(|t| t.is("template")).map(|found| found + 1) else {
        return vec![];
    };
    match closing(before, open) {
        Some(close) if close + 1 == at => template_parameters(&before[open + 1..close]),
        _ => vec![],
    }
}

/// The names of template parameters, with their defaults.
pub fn template_parameters(list: &[Token]) -> Vec<(String, Option<Vec<Token>>)> {
    let one = |part: Vec<Token>| {
        let mut sides = split(&part, "=").into_iter();
        let name = sides.next()?.last()?.word()?.to_owned();
        Some((name, sides.next()))
    };
    split(list, ",").into_iter().filter_map(one).collect()
}

/// What `using name = ...` or `typedef ... name` stands for.
pub fn alias(all: &[Token], name: &str) -> Option<Vec<Token>> {
    let statement = |from: usize| {
        let end = (from..all.len()).find(|at| all[*at].is(";"))?;
        all.get(from..end)
    };
    let mut found = (0..all.len()).filter_map(|at| match all[at].text() {
        "using" if all.get(at + 1)?.is(name) && all.get(at + 2)?.is("=") => {
            statement(at + 3).map(<[Token]>::to_vec)
        }
        "typedef" => {
            let declared = declarator(statement(at + 1)?)?;
            (declared.name == name && !declared.grouped).then(|| {
                let brackets = |dim: &Vec<Token>| super::bracketed(dim);
                let dims = declared.dims.iter().flat_map(brackets);
                declared.ty.iter().cloned().chain(dims).collect()
            })
        }
        // an enumeration is an `int`, unless it says otherwise
        "enum" => {
            let named = all.get(at + 1..)?.iter().find(|t| !t.is("class") && !t.is("struct"))?;
            let rest = statement(at + 1)?;
            let body = rest.iter().position(|t| t.is("{"))?;
            let base = rest.get(..body)?.iter().position(|t| t.is(":"));
            let int = || super::tokens("int");
            named.is(name).then(|| base.map_or_else(int, |base| rest[base + 1..body].to_vec()))
        }
        _ => None,
    });
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// The members that a body declares; `None` if it has something whose place is not known.
pub fn members(body: &[Token]) -> Option<Vec<MemberText>> {
    let mut all = vec![];
    let mut at = 0;
    while at < body.len() {
        let (end, next) = declaration_end(body, at)?;
        let mut text = body.get(at..end)?;
        at = next;
        while let [access, colon, rest @ ..] = text
            && colon.is(":")
            && ["public", "private", "protected"].contains(&access.text())
        {
            text = rest;
        }
        add_members(text, &mut all)?;
    }
    Some(all)
}

/// Where the declaration that begins at `from` ends, and where the next one begins.
fn declaration_end(body: &[Token], from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    let mut function = false;
    while let Some(token) = body.get(at) {
        match token.text() {
            ";" => return Some((at, at + 1)),
            "(" => {
                function |=
                    !["alignas", "__align__"].contains(&body.get(at.checked_sub(1)?)?.text());
                at = closing(body, at)? + 1;
            }
            "{" => {
                at = closing(body, at)? + 1;
                let next = body.get(at).map_or("", Token::text);
                if function && next != "," && next != "{" {
                    let after = at + usize::from(next == ";");
                    return Some((at, after));
                }
            }
            _ => at += 1,
        }
    }
    Some((at, at))
}

/// Adds the members of one declaration.
fn add_members(text: &[Token], all: &mut Vec<MemberText>) -> Option<()> {
    let Some(first) = text.first() else { return Some(()) };
    let skipped =
        ["static", "using", "typedef", "friend", "template", "static_assert", "enum", "~"];
    let is_static = text.iter().take_while(|t| !t.is("=")).any(|t| t.is("static"));
    if is_static || skipped.contains(&first.text()) && !(first.is("enum") && is_variable(text)) {
        return Some(());
    }
    let mut align = None;
    let mut text = text;
    if ["alignas", "__align__"].contains(&first.text()) {
        let close = closing(text, 1)?;
        align = Some(text.get(2..close)?.to_vec());
        text = text.get(close + 1..)?;
    }
    if let Some((inner, end)) = definition(text, 0) {
        let rest = text.get(end..)?;
        // a type of its own, or a member without a name
        if rest.is_empty() && !inner.name.is_empty() {
            return Some(());
        }
        let names = if rest.is_empty() { vec![vec![]] } else { split(rest, ",") };
        for name in names {
            let name = match name.as_slice() {
                [] => String::new(),
                [name] => name.word()?.to_owned(),
                _ => return None,
            };
            all.push(MemberText {
                name,
                inner: Some(inner.clone()),
                align: align.clone(),
                ..MemberText::default()
            });
        }
        return Some(());
    }
    let head = text.iter().take_while(|t| !t.is("=") && !t.is("{"));
    if head.clone().any(|t| t.is("(")) {
        // a pointer to a function is a member, and a function is none
        let open = text.iter().position(|t| t.is("("))?;
        return (!text.get(open + 1)?.is("*")).then_some(());
    }
    if head.clone().any(|t| t.is(":")) {
        return add_bit_fields(text, all);
    }
    let mut parts = split(text, ",").into_iter();
    let first = declarator(&parts.next()?)?;
    let base: Vec<Token> = first.ty.iter().filter(|t| !t.is("*") && !t.is("&")).cloned().collect();
    let mut add = |declared: Declarator| {
        let dims = declared.dims.iter().flat_map(|dim| super::bracketed(dim));
        let ty = declared.ty.iter().cloned().chain(dims).collect();
        all.push(MemberText {
            name: declared.name,
            ty,
            align: align.clone(),
            ..MemberText::default()
        });
    };
    add(first);
    for part in parts {
        add(declarator(&[base.clone(), part].concat())?);
    }
    Some(())
}

/// Adds the bit-fields of one declaration: `unsigned a : 3, b : 5`.
fn add_bit_fields(text: &[Token], all: &mut Vec<MemberText>) -> Option<()> {
    let mut ty: Option<Vec<Token>> = None;
    for part in split(text, ",") {
        let [declared, width] = split(&part, ":").try_into().ok()?;
        let width = split(&width, "=").into_iter().next()?;
        let own = match &ty {
            // one without a name is only room
            None if declared.len() > 1 => declared.get(..declared.len() - 1)?.to_vec(),
            None => declared,
            Some(ty) => ty.clone(),
        };
        ty = Some(own.clone());
        all.push(MemberText { ty: own, bits: Some(width), ..MemberText::default() });
    }
    Some(())
}

/// Whether a declaration that begins with `enum` declares a variable of a known enumeration.
fn is_variable(text: &[Token]) -> bool {
    !text.iter().any(|t| t.is("{")) && text.len() > 2
}

/// The name and the type that a declaration of one name has.
pub fn declarator(text: &[Token]) -> Option<Declarator> {
    let mut depth = 0_i32;
    let end = text.iter().position(|t| {
        depth += i32::from(t.is("<")) - i32::from(t.is(">"));
        depth == 0 && (t.is("=") || t.is("{"))
    });
    let text = text.get(..end.unwrap_or(text.len()))?;
    // `float (*tile)[32]`
    if let Some(open) = text.iter().position(|t| t.is("(")) {
        let close = closing(text, open)?;
        let [star, .., name] = text.get(open + 1..close)? else { return None };
        let dims = dims(text.get(close + 1..)?)?;
        let pointer = (star.is("*") || star.is("&")) && !dims.is_empty();
        let (name, ty) = (name.word()?.to_owned(), text.get(..open)?.to_vec());
        return pointer.then_some(Declarator { name, ty, dims, grouped: true });
    }
    let brackets = text.iter().position(|t| t.is("[")).unwrap_or(text.len());
    let (before, after) = text.split_at(brackets);
    let (name, ty) = before.split_last()?;
    (!ty.is_empty()).then_some(())?;
    let (name, ty) = (name.word()?.to_owned(), ty.to_vec());
    Some(Declarator { name, ty, dims: dims(after)?, grouped: false })
}

/// The dimensions `[a][b]`.
fn dims(text: &[Token]) -> Option<Vec<Vec<Token>>> {
    let (mut all, mut part, mut open) = (vec![], vec![], false);
    for token in text {
        match (token.text(), open) {
            ("[", false) => open = true,
            ("]", true) => {
                open = false;
                all.push(std::mem::take(&mut part));
            }
            ("[" | "]", _) | (_, false) => return None,
            _ => part.push(token.clone()),
        }
    }
    Some(all)
}
