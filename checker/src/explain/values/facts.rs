//! Notes about wrong values: what was written and copied, and what the values resemble.

use ptxsim::MAX_COUNTED_WRITES;

use super::constants::constants;
use super::place::subscript;
use super::{CopiedBack, DIGITS, Example, Mismatch, Origin, Pattern, Role, Scene};
use super::{count, digits, infinite, many, measured, size, times, volume};

/// Whether every element was written, even the wrong ones. Of an array with input values, this is
/// not known.
pub(super) fn filled(scene: &Scene<'_>, m: &Mismatch) -> bool {
    m.untouched == 0 && scene.param(m.output).is_some_and(|param| param.role == Role::Out)
}

/// What a program copied back, if elements are missing in the output and copies could have filled
/// more of it.
pub(super) fn missing_copy<'m>(scene: &Scene<'_>, m: &'m Mismatch) -> Option<&'m CopiedBack> {
    let array = scene.name(m.output);
    let copied = m.copied.as_ref().filter(|copied| copied.bytes() < copied.all)?;
    // A copy cannot be meant to fill an output that the program never mentions.
    let used = m.unchanged || scene.source.occurrences(array).len() > 1 || copied.to_host == 0;
    // an array that came with values may need only a part copied back
    let kept = keeps_its_values(m) && !fits(copied, m);
    let missing = m.untouched > 0 || m.unchanged || kept;
    (missing && used && !made_by_host(m)).then_some(copied)
}

/// Whether as many bytes were copied back as the wrong elements have.
fn fits(copied: &CopiedBack, m: &Mismatch) -> bool {
    copied
        .all
        .checked_div(m.total as u64)
        .is_some_and(|size| copied.bytes() >= m.wrong as u64 * size)
}

/// Whether copies may have brought the wrong elements back as they were.
pub(super) fn copied_as_it_was(m: &Mismatch) -> bool {
    keeps_its_values(m) && m.copied.as_ref().is_some_and(|copied| fits(copied, m))
}

/// Whether all wrong elements still have the values that they came with.
pub(super) fn keeps_its_values(m: &Mismatch) -> bool {
    m.kept > 0 && m.kept == m.wrong
}

/// Whether the host itself fills the output: nothing came from the device, and yet some elements
/// are right.
pub(super) fn made_by_host(m: &Mismatch) -> bool {
    let nothing_copied = m.copied.as_ref().is_some_and(|copied| copied.to_host == 0);
    nothing_copied && !m.unchanged && m.wrong < m.total
}

/// Whether the program has not launched any kernel.
pub(super) fn nothing_launched(m: &Mismatch) -> bool {
    m.launches == Some(0) && m.copied.as_ref().is_some_and(|copied| copied.to_host == 0)
}

/// Too few bytes came back from the device.
pub(super) fn copied(scene: &Scene<'_>, m: &Mismatch) -> Option<String> {
    let copied = missing_copy(scene, m)?;
    let array = scene.name(m.output);
    Some(match copied.bytes() {
        0 if nothing_launched(m) => {
            "the program launches no kernel in this case, and copies nothing back".to_owned()
        }
        0 if copied.to_host == 0 => "nothing is copied back from the device".to_owned(),
        0 => format!("nothing is copied back to `{array}`"),
        bytes => format!(
            "{} bytes are copied back; `{array}` is {} bytes long",
            count(bytes),
            count(copied.all)
        ),
    })
}

/// The parameter by which the kernels only read what was copied to an output.
pub(super) fn copied_from_input(scene: &Scene<'_>, m: &Mismatch) -> Option<String> {
    let copied = m.copied.as_ref().filter(|copied| copied.direct > 0)?;
    let (kernel, number) = copied.parameters.first()?;
    let mut all = copied.parameters.iter();
    let only_read = all.all(|(kernel, n)| scene.source.takes_const_pointer(kernel, *n));
    let name = scene.source.parameters(kernel).get(*number).filter(|_| only_read)?.clone();
    let array = scene.name(m.output);
    Some(format!(
        "`{array}` is copied from memory that `{kernel}` only reads: it gets this memory as `{name}`"
    ))
}

/// What was counted about the writing.
pub(super) fn facts(scene: &Scene<'_>, m: &Mismatch) -> Vec<String> {
    let mut facts = Vec::new();
    if scene.program && m.launches == Some(0) && missing_copy(scene, m).is_none() {
        facts.push("the program launches no kernel in this case".to_owned());
    }
    let blocks = volume(scene.grid);
    let array = scene.name(m.output);
    let block = volume(scene.block);
    let alike = m.most_written.is_some() && m.most_written == m.written;
    match (m.written, m.max_writes) {
        (Some(0), _) => facts.push(format!("the kernel never writes an element of `{array}`")),
        (Some(written), Some(most))
            if m.total > 1
                && most > 1
                && alike
                && written <= block
                && u64::from(most) == blocks.min(MAX_COUNTED_WRITES.into()) =>
        {
            facts.push(format!(
                "every block wrote the same {}, so each was written {}",
                many(written, "element", "elements"),
                times(most)
            ));
        }
        (Some(written), most) if written < m.total as u64 && m.untouched < m.wrong => {
            let twice = most.filter(|&most| most > 1).zip(m.most_written);
            let and = twice.map_or(String::new(), |(most, which)| {
                let which = match which {
                    1 => "one of them".to_owned(),
                    which if which == written => "each of them".to_owned(),
                    which => format!("{} of them", count(which)),
                };
                format!(", {which} {}", times(most))
            });
            facts.push(format!(
                "{} of {} elements were written{and}",
                size(written as usize),
                size(m.total)
            ));
        }
        (_, Some(most)) if most > 1 => {
            let which = match m.most_written {
                Some(1) | None => "one element was".to_owned(),
                Some(which) => format!("{} elements were", count(which)),
            };
            facts.push(format!("{which} written {}, and only the last write counts", times(most)));
        }
        _ => {}
    }
    let rest = m.wrong.saturating_sub(m.untouched + m.nan);
    if m.untouched > 0 && m.untouched < m.wrong {
        let was = if m.untouched == 1 { "was" } else { "were" };
        facts.push(format!("{} of the wrong elements {was} never written", size(m.untouched)));
    }
    if m.nan > 0 && rest > 0 {
        let are = if m.nan == 1 { "is" } else { "are" };
        facts.push(format!("{} of the wrong elements {are} NaN or infinite", size(m.nan)));
    }
    if m.nan > 0 {
        let constant = constants(scene, m).first().map(|constant| constant.name);
        facts.push(match (infinite(m), constant) {
            (true, None) => "inf is the result of a division by 0, or of a number that is too large for its type".into(),
            (true, Some(name)) => format!("an infinity is the value of a constant such as `{name}`, or the result of a division by 0, or of a number that is too large for its type"),
            (false, None) => "NaN is the result of 0/0, inf/inf, inf - inf, 0 * inf, or the root or logarithm of a negative number".into(),
            (false, Some(name)) => format!("NaN is the value of a constant such as `{name}`, or the result of 0/0, inf/inf, inf - inf, 0 * inf, or the root or logarithm of a negative number"),
        });
    }
    if m.shape.len() == 2 && matches!(m.pattern, Pattern::Transposed) {
        let [rows, columns] = *m.shape else { return facts };
        facts.push(format!(
            "`{array}` has {} rows of {}: element [row][col] lies at row * {} + col",
            size(rows),
            many(columns as u64, "element", "elements"),
            size(columns)
        ));
    }
    if matches!(m.pattern, Pattern::From(_))
        && blocks > 0
        && !filled(scene, m)
        && scene.threads() < m.total as u64
    {
        facts.push(format!("{}, for {} elements", scene.launch_line(), size(m.total)));
    }
    facts
}

/// Where the values shown come from.
pub(super) fn origin(scene: &Scene<'_>, m: &Mismatch) -> Option<String> {
    let array = scene.name(m.output);
    let shown = m.examples.iter().map(|example| example.index);
    let pairs = |elements: &[usize]| {
        let mut pairs = shown.clone().zip(elements.to_vec());
        pairs.next().zip(pairs.next())
    };
    match m.origin.as_ref()? {
        Origin::Number(name) => {
            Some(format!("every value shown is that of `{}`", scene.name(name)))
        }
        Origin::Elements(_)
            if matches!(m.pattern, Pattern::Transposed | Pattern::Shifted { .. }) =>
        {
            None
        }
        Origin::Elements(elements) => {
            let ((a, b), (c, d)) = pairs(elements)?;
            let at = |i| subscript(&m.shape, i);
            Some(format!(
                "the value that {array}{} has belongs in {array}{}, and that of {array}{} in {array}{}",
                at(a),
                at(b),
                at(c),
                at(d)
            ))
        }
        Origin::Input { name, shape, elements } if m.same_as.is_none() && !m.unchanged => {
            let mut found = shown.clone().zip(elements).filter_map(|(i, of)| Some((i, (*of)?)));
            let (a, b) = found.next()?;
            let values = match elements.iter().all(Option::is_some) {
                true => "every value shown",
                false => "every value shown that is not 0",
            };
            let (name, of) = (scene.name(name), |i| subscript(shape, i));
            Some(format!(
                "{values} is an element of `{name}`, unchanged: {array}{} is {name}{}",
                subscript(&m.shape, a),
                of(b)
            ))
        }
        Origin::Input { .. } => None,
    }
}

/// How the values shown resemble what is expected: all 0, off by the same amount, or by the same
/// factor.
pub(super) fn resemblance(m: &Mismatch) -> Option<String> {
    let pairs: Option<Vec<(f64, f64)>> =
        m.examples.iter().map(|e| Some((e.yours?, e.expected))).collect();
    let whole = |(yours, expected): &(f64, f64)| yours.fract() == 0.0 && expected.fract() == 0.0;
    let pairs = pairs.filter(|all| all.len() >= 3 || all.len() == 2 && all.iter().all(whole))?;
    let (yours, expected) = *pairs.first()?;
    // of values that are 1 or -1, a wrong one always has the other sign
    if pairs.iter().all(|&(y, e)| y.abs() == yours.abs() && e.abs() == yours.abs()) {
        return None;
    }
    let same = |value: f64, all: &dyn Fn(f64, f64) -> f64| {
        value.is_finite()
            && pairs.iter().all(|&(y, e)| (all(y, e) - value).abs() <= 1e-4 * value.abs())
    };
    let differ = pairs.iter().any(|&(_, e)| e != expected);
    if !differ {
        return None;
    }
    if all_the_same(m) {
        let value = if yours.fract() == 0.0 && yours.abs() < 2_f64.powi(53) {
            yours.to_string()
        } else {
            digits(yours, DIGITS)
        };
        return Some(format!("every value shown is {value}"));
    }
    let factor = yours / expected;
    if same(factor, &|y, e| y / e) && factor != 0.0 {
        let (times, of) = if factor.abs() < 1.0 { (1.0 / factor, true) } else { (factor, false) };
        // Only integer factors, or their inverses, are worth a note.
        let near = times.round();
        if (times - near).abs() < 1e-3 && near.abs() >= 1.0 {
            let near = measured_signed(near);
            return Some(match (near.as_str(), of) {
                ("1", _) => {
                    "every value shown differs from the expected one by less than one part in 10 000".into()
                }
                ("-1", _) => "every value shown has the wrong sign".into(),
                (_, true) => format!("each expected value is {near} times the value shown"),
                (_, false) => format!("every value shown is {near} times what is expected"),
            });
        }
    }
    let difference = yours - expected;
    same(difference, &|y, e| y - e).then(|| {
        let way = if difference > 0.0 { "too large" } else { "too small" };
        format!("every value shown is {} {way}", digits(difference.abs(), DIGITS))
    })
}

/// Whether all wrong values shown are right but for their last digits. A float has about 7, so sums
/// of whole numbers are exact up to [`MAX_EXACT`], unless their parts are larger.
pub(super) fn differs_by_rounding(m: &Mismatch) -> bool {
    let close = |e: &Example| {
        let off = e.yours.map(|yours| (yours - e.expected).abs());
        off.is_some_and(|off| off > 0.0 && off.is_finite() && off <= 1e-4 * e.expected.abs())
    };
    let exact = |e: &Example| {
        e.yours.is_some_and(|yours| yours.fract() == 0.0) && e.expected.abs() <= MAX_EXACT
    };
    !m.examples.is_empty() && m.examples.iter().all(|e| close(e) && !exact(e))
}

/// A quarter of the whole numbers that a float counts without a gap.
const MAX_EXACT: f64 = 4_194_304.0;

/// Whether all values shown are one and the same, though different ones are expected.
pub(super) fn all_the_same(m: &Mismatch) -> bool {
    let first = m.examples.first();
    m.examples.len() >= 3
        && first.is_some_and(|e| e.yours.is_some())
        && m.examples.iter().all(|e| e.yours == first.and_then(|first| first.yours))
        && m.examples.iter().any(|e| Some(e.expected) != first.map(|first| first.expected))
}

/// Whether all values shown are 0.
pub(super) fn all_zero(m: &Mismatch) -> bool {
    m.examples.iter().all(|example| example.yours == Some(0.0))
}

fn measured_signed(value: f64) -> String {
    if value < 0.0 { format!("-{}", measured(-value)) } else { measured(value) }
}
