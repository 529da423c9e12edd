//! Independent loads hide the latency of memory.

use ndarray::{Array1, ArrayD};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `loads_in_flight`.
///
/// In the gated case, the solution's threads make 12 loads for four orders, and wait twice. The
/// skeleton's threads make 3 loads for each order, and wait twice as well.
pub static SPEC: Spec = Spec {
    id: "loads_in_flight",
    chapter: "ch11_inside",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 20,
    goal: "whenever a warp waits for a load, keep at least 5 of its loads in flight",
    cooperative: false,
    ordered: &[],
    params: &[
        ints_in("item", "[n]"),
        floats_in("amount", "[n]"),
        floats_in("price", "[products]"),
        floats_out("total", "[n]"),
        count("n"),
    ],
    cases: &[
        of_256(
            "1500 orders",
            "a thread has five or six orders, so some are left after four",
            &[("n", 1500), ("products", 100)],
            1,
        ),
        gated(of_256(
            "16 384 orders",
            "sixteen orders for each thread",
            &[("n", 16_384), ("products", 5000)],
            4,
        )),
        of_256("one order", "255 threads have nothing to do", &[("n", 1), ("products", 1000)], 1),
        of_256(
            "767 orders",
            "no thread has four orders, and the last thread has only two",
            &[("n", 767), ("products", 7)],
            1,
        ),
        of_256(
            "4097 orders",
            "two blocks; the first thread has one order more than all others",
            &[("n", 4097), ("products", 999)],
            2,
        ),
        of_256(
            "1021 orders, more threads than that",
            "five blocks, so 259 threads have no order at all",
            &[("n", 1021), ("products", 50)],
            5,
        ),
    ],
    large: Some(case("large", "", &[("n", 1 << 25), ("products", 1 << 22)], [132, 1], [256, 1])),
    tolerance: Tolerance::OwnRoundings(1),
    gates: &[
        Gate { baseline: Some(1.5), ..at_least(Metric::LoadsInFlight, 5.0) },
        // 16 384 / 32 * 3
        load_requests(1536.0, Some(1536.0)),
        WRITTEN_ONCE,
        shared_work(2_000.0),
    ],
    hints: &[
        "Mark the two places in the loop where a thread uses a value that it has just loaded. The \
         thread waits at each of these places. Which other values could it load before it reaches \
         the first place?",
        "Let each iteration process four orders, whose indices are `i`, `i + threads`, `i + 2 * \
         threads` and `i + 3 * threads`. First load the four products and amounts into local \
         arrays, then the four prices, and store the totals at the end.",
        "The loop may run only while a thread has four orders left, so its condition is `i + 3 * \
         threads < n`. A second loop, which is the original one, processes the rest.",
        "Write the loops over the local arrays with a constant number of iterations, such as `for \
         (int k = 0; k < 4; ++k)`. The compiler then unrolls them, and keeps the arrays in \
         registers.",
    ],
    pitfalls: &[
        "Don't store a total before you've loaded the data of the next order. The compiler doesn't \
         know whether `total` and `price` overlap, so it can't move the next order's loads to a \
         place before the store.",
        "Don't load one order's product and then its price before you load the product of the next \
         order. The address of a price depends on the product, so the thread would wait for each \
         product separately. Load all four products first.",
        "Don't forget the orders that are left if a thread's number of orders isn't a multiple of \
         four.",
        "Don't give each thread four neighbouring orders. The loads of a warp would then touch \
         four times as many sectors.",
    ],
    learn: "chapter 11, \"Loads that overlap\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn of_256(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [256, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (n, products) = (case.size("n"), case.size("products"));
    let last = i32::try_from(products).expect("products fit an int") - 1;
    let items = ArrayD::from_shape_simple_fn(&[n][..], || rng.random_range(0..=last));
    vec![
        Value::Array(Array::I32(items)),
        uniform(rng, &[n]),
        uniform(rng, &[products]),
        out(&[n]),
        int(n),
    ]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![totals(&i32s(inputs, 0), &f64s(inputs, 1), &f64s(inputs, 2)).into_dyn().into()]
}

/// `price[item] * amount` for each order.
fn totals(items: &ArrayD<i32>, amounts: &ArrayD<f64>, prices: &ArrayD<f64>) -> Array1<f64> {
    let price = |item: i32| prices[[item as usize]];
    items.iter().zip(amounts).map(|(item, amount)| price(*item) * amount).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn looks_up_the_price_of_each_order() {
        let (items, amounts) = (array![2, 0, 2].into_dyn(), array![3.0, 1.5, -1.0].into_dyn());
        let prices = array![10.0, 99.0, 0.5].into_dyn();
        assert_eq!(totals(&items, &amounts, &prices), array![1.5, 15.0, -0.5]);
    }
}
