//! Changes of access while the server runs: revoked keys, and access that is switched off.

use std::time::Duration;

use json::Json;
use server::settings::Settings;
use store::{AccessStore, NewRun, Principal, RunId, ThreadId, ThreadStore, Timestamp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::test_server::{BOTH, TestServer};

#[tokio::test]
async fn open_streams_end_with_their_key() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let (key, other) = (
        server.key("ada", BOTH, None).await,
        server.key("ada", BOTH, None).await,
    );
    let open = async |secret: &str| {
        let mut socket = TcpStream::connect(server.address)
            .await
            .expect("it listens");
        let request = format!(
            "GET /threads/t/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).await.expect("sent");
        let mut head = vec![0; 4_096];
        let length = socket.read(&mut head).await.expect("a response");
        let head = String::from_utf8_lossy(&head[..length]).into_owned();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        socket
    };
    begin_run(&server, "ada", "t").await;
    let mut socket = open(&key.secret).await;
    let mut kept = open(&other.secret).await;
    let revoked = server.store.revoke_key(&key.key.id, Timestamp(5));
    assert!(revoked.await.expect("revoked"));
    let mut rest = Vec::new();
    loop {
        let mut piece = [0; 1_024];
        let length = socket.read(&mut piece).await.expect("readable");
        rest.extend_from_slice(&piece[..length]);
        // The end of a chunked body.
        if length == 0 || rest.ends_with(b"0\r\n\r\n") {
            break;
        }
    }
    let mut piece = [0; 1];
    let unread = timeout(Duration::from_millis(700), kept.read(&mut piece));
    assert!(
        unread.await.is_err(),
        "the stream of the other key stays open"
    );
}

/// Stores a thread with an open run.
async fn begin_run(server: &TestServer, principal: &str, thread: &str) {
    let principal = Principal::new(principal).expect("a name");
    let begun = server.store.begin_run(
        &principal,
        NewRun {
            thread: ThreadId::new(thread).expect("an id"),
            run: RunId::new("r").expect("an id"),
            agent: "none".to_owned(),
            parent: None,
            input: Json::parse(r#"{"threadId":"t","runId":"r","messages":[]}"#).expect("JSON"),
            started: Timestamp(0),
        },
    );
    begun.await.expect("begun");
}

#[tokio::test]
async fn access_is_switched_off_only_in_the_store() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    server.key("ada", BOTH, None).await;
    let ada = Principal::new("ada").expect("a name");
    server.store.delete_principal(&ada).await.expect("deleted");
    assert_eq!(server.send("GET", "/me", "", "").await.status, 401);
    let opened = server.store.set_key_required(false);
    opened.await.expect("switched off");
    assert_eq!(server.send("GET", "/me", "", "").await.status, 200);

    // A server that other machines reach through a proxy always needs a key.
    let mut settings = Settings::default();
    settings.server.public_url = Some("https://pincite.example".to_owned());
    let server = TestServer::start(settings, Vec::new()).await;
    assert_eq!(server.send("GET", "/me", "", "").await.status, 401);
}
