//! The notebook that says how to work, and links to all others.

use std::fmt::Write as _;

use super::Part;
use super::cells::Cell;

/// Its name makes it the first one in a list of files.
pub const FILE: &str = "00_start.ipynb";

/// Its cells after the first one.
pub fn cells(parts: &[Part]) -> Vec<Cell> {
    vec![
        Cell::Markdown(TEXT.to_owned()),
        Cell::Code("%progress".to_owned()),
        Cell::Markdown(contents(parts)),
    ]
}

/// The notebooks with their exercises. The first notebook of a chapter is its heading.
fn contents(parts: &[Part]) -> String {
    let mut out = String::from("## Contents\n");
    let mut before = "";
    for Part { file, title, pages } in parts {
        let group = match file.split_once('_') {
            Some((chapter, _)) if chapter.starts_with("ch") => chapter,
            _ if before.is_empty() || before == "before" => "before",
            _ => "after",
        };
        let is_first = group != before;
        before = group;
        let names = pages.iter().skip(1).map(|page| format!("`{}`", page.title));
        let exercises = match names.collect::<Vec<_>>() {
            none if none.is_empty() => String::new(),
            names => format!(": {}", names.join(", ")),
        };
        let _ = match (is_first, group) {
            (true, "before") => writeln!(out, "\n* [{title}]({file})"),
            (true, "after") => writeln!(out, "\n**Reference**\n\n* [{title}]({file})"),
            (true, _) => writeln!(out, "\n**[{title}]({file})**{exercises}\n"),
            (false, _) => writeln!(out, "* [{title}]({file}){exercises}"),
        };
    }
    out
}

const TEXT: &str = "\
# The CUDA Workbook in notebooks

You learn CUDA here by writing kernels, and you need no GPU, because a simulator runs your code. First, run the cell above with
**Shift+Enter**. It loads the workbook, and installs it if necessary. Each notebook begins with such a cell.

* A cell that begins with `%%exercise NAME` is the file of an exercise. Edit the code below this line and run the cell. The
  checker then compiles your code, runs it, and shows the most useful thing that's wrong, or that you've passed.
* A cell that begins with `%%cuda` is a whole program, which you can change and run. `%%cuda --profile` also shows the cost of
  each line, and `%%cuda --trace --thread 3` shows the steps of one thread.
* `%hint` shows one more hint for the exercise that you've run last, `%profile` shows the cost of each of its lines, and
  `%trace` shows the steps of one of its threads. `%solution NAME` shows the solution after you've passed.
* Some pages mention tabs, sliders or steps of a figure. In a notebook, the states of such a figure are one below the other. To
  use the controls, open the book with `checker book serve` in a terminal.
* `%checker` runs any command of the checker, for example `%checker explain shared-race`. Many reports end with such a command,
  which you can copy into a cell.

The first check takes a minute or two, because the checker downloads NVIDIA's compiler (195 MB). Your exercises are stored in the
folder `workbook` beside the notebooks, together with your progress. To store them in another folder, set the variable
`CUDA_WORKBOOK` before you load the workbook. On Google Colab, the machine forgets its files when you disconnect, so choose a
folder in your Google Drive there:

```python
from google.colab import drive
drive.mount(\"/content/drive\")
%env CUDA_WORKBOOK=/content/drive/MyDrive/workbook
```

The next cell lists the exercises and marks those that are done.";
