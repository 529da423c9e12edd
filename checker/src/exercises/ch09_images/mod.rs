//! Chapter 9: images, constant memory, textures.

pub mod sobel_const;
pub mod texture_rotate;
