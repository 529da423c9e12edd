//! The forms of PTX instructions: the modifiers that each takes, and the operands that go with
//! them.
//!
//! The table is `forms.txt`. An instruction that matches no form is not PTX; a form that is marked
//! with `!` is PTX that the simulator does not support. These are different errors.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::parse::ast::{Instruction, Type};

/// One line of the table.
#[derive(Debug)]
pub(super) struct Form {
    /// Sets of alternatives. Each modifier takes one alternative from one set.
    groups: Vec<Group>,
    /// Modifiers that are in no group are allowed.
    open: bool,
    pub operands: Vec<&'static str>,
    pub supported: bool,
}

#[derive(Debug)]
struct Group {
    options: Vec<&'static str>,
    optional: bool,
    /// All of them are types.
    types: bool,
}

/// How an instruction relates to the table.
pub(super) enum Match {
    /// The instruction has this form.
    Form(&'static Form),
    /// PTX has instructions of this name, but none with these modifiers.
    NoForm,
    /// No instruction of PTX.
    Unknown,
}

/// Finds the form that an instruction has.
pub(super) fn find(i: &Instruction<'_>) -> Match {
    let root = i.root();
    let Some(forms) = table().get(root) else { return Match::Unknown };
    let mut best = None;
    for form in forms.iter().filter(|f| f.takes(i)) {
        // two forms of one name may differ only in their number of operands
        let fits = form.counts().contains(&i.operands.len());
        if fits {
            return Match::Form(form);
        }
        best = best.or(Some(form));
    }
    best.map_or(Match::NoForm, Match::Form)
}

impl Form {
    /// Whether the form has each of the modifiers, and the modifiers include all that the form
    /// needs.
    fn takes(&self, i: &Instruction<'_>) -> bool {
        self.taken(i).is_some_and(|taken| self.missing(taken).next().is_none())
    }

    /// The groups that the modifiers take, as bits; `None` if a modifier is in no free group.
    fn taken(&self, i: &Instruction<'_>) -> Option<u64> {
        let mut taken = 0_u64;
        for modifier in i.modifiers() {
            // types are matched in order: the first type belongs to the first group of types
            let types = self.groups.iter().position(|g| g.types && g.options.contains(&modifier));
            let open = |n: usize| taken >> n & 1 == 0;
            let group = if types.is_some() {
                (0..self.groups.len())
                    .find(|n| self.groups[*n].types && open(*n))
                    .filter(|n| self.groups[*n].options.contains(&modifier))
            } else {
                (0..self.groups.len())
                    .find(|n| open(*n) && self.groups[*n].options.contains(&modifier))
            };
            match group {
                Some(n) => taken |= 1 << n,
                None if self.open => {}
                None => return None,
            }
        }
        Some(taken)
    }

    /// The groups that the form needs beyond those taken.
    fn missing(&self, taken: u64) -> impl Iterator<Item = &Group> {
        self.groups
            .iter()
            .enumerate()
            .filter(move |(n, g)| !g.optional && taken >> n & 1 == 0)
            .map(|(_, g)| g)
    }

    /// The numbers of operands that the form allows.
    pub fn counts(&self) -> std::ops::RangeInclusive<usize> {
        if self.operands.contains(&"*") {
            return self.operands.len() - 1..=usize::MAX;
        }
        let optional = self.operands.iter().filter(|o| o.starts_with('?')).count();
        self.operands.len() - optional..=self.operands.len()
    }
}

/// Why an instruction has no form.
pub(super) fn explain(i: &Instruction<'_>) -> String {
    let forms = table().get(i.root()).map(Vec::as_slice).unwrap_or_default();
    for form in forms {
        if let Some(taken) = form.taken(i)
            && let Some(group) = form.missing(taken).next()
            && form.missing(taken).count() == 1
        {
            let options = group.options.iter().map(|o| format!(".{o}")).collect::<Vec<_>>();
            return match options.as_slice() {
                [one] => format!("`{}` lacks `{one}`", i.name),
                all => format!("`{}` lacks one of `{}`", i.name, all.join(" ")),
            };
        }
    }
    let known = |m: &str| forms.iter().any(|f| f.groups.iter().any(|g| g.options.contains(&m)));
    match i.modifiers().find(|m| !known(m)) {
        Some("") => format!("`{}` has an empty modifier", i.name),
        Some(m) => format!("`{}` takes no `.{m}`", i.root()),
        None => format!("PTX has no `{}`: its modifiers do not go together", i.name),
    }
}

/// The type that an operand of a form has: `a`, `a:0`, `a:u32`, `d:w`.
pub(super) fn operand_type(kind: &str, i: &Instruction<'_>) -> Option<Type> {
    let last = i.types().last();
    match kind.split_once(':').map(|(_, which)| which) {
        None => last,
        Some("0") => i.types().next(),
        Some("w") => last.map(Type::doubled),
        Some(name) => Type::parse(name).or(last),
    }
}

fn table() -> &'static HashMap<&'static str, Vec<Form>> {
    static TABLE: OnceLock<HashMap<&'static str, Vec<Form>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut lists: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut table: HashMap<&str, Vec<Form>> = HashMap::new();
        for line in include_str!("forms.txt").lines() {
            if let Some((name, list)) =
                line.strip_prefix('$').and_then(|rest| rest.split_once(" = "))
            {
                let options = expand(list, &lists);
                lists.insert(name, options);
            } else if let Some((left, operands)) = line.split_once(" :")
                && !line.starts_with('#')
            {
                let mut words = left.split(' ');
                let names = words.next().unwrap_or_default();
                let supported = !names.starts_with('!');
                let words: Vec<&str> = words.collect();
                for name in names.trim_start_matches('!').split('|') {
                    let groups = words.iter().filter(|word| **word != "*");
                    table.entry(name).or_default().push(Form {
                        groups: groups.map(|word| group(word, &lists)).collect(),
                        open: words.contains(&"*"),
                        operands: operands.split_whitespace().collect(),
                        supported,
                    });
                }
            }
        }
        table
    })
}

/// `[a|b]` or `$list`: one modifier's alternatives.
fn group(word: &'static str, lists: &HashMap<&'static str, Vec<&'static str>>) -> Group {
    let bare = word.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
    let options = expand(bare.unwrap_or(word), lists);
    let types = options.iter().all(|o| Type::parse(o).is_some());
    Group { options, optional: bare.is_some(), types }
}

fn expand(
    list: &'static str,
    lists: &HashMap<&'static str, Vec<&'static str>>,
) -> Vec<&'static str> {
    list.split('|')
        .flat_map(|word| match word.strip_prefix('$') {
            Some(name) => lists.get(name).cloned().unwrap_or_default(),
            None => vec![word],
        })
        .collect()
}

#[cfg(test)]
mod tests;
