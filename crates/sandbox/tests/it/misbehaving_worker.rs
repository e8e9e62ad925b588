//! Worker processes that misbehave.

use std::time::{Duration, Instant};

use rendering::{ImageFormat, RenderStyle};
use sandbox::{ImageRequest, RequestedView, SandboxError, SandboxLimits, SandboxReader};

fn read_by(script: &str, time: Duration) -> SandboxError {
    let mut reader = SandboxReader::new("/bin/sh", ["-c", script]);
    let limits = SandboxLimits {
        time,
        ..SandboxLimits::default()
    };
    let read = reader.read(b"some words", "a.txt", "", &limits, |_, _| {});
    read.expect_err("the script reads no document")
}

#[test]
fn kills_a_worker_that_hangs() {
    let start = Instant::now();
    // The worker neither reads nor writes; in the second case the file is larger than the pipe.
    let error = read_by("sleep 600", Duration::ZERO);
    assert!(matches!(error, SandboxError::TooSlow(_)), "{error}");
    let mut reader = SandboxReader::new("/bin/sh", ["-c", "sleep 600"]);
    let limits = SandboxLimits {
        time: Duration::ZERO,
        ..SandboxLimits::default()
    };
    let large = vec![b'a'; 1 << 20];
    let error = reader
        .read(&large, "a.txt", "", &limits, |_, _| {})
        .expect_err("it sleeps");
    assert!(matches!(error, SandboxError::TooSlow(_)), "{error}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn reports_the_exit_of_a_worker() {
    let minute = Duration::from_secs(60);
    let error = read_by("kill -9 $$", minute);
    assert!(error.to_string().contains("signal 9"), "{error}");
    let error = read_by("cat > /dev/null; exit 7", Duration::from_secs(1));
    // The input stays open, so `cat` waits for more.
    assert!(matches!(error, SandboxError::TooSlow(_)), "{error}");
    let error = read_by("exit 7", minute);
    assert!(error.to_string().contains("exit code 7"), "{error}");
}

#[test]
fn rejects_invalid_replies() {
    let minute = Duration::from_secs(60);
    let error = read_by("echo nonsense; sleep 600", minute);
    assert!(matches!(error, SandboxError::InvalidReply), "{error}");
    let error = read_by(&format!("{INVALID_DOCUMENT} sleep 600"), minute);
    assert!(matches!(error, SandboxError::InvalidReply), "{error}");
}

#[test]
fn reports_a_missing_program() {
    let mut reader = SandboxReader::new("/nowhere/pincite", ["read-document"]);
    let error = reader
        .read(b"words", "a.txt", "", &SandboxLimits::default(), |_, _| {})
        .expect_err("there is none");
    assert!(matches!(error, SandboxError::NotStarted(_)), "{error}");
    assert!(!error.hint().is_empty());
}

#[test]
fn does_not_send_files_over_the_size_limit() {
    let mut reader = SandboxReader::new("/nowhere/pincite", ["read-document"]);
    let mut limits = SandboxLimits::default();
    limits.limits.bytes = 4;
    let error = reader
        .read(b"words", "a.txt", "", &limits, |_, _| {})
        .expect_err("it is too large");
    assert!(error.to_string().contains("5 bytes"), "{error}");
}

fn drawn_by(script: &str, count: u32, time: Duration) -> Vec<Result<(u32, u32), SandboxError>> {
    let mut reader = SandboxReader::new("/bin/sh", ["-c", script]);
    let limits = SandboxLimits {
        time,
        ..SandboxLimits::default()
    };
    let requests: Vec<ImageRequest> = (1..=count)
        .map(|number| ImageRequest {
            view: RequestedView::Page {
                number,
                highlights: Vec::new(),
            },
            style: RenderStyle::default(),
            format: ImageFormat::WebP,
            coarse: false,
        })
        .collect();
    let results = reader.draw(b"some words", "a.txt", "", &limits, &requests);
    results
        .into_iter()
        .map(|result| result.map(|picture| (picture.width, picture.height)))
        .collect()
}

/// Command that writes a frame with a WebP picture of 7 by 9 pixels: lengths of message and payload, message,
/// payload of one byte.
const PICTURE: &str = "printf '\\005\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\002\\007\\011\\001\\0x';";

/// Command that writes a frame with a document of four bytes, which are not a document.
const INVALID_DOCUMENT: &str = "printf '\\001\\0\\0\\0\\004\\0\\0\\0\\0\\0\\0\\0\\001none';";

#[test]
fn draws_the_other_pictures_if_one_kills_the_worker() {
    let results = drawn_by(&format!("{PICTURE} exit 7"), 3, Duration::from_secs(60));
    assert!(matches!(results[0], Ok((7, 9))), "{results:?}");
    assert!(
        matches!(&results[1], Err(SandboxError::Died { how, .. }) if how == "exit code 7"),
        "{results:?}"
    );
    assert!(matches!(results[2], Ok((7, 9))), "{results:?}");
    assert_eq!(results.len(), 3);
}

#[test]
fn stops_a_picture_that_takes_too_long() {
    let results = drawn_by(&format!("{PICTURE} sleep 600"), 2, Duration::ZERO);
    assert!(matches!(results[0], Ok((7, 9))), "{results:?}");
    assert!(
        matches!(results[1], Err(SandboxError::TooSlow(_))),
        "{results:?}"
    );
}

#[test]
fn every_picture_fails_without_a_valid_worker() {
    let mut reader = SandboxReader::new("/nowhere/pincite", ["read-document"]);
    let requests = ImageRequest {
        view: RequestedView::Page {
            number: 1,
            highlights: Vec::new(),
        },
        style: RenderStyle::default(),
        format: ImageFormat::Png,
        coarse: false,
    };
    let requests = vec![requests; 3];
    let results = reader.draw(b"words", "a.txt", "", &SandboxLimits::default(), &requests);
    assert_eq!(results.len(), 3);
    assert!(
        results
            .iter()
            .all(|result| matches!(result, Err(SandboxError::NotStarted(_))))
    );
    // A worker that replies with a document instead of a picture.
    let results = drawn_by(
        &format!("{INVALID_DOCUMENT} sleep 600"),
        2,
        Duration::from_secs(60),
    );
    assert!(
        results
            .iter()
            .all(|result| matches!(result, Err(SandboxError::InvalidReply))),
        "{results:?}"
    );
}
