//! Chapter 9: images, constant memory, textures.

pub mod rgb_to_gray;
pub mod sobel_const;
pub mod texture_rotate;
