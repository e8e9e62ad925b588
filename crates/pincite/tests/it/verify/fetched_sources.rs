//! Sources that are URLs.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use crate::harness::{CommandOutput, pincite, scratch};

/// Serves one document on a free port. Returns its address.
fn serve(body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut request = [0; 4096];
            // Requests are short and arrive in one read.
            let _ = stream.read(&mut request);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    address
}

fn verify(source: &str, more: &[&str]) -> CommandOutput {
    let file = scratch(
        "addressed.json",
        "{\"k\":{\"fullPhrase\":\"a bar of sand\"}}",
    );
    let mut args = vec!["verify", "--citations", file.to_str().expect("plain")];
    args.extend(["--source", source]);
    args.extend(more);
    pincite(&args, b"")
}

#[test]
fn fetches_a_url_of_an_allowed_host() {
    let place = serve("# Harbour\n\nIt is closed by a *bar of sand*.\n");
    let url = format!("http://{place}/notes.md?raw=1");
    let refused = verify(&url, &[]).expect(1);
    assert!(
        refused.stderr.contains("--allow-fetch HOST"),
        "{}",
        refused.stderr
    );
    let found = verify(&url, &["--allow-fetch", &place]).expect(0);
    assert!(found.text().contains("✓ verified"), "{}", found.text());
    // Images are rendered from the fetched bytes.
    let named = format!("notes={url}");
    let report = verify(&named, &["--allow-fetch", &place, "--format", "html"]).expect(0);
    assert!(
        report.text().contains("data:image/webp"),
        "{}",
        report.stderr
    );
    // `*` allows public hosts, not this machine.
    let refused = verify(
        &url,
        &["--allow-fetch", "*", "--allow-fetch", "other.example"],
    )
    .expect(1);
    assert!(
        refused.stderr.contains("is not among the allowed hosts"),
        "{}",
        refused.stderr
    );
    let port_80 = verify("http://127.0.0.1/x", &["--allow-fetch", "*"]).expect(1);
    assert!(
        port_80.stderr.contains("has a private address"),
        "{}",
        port_80.stderr
    );
}

#[test]
fn renders_evidence_of_a_url() {
    let place = serve("It is closed by a bar of sand.\n");
    let picture = scratch("addressed.png", "");
    let args = [
        "evidence",
        &format!("http://{place}/notes.txt"),
        "--quote",
        "a bar of sand",
        "--allow-fetch",
        &place,
        "-o",
        picture.to_str().expect("plain"),
    ];
    pincite(&args, b"").expect(0);
    assert!(
        std::fs::read(&picture)
            .expect("a picture")
            .starts_with(b"\x89PNG")
    );
}

#[test]
fn rejects_an_invalid_host() {
    verify("x.txt", &["--allow-fetch", "https://a.example/"])
        .expect_usage_error(&["is not a host"]);
}
