//! Timeouts, sizes, security headers, metrics and pages of the server, as clients see them.

use std::time::Duration;

use server::settings::{DurationSetting, LimitSettings, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::test_server::{BOTH, TestServer, parse_response};

fn short_timeouts() -> Settings {
    Settings {
        limits: LimitSettings {
            header_timeout: DurationSetting(Duration::from_millis(150)),
            body_timeout: DurationSetting(Duration::from_millis(150)),
            max_body_bytes: 1_000,
            ..LimitSettings::default()
        },
        ..Settings::default()
    }
}

#[tokio::test]
async fn incomplete_requests_time_out() {
    let server = TestServer::start(short_timeouts(), Vec::new()).await;
    for begun in [
        "",
        "P",
        "PRI * HTTP/2.0",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    ] {
        // The server closes the connection although nothing more is sent.
        let answer = server.send_raw(begun.as_bytes()).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 408"),
            "{begun:?}: {answer}"
        );
    }
    let stalled = "POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{";
    let answer = server.send_raw(stalled.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert_eq!(
        server.send("GET", "/healthz", "", "").await.status,
        200,
        "others are served"
    );
}

#[tokio::test]
async fn accepts_a_request_that_arrives_byte_by_byte() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let mut socket = TcpStream::connect(server.address)
        .await
        .expect("it listens");
    socket.set_nodelay(true).expect("it can");
    for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" {
        socket.write_all(&[*byte]).await.expect("it reads");
    }
    let mut answer = String::new();
    socket
        .read_to_string(&mut answer)
        .await
        .expect("it answers");
    assert_eq!(parse_response(&answer).status, 200);
}

#[tokio::test]
async fn limits_the_size_of_heads_and_bodies() {
    let server = TestServer::start(short_timeouts(), Vec::new()).await;
    let many = "X-A: b\r\n".repeat(1_000);
    assert_eq!(server.send("GET", "/healthz", &many, "").await.status, 431);
    let long = format!("X-A: {}\r\n", "b".repeat(1 << 20));
    let answer = server.send("GET", "/healthz", &long, "").await;
    assert_eq!(answer.status, 431);
    let path = format!("/{}", "a".repeat(1 << 20));
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let answer = server.send_raw(request.as_bytes()).await;
    assert!(
        answer.is_empty() || parse_response(&answer).status >= 400,
        "{answer}"
    );
    let answer = server.send("POST", "/verify", "", &"x".repeat(2_000)).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"));
    assert_eq!(server.send_raw(b"\0").await.split(' ').nth(1), Some("400"));
}

#[tokio::test]
async fn responses_have_security_headers() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let answer = server
        .send("GET", "/me", "Origin: http://localhost:3000\r\n", "")
        .await;
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cache-control", "no-store"),
        (
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        ),
        ("access-control-allow-origin", "http://localhost:3000"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    let answer = server
        .send("GET", "/me", "Origin: https://evil.example\r\n", "")
        .await;
    assert_eq!(answer.status, 403);
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn metrics_and_log_level() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    assert_eq!(server.send("GET", "/p/none", "", "").await.status, 404);
    let metrics = server.send("GET", "/metrics", "", "").await;
    for counter in [
        "pincite_http_requests_total{status=\"404\"} 1",
        "pincite_runs_total 0",
        "pincite_events_total 0",
        "pincite_subscribers 0",
        "pincite_subscriber_lag_events_count 0",
        "pincite_verification_seconds_count 0",
        "pincite_documents_waiting 0",
        "pincite_store_writes_waiting 0",
    ] {
        assert!(
            metrics.body.contains(counter),
            "{counter}: {}",
            metrics.body
        );
    }
    let set = server.send("PUT", "/log", "", r#"{"level":"debug"}"#).await;
    assert_eq!(set.status, 200);
    let level = server.send("GET", "/log", "", "").await.json();
    assert_eq!(level["level"].as_str(), Some("debug"));
    let wrong = server.send("PUT", "/log", "", r#"{"level":"loud"}"#).await;
    assert_eq!(
        (wrong.status, wrong.code().as_str()),
        (422, "invalid_input")
    );
}

#[tokio::test]
async fn browsers_get_errors_of_evidence_pages_as_html() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let ada = server.key("ada", BOTH, None).await;
    server.keep_evidence("ada", "e1").await;
    let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
    let page = server.send("GET", "/p/e1", browser, "").await;
    assert_eq!(page.status, 401);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(page.header("www-authenticate").is_some());
    for words in ["needs a key", "Authorization: Bearer", "/links"] {
        assert!(page.body.contains(words), "{words}: {}", page.body);
    }
    let expired = server
        .send("GET", "/p/e1?token=x&expires=1", browser, "")
        .await;
    assert_eq!(expired.status, 403);
    assert!(expired.body.contains("<!doctype html>"), "{}", expired.body);
    let with_key = format!("{browser}Authorization: Bearer {}\r\n", ada.secret);
    let nothing = server.send("GET", "/p/nothing", &with_key, "").await;
    assert_eq!(nothing.status, 404);
    assert!(nothing.body.contains("Page not found"), "{}", nothing.body);
    let wrong = server
        .send("GET", "/p/e1?view=%3Cb%3E", &with_key, "")
        .await;
    assert_eq!(wrong.status, 422);
    assert!(
        wrong.body.contains("&lt;b&gt;") && !wrong.body.contains("<b>"),
        "{}",
        wrong.body
    );
    // Other clients and other routes get JSON errors.
    assert_eq!(
        server.send("GET", "/p/e1", "", "").await.code(),
        "unauthorized"
    );
    assert_eq!(
        server.send("GET", "/me", browser, "").await.code(),
        "unauthorized"
    );
}

#[tokio::test]
async fn the_root_redirects_to_the_console() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    server.key("ada", BOTH, None).await;
    let answer = server.send("GET", "/", "", "").await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (307, Some("/app/"))
    );
    let console = server.send("GET", "/app/threads/t1", "", "").await;
    assert_eq!(console.status, 404, "the tests have no console");
    assert!(console.body.contains("make build"), "{}", console.body);
    let page = server.send("GET", "/app/api", "", "").await;
    assert!(
        page.body.contains("<link rel=\"icon\" href=\"data:"),
        "{}",
        page.body
    );
    assert!(
        page.header("content-security-policy")
            .is_some_and(|policy| policy.contains("img-src data:"))
    );
    assert_eq!(server.send("POST", "/", "", "").await.status, 404);
}

#[tokio::test]
async fn a_second_host_header_is_rejected() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    for (hosts, status) in [
        ("Host: localhost\r\n", 200),
        ("Host: localhost\r\nHost: localhost\r\n", 400),
        ("Host: localhost\r\nHost: evil.example\r\n", 400),
        ("Host: evil.example\r\n", 403),
        ("", 403),
    ] {
        let request = format!("GET /me HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
        let response = server.send_raw(request.as_bytes()).await;
        let expected = format!("HTTP/1.1 {status}");
        assert!(response.starts_with(&expected), "{hosts:?}: {response}");
    }
    // The target of the request may name another host than the header.
    let request =
        "GET http://evil.example/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let response = server.send_raw(request.as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 403"), "{response}");
}
