//! Reads of unwritten memory inside NVIDIA's header libraries.
//!
//! CUB and Thrust copy whole structures with their padding, and load an element before they compare
//! its index with the end of the data (`SerialMerge`). They discard such values. In memory of their
//! own, these reads are no mistake of the program and nothing that it could change.

use ptxsim::{FindingKind, Observations, Space};

use super::Runtime;

/// Namespaces of NVIDIA's header libraries, as they begin a mangled name.
const LIBRARIES: [&str; 3] = ["3cub", "6thrust", "4cuda"];

/// Is this the symbol of a kernel of NVIDIA's header libraries?
fn is_library_kernel(symbol: &str) -> bool {
    let nested = symbol.strip_prefix("_ZN").map(|rest| rest.trim_start_matches('K'));
    nested.is_some_and(|rest| LIBRARIES.iter().any(|library| rest.starts_with(library)))
}

impl Runtime {
    /// Removes the findings about unwritten memory that a kernel of a library makes in shared
    /// memory and in memory that the library has allocated.
    pub(super) fn remove_library_reads(&self, symbol: &str, observations: &mut Observations) {
        if !is_library_kernel(symbol) {
            return;
        }
        observations.findings.retain(|finding| {
            let own = match finding.at.space {
                Some(Space::Shared | Space::Local) => true,
                _ => self
                    .memory
                    .allocation(finding.at.address)
                    .is_some_and(|allocation| self.findings.sites().is_in_library(allocation.site)),
            };
            finding.what != FindingKind::UninitialisedRead || !own
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_libraries_are_known_by_their_namespace() {
        for library in [
            "_ZN3cub17CUB_300001_SM_9006detail10merge_sort26DeviceMergeSortMergeKernelE",
            "_ZN6thrust23THRUST_300001_SM_900_NS8cuda_cub4core13_kernel_agentE",
        ] {
            assert!(is_library_kernel(library), "{library}");
        }
        for own in ["sort", "_Z4sortPf", "_ZN4mine3cubEv", "_ZN5cubed1kEv", "_Z3cubPf"] {
            assert!(!is_library_kernel(own), "{own}");
        }
    }
}
