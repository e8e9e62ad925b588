//! Limits of the sandbox.

use std::time::Duration;

use documents::ReadLimits;
use serde::{Deserialize, Serialize};

/// Limits on reading one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxLimits {
    /// Limits on the content of the file.
    pub limits: ReadLimits,
    /// Timeout for reading the file.
    pub time: Duration,
    /// Memory of the worker process in bytes.
    pub memory: u64,
}

impl Default for SandboxLimits {
    fn default() -> Self {
        Self {
            limits: ReadLimits::default(),
            time: Duration::from_secs(60),
            memory: 1 << 30,
        }
    }
}

/// Limit that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLimit {
    /// The name is unknown.
    #[error("unknown limit '{0}'; the limits are {names}", names = SandboxLimits::NAMES.join(", "))]
    Unknown(String),
    /// The value is not a number.
    #[error("'{0}' is not a whole number greater than 0")]
    NoNumber(String),
    /// The text is not `NAME=NUMBER`.
    #[error("a limit is written NAME=NUMBER, for instance pages=500")]
    Form,
}

impl SandboxLimits {
    /// Names of the limits that can be set.
    pub const NAMES: [&'static str; 11] = [
        "bytes",
        "pages",
        "words-per-page",
        "lines",
        "objects",
        "elements",
        "nesting",
        "decompressed",
        "pixels",
        "seconds",
        "memory",
    ];

    /// Sets a limit, written `NAME=NUMBER`.
    ///
    /// ```
    /// let mut limits = sandbox::SandboxLimits::default();
    /// limits.set("pages=500")?;
    /// assert_eq!(limits.limits.pages, 500);
    /// assert!(limits.set("pages=many").is_err());
    /// # Ok::<(), sandbox::InvalidLimit>(())
    /// ```
    pub fn set(&mut self, written: &str) -> Result<(), InvalidLimit> {
        let (name, number) = written.split_once('=').ok_or(InvalidLimit::Form)?;
        let value: u64 = match number.trim().parse() {
            Ok(value) if value > 0 => value,
            _ => return Err(InvalidLimit::NoNumber(number.trim().to_owned())),
        };
        let size = usize::try_from(value).unwrap_or(usize::MAX);
        let limits = &mut self.limits;
        match name.trim() {
            "bytes" => limits.bytes = size,
            "pages" => limits.pages = size,
            "words-per-page" => limits.words_per_page = size,
            "lines" => limits.lines = size,
            "objects" => limits.objects = size,
            "elements" => limits.elements = size,
            "nesting" => limits.nesting = size,
            "decompressed" => limits.decompressed = size,
            "pixels" => limits.pixels = size,
            "seconds" => self.time = Duration::from_secs(value),
            "memory" => self.memory = value,
            name => return Err(InvalidLimit::Unknown(name.to_owned())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_sets_its_own_limit() {
        let before = SandboxLimits::default();
        let changed: Vec<SandboxLimits> = SandboxLimits::NAMES
            .iter()
            .map(|name| {
                let mut limits = before;
                limits.set(&format!("{name}=77")).expect("a known name");
                limits
            })
            .collect();
        for (at, one) in changed.iter().enumerate() {
            assert_ne!(*one, before);
            assert!(!changed[..at].contains(one));
        }
    }

    #[test]
    fn explains_invalid_limits() {
        let mut limits = SandboxLimits::default();
        let message = |written: &str| limits.clone().set(written).expect_err("wrong").to_string();
        assert!(message("leaves=3").contains("the limits are bytes, pages"));
        assert!(message("pages=0").contains("greater than 0"));
        assert!(message("pages").contains("NAME=NUMBER"));
        limits.set(" pages = 3 ").expect("spaces are ignored");
        assert_eq!(limits.limits.pages, 3);
    }
}
