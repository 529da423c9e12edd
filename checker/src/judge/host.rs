//! Whether results are the host's work instead of the device's.

use cudart_sim::report::{Command, CommandKind, Origin};

use crate::backend::Run;
use crate::spec::{Case, Role, Spec};
use crate::value::Value;
use crate::verdict::HostShare;

/// Bytes of data that a host may make and send without further questions: parameters, not tables.
const MAX_OWN_BYTES: u64 = 1024;

/// The first output that the host has written itself. What it may find out itself
/// ([`Role::Host`], [`Role::Time`]) does not count, and neither do results without any input.
pub(super) fn wrote(spec: &Spec, inputs: &[Value], run: &Run) -> Option<HostShare> {
    let is_empty = |input: &Value| match input {
        Value::Array(array) => array.is_empty(),
        Value::Scalar(_) | Value::Out { .. } => true,
    };
    if inputs.iter().all(is_empty) {
        return None;
    }
    run.written_by_host.iter().find_map(|written| {
        let param = spec.params.iter().find(|param| param.name == written.array)?;
        let output = run.outputs.iter().find(|output| output.name == written.array)?;
        let bytes = param.dtype.bytes();
        let own = matches!(param.role, Role::Out | Role::InOut);
        own.then(|| HostShare::Wrote {
            output: param.name,
            first: written.first as usize / bytes,
            last: (written.end as usize).div_ceil(bytes).saturating_sub(1),
            total: output.data.len() / bytes,
        })
    })
}

/// The first output written by the host ([`Role::Host`]) that is wrong in a run of this case, whose
/// [`Case::fault`] is the one that the run had.
pub fn assumed(spec: &Spec, case: &Case, inputs: &[Value], run: &Run) -> Option<HostShare> {
    let fault = case.fault?;
    let references = (spec.reference)(case, inputs);
    super::compared(spec).zip(references).find_map(|(param, reference)| {
        let output = run.outputs.iter().find(|output| output.name == param.name)?;
        let wrong = param.role == Role::Host && output.data != reference.to_bytes();
        wrong.then_some(HostShare::Assumed { output: param.name, fault })
    })
}

/// The first output most of whose elements are the same although the kernels have stored nothing in
/// the other run. Zeros don't count, because memory may be zero where nothing is stored.
pub fn independent(spec: &Spec, run: &Run, without_stores: &Run) -> Option<HostShare> {
    run.outputs.iter().find_map(|output| {
        let param = spec.params.iter().find(|param| param.name == output.name)?;
        let other = without_stores.outputs.iter().find(|other| other.name == output.name)?;
        let bytes = param.dtype.bytes();
        let pairs = output.data.chunks(bytes).zip(other.data.chunks(bytes));
        let (mut right, mut total) = (0, 0);
        for (own, other) in pairs.filter(|(own, _)| own.iter().any(|byte| *byte != 0)) {
            right += usize::from(own == other);
            total += 1;
        }
        let own = matches!(param.role, Role::Out | Role::InOut) && 2 * right > total;
        own.then_some(HostShare::Independent { output: param.name, right, total })
    })
}

/// The first thing that the host did differently in two calls whose arguments differ only in the
/// values of arrays: it depends on these values, so the host has computed with them.
pub fn sent(run: &Run, other: &Run) -> Option<HostShare> {
    let (program, other) = run.program.as_ref().zip(other.program.as_ref())?;
    let (own, others) = (&program.commands, &other.commands);
    let places = EqualPlaces { own: &program.equal_places, others: &other.equal_places };
    let differs = |i: &usize| match (own.get(*i), others.get(*i)) {
        (Some(a), Some(b)) => {
            (a.digest, a.kind) != (b.digest, b.kind) || places.moved_differently(a, b)
        }
        _ => true,
    };
    let first = (0..own.len().max(others.len())).find(differs)?;
    let command = own.get(first).or_else(|| others.get(first))?;
    Some(HostShare::Sent { kind: command.kind, at: command.at.clone() })
}

/// The places of data that stands in several places, in each of two calls.
#[derive(Clone, Copy)]
struct EqualPlaces<'a> {
    own: &'a [Vec<u64>],
    others: &'a [Vec<u64>],
}

impl EqualPlaces<'_> {
    /// Whether a command of one call moves data from another place than the same command of the
    /// other call. In the outputs, data that was there before is nothing that the host has moved,
    /// so one call may have a piece where the other has none.
    fn moved_differently(self, own: &Command, other: &Command) -> bool {
        let mut others = other.moved.iter().peekable();
        own.moved.iter().any(|piece| {
            while others.next_if(|other| other.at < piece.at).is_some() {}
            let other = others.next_if(|other| other.at == piece.at);
            other.is_some_and(|other| {
                other.bytes != piece.bytes || !self.share_a_place(piece.from, other.from)
            })
        })
    }

    /// Whether data with these origins may come from the same place.
    fn share_a_place(self, own: Origin, other: Origin) -> bool {
        let own = places(&own, self.own);
        let other = places(&other, self.others);
        let (few, many) = if own.len() < other.len() { (own, other) } else { (other, own) };
        few.iter().any(|place| many.binary_search(place).is_ok())
    }
}

/// The places of an origin in ascending order.
fn places<'a>(origin: &'a Origin, sets: &'a [Vec<u64>]) -> &'a [u64] {
    match origin {
        Origin::Place(place) => std::slice::from_ref(place),
        Origin::OneOf(index) => sets.get(*index as usize).map_or(&[], Vec::as_slice),
    }
}

/// The first copy from the device, or within it, that differs in two calls whose arguments differ
/// only in numbers. The sizes of the arrays are the same, so the numbers decide where elements go.
pub fn arranged(run: &Run, other: &Run) -> Option<HostShare> {
    let [own, others] = [run, other].map(|run| {
        let commands = run.program.iter().flat_map(|program| &program.commands);
        let copies = |command: &&Command| {
            matches!(command.kind, CommandKind::ToHost | CommandKind::WithinDevice)
        };
        commands.filter(copies).collect::<Vec<_>>()
    });
    let differs = |i: &usize| match (own.get(*i), others.get(*i)) {
        (Some(a), Some(b)) => (a.digest, a.kind) != (b.digest, b.kind),
        _ => true,
    };
    let first = (0..own.len().max(others.len())).find(differs)?;
    let command = own.get(first).or_else(|| others.get(first))?;
    Some(HostShare::Arranged { kind: command.kind, at: command.at.clone() })
}

/// Whether a program sends so much data that its host has made that it may be a part of the work.
pub fn made_data(run: &Run) -> bool {
    let commands = run.program.iter().flat_map(|program| &program.commands);
    commands.map(|command| command.own.bytes).sum::<u64>() > MAX_OWN_BYTES
}

/// The first data that the host made differently in two calls whose arguments differ only in
/// numbers.
pub fn made(run: &Run, other: &Run) -> Option<HostShare> {
    let [own, others] = [run, other].map(|run| run.program.as_ref().map(|p| &p.commands[..]));
    let is_data = |command: &&Command| command.kind != CommandKind::Call;
    let mut pairs = own?.iter().filter(is_data).zip(others?.iter().filter(is_data));
    let (command, _) = pairs.find(|(a, b)| a.own != b.own)?;
    Some(HostShare::Made { kind: command.kind, at: command.at.clone() })
}

#[cfg(test)]
mod tests {
    use cudart_sim::report::{MovedData, OwnData, Report};

    use super::*;

    /// A run with one command that moves words from these places.
    fn run(moved: &[(u64, Origin)], equal_places: &[&[u64]]) -> Run {
        let piece = |&(at, from): &(u64, Origin)| MovedData { at, bytes: 4, from };
        let command = Command {
            digest: 1,
            kind: CommandKind::ToDevice,
            own: OwnData::default(),
            moved: moved.iter().map(piece).collect(),
            at: None,
        };
        let equal_places = equal_places.iter().map(|set| set.to_vec()).collect();
        let report = Report { commands: vec![command], equal_places, ..Report::default() };
        Run { program: Some(report), ..Run::new(String::new()) }
    }

    fn differ(a: &Run, b: &Run) -> bool {
        sent(a, b).is_some()
    }

    #[test]
    fn words_must_come_from_the_same_place() {
        use Origin::Place;
        let usual = run(&[(0, Place(100)), (4, Place(104))], &[]);
        let swapped = run(&[(0, Place(104)), (4, Place(100))], &[]);
        assert!(!differ(&usual, &usual));
        assert!(differ(&usual, &swapped));
    }

    /// A copy of other bytes of the device's memory is the host's rearrangement. A launch with
    /// other numbers is not, and neither is a copy to the device.
    #[test]
    fn copies_must_not_follow_the_numbers() {
        let run = |commands: &[(CommandKind, u64)]| {
            let command = |&(kind, digest): &(CommandKind, u64)| Command {
                digest,
                kind,
                own: OwnData::default(),
                moved: vec![],
                at: None,
            };
            let commands = commands.iter().map(command).collect();
            Run {
                program: Some(Report { commands, ..Report::default() }),
                ..Run::new(String::new())
            }
        };
        use CommandKind::{Launch, ToDevice, ToHost, WithinDevice};
        let usual = run(&[(ToDevice, 1), (Launch, 2), (ToHost, 3)]);
        assert_eq!(arranged(&usual, &run(&[(ToDevice, 4), (Launch, 5), (ToHost, 3)])), None);
        for kind in [ToHost, WithinDevice] {
            let share = arranged(&run(&[(Launch, 2), (kind, 3)]), &run(&[(Launch, 2), (kind, 4)]));
            assert_eq!(share, Some(HostShare::Arranged { kind, at: None }));
        }
        let twice = run(&[(ToHost, 3), (ToHost, 3)]);
        assert_eq!(arranged(&usual, &twice), Some(HostShare::Arranged { kind: ToHost, at: None }));
    }

    /// A word that stands in two places may come from either.
    #[test]
    fn equal_words_may_come_from_any_of_their_places() {
        use Origin::{OneOf, Place};
        let equal = run(&[(0, OneOf(0))], &[&[100, 104]]);
        assert!(!differ(&equal, &run(&[(0, Place(104))], &[])));
        assert!(differ(&equal, &run(&[(0, Place(108))], &[])));
        assert!(!differ(&equal, &run(&[(0, OneOf(1))], &[&[0], &[96, 104, 200]])));
        assert!(differ(&equal, &run(&[(0, OneOf(0))], &[&[96, 200]])));
    }

    /// An element of an output that is as it was before the call.
    #[test]
    fn a_piece_that_only_one_call_has_is_no_difference() {
        use Origin::Place;
        let both = run(&[(0, Place(100)), (4, Place(104))], &[]);
        assert!(!differ(&both, &run(&[(4, Place(104))], &[])));
        assert!(differ(&both, &run(&[(4, Place(100))], &[])));
    }
}
