//! Arguments of the commands that run whole programs.

use std::path::PathBuf;

use clap::Args;
use cudart_sim::occupancy::Card;

use super::card;
use super::check::ThreadOptions;
use super::{Backend, Sandbox};

/// `checker run`
#[derive(Debug, Args)]
#[command(after_help = "\
Options of nvcc that work here:
  -I, -D, -U, -std, -rdc=true, -isystem, -include, -L, -l, -Xcompiler, -Xlinker,
  -use_fast_math, -fmad, -ftz, -prec-div, -prec-sqrt, -default-stream,
  -maxrregcount, --extended-lambda (always on), --expt-relaxed-constexpr, -w, -x
Options that choose a GPU, an output or debugging information are accepted, but
have no effect:
  -arch, -gencode, -code, -g, -G, -lineinfo, -O0 to -O3, -o, -v, -m64, -Xptxas,
  -res-usage, -cudart, -ccbin, -dlto
The compilers also read CPATH, CPLUS_INCLUDE_PATH and LIBRARY_PATH.

Examples:
  checker run vector_add.cu -- 1000       pass 1000 to the program
  checker run -I include -DN=64 a.cu b.cu compile two files into a program
  checker run -rdc=true a.cu b.cu         kernels in a.cu call functions in b.cu
  checker run --profile vector_add.cu     also print a timeline, and the cost of
                                          each launch and of each line
  checker run --trace --thread 3 vector_add.cu
                                          also print what thread 3 does")]
pub struct Run {
    /// The program: `.cu` files, one of them with a `main`, and C++ files.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Run the program on the GPU or on the simulator; only the simulator looks for bugs.
    #[arg(long, value_enum, default_value_t)]
    pub backend: Backend,
    /// Number that selects the order in which streams, blocks and warps run on the simulator; with
    /// 0, work runs as late as the program's waits allow.
    #[arg(long, value_name = "NUMBER", default_value_t)]
    pub seed: u64,
    /// Memory of the simulated device in GiB; the simulator allocates it only as the program uses
    /// it.
    #[arg(long, value_name = "GIB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub device_memory: u64,
    /// Number of warp instructions, in millions, after which the simulator stops a kernel.
    #[arg(long, value_name = "MILLIONS", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub budget: u64,
    /// Run the program in the sandbox, where it can't open files or read its input, and may run for
    /// 60 seconds (simulator only).
    #[arg(long, value_enum, default_value_t = Sandbox::Off)]
    pub sandbox: Sandbox,
    /// Print a timeline and the cost of each kernel and of each line to stderr (simulator only).
    #[arg(long)]
    pub profile: bool,
    /// GPU for which --profile also shows the occupancy: a name such as `A100`, or an architecture
    /// such as `sm_86`.
    #[arg(long, value_name = "NAME|ARCH", value_parser = card, requires = "profile")]
    pub gpu: Option<&'static Card>,
    /// Print the steps of one thread of a launch to stderr, line by line (simulator only).
    #[arg(long, conflicts_with = "profile")]
    pub trace: bool,
    /// Launch to profile or trace: its number, as --profile shows it, or the name of its kernel.
    #[arg(long, value_name = "NUMBER|KERNEL")]
    pub launch: Option<String>,
    /// The thread to trace.
    #[command(flatten)]
    pub thread: ThreadOptions,
    /// Refused with a reason: `run` has no JSON.
    #[arg(long, hide = true)]
    pub json: bool,
    /// An option of nvcc for each compilation (`cli::nvcc` makes these).
    #[arg(long, hide = true, allow_hyphen_values = true)]
    pub nvcc: Vec<String>,
    /// An option of nvcc for the link.
    #[arg(long, hide = true, allow_hyphen_values = true)]
    pub nvcc_link: Vec<String>,
    /// Arguments for the program.
    #[arg(last = true)]
    pub args: Vec<String>,
}
