//! Describes the steps of a thread: what each line read, decided and changed.

use ptxsim::trace::{Binding, Kind, MemoryAccess, Step, Value};
use ptxsim::{Action, Finding, FindingKind};

use super::super::scene::Scene;
use super::super::words::{DIGITS, digits, many};
use super::Followed;
use crate::backend::Fault;
use crate::diagnostic::Slug;
use crate::report::trace::{Accessed, Fact, Named, Step as ReportStep};
use crate::text::sanitise;

/// Largest number of lines over which a statement is searched for names.
const STATEMENT_LINES: u32 = 6;

/// Describes the steps of a trace.
pub struct StepWriter<'f, 'a> {
    pub followed: Followed<'f>,
    /// The launch: its kernel's parameters, its shape, and the source.
    pub scene: Scene<'a>,
    /// The own name of a program's kernel.
    pub kernel: Option<String>,
}

impl StepWriter<'_, '_> {
    /// Describes a step, given the ones before and after it.
    pub fn step(&self, step: &Step, before: Option<&Step>, next: Option<&Step>) -> ReportStep {
        let line = step.source.line;
        let called = self.scene.source.begins_function(line, &step.function);
        let mut statement = self.scene.source.statement_text(line, STATEMENT_LINES);
        // After a brace that closes a body, the text goes on with the next statement.
        let closes = |text: &str| text.split("//").next().is_some_and(|code| code.trim() == "}");
        if self.scene.source.line(line).is_some_and(closes) {
            statement.clear();
        }
        let control = control(&statement);
        let mut uses: Vec<Named> = vec![];
        // The return from a call has no new values of its arguments.
        let back = before.is_some_and(|before| before.depth > step.depth);
        let read = match &control {
            Some(control) => control.condition.as_str(),
            None => statement.as_str(),
        };
        let fresh = !back && !statement.is_empty();
        for name in names(read).filter(|_| fresh) {
            let value = match control {
                Some(_) if step.branches > 0 => step.at_branch(&name),
                Some(_) => step.value(&name),
                None => step.before(&name),
            };
            let value = value.filter(|v| v.kind != Kind::Pointer).map(|v| self.shown(v));
            let value = value.or_else(|| self.built_in(&name));
            if let Some(value) = value
                && !uses.iter().any(|named| named.name == name)
            {
                uses.push(Named { name, value });
            }
        }
        let changed = |bindings: &[Binding]| -> Vec<Named> {
            let others = bindings.iter().filter(|b| !is_itself(b));
            others.map(|b| Named { name: b.name.clone(), value: self.shown(&b.value) }).collect()
        };
        let set = changed(&step.set);
        let condition = control.as_ref().and_then(|control| self.decided(step, control, next));
        let accesses: Vec<Accessed> =
            step.accesses.iter().map(|touch| self.access(touch)).collect();

        let mut facts: Vec<Fact> = vec![];
        let mut say = |text: String| facts.push(Fact { text, wrong: false });
        if let Some(text) = lanes(step, before) {
            say(text);
        }
        // What a header sets before its condition is shown with the condition, and what a body on
        // the same line sets is shown after everything else.
        let (set_first, set_last) = match &control {
            None => (vec![], set.clone()),
            Some(_) if step.branches == 0 => (set.clone(), vec![]),
            Some(_) => {
                let first = changed(&step.set_at_branch);
                let last = set.iter().filter(|named| !first.contains(named)).cloned().collect();
                (first, last)
            }
        };
        let is_used = |named: &Named| uses.iter().any(|used| used.name == named.name);
        let news: Vec<Named> = set_first.into_iter().filter(|named| !is_used(named)).collect();
        if !news.is_empty() {
            say(list(&news));
        }
        let outcome = match (&control, condition) {
            (Some(control), Some(true)) if control.repeats => {
                ": true, another iteration".to_owned()
            }
            (Some(control), Some(false)) if control.repeats => ": false, the loop ends".to_owned(),
            (_, Some(truth)) => format!(": {truth}"),
            _ => String::new(),
        };
        // A name that is alone between brackets is already visible in the element.
        let seen = |named: &&Named| {
            accesses.iter().any(|a| a.index.map(|i| i.to_string()).as_ref() == Some(&named.value))
                && statement.contains(&format!("[{}]", named.name))
        };
        let inputs: Vec<Named> =
            uses.iter().filter(|named| !called && !seen(named)).cloned().collect();
        match (inputs.is_empty(), outcome.is_empty()) {
            (false, _) => say(format!("{}{outcome}", list(&inputs))),
            (true, false) => {
                say(format!("the condition is {}", outcome.trim_start_matches([':', ' '])))
            }
            _ => {}
        }
        let mut repeated: Vec<(Fact, u32)> = vec![];
        for (touch, access) in step.accesses.iter().zip(&accesses) {
            if self.is_compilers_own(touch) {
                continue;
            }
            let fact = self.fact(touch, access);
            match repeated.iter_mut().find(|(before, _)| *before == fact && access.action == "read")
            {
                Some((_, times)) => *times += 1,
                None => repeated.push((fact, 1)),
            }
        }
        facts.extend(repeated.into_iter().map(|(fact, times)| match times {
            1 => fact,
            n => Fact { text: format!("{}, {n} times", fact.text), ..fact },
        }));
        let mut say = |text: String| facts.push(Fact { text, wrong: false });
        let arguments = || {
            let of = |name: String| Some(Named { value: self.argument(step, &name)?, name });
            names(&statement).filter_map(of).collect::<Vec<_>>()
        };
        match (called, set_last.is_empty()) {
            (true, _) => match arguments() {
                known if known.is_empty() => {}
                known => say(format!("called with {}", list(&known))),
            },
            (false, true) => {}
            (false, false) => say(format!("-> {}", list(&set_last))),
        }
        if let Some((arrived, all)) = step.barrier {
            say(if arrived >= all {
                format!(
                    "all {} of the block have arrived, so it continues",
                    many(all.into(), "thread", "threads")
                )
            } else {
                format!(
                    "waits until all {} of the block have arrived",
                    many(all.into(), "thread", "threads")
                )
            });
        }
        for finding in
            self.followed.observations.findings.iter().filter_map(|f| self.involves(f, step))
        {
            facts.push(Fact { text: finding, wrong: true });
        }
        if step.left {
            facts.push(Fact { text: "leaves the kernel".into(), wrong: false });
        }
        ReportStep {
            line,
            text: sanitise(self.scene.source.line(line).unwrap_or_default()),
            function: step.function.clone(),
            depth: step.depth,
            lanes: step.lanes.count_ones(),
            uses,
            set,
            accesses,
            condition,
            loop_lines: control
                .filter(|control| control.repeats && self.followed.trace.variables)
                .map(|control| {
                    let body = self.scene.source.body(line, control.word);
                    (line, body.map_or(line, |(_, last)| last))
                }),
            facts,
        }
    }

    /// The value of a function's argument at its first line; `None` for a pointer to the memory
    /// that has its name, as every pointer argument is at first.
    fn argument(&self, step: &Step, name: &str) -> Option<String> {
        let value = step.value(name)?;
        let binding = Binding { name: name.to_owned(), value: self.renamed(value) };
        let shows = value.kind != Kind::Pointer || value.points_at.is_some();
        (shows && !is_itself(&binding)).then(|| shown(&binding.value))
    }

    /// A value as the learner would write it, with the learner's names.
    fn shown(&self, value: &Value) -> String {
        shown(&self.renamed(value))
    }

    /// A value that points at an array by the learner's name. Memory that a program allocated
    /// consists of bytes until a thread accesses its elements.
    fn renamed(&self, value: &Value) -> Value {
        let points_at = value.points_at.as_ref().map(|(array, index)| {
            if let Some(found) = self.scene.pointed_at(array, *index) {
                return found;
            }
            let name = self.scene.name(array);
            let bytes = if self.kernel.is_some() { self.element_bytes(array) } else { 1 };
            (name.to_owned(), index / bytes.max(1))
        });
        Value { points_at, ..value.clone() }
    }

    /// Bytes of the elements that the thread accesses in an array.
    fn element_bytes(&self, array: &str) -> i64 {
        let steps = self.followed.trace.first.iter().chain(&self.followed.trace.last);
        let mut accesses = steps.flat_map(|step| &step.accesses);
        let access = accesses.find(|touch| touch.access.array.as_deref() == Some(array));
        let value = access.and_then(|touch| touch.values.first());
        value.map_or(1, |value| i64::from(value.bytes.max(1)))
    }

    /// Whether an access is to a copy that the compiler made, for example of an argument: memory of
    /// the thread that belongs to no variable of a debug build.
    fn is_compilers_own(&self, touch: &MemoryAccess) -> bool {
        let access = &touch.access;
        self.followed.trace.variables
            && access.space == Some(ptxsim::Space::Local)
            && access.array.is_none()
            && touch.fault.is_none()
    }

    /// The value of a built-in variable for this thread.
    fn built_in(&self, name: &str) -> Option<String> {
        let (what, axis) = name.split_once('.').unwrap_or((name, ""));
        let dims = match what {
            "threadIdx" => self.followed.thread.thread,
            "blockIdx" => self.followed.thread.block,
            "blockDim" => self.scene.block,
            "gridDim" => self.scene.grid,
            "warpSize" if axis.is_empty() => return Some("32".into()),
            _ => return None,
        };
        let axis = match axis {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return None,
        };
        Some(dims[axis].to_string())
    }

    /// The value of a condition, derived from what the thread executed after it: more of the same
    /// line if the body is on it, otherwise the next line.
    fn decided(&self, step: &Step, control: &Control, next: Option<&Step>) -> Option<bool> {
        if step.branches == 0 {
            return None;
        }
        let line = step.source.line;
        let next = next.filter(|next| next.depth == step.depth);
        let again = next.is_some_and(|next| next.source.line == line);
        match self.scene.source.body(line, control.word) {
            Some((first, last)) if first > line => {
                Some((first..=last).contains(&next?.source.line))
            }
            // What the body does on this line cannot be distinguished from another statement on it,
            // and a jump away leaves no mark.
            Some(_) if self.is_ambiguous(line, control.word) => None,
            Some((_, last)) => {
                let is_next_inside =
                    next.is_some_and(|next| (line + 1..=last).contains(&next.source.line));
                let repeats = control.repeats && again;
                Some(step.continued || repeats || is_next_inside)
            }
            None => control.repeats.then_some(again),
        }
    }

    /// Whether `line` has further statements than the one of `word`, or one that leaves its body.
    fn is_ambiguous(&self, line: u32, word: &str) -> bool {
        let count = |word: &str| {
            self.scene.source.occurrences(word).iter().filter(|(at, _)| *at == line).count()
        };
        let others = ["else", "return", "break", "continue", "goto"];
        count(word) > 1 || others.into_iter().any(|other| count(other) > 0)
    }

    fn access(&self, touch: &MemoryAccess) -> Accessed {
        let access = &touch.access;
        let located = self.scene.located(access);
        let name = match &located {
            Some(found) => Some(found.name.clone()),
            None => access.array.as_deref().map(|array| self.scene.name(array).to_owned()),
        };
        let index = located.as_ref().map_or(access.index, |found| found.size.map(|_| found.index));
        let element = match (&name, access.index) {
            _ if located.is_some() => self.scene.elements_as_code(access),
            (Some(name), _) if touch.subscripts.len() > 1 => {
                let all: Vec<String> = touch.subscripts.iter().map(|i| format!("[{i}]")).collect();
                format!("{name}{}", all.concat())
            }
            (Some(name), Some(index)) if touch.values.len() > 1 => {
                format!("{name}[{index}] and the next {}", touch.values.len() - 1)
            }
            (Some(name), Some(index)) if access.space == Some(ptxsim::Space::Shared) => {
                match self.scene.source.shared(name).map(|declared| declared.element(index)) {
                    Some(element) => format!("{name}{element}"),
                    None => format!("{name}[{index}]"),
                }
            }
            (Some(name), Some(index)) => match self.row_and_column(touch) {
                Some((row, column)) => format!("{name}[{index}] (row {row}, column {column})"),
                None => format!("{name}[{index}]"),
            },
            (Some(name), None) => name.clone(),
            (None, _) => match access.space {
                Some(ptxsim::Space::Local) => "a local variable".into(),
                Some(ptxsim::Space::Shared) => {
                    format!("shared memory, element {}", access.index.unwrap_or_default())
                }
                _ => format!("address {:#x}", access.address),
            },
        };
        let values: Vec<String> =
            touch.values.iter().map(|value| shown(&self.typed(touch, value))).collect();
        Accessed {
            action: match access.action {
                Action::Write => "write",
                Action::Atomic => "atomic",
                _ => "read",
            }
            .into(),
            element,
            array: name,
            index,
            value: (!values.is_empty()).then(|| values.join(", ")),
            old: touch.old.as_ref().map(|old| shown(&self.typed(touch, old))),
            fault: touch.fault.as_ref().map(|kind| Slug::of_finding_kind(kind, access.action)),
        }
    }

    /// Where an element of a matrix stands, when the exercise says how wide the matrix is.
    fn row_and_column(&self, touch: &MemoryAccess) -> Option<(i64, i64)> {
        let array = touch.access.array.as_deref().filter(|_| touch.fault.is_none())?;
        let shape = self.scene.param(array)?.shape;
        let names: Vec<&str> = shape.split(['[', ']']).filter(|name| !name.is_empty()).collect();
        let [_, width] = names.as_slice() else { return None };
        let known = self.scene.sizes.iter().find(|(name, _)| name == width).map(|(_, n)| *n as i64);
        let width = known.or_else(|| width.parse().ok()).filter(|n| *n > 0)?;
        let index = touch.access.index?;
        Some((index / width, index % width))
    }

    /// A value with the type that the source or the exercise gives its array, where the debug build
    /// has none.
    fn typed(&self, touch: &MemoryAccess, value: &Value) -> Value {
        if value.kind != Kind::Bits {
            return value.clone();
        }
        let shared = touch.access.space == Some(ptxsim::Space::Shared);
        if let (Some(array), true) = (touch.access.array.as_deref(), shared)
            && let Some(declared) = self.scene.source.shared(array)
            && let Some(kind) = declared.kind
        {
            return Value { kind, ..value.clone() };
        }
        if let Some(kind) = self.scene.located(&touch.access).and_then(|found| found.kind) {
            return Value { kind, ..value.clone() };
        }
        let array = touch.access.array.as_deref();
        if let Some(kind) = array.and_then(|array| self.declared_kind(self.scene.name(array))) {
            return Value { kind, ..value.clone() };
        }
        let param = array.and_then(|array| self.scene.param(array));
        let kind = match param.filter(|param| param.dtype.bytes() == value.bytes as usize) {
            Some(param) if param.dtype.is_float() => Kind::Float,
            Some(_) => Kind::Signed,
            None => Kind::Bits,
        };
        Value { kind, ..value.clone() }
    }

    /// The kind of number that a pointer parameter of a program's kernel points to.
    fn declared_kind(&self, parameter: &str) -> Option<Kind> {
        let kernel = self.kernel.as_deref()?;
        let functions = self.scene.source.functions();
        let function = functions.iter().find(|function| function.name == kernel)?;
        let declared = function.parameters().into_iter().find_map(|declared| {
            let (before, name) = declared.rsplit_once(['*', ' '])?;
            (name.trim() == parameter && declared.contains('*')).then(|| before.to_owned())
        })?;
        let is = |word: &str| {
            declared.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w == word)
        };
        match () {
            () if is("float") || is("double") => Some(Kind::Float),
            () if is("unsigned") || is("uint32_t") || is("uint8_t") || is("uint64_t") => {
                Some(Kind::Unsigned)
            }
            () if is("int") || is("int32_t") || is("short") || is("long") => Some(Kind::Signed),
            () => None,
        }
    }

    fn fact(&self, touch: &MemoryAccess, accessed: &Accessed) -> Fact {
        let Accessed { element, value, old, .. } = accessed;
        let with = value.as_ref().map_or_else(String::new, |value| format!(" = {value}"));
        if let Some(fault) = &touch.fault {
            let verb = match touch.access.action {
                Action::Write => "writes",
                Action::Atomic => "atomically updates",
                _ => "reads",
            };
            let units = self.scene.access_in_terms_of_source(&touch.access);
            let why = match (fault, &accessed.array, units.elements) {
                (FindingKind::OutOfBounds, Some(array), Some(elements)) => match elements {
                    0 => format!("outside: `{array}` has no elements"),
                    n => {
                        let end = |index: u64| {
                            let index = i64::try_from(index).unwrap_or(i64::MAX);
                            self.scene.element_at(&units, array, index)
                        };
                        let many = many(n, "element", "elements");
                        format!("outside: `{array}` has {many}, {} to {}", end(0), end(n - 1))
                    }
                },
                (FindingKind::OutOfBounds, Some(array), None) if units.array_bytes.is_some() => {
                    let bytes = many(units.array_bytes.unwrap_or(0), "byte", "bytes");
                    format!("outside: `{array}` has {bytes}")
                }
                (FindingKind::OutOfBounds, ..) => "outside its array".into(),
                (FindingKind::Misaligned, ..) => {
                    format!("not at a multiple of {} bytes", touch.access.bytes)
                }
                _ => "which belongs to no array".into(),
            };
            return Fact { text: format!("{verb} {element}: {why}"), wrong: true };
        }
        let text = match touch.access.action {
            Action::Write => format!("writes {element}{with}"),
            Action::Atomic => {
                let old = old.as_ref().map_or_else(String::new, |old| format!(", which was {old}"));
                let value = value.as_deref().unwrap_or("a value");
                format!("atomically updates {element} with {value}{old}")
            }
            _ => format!("reads {element}{with}"),
        };
        Fact { text, wrong: false }
    }

    /// A finding of the launch that this thread takes part in on this line; its own faults are
    /// already shown.
    fn involves(&self, finding: &Finding, step: &Step) -> Option<String> {
        let me = |access: &ptxsim::Access| {
            access.block == self.followed.thread.block
                && access.thread == self.followed.thread.thread
                && access.source.line == step.source.line
        };
        let slug = Fault::Finding(finding.clone()).slug();
        let other = match (&finding.with, &finding.at) {
            (Some(with), at) if me(at) => Some(with),
            (Some(with), at) if me(with) => Some(at),
            (None, at) if me(at) && step.accesses.iter().all(|touch| touch.fault.is_none()) => None,
            _ => return None,
        };
        Some(match other {
            Some(other) if other.source.line > 0 => {
                format!("{slug} with {}, on line {}", self.scene.thread(other), other.source.line)
            }
            Some(other) => format!("{slug} with {}", self.scene.thread(other)),
            None => slug.as_str().to_owned(),
        })
    }
}

/// A parameter that points at the array of its own name, as every pointer parameter does at first.
fn is_itself(binding: &Binding) -> bool {
    binding
        .value
        .points_at
        .as_ref()
        .is_some_and(|(array, index)| *index == 0 && *array == binding.name)
}

/// How many of the warp's threads are here, where that has changed.
fn lanes(step: &Step, before: Option<&Step>) -> Option<String> {
    let (here, live) = (step.lanes.count_ones(), step.live.count_ones());
    let were = before.map_or(live, |before| before.lanes.count_ones());
    if here == were {
        return None;
    }
    Some(if here == live {
        format!("all {live} threads of the warp are together again")
    } else if here == 1 {
        format!("alone: the other {} threads of the warp are not here", live - 1)
    } else {
        format!("with {} of the warp's {} other threads", here - 1, live - 1)
    })
}

/// An `if`, `for`, `while` or the like at the start of a statement.
struct Control {
    word: &'static str,
    repeats: bool,
    condition: String,
}

fn control(statement: &str) -> Option<Control> {
    let text = statement.trim_start_matches(|c: char| c == '}' || c.is_whitespace());
    let text = text.strip_prefix("else").map_or(text, |rest| rest.trim_start());
    for (word, repeats) in [("if", false), ("for", true), ("while", true), ("switch", false)] {
        let Some(rest) = text.strip_prefix(word).map(str::trim_start) else { continue };
        let Some(inner) = rest.strip_prefix('(') else { continue };
        let mut depth = 1;
        let end = inner.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        let inner = inner.get(..end.map_or(inner.len(), |(at, _)| at))?;
        let condition = if word == "for" { inner.split(';').nth(1).unwrap_or("") } else { inner };
        return Some(Control { word, repeats, condition: condition.to_owned() });
    }
    None
}

/// The names that a text reads, in order, each once per mention: `threadIdx.x` is one.
fn names(text: &str) -> impl Iterator<Item = String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: Vec<String> = vec![];
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let member =
            rest.get(..start).is_some_and(|before| before.trim_end().ends_with(['.', '>']));
        let word_and_more = rest.get(start..).unwrap_or_default();
        let length = word_and_more.find(|c| !is_word(c)).unwrap_or(word_and_more.len());
        let (word, after) = word_and_more.split_at(length);
        rest = after;
        if word.starts_with(|c: char| c.is_ascii_digit())
            || (member && !found.is_empty() && word.len() == 1)
        {
            continue;
        }
        let axis = ["x", "y", "z"].into_iter().find(|axis| {
            let tail = after.strip_prefix('.').and_then(|tail| tail.strip_prefix(*axis));
            tail.is_some_and(|tail| !tail.starts_with(is_word))
        });
        let built_in = matches!(word, "threadIdx" | "blockIdx" | "blockDim" | "gridDim");
        found.push(match axis.filter(|_| built_in) {
            Some(axis) => format!("{word}.{axis}"),
            None => word.to_owned(),
        });
    }
    found.into_iter()
}

fn list(all: &[Named]) -> String {
    let one = |named: &Named| match named.value.split_once(" -> ") {
        Some((_, to)) => format!("{} points at {to}", named.name),
        None => format!("{} = {}", named.name, named.value),
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A value as the learner would write it.
fn shown(value: &Value) -> String {
    if let Some((array, index)) = &value.points_at {
        return format!("&{array}[{index}]");
    }
    match value.kind {
        Kind::Bool => (value.bits != 0).to_string(),
        Kind::Float => match value.float() {
            // All digits that distinguish two floats would be more than a reader wants.
            Some(float) => digits(float, DIGITS),
            None => format!("{:#x}", value.bits),
        },
        Kind::Pointer if value.bits == 0 => "null".into(),
        Kind::Pointer | Kind::Bits => format!("{:#x}", value.bits),
        Kind::Signed | Kind::Unsigned => {
            value.integer().map_or_else(String::new, |n| n.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trace describes the names that a line mentions.
    #[test]
    fn names_and_conditions() {
        let all = |text: &str| names(text).collect::<Vec<_>>().join(" ");
        assert_eq!(
            all("const int idx = blockIdx.x * blockDim.x + threadIdx.y;"),
            "const int idx blockIdx.x blockDim.x threadIdx.y"
        );
        assert_eq!(all("out[2 * i + 1u] = v.x + 0x1f;"), "out i v");
        let found = |text: &str| control(text).map(|c| (c.word, c.condition));
        assert_eq!(found("} else if (a < (b)) {"), Some(("if", "a < (b)".into())));
        assert_eq!(found("for (int k = 0; k < n; ++k) {"), Some(("for", " k < n".into())));
        assert_eq!(found("for (;;) {"), Some(("for", String::new())));
        assert_eq!(found("while (x)"), Some(("while", "x".into())));
        assert_eq!(found("iffy(a);"), None);
        assert_eq!(found("out[i] = 1;"), None);
    }
}
