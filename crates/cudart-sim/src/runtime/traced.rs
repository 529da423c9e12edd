//! Which launch of a program is traced.

use ptxsim::Launch;
use ptxsim::trace::Thread;
use serde::{Deserialize, Serialize};

use super::Runtime;

/// One launch of a program, or the launches of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LaunchChoice {
    /// The launch with this number: 1 is the first that the device runs.
    Number(usize),
    /// The launches of the kernel with this name.
    Kernel(String),
}

/// The launch and the thread whose steps are recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedLaunch {
    /// The launch. Of several, it is the first that has the thread.
    pub launch: LaunchChoice,
    /// The thread.
    pub thread: Thread,
}

impl LaunchChoice {
    /// The choice that this text stands for: digits are a number, and anything else is a name.
    pub fn parse(text: &str) -> Self {
        match text.parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Kernel(text.to_owned()),
        }
    }

    /// Whether the launch with this number and this kernel is chosen. A kernel may be named without
    /// its namespaces, template arguments and parameters.
    pub fn selects(&self, number: usize, kernel: &str) -> bool {
        match self {
            Self::Number(chosen) => *chosen == number,
            Self::Kernel(chosen) => {
                let base = kernel.split(['<', '(']).next().unwrap_or(kernel);
                let own = base.rsplit("::").next().unwrap_or(base);
                [kernel, base, own].contains(&chosen.as_str())
            }
        }
    }
}

impl TracedLaunch {
    /// Whether a launch is chosen and has the thread.
    pub fn selects(&self, number: usize, kernel: &str, grid: [u32; 3], block: [u32; 3]) -> bool {
        let inside = |at: [u32; 3], dims: [u32; 3]| at.iter().zip(dims).all(|(at, dim)| *at < dim);
        self.launch.selects(number, kernel)
            && inside(self.thread.block, grid)
            && inside(self.thread.thread, block)
    }
}

impl Runtime {
    /// Records the steps of a thread in one launch of the program. Its record then has them.
    pub fn trace(&mut self, traced: TracedLaunch) {
        self.traced = Some(traced);
    }

    /// The thread to trace in the next launch.
    pub(super) fn traced_thread(&self, kernel: &str, launch: &Launch) -> Option<Thread> {
        let launches = &self.record.launches;
        let traced = self.traced.as_ref().filter(|traced| {
            traced.selects(launches.len() + 1, kernel, launch.grid, launch.block)
        })?;
        launches.iter().all(|done| done.trace.is_none()).then_some(traced.thread)
    }
}

#[cfg(test)]
mod tests {
    use super::LaunchChoice;

    #[test]
    fn a_launch_is_chosen_by_number_or_by_the_name_of_its_kernel() {
        assert!(LaunchChoice::parse("2").selects(2, "scale"));
        assert!(!LaunchChoice::parse("2").selects(1, "scale"));
        for name in ["scale", "app::scale", "app::scale<float, 4>"] {
            assert!(LaunchChoice::parse(name).selects(1, "app::scale<float, 4>"), "{name}");
        }
        assert!(!LaunchChoice::parse("scal").selects(1, "scale"));
    }
}
