//! Chapter 9: images, constant memory, textures.

use super::Chapter;

mod rgb_to_gray;
mod sobel_const;
mod surface_write;
mod texture_rotate;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch09_images",
    number: 9,
    title: "Images and textures",
    exercises: &[
        &rgb_to_gray::SPEC,
        &sobel_const::SPEC,
        &texture_rotate::SPEC,
        &surface_write::SPEC,
    ],
};
