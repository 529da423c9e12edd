//! Versions of CUDA.

use std::fmt;

/// A version of CUDA without its third number: 12.4, 13.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl Version {
    /// This version.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// The version at the start of `13.0.88`, `13.0` or `13`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(str::parse::<u32>);
        let major = numbers.next()?.ok()?;
        let minor = numbers.next().unwrap_or(Ok(0)).ok()?;
        Some(Self { major, minor })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The version that a user asks for in `CUDA_WORKBOOK_CUDA`: `12.4`, or any version of `13`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    major: u32,
    minor: Option<u32>,
}

impl Wanted {
    /// The version in `text`, which has one or two numbers.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (major, minor) = match text.trim().split_once('.') {
            Some((major, minor)) => (major, Some(minor.parse().ok()?)),
            None => (text.trim(), None),
        };
        Some(Self { major: major.parse().ok()?, minor })
    }

    /// Whether `version` is what the user asks for.
    pub(super) fn includes(self, version: Version) -> bool {
        version.major == self.major && self.minor.is_none_or(|minor| version.minor == minor)
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.major)?;
        self.minor.map_or(Ok(()), |minor| write!(f, ".{minor}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_and_compared() {
        assert_eq!(Version::parse("12.4.127"), Some(Version::new(12, 4)));
        assert_eq!(Version::parse("13"), Some(Version::new(13, 0)));
        assert_eq!(Version::parse(""), None);
        assert_eq!(Version::parse("13.x"), None);
        assert!(
            Version::new(12, 10) > Version::new(12, 9)
                && Version::new(13, 0) > Version::new(12, 10)
        );
        assert_eq!(Version::new(12, 4).to_string(), "12.4");
    }

    #[test]
    fn a_user_may_ask_for_a_whole_generation() {
        let wanted = |text| Wanted::parse(text).expect(text);
        assert!(wanted("13").includes(Version::new(13, 2)));
        assert!(!wanted("13").includes(Version::new(12, 4)));
        assert!(wanted(" 12.4 ").includes(Version::new(12, 4)));
        assert!(!wanted("12.4").includes(Version::new(12, 9)));
        for text in ["", "new", "12.", "12.4.127", "-1"] {
            assert_eq!(Wanted::parse(text), None, "{text}");
        }
    }
}
