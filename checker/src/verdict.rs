//! What a check concluded about the learner's code. Data only: wording lives in `explain`.

use cudart_sim::report::{CallSite, CommandKind, FreeingWait, PartOfVariable, StaticVariable};
use ptxsim::Disturbance;

use crate::backend::Fault;
use crate::compile::Message;
use crate::spec::{Gate, MachineFault, Metric, Param};

mod slug;

/// The result of one check of one exercise.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Every case and gate holds.
    Passed(Passed),
    /// The outputs of the first case are untouched, and a TODO is left at `todo_line`, as in the
    /// skeleton.
    NotStarted {
        /// The first output's name.
        output: &'static str,
        /// Its elements.
        elements: usize,
        /// One-based line of the first TODO.
        todo_line: u32,
    },
    /// The file cannot be used as source.
    UnreadableSource(Unreadable),
    /// The compiler's messages.
    CompileError(Vec<Message>),
    /// The compiler crashed or did not finish; a sentence on what happened.
    CompilerStopped(String),
    /// The kernel's name or parameters differ from the Spec.
    WrongSignature(Signature),
    /// Something went wrong while it ran.
    Fault {
        /// Index into `Spec::cases`.
        case: usize,
        /// What went wrong.
        fault: Box<Fault>,
        /// How many further, different faults the same run had.
        others: usize,
        /// What this run has also returned.
        results: Results,
    },
    /// It ran, but the result is wrong.
    WrongValues {
        /// Index into `Spec::cases`.
        case: usize,
        /// How the values differ.
        mismatch: Box<Mismatch>,
    },
    /// The results are right, but they are, at least in part, the host's work.
    ComputedOnHost {
        /// Index into `Spec::cases`.
        case: usize,
        /// What the host did.
        share: HostShare,
    },
    /// The results are right, but a count misses its target.
    GateMissed {
        /// Index into `Spec::cases`.
        case: usize,
        /// Every gate with what was measured, missed ones included.
        gates: Vec<Measured>,
        /// The source lines that contribute to the decisive missed gate, the heaviest one first.
        lines: Vec<ptxsim::LineCounters>,
        /// Of a program: its variables in the device's global memory.
        variables: Vec<StaticVariable>,
        /// Of a program whose work overlaps too little: what may be the reason.
        overlap: Option<OverlapFacts>,
    },
}

/// What the host has done of the work that belongs to the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostShare {
    /// It wrote elements of an output that no copy from the device, and no kernel, has written.
    Wrote {
        /// The output.
        output: &'static str,
        /// The first of these elements.
        first: usize,
        /// The last of them.
        last: usize,
        /// All elements of the output.
        total: usize,
    },
    /// What it sent to the device, besides the input arrays, depends on their values.
    Sent {
        /// What it sent.
        kind: CommandKind,
        /// The call.
        at: Option<CallSite>,
    },
    /// It wrote an output that doesn't follow from what the runtime returned: on a machine with
    /// this fault, the output was wrong.
    Assumed {
        /// The output.
        output: &'static str,
        /// The fault.
        fault: MachineFault,
    },
    /// It wrote right elements of an output although no kernel had stored anything.
    Independent {
        /// The output.
        output: &'static str,
        /// So many elements were right.
        right: usize,
        /// All elements of the output that aren't zero.
        total: usize,
    },
    /// It copied other bytes from the device, or within it, when it got other numbers.
    Arranged {
        /// What it copied.
        kind: CommandKind,
        /// The call.
        at: Option<CallSite>,
    },
    /// It sent much data that it had computed from the numbers that it got.
    Made {
        /// What it sent.
        kind: CommandKind,
        /// The call.
        at: Option<CallSite>,
    },
}

/// Why a file cannot be used as source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// The file does not exist.
    Missing,
    /// Zero bytes, or white space only.
    Empty,
    /// Contains NUL or is not UTF-8; first such line.
    Binary(u32),
    /// Its size and the limit, in bytes.
    TooLarge(u64, u64),
    /// The operating system's sentence.
    Io(String),
}

/// Facts of a pass, for the summary line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Passed {
    /// Cases run.
    pub cases: usize,
    /// Every gate with what was measured.
    pub gates: Vec<Measured>,
    /// Sectors for each global request over the gated (or last) case, from the simulator; for each
    /// 128 bytes of requests where a gate counts so.
    pub sectors_per_request: Option<f64>,
    /// The most often that one output element was written, over all cases.
    pub max_writes: Option<u32>,
    /// Smallest and largest number of elements of an array over the cases.
    pub sizes: (usize, usize),
    /// A copy to the host that only a call which frees memory waits for.
    pub freeing_wait: Option<FreeingWait>,
}

/// One gate and what was measured for it. `None` (not measured) never holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The gate.
    pub gate: Gate,
    /// The count, when it was taken.
    pub value: Option<f64>,
    /// Whether it holds.
    pub holds: bool,
    /// The output whose elements are written too often, if it is only one.
    pub output: Option<&'static str>,
    /// The disturbance that has shown that the results don't use what is counted, so that the count
    /// is 0.
    pub unused: Option<Disturbance>,
}

impl Measured {
    /// The missed gate that a report is about. Elements that are written too often come first,
    /// because they show that the kernel distributes its elements wrongly, and what is wrong with
    /// the other counts may follow from that. Too many requests come before the sectors that they
    /// waste. Otherwise it is the first missed gate.
    pub fn decisive(gates: &[Self]) -> Option<&Self> {
        let mut missed = gates.iter().filter(|gate| !gate.holds);
        let above = |metric: Metric| {
            missed.clone().find(|missed| {
                let above = missed.value.is_some_and(|value| value > missed.gate.target);
                missed.gate.metric == metric && above
            })
        };
        let rewritten = above(Metric::WritesPerElement);
        let of_sectors =
            |gate: &&Self| matches!(gate.gate.metric, Metric::SectorsPerRequest { .. });
        let requests = || {
            let sectors = missed.clone().next().filter(of_sectors);
            sectors.and_then(|_| above(Metric::LoadRequests))
        };
        rewritten.or_else(requests).or_else(|| missed.next())
    }
}

/// How the kernel's signature differs from the Spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signature {
    /// No entry of the expected name; the entries that are there.
    NoSuchKernel {
        /// What the Spec calls it.
        expected: String,
        /// What the file has, demangled where possible.
        found: Vec<String>,
    },
    /// Too few or too many parameters.
    Count {
        /// From the Spec.
        expected: Vec<Param>,
        /// In the PTX, as types: `pointer`, `int`.
        found: Vec<String>,
    },
    /// The parameters have the right names in another order.
    Order {
        /// The names, in the order of the source.
        found: Vec<String>,
    },
    /// Parameter `index` (zero-based) has another type.
    Type {
        /// Position.
        index: usize,
        /// From the Spec.
        expected: Param,
        /// In the PTX, as a type.
        found: String,
    },
}

/// Facts about a program that decide how much of its work can overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverlapFacts {
    /// Streams with copies or kernels.
    pub streams: usize,
    /// Of these, streams with kernels.
    pub kernel_streams: usize,
    /// The share of the kernels' time in the stream with most of it, from 0 to 1.
    pub busiest: f64,
    /// Streams whose work is all on one engine.
    pub one_engine: usize,
    /// Copies between the host and the device.
    pub copies: u64,
    /// Of these, copies with pageable memory of the host.
    pub pageable: u64,
    /// Launches without which the results are right, too.
    pub unneeded: usize,
    /// Copies without which the results are the same.
    pub unneeded_copies: usize,
    /// Launches that store much less than others, so that they don't count.
    pub small: usize,
    /// Waits of the host between pieces of work.
    pub waits: u64,
    /// Mean time of a copy or kernel on the simulated clock, in microseconds.
    pub piece_us: f64,
}

/// How values differ, and the pattern of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The output's name.
    pub output: &'static str,
    /// Whether it contains the learner's own answers ([`crate::spec::Role::Answer`]), of which no
    /// report shows the right ones.
    pub answer: bool,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Elements compared.
    pub total: usize,
    /// Elements that are wrong.
    pub wrong: usize,
    /// Of the wrong elements: those that still contain the poison.
    pub untouched: usize,
    /// Of the wrong elements of an array that came with values: those that still have them.
    pub kept: usize,
    /// The value of the pattern that filled the output before the launch or call; `None` of an
    /// array that came with values.
    pub fill: Option<f64>,
    /// Of the wrong elements: those that are NaN or infinite where a finite number is expected.
    pub nan: usize,
    /// The first few wrong elements.
    pub examples: Vec<Example>,
    /// Where the errors lie.
    pub pattern: Pattern,
    /// Most writes to one element, when the simulator counted them and none was atomic. At
    /// [`ptxsim::MAX_COUNTED_WRITES`] there may have been more.
    pub max_writes: Option<u32>,
    /// Elements that were written `max_writes` times, when counted.
    pub most_written: Option<u64>,
    /// Elements written at least once, when counted.
    pub written: Option<u64>,
    /// Grid and block of the launch that computed it: the case's, or the only one that a program
    /// made.
    pub launch: Option<([u32; 3], [u32; 3])>,
    /// Line and column of the launch, when a program made only one.
    pub launch_at: Option<(u32, u32)>,
    /// Of a program: what it copied from the device to this output.
    pub copied: Option<CopiedBack>,
    /// Whether an array that came with values still has exactly these.
    pub unchanged: bool,
    /// The input that has the same bytes, of several elements.
    pub same_as: Option<&'static str>,
    /// Another array that came with values, should have got others, and still has exactly these.
    pub other_unchanged: Option<&'static str>,
    /// The kernel that a program launched with one piece of memory for two parameters, with their
    /// numbers.
    pub same_memory: Option<(String, [usize; 2])>,
    /// Inputs of a program that no copy to the device reads, although copies read others.
    pub uncopied: Vec<String>,
    /// Variables of a program of which copies have filled only a part.
    pub partial: Vec<PartOfVariable>,
    /// Where the values of the wrong elements that are shown come from.
    pub origin: Option<Origin>,
    /// Whether the numbers that the learner has recorded in the file are right, where the exercise
    /// asks for some beside this output.
    pub answers_right: Option<bool>,
    /// Lines whose stores or atomic operations reached global memory, when counted.
    pub store_lines: Option<Vec<u32>>,
    /// Launches that a program made in this case, those that failed included; `None` of a kernel,
    /// and from a GPU.
    pub launches: Option<usize>,
}

/// What a program copied from the device to one of its outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedBack {
    /// Bytes that copies moved directly into this output.
    pub direct: u64,
    /// Whether copies moved bytes directly into another output.
    pub others: bool,
    /// Bytes of this output.
    pub all: u64,
    /// Bytes that the program copied to the host in all.
    pub to_host: u64,
    /// The parameters of kernels that point to the memory from which they were copied, as the
    /// kernel's name and the parameter's number.
    pub parameters: Vec<(String, usize)>,
    /// The copy or set that wrote the first wrong element before it was copied back, if no kernel
    /// wrote to the same memory since.
    pub written_by: Option<CallSite>,
}

impl CopiedBack {
    /// Bytes that may have come back for this output. If no output is the destination of a copy,
    /// the program copies to memory of its own first, and all bytes may be for this one.
    pub const fn bytes(&self) -> u64 {
        if self.direct == 0 && !self.others { self.to_host } else { self.direct }
    }
}

/// One wrong element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Example {
    /// Row-major index.
    pub index: usize,
    /// The learner's value; `None` when untouched.
    pub yours: Option<f64>,
    /// The reference.
    pub expected: f64,
    /// Largest difference allowed.
    pub tolerance: f64,
}

/// What a run with a fault has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Results {
    /// Nothing, or the right values.
    #[default]
    NotWrong,
    /// An output that is wrong.
    Wrong,
    /// This output, of which no element is written.
    Unwritten(&'static str),
}

/// Where wrong values come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// They are a number that the code got: its name.
    Number(&'static str),
    /// They belong in other elements: the elements' row-major indices.
    Elements(Vec<usize>),
    /// They are elements of an input.
    Input {
        /// Its name.
        name: &'static str,
        /// Its shape.
        shape: Vec<usize>,
        /// The elements' row-major indices; `None` for a value of 0, which is no element.
        elements: Vec<Option<usize>>,
    },
}

/// Where the wrong elements are. The first pattern that fits is used, from specific to vague.
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// Every element.
    All,
    /// The first block's elements are right, every other block's wrong (elements per block).
    OnlyFirstBlockRight(usize),
    /// Only the last, partly filled block's elements are wrong (elements per block).
    OnlyLastBlockWrong(usize),
    /// One element: the first, the last, or another.
    Single(usize),
    /// Everything from this index on.
    From(usize),
    /// Everything before this index.
    Before(usize),
    /// One index in every `period`, starting at `offset`.
    Periodic {
        /// Distance.
        period: usize,
        /// First.
        offset: usize,
    },
    /// In a matrix: one row is wrong.
    Row(usize),
    /// In a matrix: one column is wrong.
    Column(usize),
    /// In a matrix: every row from this one on is wrong, and the rows before it are right.
    RowsFrom(usize),
    /// In a matrix: every column from this one on is wrong, and the columns before it are right.
    ColumnsFrom(usize),
    /// In a matrix: exactly these of its edges, at least two of them: the first row, the last row,
    /// the first column, the last column.
    Edges([bool; 4]),
    /// The result looks like the transpose of the expected matrix.
    Transposed,
    /// Wrong values equal the expected values of elements `shift` away.
    Shifted {
        /// By how many elements; positive where a value belongs further on.
        by: i64,
        /// Every wrong element whose value could come from there has it.
        all: bool,
    },
    /// No pattern found.
    Scattered,
}
