//! What the explanations of a launch need: its kernel, its shape, and the learner's source.

use std::cell::OnceCell;

use cudart_sim::runtime::LaunchRecord;
use ptxsim::{Access, Action, Space};

use super::element::{ParameterText, parameter_text};
use super::outline::Function;
use super::scan::{Source, Subscript, span};
use super::shared::Declared;
use super::types::Types;
use super::words::{ThreadNames, count, dims, size, volume};
use crate::report::Span;
use crate::spec::{Param, Spec};

/// Largest number of lines over which a statement is searched.
const STATEMENT_LINES: u32 = 6;

/// One launch, with the learner's source.
pub struct Scene<'a> {
    /// The kernel's parameters, where an exercise says what they are.
    pub params: &'static [Param],
    /// Named sizes of the case.
    pub sizes: &'static [(&'static str, usize)],
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub source: &'a Source<'a>,
    pub thread_names: ThreadNames,
    /// Whether the simulator ran it, as opposed to a GPU.
    pub simulated: bool,
    /// Whether the case calls a whole program, as opposed to a kernel.
    pub program: bool,
    /// The learner's names of the kernel's parameters, if the source shows them.
    names: Vec<String>,
    /// Arrays of a program, and the parameters that point to them.
    aliases: Vec<(String, String)>,
    /// Arrays of a program that parameters point into: how many bytes after the array's start.
    inner: Vec<(String, u64)>,
    /// The file of `source` as the compiler named it, where a launch has code in several files.
    file: Option<String>,
    /// The kernel's name in the source, and the arguments of its template.
    kernel: String,
    template: Vec<String>,
    /// The arguments of a launch that point to arrays, by number, and the bytes before them.
    pointers: Vec<(usize, String, u64)>,
    /// The integer arguments of the launch, by number.
    integers: Vec<(usize, i64)>,
    read: OnceCell<Read<'a>>,
}

/// What a scene reads from the source when it needs it.
struct Read<'a> {
    types: Types<'a, 'a>,
    kernel: Option<Function>,
    template_arguments: Vec<(String, String)>,
    parameters: Vec<ParameterText>,
}

impl<'a> Scene<'a> {
    /// `None` when the exercise has no such case.
    pub fn new(
        spec: &'static Spec,
        case: usize,
        source: &'a Source<'a>,
        simulated: bool,
    ) -> Option<Self> {
        let case = spec.cases.get(case)?;
        let names = source.parameters(spec.id);
        let (params, sizes, grid, block) = (spec.params, case.sizes, case.grid, case.block);
        let thread_names = ThreadNames::new(grid, block);
        let (aliases, inner, program) = (vec![], vec![], spec.kind.has_host_code());
        Some(Self {
            params,
            sizes,
            grid,
            block,
            source,
            thread_names,
            simulated,
            program,
            names,
            aliases,
            inner,
            file: None,
            kernel: spec.id.to_owned(),
            template: vec![],
            pointers: vec![],
            integers: integers(params, sizes),
            read: OnceCell::new(),
        })
    }

    /// A launch of a program, on the simulator.
    pub fn launch(launched: &LaunchRecord, source: &'a Source<'a>) -> Self {
        let LaunchRecord { kernel, grid, block, arrays, .. } = launched;
        let (grid, block) = (*grid, *block);
        let names = source.parameters(kernel);
        let aliases = arrays
            .iter()
            .filter(|(i, _)| source.takes_pointer(kernel, *i))
            .filter_map(|(i, array)| Some((array.clone(), names.get(*i)?.clone())))
            .collect();
        let inner = launched
            .inner_pointers
            .iter()
            .filter_map(|(i, bytes)| {
                let (_, array) = arrays.iter().find(|(number, _)| number == i)?;
                Some((array.clone(), *bytes))
            })
            .collect();
        let pointers = arrays
            .iter()
            .filter(|(i, _)| source.takes_pointer(kernel, *i))
            .map(|(i, array)| {
                let inner = launched.inner_pointers.iter().find(|(number, _)| number == i);
                (*i, array.clone(), inner.map_or(0, |(_, bytes)| *bytes))
            })
            .collect();
        let thread_names = ThreadNames::new(grid, block);
        let (params, sizes, names) = (&[], &[], vec![]);
        let (simulated, program) = (true, false);
        Self {
            params,
            sizes,
            grid,
            block,
            source,
            thread_names,
            simulated,
            program,
            names,
            aliases,
            inner,
            file: None,
            kernel: kernel.clone(),
            template: ptxsim::demangle::template_arguments(&launched.symbol).unwrap_or_default(),
            pointers,
            integers: launched.integers.clone(),
            read: OnceCell::new(),
        }
    }

    fn read(&self) -> &Read<'a> {
        self.read.get_or_init(|| {
            let types = Types::new(self.source);
            let mut all = self.source.functions();
            all.retain(|function| function.name == self.kernel);
            let kernel = all.iter().find(|function| function.is_kernel()).or(all.first()).cloned();
            let names = kernel.as_ref().map(Function::template_parameters).unwrap_or_default();
            let template_arguments: Vec<(String, String)> =
                names.into_iter().zip(self.template.iter().cloned()).collect();
            let texts = kernel.as_ref().map(Function::parameters).unwrap_or_default();
            let parameters =
                texts.iter().map(|text| parameter_text(&types, text, &template_arguments));
            let parameters = parameters.map(Option::unwrap_or_default).collect();
            Read { types, kernel, template_arguments, parameters }
        })
    }

    /// The types of the source.
    pub fn types(&self) -> &Types<'a, 'a> {
        &self.read().types
    }

    /// The kernel, if the source has it.
    pub fn kernel_function(&self) -> Option<&Function> {
        self.read().kernel.as_ref()
    }

    /// The parameters of the kernel's template, with their arguments in this launch.
    pub fn template_arguments(&self) -> &[(String, String)] {
        &self.read().template_arguments
    }

    /// The kernel's parameters as the source declares them.
    pub fn parameters(&self) -> &[ParameterText] {
        &self.read().parameters
    }

    /// The value of an integer parameter of the kernel in this launch, by its name in the source.
    pub fn integer_argument(&self, name: &str) -> Option<i64> {
        let number = self.parameters().iter().position(|parameter| parameter.name == name)?;
        self.integers.iter().find(|(of, _)| *of == number).map(|(_, value)| *value)
    }

    /// The parameters, counted from 0, that point into an array.
    pub fn numbers_of(&self, array: &str) -> Vec<usize> {
        let of = |(number, name, _): &(usize, String, u64)| (name == array).then_some(*number);
        self.pointers.iter().filter_map(of).collect()
    }

    /// The bytes of its array in front of where a parameter points.
    pub fn start_of(&self, parameter: usize) -> i64 {
        let found = self.pointers.iter().find(|(number, ..)| *number == parameter);
        found.and_then(|(.., bytes)| i64::try_from(*bytes).ok()).unwrap_or(0)
    }

    /// The same scene with names for arrays that no parameter points to.
    pub fn with_names(mut self, names: Vec<(String, String)>) -> Self {
        self.aliases.extend(names);
        self
    }

    /// The same scene, whose source is only this one of several files.
    pub fn in_file(self, file: &str) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }

    /// Whether the scene's source has this place.
    pub fn shows(&self, access: &Access) -> bool {
        self.file.as_ref().is_none_or(|file| *file == access.source.file)
    }

    /// The same scene with the launch that computed something.
    pub fn with_launch(self, launch: Option<([u32; 3], [u32; 3])>) -> Self {
        let (grid, block) = launch.unwrap_or((self.grid, self.block));
        Self { grid, block, thread_names: ThreadNames::new(grid, block), ..self }
    }

    /// Whether a program made this launch, whose arrays are what it allocated.
    pub const fn is_launch_of_program(&self) -> bool {
        self.params.is_empty()
    }

    /// What the exercise runs: "kernel", "program".
    pub fn whole(&self) -> &'static str {
        if self.program { "program" } else { "kernel" }
    }

    /// An array as the learner calls it: a parameter may have been renamed.
    pub fn name<'n>(&'n self, array: &'n str) -> &'n str {
        if let Some((_, parameter)) = self.aliases.iter().find(|(known, _)| known == array) {
            return parameter;
        }
        let position = self.params.iter().position(|param| param.name == array);
        match position.and_then(|i| self.names.get(i)) {
            Some(name) if self.names.len() == self.params.len() => name,
            _ => array,
        }
    }

    /// The same in backquotes, because a name such as `in` would disappear in a sentence.
    pub fn quoted(&self, array: &str) -> String {
        format!("`{}`", self.name(array))
    }

    /// The parameter behind an array's name.
    pub fn param(&self, array: &str) -> Option<&'static Param> {
        self.params.iter().find(|param| param.name == array)
    }

    /// `block 3, thread 232`.
    pub fn thread(&self, access: &Access) -> String {
        self.thread_names.thread(access.block, access.thread)
    }

    /// `out[1000]`, as far as it is known. A variable without an index is in backquotes, because a
    /// sentence would swallow its name.
    pub fn element(&self, access: &Access) -> String {
        let text = self.element_text(access);
        if text.chars().all(super::scan::is_word) { format!("`{text}`") } else { text }
    }

    fn element_text(&self, access: &Access) -> String {
        if let Some(element) = self.located(access) {
            return element.text;
        }
        match (&access.array, access.index) {
            (Some(array), Some(index)) => self.element_at(access, array, index),
            (Some(array), None) => self.quoted(array),
            (None, Some(index)) if access.space == Some(Space::Local) => {
                format!("element {index} of its local arrays")
            }
            (None, None) if access.space == Some(Space::Local) => "a local array".to_owned(),
            (None, _) => format!("the {} bytes at address {:#x}", access.bytes, access.address),
        }
    }

    /// `out[1000]`, or `out[12] to out[15]` where the access is as large as several elements. A
    /// variable without an index is in backquotes.
    pub fn elements(&self, access: &Access) -> String {
        let text = self.elements_as_code(access);
        if text.chars().all(super::scan::is_word) { format!("`{text}`") } else { text }
    }

    /// The same without backquotes.
    pub fn elements_as_code(&self, access: &Access) -> String {
        if let Some(element) = self.located(access) {
            return match element.last_text {
                Some(last) => format!("{} to {last}", element.text),
                None => element.text,
            };
        }
        let first = self.element_text(access);
        match (&access.array, access.last_index) {
            (Some(array), Some(last)) => {
                format!("{first} to {}", self.element_at(access, array, last))
            }
            _ => first,
        }
    }

    /// The index of the element that a thread has if the launch has one thread for each of
    /// `elements`, in order, and whether that element exists. The array has one dimension, or rows
    /// and columns in a launch of two dimensions. `None` in other launches.
    pub fn own_element(&self, access: &Access, elements: u64) -> Option<(u64, bool)> {
        if self.flat() {
            let own = self.number(access.block, access.thread);
            return Some((own, own < elements));
        }
        let columns = match *self.extents(self.param(access.array.as_deref()?)?)? {
            [_, columns] => columns as u64,
            _ => return None,
        };
        let axis = |i: usize| -> Option<u64> {
            let (block, thread) = (*access.block.get(i)?, *access.thread.get(i)?);
            Some(u64::from(block) * u64::from(*self.block.get(i)?) + u64::from(thread))
        };
        let (x, y) = (axis(0)?, axis(1)?);
        let own = y.saturating_mul(columns).saturating_add(x);
        Some((own, x < columns && own < elements))
    }

    /// Whether `index` is the number `own` of a thread's element, or in one dimension the number of
    /// the thread's warp or block.
    pub fn is_number_of(&self, access: &Access, own: u64, index: i64) -> bool {
        let mut numbers = vec![own];
        if self.flat() {
            numbers.extend([own / 32, u64::from(access.block[0])]);
        }
        u64::try_from(index).is_ok_and(|index| numbers.contains(&index))
    }

    /// Whether the source has a barrier for the threads of a block.
    pub fn has_barrier(&self) -> bool {
        !self.source.occurrences("__syncthreads").is_empty()
    }

    /// Element `index` of the array of an access: `tile[3][4]` and `total` where the source says
    /// what is shared, else `out[1000]`.
    pub fn element_at(&self, access: &Access, array: &str, index: i64) -> String {
        let declared = match access.space {
            Some(Space::Shared) => self.source.shared(array),
            Some(Space::Global) if self.name(array) == array && self.param(array).is_none() => {
                self.source.device_variable(array)
            }
            _ => None,
        };
        // The elements of a variable whose type is the learner's own are its members.
        let members = |declared: &Declared| {
            declared.kind.is_none() && declared.dims.is_empty() && declared.member.is_none()
        };
        match declared {
            Some(declared) if members(&declared) => format!("a member of `{array}`"),
            Some(declared) => format!("{array}{}", declared.element(index)),
            None => format!("{}[{index}]", self.name(array)),
        }
    }

    /// Whether the launch has one dimension.
    pub fn flat(&self) -> bool {
        matches!((self.grid, self.block), ([_, 1, 1], [_, 1, 1]))
    }

    /// The number of a thread in the whole launch, x fastest, block after block.
    pub fn number(&self, block: [u32; 3], thread: [u32; 3]) -> u64 {
        let linear = |at: [u32; 3], [x, y, _]: [u32; 3]| {
            let [i, j, k] = at.map(u64::from);
            i + u64::from(x) * (j + u64::from(y) * k)
        };
        linear(block, self.grid)
            .saturating_mul(volume(self.block))
            .saturating_add(linear(thread, self.block))
    }

    /// Threads in the launch.
    pub fn threads(&self) -> u64 {
        volume(self.grid).saturating_mul(volume(self.block))
    }

    /// `the launch has 4 blocks x 256 = 1024 threads`.
    pub fn launch_line(&self) -> String {
        format!("the launch has {}", self.launched())
    }

    /// `4 blocks x 256 = 1024 threads`, or how many per axis in more dimensions.
    pub fn launched(&self) -> String {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        if gy == 1 && gz == 1 && by == 1 && bz == 1 {
            let threads = count(self.threads());
            if gx == 1 {
                format!("{threads} threads")
            } else {
                format!("{} blocks x {bx} = {threads} threads", count(gx.into()))
            }
        } else {
            let axis = |g: u32, b: u32| g.saturating_mul(b);
            let threads = dims([axis(gx, bx), axis(gy, by), axis(gz, bz)]).replace('x', " x ");
            let axes = if gz == 1 && bz == 1 { "x, y" } else { "x, y, z" };
            format!("{threads} threads ({axes})")
        }
    }

    /// `37 x 65 (rows x cols)` for a parameter whose shape follows from this case's sizes; `None`
    /// in one dimension.
    pub fn shape_line(&self, param: &Param) -> Option<String> {
        let sizes: Vec<String> = self.extents(param)?.iter().map(|n| size(*n)).collect();
        let names: Vec<&str> = dimensions(param).collect();
        Some(format!("{} ({})", sizes.join(" x "), names.join(" x ")))
    }

    /// The sizes of a parameter with several dimensions, if they follow from this case's sizes.
    fn extents(&self, param: &Param) -> Option<Vec<usize>> {
        let value = |name: &str| {
            let known = self.sizes.iter().find(|(size, _)| *size == name).map(|(_, v)| *v);
            known.or_else(|| name.parse().ok())
        };
        let sizes: Vec<usize> = dimensions(param).map(value).collect::<Option<_>>()?;
        (sizes.len() > 1).then_some(sizes)
    }

    /// The expression behind an access, when there is exactly one that it can be: its line and
    /// where.
    pub fn expression(&self, access: &Access) -> Option<(u32, Subscript)> {
        let name = self.name(access.array.as_deref()?);
        if !self.shows(access) {
            return None;
        }
        let (first, start) = (access.source.line, access.source.column);
        let start = if self.source.is_exact(first, start) { start } else { 0 };
        for line in first..first.saturating_add(STATEMENT_LINES) {
            let after = if line == first { start } else { 0 };
            let mut found = self.source.subscripts(line, name);
            found.retain(|s| s.column >= after);
            match access.action {
                Action::Write => found.retain(|s| s.assigned),
                Action::Read => found.retain(|s| s.read),
                _ => {}
            }
            if found.len() > 1 {
                let found = self.with_index(access, found);
                let only_read = found.iter().find(|s| !s.assigned);
                let first = only_read.or_else(|| found.first())?;
                let same = found.iter().all(|s| s.inner == first.inner);
                return same.then(|| (line, first.clone()));
            }
            if let Some(only) = found.into_iter().next() {
                return Some((line, only));
            }
            if self.source.line(line).is_none_or(|text| text.contains(';')) {
                break;
            }
        }
        None
    }

    /// The array of an access through a pointer with another name, which may begin anywhere in it.
    pub fn array_behind_pointer<'f>(&self, access: &'f Access) -> Option<&'f str> {
        let array = access.array.as_deref().filter(|_| self.shows(access))?;
        let places = self.source.occurrences(self.name(array));
        places.iter().all(|(line, _)| *line != access.source.line).then_some(array)
    }

    /// Whether the statement of an access computes an element's new value from its old one:
    /// `hits[b]++`, `*c += 1`, `*longest = max(*longest, key)`.
    pub fn is_update(&self, access: &Access) -> bool {
        let name = access.array.as_deref().map(|array| self.name(array));
        // a helper function may have the element as a reference
        let reference = |word: &str| {
            let mut codes = self.source.texts().map(|(_, code)| code.replace("& ", "&"));
            codes.any(|code| super::scan::declares_reference(&code, word))
        };
        self.statement_text(access).is_some_and(|text| {
            let all: Vec<char> = text.chars().collect();
            super::scan::updates(&text, name)
                || access.called_from.is_some()
                    && super::scan::words(&all).any(|(_, word)| {
                        reference(&word) && super::scan::updates(&text, Some(&word))
                    })
        })
    }

    /// Whether the statement of an access changes an element by an atomic function, and by storing
    /// what that function returns.
    pub fn stores_beside_atomic(&self, access: &Access) -> bool {
        self.statement_text(access).is_some_and(|text| super::scan::stores_beside_atomic(&text))
    }

    /// The text of the statement of an access.
    fn statement_text(&self, access: &Access) -> Option<String> {
        let (line, column) = (access.source.line, access.source.column);
        let column = match self.source.is_exact(line, column) {
            true => Some(column),
            false => self.statement(access).map(|(column, _)| column),
        };
        self.source.statement_text_around(line, column?, STATEMENT_LINES)
    }

    /// `idx = 1000`, where the subscript is short enough to be said.
    pub fn subscript_value(&self, access: &Access) -> Option<String> {
        let (_, subscript) = self.expression(access)?;
        // An access of several elements has a subscript in larger ones.
        let index = access.index.filter(|_| access.last_index.is_none())?;
        let located = self.located(access);
        // the index may be another one, if that of an array in the element has run over
        if located.as_ref().is_some_and(|found| found.in_member_array) {
            return None;
        }
        let index = match located {
            Some(found) => found.size.map(|_| found.index)?,
            None => index.checked_sub(self.first_element(access)?)?,
        };
        let possible = self.may_be(access, &subscript.inner, index);
        let wrapped = self.wrapped(&subscript.inner, (access.source.line, index));
        let index = wrapped.map_or(index.to_string(), |n| n.to_string());
        let constant = subscript.inner.parse::<i64>().is_ok();
        (possible && subscript.flat && !constant && subscript.inner.chars().count() <= 32)
            .then(|| format!("{} = {index}", subscript.inner))
    }

    /// The element of an access's array that the kernel's parameter points to, from which the
    /// source counts. `None` where that is not known.
    pub fn first_element(&self, access: &Access) -> Option<i64> {
        let array = access.array.as_deref()?;
        let mut inner = self.inner.iter().filter(|(name, _)| name == array);
        let Some((_, bytes)) = inner.next() else { return Some(0) };
        let whole = |name: &(String, String)| name.0 == array;
        let only = self.aliases.iter().filter(|alias| whole(alias)).count() == 1;
        let size = u64::from(access.bytes).max(1);
        (only && bytes.is_multiple_of(size)).then(|| i64::try_from(bytes / size).ok())?
    }

    /// Says from which element on the kernel's parameter counts, if that is not the first.
    pub fn pointer_note(&self, access: &Access) -> Option<String> {
        if let Some(found) = self.located(access) {
            return (found.before > 0).then(|| {
                let many = super::words::many;
                let each = found.size.unwrap_or(1).max(1);
                let place = match found.before.is_multiple_of(each) && each > 1 {
                    true => format!("element {}", found.before / each),
                    false => format!("byte {}", found.before),
                };
                let rest = match found.room {
                    0 => "ends there or before".to_owned(),
                    room if room < each || each == 1 => {
                        format!("has {} from there on", many(room, "byte", "bytes"))
                    }
                    room => {
                        format!("has {} from there on", many(room / each, "element", "elements"))
                    }
                };
                format!(
                    "the launch passes `{}` as a pointer to {place} of its memory, which {rest}",
                    found.name
                )
            });
        }
        let (array, first) = (access.array.as_deref()?, self.first_element(access)?);
        let name = self.name(array);
        (first > 0).then(|| {
            format!("the launch passes `{name}` as a pointer to element {first} of an allocation, and this report counts from the start of this allocation")
        })
    }

    /// Whether `index` is negative although the subscript cannot be.
    pub fn is_unsigned(&self, subscript: &str, (line, index): (u32, i64)) -> bool {
        self.wrapped(subscript, (line, index)).is_some()
    }

    /// The value that a subscript has instead of a negative one, if a variable in it makes it
    /// unsigned with 64 bits.
    pub fn wrapped(&self, subscript: &str, (line, index): (u32, i64)) -> Option<u64> {
        const TYPES: [&str; 4] = ["size_t", "uint64_t", "unsigned long long", "unsigned long"];
        let declared = |name: &str| {
            let Some(found) = self.source.declaration_before(name, line) else { return false };
            let before = self.source.before(found.line, found.column);
            let before = before.split_whitespace().collect::<Vec<_>>().join(" ");
            TYPES.iter().any(|ty| before.ends_with(ty))
        };
        let chars: Vec<char> = subscript.chars().collect();
        // a cast or a call may give it another type
        let plain = !subscript.contains(['(', '[', '?', '<', '.']);
        let unsigned = plain && super::scan::words(&chars).any(|(_, word)| declared(&word));
        (index < 0 && unsigned).then_some(index as u64)
    }

    /// Marks where an access happened: the expression if it is the only candidate, and otherwise
    /// its statement.
    pub fn mark(&self, access: &Access, primary: bool, label: impl Into<String>) -> Option<Span> {
        if let Some((line, s)) = self.expression(access) {
            return Some(span(line, s.column, s.length, primary, label));
        }
        if !self.shows(access) {
            return None;
        }
        if let Some((line, column, length)) = self.elsewhere(access) {
            return Some(span(line, column, length, primary, label));
        }
        let (column, length) = self.statement(access)?;
        Some(span(access.source.line, column, length, primary, label))
    }

    /// The statement of an access, if the compiler gave its code another line or none: the only
    /// one in the kernel, or in the body of the statement on that line, that accesses the array.
    fn elsewhere(&self, access: &Access) -> Option<(u32, u32, u32)> {
        let located = self.located(access).map(|found| found.name);
        let name = located.or_else(|| Some(self.name(access.array.as_deref()?).to_owned()))?;
        let name = name.rsplit('.').next().unwrap_or_default();
        let line = access.source.line;
        let lines = if line == 0 {
            let kernel = self.kernel_function()?;
            kernel.line + 1..=kernel.end
        } else {
            let (column, length) = self.statement(access)?;
            let text = self.source.line(line)?;
            let first = (column as usize).saturating_sub(1);
            let text: String = text.chars().skip(first).take(length as usize).collect();
            if !self.source.declaration(name)?.indexable || text.contains(name) {
                return None;
            }
            let word = ["if", "for", "while"].into_iter().find(|word| text.starts_with(word))?;
            let (first, last) = self.source.body(line, word)?;
            first..=last
        };
        let write = match access.action {
            Action::Read => false,
            Action::Write => true,
            _ => return None,
        };
        self.source.only_access(lines, name, write)
    }

    /// The statement of an access, or several of a line if it may be any of them.
    fn statement(&self, access: &Access) -> Option<(u32, u32)> {
        let (line, column) = (access.source.line, access.source.column);
        let exact = self.source.is_exact(line, column);
        let executed = self.source.executed(line, column).filter(|_| exact);
        executed.or_else(|| {
            self.source.accessing(line, access.array.as_deref().map(|array| self.name(array)))
        })
    }

    /// The line of the innermost loop that is around both accesses.
    pub fn common_loop(&self, a: &Access, b: &Access) -> Option<u32> {
        let around = |access: &Access| {
            let step = |&(line, column, _): &(u32, u32, u32)| {
                self.source.enclosing(line, column, &["for", "while", "do"])
            };
            std::iter::successors(self.enclosing_loop(access), step).map(|(line, ..)| line)
        };
        let of_b: Vec<u32> = around(b).collect();
        around(a).find(|line| of_b.contains(line))
    }

    /// Whether the loop around an access counts something down, up to the line of the access.
    pub fn counts_down(&self, access: &Access) -> bool {
        let Some((first, ..)) = self.enclosing_loop(access) else { return false };
        let lines = (first..=access.source.line.max(first)).map(|line| self.source.after(line, 1));
        lines.into_iter().any(|line| line.contains("--") || line.contains("-="))
    }

    /// The loop around an access.
    pub fn enclosing_loop(&self, access: &Access) -> Option<(u32, u32, u32)> {
        if !self.shows(access) {
            return None;
        }
        let (line, column) = (access.source.line, access.source.column);
        let here = self.source.statement(line, column)?;
        let text = self.source.line(line)?;
        let on_it: String = text.chars().skip(here.0 as usize - 1).collect();
        if on_it.starts_with("for") || on_it.starts_with("while") {
            return Some((line, here.0, here.1));
        }
        self.source.enclosing(line, column, &["for", "while", "do"])
    }
}

/// The sizes of a case that a kernel exercise passes as arguments, by number.
fn integers(params: &[Param], sizes: &[(&str, usize)]) -> Vec<(usize, i64)> {
    let value = |(number, param): (usize, &Param)| {
        let (_, size) = sizes.iter().find(|(name, _)| *name == param.name)?;
        Some((number, i64::try_from(*size).ok()?))
    };
    params.iter().enumerate().filter(|(_, p)| p.shape.is_empty()).filter_map(value).collect()
}

/// The names of a parameter's dimensions: `rows` and `cols` of `[rows][cols]`.
fn dimensions(param: &Param) -> impl Iterator<Item = &'static str> {
    param.shape.split(['[', ']']).map(str::trim).filter(|name| !name.is_empty())
}
