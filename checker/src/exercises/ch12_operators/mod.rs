//! Chapter 12: operators of neural networks.

use super::Chapter;

mod embedding_grad;
mod gelu_bias;
mod layer_norm;
mod rows;
mod softmax_online;
mod softmax_rows;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch12_operators",
    number: 12,
    title: "Deep learning operators",
    exercises: &[
        &softmax_rows::SPEC,
        &softmax_online::SPEC,
        &layer_norm::SPEC,
        &gelu_bias::SPEC,
        &embedding_grad::SPEC,
    ],
};
