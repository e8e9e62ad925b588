//! Responses of servers, correct and broken.

use std::time::Duration;

use agui::negotiate::Encoding;
use agui::{AgentError, proto};
use agui_http::client::{HttpAgent, HttpError, ResponseLimits, TimeoutPhase, Timeouts};
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

use super::scripted_server::*;

#[tokio::test]
async fn reads_a_run_in_every_framing() {
    let events = format!("{STARTED}{FINISHED}");
    for answer in [
        whole_response(),
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nContent-Length: {}\r\n\r\n{events}",
            events.len()
        ),
        format!("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{events}"),
        format!("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{events}"),
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n: hello\n\n{events}"),
    ] {
        let (events, error) = run_url(&server_sending(answer.clone()).await).await;
        assert_eq!(
            (events, error.map(|error| error.to_string())),
            (2, None),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn reads_protobuf_if_the_response_declares_it() {
    let mut frames = Vec::new();
    let mut decoder = agui::sse::SseDecoder::new();
    decoder.push(STARTED.as_bytes());
    let started = decoder.next_event().expect("an event").expect("valid");
    proto::encode_received_frame(&started, &mut frames);
    let (url, mut requests) = server(move |mut connection| {
        let frames = frames.clone();
        async move {
            connection.request().await;
            connection
                .send("HTTP/1.1 200 OK\r\nContent-Type: application/vnd.ag-ui.event+proto\r\n\r\n")
                .await;
            let _ = connection.socket.write_all(&frames).await;
        }
    })
    .await;
    let agent = build_agent(
        HttpAgent::builder(url)
            .wire(Encoding::Proto)
            .header("X-A", "b"),
    );
    let (events, error) = run(&agent).await;
    assert!((events, &error.is_none()) == (1, &true), "{error:?}");
    let request = requests.recv().await.expect("a request");
    for line in [
        "POST /agent HTTP/1.1",
        "Accept: application/vnd.ag-ui.event+proto, text/event-stream;q=0.5",
        "Content-Type: application/json",
        "X-A: b",
    ] {
        assert!(
            request.lines().any(|given| given == line),
            "{line}: {request}"
        );
    }
    assert!(request.ends_with(&input().to_json()), "{request}");
}

#[tokio::test]
async fn reports_a_server_that_closes_early() {
    let events = format!("{STARTED}{FINISHED}");
    for (answer, events_read) in [
        (format!("{OK}{}", chunk(STARTED)), 1),
        (format!("{OK}{}5\r\nda", chunk(STARTED)), 1),
        (
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n{events}"
            ),
            2,
        ),
    ] {
        let (events, error) = run_url(&server_sending(answer).await).await;
        assert_eq!(events, events_read);
        let error = error.expect("it broke off");
        assert_eq!(error.code(), "upstream_truncated");
        assert_eq!(
            error.to_string(),
            format!("the connection broke after {events_read} events")
        );
    }
    let (_, error) = run_url(&server_sending("").await).await;
    let error = error.expect("no answer");
    assert!(
        error
            .to_string()
            .contains("closed the connection without an answer"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn gives_up_on_a_server_that_trickles() {
    let trickle = |before: &'static str| {
        server(move |mut connection| async move {
            connection.request().await;
            connection.send(before).await;
            for byte in std::iter::repeat_n("x", 10_000) {
                sleep(Duration::from_secs(1)).await;
                connection.send(byte).await;
            }
        })
    };
    let headers = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let timeouts = Timeouts {
        total: Some(Duration::from_secs(400)),
        ..Timeouts::default()
    };
    for (before, timeouts, waiting, limit, events) in [
        ("", Timeouts::default(), TimeoutPhase::FirstEvent, 120, 0),
        (
            headers,
            Timeouts::default(),
            TimeoutPhase::FirstEvent,
            120,
            0,
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
            timeouts,
            TimeoutPhase::Total,
            400,
            1,
        ),
    ] {
        let (url, _) = trickle(before).await;
        let began = tokio::time::Instant::now();
        let (read, error) = run(&build_agent(HttpAgent::builder(url).timeouts(timeouts))).await;
        assert_eq!(read, events);
        let Some(AgentError::Transport(error)) = error else {
            panic!("{error:?}");
        };
        let Some(HttpError::Timeout {
            waiting: found,
            limit: after,
        }) = error.downcast_ref()
        else {
            panic!("{error:?}");
        };
        assert_eq!((*found, *after), (waiting, Duration::from_secs(limit)));
        assert_eq!(began.elapsed().as_secs(), limit);
    }
}

#[tokio::test(start_paused = true)]
async fn gives_up_on_a_silent_server() {
    let (url, _) = server(move |mut connection| async move {
        connection.request().await;
        connection.send(&format!("{OK}{}", chunk(STARTED))).await;
        sleep(Duration::from_secs(200)).await;
        connection.send(&chunk(":\n\n")).await;
        sleep(Duration::from_secs(100_000)).await;
    })
    .await;
    let began = tokio::time::Instant::now();
    let (events, error) = run_url(&url).await;
    assert_eq!(events, 1);
    let error = error.expect("it is given up").to_string();
    assert_eq!(error, "waiting for the next event took longer than 300 s");
    // The heartbeat counts as a read.
    assert_eq!(began.elapsed().as_secs(), 500);
}

#[tokio::test]
async fn reports_garbage_after_the_events_before_it() {
    let raw = "data: {\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":1}\n\n".repeat(999);
    let answer = format!(
        "{OK}{}{}{}",
        chunk(STARTED),
        chunk(&raw),
        chunk("data: garbage\n\n")
    );
    let (events, error) = run_url(&server_sending(answer).await).await;
    assert_eq!(events, 1000);
    let error = error.expect("garbage");
    assert_eq!(error.code(), "upstream_protocol");
    assert!(error.to_string().starts_with("invalid JSON"), "{error}");
}

#[tokio::test]
async fn rejects_responses_that_are_no_streams() {
    for (answer, says_this) in [
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><title>Hi</title>",
            "the answer is text/html, not a stream of events; it begins: <!doctype html><title>Hi</title>",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
            "the answer is application/json, not a stream of events; it begins: {}",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            "the answer is of no declared type, not a stream of events; it begins: nothing",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n\x1f",
            "the answer is compressed (gzip), although that was not asked for",
        ),
        (
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP 204 without a body; an event stream was expected",
        ),
        (
            "SSH-2.0-OpenSSH_9\r\n\r\n",
            "the answer is no HTTP: its head makes no sense",
        ),
        (
            "HTTP/1.1 200 OK\r\nA: b",
            "the answer is no HTTP: it ends within its head",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "the answer is no HTTP: its chunks are broken",
        ),
        (
            "HTTP/1.1 500 Oops\r\nContent-Length: 14\r\n\r\nthe disk is on",
            "HTTP 500: the disk is on",
        ),
        (
            "HTTP/1.1 422 Unprocessable\r\nContent-Type: application/json\r\n\r\n{\"detail\":\"messages\"}",
            "HTTP 422: {\"detail\":\"messages\"}",
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n",
            "HTTP 302 redirects to /login, which is not followed: the request would be lost; use that URL directly",
        ),
    ] {
        let (events, error) = run_url(&server_sending(answer).await).await;
        assert_eq!(events, 0);
        assert_eq!(error.expect(answer).to_string(), says_this);
    }
}

#[tokio::test]
async fn limits_heads_and_bodies() {
    let (url, _) = server(|mut connection| async move {
        connection.request().await;
        connection.send("HTTP/1.1 200 OK\r\n").await;
        while connection
            .socket
            .write_all(b"X-Header: and another one\r\n")
            .await
            .is_ok()
        {}
    })
    .await;
    let (_, error) = run_url(&url).await;
    let error = error.expect("the head does not end");
    assert_eq!(
        error.to_string(),
        "the head of the answer is longer than 65536 bytes"
    );

    let (url, _) = server(|mut connection| async move {
        connection.request().await;
        connection
            .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            .await;
        while connection.socket.write_all(b":\n\n").await.is_ok() {}
    })
    .await;
    let limits = ResponseLimits {
        body: 100_000,
        ..ResponseLimits::default()
    };
    let (_, error) = run(&build_agent(HttpAgent::builder(url).limits(limits))).await;
    let error = error.expect("the body does not end");
    assert_eq!(
        (error.code(), &*error.to_string()),
        ("limit", "the answer is longer than 100000 bytes")
    );

    let (url, _) = server(|mut connection| async move {
        connection.request().await;
        connection
            .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ")
            .await;
        while connection.socket.write_all(&[b'x'; 4096]).await.is_ok() {}
    })
    .await;
    let limits = ResponseLimits {
        event: 100_000,
        ..ResponseLimits::default()
    };
    let (_, error) = run(&build_agent(HttpAgent::builder(url).limits(limits))).await;
    let error = error.expect("the event does not end");
    assert_eq!(
        error.to_string(),
        "an event is longer than 100000 characters"
    );
}
