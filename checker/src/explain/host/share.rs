//! Explains results that the host has computed.

use cudart_sim::report::CommandKind;

use super::names::call;
use super::{Draft, Program};
use crate::explain::words::many;
use crate::spec::MachineFault;
use crate::verdict::HostShare;

/// Explains what the host has done of the device's work.
pub fn explain(program: Program<'_>, share: &HostShare) -> Draft {
    match share {
        HostShare::Wrote { output, first, last, total } => {
            let elements = last + 1 - first;
            let part = match (elements == *total, elements) {
                (true, 1) => format!("`{output}`"),
                (true, _) => format!("all of `{output}`"),
                (_, 1) => format!("`{output}[{first}]`"),
                _ => format!("`{output}[{first}]` to `{output}[{last}]`"),
            };
            Draft::new(format!("the host computes {part}, not the device"))
                .note(format!(
                    "no copy from the device and no kernel has written {}",
                    if *total == 1 {
                        "this value".to_owned()
                    } else {
                        format!("{} of {}", elements, many(*total as u64, "element", "elements"))
                    }
                ))
                .note("the results are right, but this exercise is about computing them in a kernel")
                .think("which kernel writes these values to the device's memory, and which call copies them to the host?")
        }
        HostShare::Sent { kind, at } => {
            let (what, label) = sent(*kind);
            let draft = Draft::new(format!("{what} depends on the values of the input arrays"));
            let draft = match at {
                Some(_) => draft.mark(program.mark(
                    at.as_ref(),
                    true,
                    format!("{label}: different with other values in the arrays"),
                )),
                None => draft,
            };
            draft
                .note(match kind {
                    CommandKind::Shared => "the checker called the function again with other values in its arrays, and the host wrote other numbers, or took them from other places in the arrays".into(),
                    CommandKind::Call => format!(
                        "the checker called the function again with other values in its arrays, and {} got other numbers, or was not called",
                        call(at.as_ref())
                    ),
                    _ => format!(
                        "the checker called the function again with other values in its arrays, and {} did something else",
                        call(at.as_ref())
                    ),
                })
                .note("so the host has computed with the values; it should only copy the arrays, and kernels should do the rest")
                .think("which part of the result does the host find out here, and which kernel could do that?")
        }
        HostShare::Assumed { output, fault } => {
            Draft::new(format!("`{output}` doesn't show what the runtime returned"))
                .note(format!(
                    "the checker called the function again with the same arguments on a machine {}, and `{output}` was wrong",
                    machine_with(*fault)
                ))
                .note("so the host assumes which calls fail, but an error can have other reasons than the arguments")
                .think("which of these values isn't the return value of a call?")
        }
        HostShare::Independent { output, right, total } => {
            Draft::new(format!("the host computes `{output}`, although a kernel computes it, too"))
                .note(format!(
                    "the checker called the function again, and its kernels stored nothing, but {right} of {} of `{output}` had the same values",
                    many(*total as u64, "element", "elements")
                ))
                .note("so the host doesn't take these values from the memory that the kernel has written")
                .think("from which array does the host read each value before it writes it to the output?")
        }
        HostShare::Arranged { kind, at } => {
            let (what, label) = sent(*kind);
            let draft = Draft::new(format!("{what} depends on the numbers that the function gets"));
            let draft = match at {
                Some(_) => draft.mark(program.mark(
                    at.as_ref(),
                    true,
                    format!("{label}: different with other numbers"),
                )),
                None => draft,
            };
            draft
                .note("the checker called the function again with arrays of the same size and with other numbers as arguments, and the host copied other bytes")
                .note("so the host's copies move elements to their places, but this is the work of a kernel")
                .think("which kernel could store each element where it belongs, so that the copies stay the same?")
        }
        HostShare::Made { kind, at } => {
            let (what, label) = sent(*kind);
            let draft = Draft::new(format!("{what} is computed by the host"));
            let draft = match at {
                Some(_) => draft.mark(program.mark(
                    at.as_ref(),
                    true,
                    format!("{label}: different with other numbers"),
                )),
                None => draft,
            };
            draft
                .note("the checker called the function again with other numbers as arguments, and this data changed")
                .note("a host may pass some numbers to a kernel, but computing so much data is the work of a kernel")
                .think("which numbers does this data follow from, and which thread could compute each part of it?")
        }
    }
}

/// A machine with a fault, as in "on a machine where ...".
const fn machine_with(fault: MachineFault) -> &'static str {
    match fault {
        MachineFault::Unavailable => "where another program is using the GPU exclusively",
        MachineFault::NoKernelImage => "with a GPU for which the compiler has made no code",
        MachineFault::MemoryError
        | MachineFault::MemoryErrorInCopyIn
        | MachineFault::MemoryErrorInCopyOut => "where the GPU's memory has an error",
        MachineFault::LessSharedMemory => "with less shared memory",
    }
}

/// What a command sends, and what the label of its call says about it.
const fn sent(kind: CommandKind) -> (&'static str, &'static str) {
    match kind {
        CommandKind::Launch => ("the launch of a kernel", "these arguments, or this launch"),
        CommandKind::ToDevice => ("data that the host copies to the device", "this data"),
        CommandKind::ToHost => ("data that the host copies back", "the bytes that this copies"),
        CommandKind::WithinDevice => ("a copy on the device", "the bytes that this copies"),
        CommandKind::Set => ("a set of the device's memory", "this value, or these bytes"),
        CommandKind::Object => ("a texture or surface object", "the memory of this object"),
        CommandKind::Shared => (
            "data that the host writes to memory that the device shares with it",
            "used by the device here",
        ),
        CommandKind::Call => ("a call of the runtime", "the arguments of this call"),
        CommandKind::OnHost => ("data that the host copies to the outputs", ""),
    }
}
