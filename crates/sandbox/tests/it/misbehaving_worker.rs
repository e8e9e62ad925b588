//! Worker processes that misbehave.

use std::time::{Duration, Instant};

use rendering::{ImageFormat, RenderStyle};
use sandbox::{ImageRequest, RequestedView, SandboxError, SandboxLimits, SandboxReader};

fn read_by(script: &str, time: Duration) -> SandboxError {
    let mut reader = SandboxReader::new("/bin/sh", ["-c", script]);
    let allowance = SandboxLimits {
        time,
        ..SandboxLimits::default()
    };
    let read = reader.read(b"some words", "a.txt", "", &allowance, |_, _| {});
    read.expect_err("no such process reads anything")
}

#[test]
fn a_process_that_hangs_is_killed() {
    let start = Instant::now();
    // Neither reading nor writing; and with more to write than a pipe holds.
    let unread = read_by("sleep 600", Duration::ZERO);
    assert!(matches!(unread, SandboxError::TooSlow(_)), "{unread}");
    let mut reader = SandboxReader::new("/bin/sh", ["-c", "sleep 600"]);
    let allowance = SandboxLimits {
        time: Duration::ZERO,
        ..SandboxLimits::default()
    };
    let large = vec![b'a'; 1 << 20];
    let unread = reader
        .read(&large, "a.txt", "", &allowance, |_, _| {})
        .expect_err("it sleeps");
    assert!(matches!(unread, SandboxError::TooSlow(_)), "{unread}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_process_that_dies_is_told_with_how() {
    let minute = Duration::from_secs(60);
    let unread = read_by("kill -9 $$", minute);
    assert!(unread.to_string().contains("signal 9"), "{unread}");
    let unread = read_by("cat > /dev/null; exit 7", Duration::from_secs(1));
    // Its input stays open: it waits for more.
    assert!(matches!(unread, SandboxError::TooSlow(_)), "{unread}");
    let unread = read_by("exit 7", minute);
    assert!(unread.to_string().contains("exit code 7"), "{unread}");
}

#[test]
fn a_process_that_talks_nonsense_is_not_believed() {
    let minute = Duration::from_secs(60);
    let unread = read_by("echo nonsense; sleep 600", minute);
    assert!(matches!(unread, SandboxError::Garbled), "{unread}");
    // A document that is none: "d", a length of 4, four bytes.
    let unread = read_by(
        "printf 'd\\004\\0\\0\\0\\0\\0\\0\\0none'; sleep 600",
        minute,
    );
    assert!(matches!(unread, SandboxError::Garbled), "{unread}");
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let mut reader = SandboxReader::new("/nowhere/pincite", ["read-document"]);
    let unread = reader
        .read(b"words", "a.txt", "", &SandboxLimits::default(), |_, _| {})
        .expect_err("there is none");
    assert!(matches!(unread, SandboxError::NotStarted(_)), "{unread}");
    assert!(!unread.hint().is_empty());
}

#[test]
fn what_is_too_large_is_not_sent() {
    let mut reader = SandboxReader::new("/nowhere/pincite", ["read-document"]);
    let mut allowance = SandboxLimits::default();
    allowance.limits.bytes = 4;
    let unread = reader
        .read(b"words", "a.txt", "", &allowance, |_, _| {})
        .expect_err("it is too large");
    assert!(unread.to_string().contains("5 bytes"), "{unread}");
}

fn drawn_by(script: &str, count: u32, time: Duration) -> Vec<Result<(u32, u32), SandboxError>> {
    let mut reader = SandboxReader::new("/bin/sh", ["-c", script]);
    let allowance = SandboxLimits {
        time,
        ..SandboxLimits::default()
    };
    let wanted: Vec<ImageRequest> = (1..=count)
        .map(|number| ImageRequest {
            shown: RequestedView::Page {
                number,
                marks: Vec::new(),
            },
            style: RenderStyle::default(),
            format: ImageFormat::WebP,
            coarse: false,
        })
        .collect();
    let made = reader.draw(b"some words", "a.txt", "", &allowance, &wanted);
    made.into_iter()
        .map(|made| made.map(|picture| (picture.width, picture.height)))
        .collect()
}

/// A picture of 7 by 9 pixels, in a file of one byte.
const PICTURE: &str = "printf 'i\\007\\0\\0\\0\\011\\0\\0\\0\\004\\0\\0\\0\\0\\0\\0\\0webp\\001\\0\\0\\0\\0\\0\\0\\0x';";

#[test]
fn a_picture_that_kills_the_process_is_an_error_and_the_others_are_made() {
    let made = drawn_by(&format!("{PICTURE} exit 7"), 3, Duration::from_secs(60));
    assert!(matches!(made[0], Ok((7, 9))), "{made:?}");
    assert!(
        matches!(&made[1], Err(SandboxError::Died { how, .. }) if how == "exit code 7"),
        "{made:?}"
    );
    assert!(matches!(made[2], Ok((7, 9))), "{made:?}");
    assert_eq!(made.len(), 3);
}

#[test]
fn a_picture_that_takes_too_long_is_stopped() {
    let made = drawn_by(&format!("{PICTURE} sleep 600"), 2, Duration::ZERO);
    assert!(matches!(made[0], Ok((7, 9))), "{made:?}");
    assert!(matches!(made[1], Err(SandboxError::TooSlow(_))), "{made:?}");
}

#[test]
fn pictures_nobody_can_draw_are_errors_all() {
    let mut reader = SandboxReader::new("/nowhere/pincite", ["read-document"]);
    let wanted = ImageRequest {
        shown: RequestedView::Page {
            number: 1,
            marks: Vec::new(),
        },
        style: RenderStyle::default(),
        format: ImageFormat::Png,
        coarse: false,
    };
    let wanted = vec![wanted; 3];
    let made = reader.draw(b"words", "a.txt", "", &SandboxLimits::default(), &wanted);
    assert_eq!(made.len(), 3);
    assert!(
        made.iter()
            .all(|made| matches!(made, Err(SandboxError::NotStarted(_))))
    );
    // One that answers with a document instead.
    let made = drawn_by(
        "printf 'd\\004\\0\\0\\0\\0\\0\\0\\0none'; sleep 600",
        2,
        Duration::from_secs(60),
    );
    assert!(
        made.iter()
            .all(|made| matches!(made, Err(SandboxError::Garbled))),
        "{made:?}"
    );
}
