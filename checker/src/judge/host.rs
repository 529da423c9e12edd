//! Whether results are the host's work instead of the device's.

use crate::backend::Run;
use crate::spec::{Role, Spec};
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

/// The first thing that the host did differently in two calls whose arguments differ only in the
/// values of arrays: it depends on these values, so the host has computed with them.
pub fn sent(run: &Run, other: &Run) -> Option<HostShare> {
    let [own, others] = [run, other].map(|run| run.program.as_ref().map(|p| &p.commands[..]));
    let (own, others) = own.zip(others)?;
    let differs = |i: &usize| match (own.get(*i), others.get(*i)) {
        (Some(a), Some(b)) => (a.digest, a.kind) != (b.digest, b.kind),
        _ => true,
    };
    let first = (0..own.len().max(others.len())).find(differs)?;
    let command = own.get(first).or_else(|| others.get(first))?;
    Some(HostShare::Sent { kind: command.kind, at: command.at.clone() })
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
    let mut pairs = own?.iter().zip(others?);
    let (command, _) = pairs.find(|(a, b)| a.own != b.own)?;
    Some(HostShare::Made { kind: command.kind, at: command.at.clone() })
}
