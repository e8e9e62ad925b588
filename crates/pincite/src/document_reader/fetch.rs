//! Download of sources that are URLs, from allowed hosts only.

use std::path::Path;
use std::time::Duration;

use net::{FetchLimits, FetchPolicy, FetchedDocument, Fetcher};
use sandbox::SandboxLimits;

use super::UnusableFile;
use crate::command_error::CommandError;

/// Timeout of one download.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the path as a URL, unless a file with this name exists.
pub(super) fn url(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let schemes = ["http://", "https://"];
    let begins_with = |start: &&str| {
        text.get(..start.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(start))
    };
    (schemes.iter().any(begins_with) && !path.exists()).then_some(text)
}

/// Creates a fetcher for the allowed hosts. They may have private addresses, because the same person chooses
/// the hosts and the URLs.
pub(super) fn fetcher(
    hosts: &[String],
    sandbox_limits: &SandboxLimits,
) -> Result<Fetcher, CommandError> {
    let policy = FetchPolicy::of(hosts)
        .map_err(|error| CommandError::Configuration(format!("--allow-fetch: {error}")))?;
    let limits = FetchLimits {
        bytes: sandbox_limits.limits.bytes,
        time: sandbox_limits.time.min(TIMEOUT),
        ..FetchLimits::default()
    };
    Ok(Fetcher::new(policy.trust_named()).limits(limits))
}

/// Downloads a file and blocks until it is complete.
pub(super) fn get(fetcher: &Fetcher, url: &str) -> Result<FetchedDocument, UnusableFile> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| UnusableFile {
            reason: error.to_string(),
            hint: "try again".to_owned(),
        })?;
    let fetched = runtime.block_on(fetcher.fetch(url));
    fetched.map_err(|error| UnusableFile {
        reason: error.to_string(),
        hint: error.hint().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_distinguished_from_files() {
        for text in ["http://a.example/x", "HTTPS://a.example"] {
            assert_eq!(url(Path::new(text)), Some(text));
        }
        for text in ["a.pdf", "./http:/x", "ftp://a.example/x", "https:"] {
            assert_eq!(url(Path::new(text)), None, "{text}");
        }
    }
}
