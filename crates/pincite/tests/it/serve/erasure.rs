//! Deletion of all data of a principal: no word of it is left in any file.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::gateway::Gateway;
use crate::harness::unused_path;

/// Words that are nowhere else: in a document, in a title, in a message.
const WORDS: [&str; 3] = ["zanzibarium", "quetzalline", "xylophagous"];

/// Returns the files below a folder that contain one of the words.
fn files_with_words(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with_words(&path));
            continue;
        }
        // A file may be removed in the meantime.
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = bytes.to_ascii_lowercase();
        let contains = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
        for word in WORDS.into_iter().filter(|word| contains(word)) {
            found.push(format!("{word} in {}", path.display()));
        }
    }
    found
}

/// Waits until the files below a folder have the words, or have none.
#[track_caller]
fn wait_until(folder: &Path, is_done: impl Fn(&[String]) -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let found = files_with_words(folder);
        if is_done(&found) {
            return;
        }
        assert!(Instant::now() < until, "{found:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn no_word_of_a_deleted_principal_is_left_in_the_files() {
    let data = unused_path("erasure");
    let gateway = Gateway::start(&["--data", data.to_str().expect("UTF-8"), "--demo"]);
    let text = format!("The {} grows in the harbour.\n", WORDS[0]);
    assert_eq!(gateway.attach("plant", "plant.txt", &text).0, 200);
    // Another document stays in the same part of the index until then.
    let other = "The quay was built of oak.\n";
    assert_eq!(gateway.attach("quay", "quay.txt", other).0, 200);
    let title = format!(r#"{{"title":"About the {}"}}"#, WORDS[1]);
    assert_eq!(gateway.json("PATCH", "/documents/plant", &title).0, 200);
    let run = format!(
        r#"{{"threadId":"t","runId":"r","messages":[{{"id":"u","role":"user","content":"Is it {}?"}}]}}"#,
        WORDS[2]
    );
    let headers = "Content-Type: application/json\r\n";
    let (status, _) = gateway.request("POST", "/agents/demo", headers, run.as_bytes());
    assert_eq!(status, 200);
    // The words are there before, so the check below means something.
    wait_until(&data, |found| {
        let has_word = |word: &str| found.iter().any(|file| file.starts_with(word));
        has_word(WORDS[0]) && has_word(WORDS[1])
    });
    let (status, answer) = gateway.json("DELETE", "/me?confirm=local", "");
    assert_eq!(status, 200, "{}", answer.to_json());
    wait_until(&data, <[String]>::is_empty);
}
