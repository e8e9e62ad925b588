//! What reading a file may cost.

use std::time::Duration;

use documents::Limits;

/// What reading a file may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// What may be in the file.
    pub limits: Limits,
    /// How long reading it may take.
    pub time: Duration,
    /// How many bytes of memory the process may use that reads it.
    pub memory: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            time: Duration::from_secs(60),
            memory: 4 << 30,
        }
    }
}

/// A limit that is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLimit {
    /// There is no limit of that name.
    #[error("there is no limit '{0}'; there are {names}", names = Allowance::NAMES.join(", "))]
    Unknown(String),
    /// The value is no number.
    #[error("'{0}' is no whole number greater than 0")]
    NoNumber(String),
    /// It is not written as it should be.
    #[error("a limit is written NAME=NUMBER, for instance pages=500")]
    Form,
}

impl Allowance {
    /// The names of the limits that can be set.
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
    /// let mut allowance = intake::Allowance::default();
    /// allowance.set("pages=500")?;
    /// assert_eq!(allowance.limits.pages, 500);
    /// assert!(allowance.set("pages=many").is_err());
    /// # Ok::<(), intake::BadLimit>(())
    /// ```
    pub fn set(&mut self, written: &str) -> Result<(), BadLimit> {
        let (name, number) = written.split_once('=').ok_or(BadLimit::Form)?;
        let value: u64 = match number.trim().parse() {
            Ok(value) if value > 0 => value,
            _ => return Err(BadLimit::NoNumber(number.trim().to_owned())),
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
            name => return Err(BadLimit::Unknown(name.to_owned())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_sets_a_limit_of_its_own() {
        let before = Allowance::default();
        let changed: Vec<Allowance> = Allowance::NAMES
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
        let mut allowance = Allowance::default();
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
