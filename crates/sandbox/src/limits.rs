//! Limits of the sandbox.

use std::time::Duration;

use documents::ReadLimits;

/// Limits on reading one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
            memory: 4 << 30,
        }
    }
}

/// Limit that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLimit {
    /// The name is unknown.
    #[error("there is no limit '{0}'; there are {names}", names = SandboxLimits::NAMES.join(", "))]
    Unknown(String),
    /// The value is not a number.
    #[error("'{0}' is no whole number greater than 0")]
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
    fn every_name_sets_a_limit_of_its_own() {
        let before = SandboxLimits::default();
        let changed: Vec<SandboxLimits> = SandboxLimits::NAMES
            .iter()
            .map(|name| {
                let mut allowance = before;
                allowance.set(&format!("{name}=77")).expect("a known name");
                allowance
            })
            .collect();
        for (at, one) in changed.iter().enumerate() {
            assert_ne!(*one, before);
            assert!(!changed[..at].contains(one));
        }
    }

    #[test]
    fn what_is_no_limit_is_told() {
        let mut allowance = SandboxLimits::default();
        let said = |written: &str| {
            allowance
                .clone()
                .set(written)
                .expect_err("wrong")
                .to_string()
        };
        assert!(said("leaves=3").contains("there are bytes, pages"));
        assert!(said("pages=0").contains("greater than 0"));
        assert!(said("pages").contains("NAME=NUMBER"));
        allowance.set(" pages = 3 ").expect("spaces are free");
        assert_eq!(allowance.limits.pages, 3);
    }
}
