//! A launch as data.

/// One launch of one kernel.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The launch's name, unique in its table and without spaces.
    pub name: String,
    /// The kernel's file, without extension: `shared`.
    pub file: &'static str,
    /// The kernel's name.
    pub kernel: String,
    /// Blocks (x, y, z).
    pub grid: [u32; 3],
    /// Threads per block (x, y, z).
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The arguments, in order.
    pub args: Vec<Arg>,
}

/// An argument of a kernel.
#[derive(Debug, Clone)]
pub enum Arg {
    /// A pointer to device memory with these contents.
    Buffer {
        /// The bytes before the launch.
        contents: Vec<u8>,
        /// Bytes per element.
        element: u32,
    },
    /// A number, as its bytes.
    Scalar(Vec<u8>),
}

/// Numbers that buffers and arguments are made of.
pub trait Plain: Copy {
    /// The number's bytes, least significant first.
    fn put(self, to: &mut Vec<u8>);
}

macro_rules! plain {
    ($($t:ty),*) => { $(
        impl Plain for $t {
            fn put(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}
plain!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

impl Launch {
    /// One block of 32 threads, without arguments.
    pub fn new(file: &'static str, kernel: &str) -> Self {
        Self {
            name: kernel.to_owned(),
            file,
            kernel: kernel.to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            shared: 0,
            args: Vec::new(),
        }
    }

    /// Adds a variant to the name, to distinguish launches of one kernel: `strided` becomes
    /// `strided/8`.
    #[must_use]
    pub fn variant(mut self, what: impl std::fmt::Display) -> Self {
        self.name = format!("{}/{what}", self.name);
        self
    }

    /// Blocks in the grid.
    #[must_use]
    pub fn grid(mut self, x: u32, y: u32, z: u32) -> Self {
        self.grid = [x, y, z];
        self
    }

    /// Threads in a block.
    #[must_use]
    pub fn block(mut self, x: u32, y: u32, z: u32) -> Self {
        self.block = [x, y, z];
        self
    }

    /// Bytes of dynamic shared memory.
    #[must_use]
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared = bytes;
        self
    }

    /// A buffer with contents.
    #[must_use]
    pub fn buffer<T: Plain>(mut self, values: &[T]) -> Self {
        let mut contents = Vec::new();
        values.iter().for_each(|v| v.put(&mut contents));
        self.args.push(Arg::Buffer { contents, element: size_of::<T>() as u32 });
        self
    }

    /// A buffer of zeros, by the size of its elements.
    #[must_use]
    pub fn zeros(mut self, elements: usize, element: u32) -> Self {
        self.args.push(Arg::Buffer { contents: vec![0; elements * element as usize], element });
        self
    }

    /// A number.
    #[must_use]
    pub fn scalar<T: Plain>(mut self, value: T) -> Self {
        let mut bytes = Vec::new();
        value.put(&mut bytes);
        self.args.push(Arg::Scalar(bytes));
        self
    }
}
