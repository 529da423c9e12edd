//! Secret seeds: inputs that no student can predict, and that every grader with the secret can
//! reproduce.

use sha2::{Digest, Sha256};

/// The secret of a class. Its bytes are never written anywhere; [`Secret::commitment`] and the
/// seeds that come from it may be.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Fewest bytes of a secret: below that it could be guessed from the seeds that come from it.
pub const MIN_SECRET_BYTES: usize = 16;

/// Why a file's contents are no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the secret has {0} bytes, and {MIN_SECRET_BYTES} are the least: `head -c 32 /dev/urandom > FILE` makes a good one"
)]
pub struct TooShort(pub usize);

impl Secret {
    /// The contents of a secret's file; white space around them does not count.
    ///
    /// # Errors
    /// When there are too few of them to be secret.
    pub fn new(contents: &[u8]) -> Result<Self, TooShort> {
        let bytes = contents.trim_ascii();
        if bytes.len() < MIN_SECRET_BYTES {
            Err(TooShort(bytes.len()))
        } else {
            Ok(Self(bytes.to_vec()))
        }
    }

    /// A public commitment to the secret, in hexadecimal: two grades were made with the same secret
    /// when it is equal.
    pub fn commitment(&self) -> String {
        hex(&self.mac(&[b"commitment"]))
    }

    /// The seed of one run of one case of one file, which is known by its hash. `round` counts the
    /// runs of a case with secret seeds.
    ///
    /// It depends on the file and not on the student. Equal files then have equal inputs and so
    /// equal grades, and are run once. What a student learns from a verdict is about a file that
    /// can't be changed any more: with seeds of their own, students who submit often could ask for
    /// the same secret numbers bit by bit.
    pub fn seed(&self, file: &str, exercise: &str, case: &str, round: u32) -> u64 {
        let parts: [&[u8]; 5] =
            [b"seed", file.as_bytes(), exercise.as_bytes(), case.as_bytes(), &round.to_le_bytes()];
        self.mac(&parts).first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// HMAC-SHA-256 (RFC 2104) of the parts, each behind its length.
    fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        const BLOCK: usize = 64;
        let mut key = [0_u8; BLOCK];
        if self.0.len() > BLOCK {
            key[..32].copy_from_slice(&Sha256::digest(&self.0));
        } else {
            key[..self.0.len()].copy_from_slice(&self.0);
        }
        let mut inner = Sha256::new();
        inner.update(key.map(|byte| byte ^ 0x36));
        for part in parts {
            inner.update((part.len() as u64).to_le_bytes());
            inner.update(part);
        }
        let mut outer = Sha256::new();
        outer.update(key.map(|byte| byte ^ 0x5c));
        outer.update(inner.finalize());
        outer.finalize().into()
    }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any change of file, exercise, case, round or secret gives another seed, and moving a
    /// letter from one name to the next does, too.
    #[test]
    fn seeds_differ_in_every_part() {
        let secret = Secret::new(b"sixteen bytes at least").unwrap();
        let seeds = [
            secret.seed("ada", "blocks", "one", 0),
            secret.seed("adb", "blocks", "one", 0),
            secret.seed("ada", "guard", "one", 0),
            secret.seed("ada", "blocks", "two", 0),
            secret.seed("ada", "blocks", "one", 1),
            secret.seed("adab", "locks", "one", 0),
            Secret::new(b"sixteen bytes at most!").unwrap().seed("ada", "blocks", "one", 0),
        ];
        for (i, a) in seeds.iter().enumerate() {
            assert!(seeds.iter().skip(i + 1).all(|b| a != b));
        }
        assert_eq!(seeds[0], secret.seed("ada", "blocks", "one", 0));
    }

    /// A line end that an editor adds does not change the class's inputs, and a short secret is
    /// refused.
    #[test]
    fn a_secret_is_long_enough_and_has_no_line_end() {
        let one = Secret::new(b"0123456789abcdef").unwrap();
        assert_eq!(one, Secret::new(b"0123456789abcdef\r\n").unwrap());
        assert_eq!(Secret::new(b"  short \n"), Err(TooShort(5)));
        assert!(!format!("{one:?}").contains("0123"));
    }

    /// RFC 4231 has no case in this form (the parts carry their lengths), so the construction is
    /// compared with a plain one.
    #[test]
    fn it_is_hmac() {
        let secret = Secret::new(&[0xaa; 131]).unwrap();
        let key = Sha256::digest([0xaa; 131]);
        let pad = |with: u8| {
            let mut block = [with; 64];
            block.iter_mut().zip(key.iter()).for_each(|(b, k)| *b ^= k);
            block
        };
        let message = [&10_u64.to_le_bytes()[..], b"commitment"].concat();
        let inner = Sha256::digest([&pad(0x36)[..], &message].concat());
        let outer = Sha256::digest([&pad(0x5c)[..], &inner[..]].concat());
        assert_eq!(secret.commitment(), hex(&outer));
    }
}
