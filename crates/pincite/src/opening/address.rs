//! Sources that are addresses: fetched from hosts that were allowed.

use std::path::Path;
use std::time::Duration;

use net::{FetchLimits, FetchPolicy, FetchedDocument, Fetcher};
use sandbox::SandboxLimits;

use super::UnusableFile;
use crate::failure::CommandError;

/// How long fetching one may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a path says if it is an address, and no file.
pub(super) fn address(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let web = ["http://", "https://"];
    let begins = |start: &&str| {
        text.get(..start.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(start))
    };
    (web.iter().any(begins) && !path.exists()).then_some(text)
}

/// What may be fetched: these hosts. Who names a host here names the addresses, too, so it may be one of their
/// own network.
pub(super) fn fetcher(
    hosts: &[String],
    allowance: &SandboxLimits,
) -> Result<Fetcher, CommandError> {
    let policy = FetchPolicy::of(hosts)
        .map_err(|error| CommandError::Configuration(format!("--allow-fetch: {error}")))?;
    let limits = FetchLimits {
        bytes: allowance.limits.bytes,
        time: allowance.time.min(PATIENCE),
        ..FetchLimits::default()
    };
    Ok(Fetcher::new(policy.trust_named()).limits(limits))
}

/// Fetches a file, here and now.
pub(super) fn get(fetcher: &Fetcher, address: &str) -> Result<FetchedDocument, UnusableFile> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| UnusableFile {
            reason: error.to_string(),
            hint: "try again".to_owned(),
        })?;
    let fetched = runtime.block_on(fetcher.fetch(address));
    fetched.map_err(|error| UnusableFile {
        reason: error.to_string(),
        hint: error.hint().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_files() {
        for text in ["http://a.example/x", "HTTPS://a.example"] {
            assert_eq!(address(Path::new(text)), Some(text));
        }
        for text in ["a.pdf", "./http:/x", "ftp://a.example/x", "https:"] {
            assert_eq!(address(Path::new(text)), None, "{text}");
        }
    }
}
