//! The outputs of a case beside the right ones: numbers around the first wrong element, and a
//! picture of what has rows and columns.

use checker::inspect::Outputs;
use checker::judge::Elements;
use checker::value::DType;
use serde::Serialize;

use super::values::number;

/// Arrays that are shown at most.
const MAX_ARRAYS: usize = 6;
/// Rows and columns of numbers that are shown at most, and the numbers of an array without rows.
const WINDOW: [usize; 2] = [8, 8];
const FLAT_WINDOW: usize = 16;
/// Rows and columns of a picture. A larger array is sampled.
const PICTURE: usize = 96;
/// An array with fewer rows or columns is no picture.
const MIN_PICTURE: usize = 4;

/// The outputs of one case.
#[derive(Debug, Serialize)]
pub struct OutputView {
    arrays: Vec<ArrayView>,
}

#[derive(Debug, Serialize)]
struct ArrayView {
    name: &'static str,
    element: &'static str,
    shape: Vec<usize>,
    total: usize,
    wrong: usize,
    /// Elements that nothing has written.
    untouched: usize,
    /// Whether the right elements are not shown, because the learner has to find them out.
    hidden: bool,
    first: Option<First>,
    window: Window,
    picture: Option<Picture>,
}

/// The first wrong element.
#[derive(Debug, Serialize)]
struct First {
    index: usize,
    /// `out[3][7]`
    element: String,
    yours: Option<String>,
    expected: Option<String>,
    writer: Option<WriterView>,
}

/// The thread that wrote it.
#[derive(Debug, Serialize)]
struct WriterView {
    block: [u32; 3],
    thread: [u32; 3],
    line: u32,
}

/// Some numbers, around the first wrong one.
#[derive(Debug, Serialize)]
struct Window {
    /// The first row and column.
    row: usize,
    column: usize,
    columns: usize,
    /// In row-major order; `None` for an element that nothing has written.
    yours: Vec<Option<String>>,
    expected: Vec<Option<String>>,
    wrong: Vec<bool>,
}

/// A picture of an array: shades from 0 to 255.
#[derive(Debug, Serialize)]
struct Picture {
    width: usize,
    height: usize,
    /// Elements for each pixel in each direction.
    step: usize,
    /// The numbers that black and white stand for.
    low: f64,
    high: f64,
    /// 256 for an element that nothing has written.
    yours: Vec<u16>,
    expected: Vec<u16>,
    /// Whether any of the pixel's elements is wrong.
    wrong: Vec<bool>,
}

impl OutputView {
    /// The outputs, as far as they have room.
    pub fn new(outputs: &Outputs) -> Self {
        let mut writer = outputs.writer.as_ref().map(|writer| WriterView {
            block: writer.block,
            thread: writer.thread,
            line: writer.source.line,
        });
        let views = outputs.arrays.iter().map(|array| {
            // the writer is that of the first array with a wrong element
            let writer = if array.wrong.is_empty() { None } else { writer.take() };
            array_view(array, writer)
        });
        let mut arrays: Vec<ArrayView> = views.collect();
        arrays.sort_by_key(|array| array.wrong == 0);
        arrays.truncate(MAX_ARRAYS);
        Self { arrays }
    }
}

fn array_view(array: &Elements, writer: Option<WriterView>) -> ArrayView {
    let first = array.wrong.first().map(|index| First {
        index: *index,
        element: element(array, *index),
        yours: yours(array, *index),
        expected: expected(array, *index),
        writer,
    });
    ArrayView {
        name: array.name,
        element: array.dtype.cuda_name(),
        shape: array.shape.clone(),
        total: array.yours.len(),
        wrong: array.wrong.len(),
        untouched: array.yours.iter().filter(|element| element.is_none()).count(),
        hidden: array.expected.is_none(),
        window: window(array, first.as_ref().map_or(0, |first| first.index)),
        first,
        picture: picture(array),
    }
}

/// `out[3][7]` for an element of an array with two dimensions.
fn element(array: &Elements, index: usize) -> String {
    let mut rest = index;
    let mut parts: Vec<String> = vec![];
    for length in array.shape.iter().rev() {
        parts.push(format!("[{}]", rest % (*length).max(1)));
        rest /= (*length).max(1);
    }
    parts.reverse();
    format!("{}{}", array.name, parts.concat())
}

fn yours(array: &Elements, index: usize) -> Option<String> {
    array.yours.get(index).copied().flatten().map(|value| shown(array.dtype, value))
}

fn expected(array: &Elements, index: usize) -> Option<String> {
    array.expected.as_ref()?.get(index).map(|value| shown(array.dtype, *value))
}

fn shown(dtype: DType, value: f64) -> String {
    match dtype {
        DType::F32 => number(value as f32),
        _ => number(value),
    }
}

/// Rows and columns, if the array has two dimensions.
fn plane(array: &Elements) -> Option<[usize; 2]> {
    match array.shape[..] {
        [rows, columns] if rows * columns == array.yours.len() => Some([rows, columns]),
        _ => None,
    }
}

fn window(array: &Elements, around: usize) -> Window {
    let [rows, columns] = plane(array).unwrap_or([1, array.yours.len()]);
    let most = if rows == 1 { [1, FLAT_WINDOW] } else { WINDOW };
    let start = |at: usize, all: usize, most: usize| {
        at.saturating_sub(most / 4).min(all.saturating_sub(most))
    };
    let columns_or_one = columns.max(1);
    let row = start(around / columns_or_one, rows, most[0]);
    let column = start(around % columns_or_one, columns, most[1]);
    let width = columns.min(most[1]);
    let indices: Vec<usize> = (row..rows.min(row + most[0]))
        .flat_map(|r| (column..column + width).map(move |c| r * columns + c))
        .collect();
    Window {
        row,
        column,
        columns: width,
        yours: indices.iter().map(|index| yours(array, *index)).collect(),
        expected: indices.iter().map(|index| expected(array, *index)).collect(),
        wrong: indices.iter().map(|index| array.wrong.binary_search(index).is_ok()).collect(),
    }
}

fn picture(array: &Elements) -> Option<Picture> {
    let right = array.expected.as_ref()?;
    let [rows, columns] = plane(array)?;
    if rows.min(columns) < MIN_PICTURE {
        return None;
    }
    let step = rows.max(columns).div_ceil(PICTURE);
    let (height, width) = (rows.div_ceil(step), columns.div_ceil(step));
    let finite = || right.iter().copied().filter(|value| value.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    let range = if high > low { high - low } else { 1.0 };
    let shade = |value: f64| {
        let part = ((value - low) / range).clamp(0.0, 1.0);
        (part * 255.0).round() as u16
    };
    let pixels: Vec<usize> =
        (0..height).flat_map(|y| (0..width).map(move |x| y * step * columns + x * step)).collect();
    let mut wrong = vec![false; width * height];
    for index in &array.wrong {
        let at = index / columns / step * width + index % columns / step;
        if let Some(pixel) = wrong.get_mut(at) {
            *pixel = true;
        }
    }
    /// The shade of an element that nothing has written.
    const UNTOUCHED: u16 = 256;
    let shades = |of: &dyn Fn(usize) -> Option<f64>| {
        pixels.iter().map(|index| of(*index).map_or(UNTOUCHED, shade)).collect()
    };
    Some(Picture {
        width,
        height,
        step,
        low,
        high,
        yours: shades(&|index| array.yours.get(index).copied().flatten()),
        expected: shades(&|index| right.get(index).copied()),
        wrong,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: &[usize], wrong: &[usize]) -> Elements {
        let all: usize = shape.iter().product();
        let right: Vec<f64> = (0..all).map(|i| i as f64).collect();
        let yours = (0..all).map(|i| Some(if wrong.contains(&i) { -1.0 } else { i as f64 }));
        Elements {
            name: "out",
            parameter: 1,
            dtype: DType::F32,
            shape: shape.to_vec(),
            yours: yours.collect(),
            expected: Some(right),
            wrong: wrong.to_vec(),
        }
    }

    #[test]
    fn the_numbers_around_the_first_wrong_element_are_shown() {
        let view = array_view(&array(&[20, 30], &[313, 599]), None);
        let first = view.first.expect("a wrong element");
        assert_eq!((first.element.as_str(), first.yours.as_deref()), ("out[10][13]", Some("-1")));
        let Window { row, column, columns, yours, wrong, .. } = view.window;
        assert_eq!((row, column, columns, yours.len()), (8, 11, 8, 64));
        assert_eq!(wrong.iter().position(|wrong| *wrong), Some(2 * 8 + 2));
        let flat = array_view(&array(&[5], &[4]), None).window;
        assert_eq!((flat.column, flat.yours.len()), (0, 5));
    }

    /// A picture is small however large the array is, and no wrong element is lost.
    #[test]
    fn pictures_are_sampled() {
        let picture = picture(&array(&[1000, 700], &[999 * 700 + 699])).expect("a picture");
        assert_eq!((picture.width, picture.height, picture.step), (64, 91, 11));
        assert_eq!(picture.wrong.iter().filter(|wrong| **wrong).count(), 1);
        assert!(picture.wrong[64 * 91 - 1]);
        assert_eq!((picture.yours.len(), picture.expected[0]), (64 * 91, 0));
    }

    /// The right numbers of an answer stay with the checker.
    #[test]
    fn answers_are_hidden() {
        let view = array_view(&Elements { expected: None, ..array(&[4], &[2]) }, None);
        let json = serde_json::to_string(&view).expect("JSON");
        assert!(view.hidden && view.picture.is_none());
        assert_eq!(view.first.expect("a wrong element").expected, None);
        assert!(json.contains("\"expected\":[null,null,null,null]"), "{json}");
    }
}
