//! Redirects, retries and resumed runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agui_http::client::{HttpAgent, RedirectPolicy, RetryPolicy};
use tokio::sync::mpsc;

use super::scripted_server::*;

/// Starts a server that redirects every request. Returns its URL and the requests that it receives.
async fn redirecting_server(
    status: u16,
    location: String,
) -> (String, mpsc::UnboundedReceiver<String>) {
    server(move |mut connection| {
        let answer =
            format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        async move {
            while connection.request().await.is_some() {
                connection.send(&answer).await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn limits_the_number_of_redirects() {
    let (url, mut requests) = redirecting_server(307, "/agent".to_owned()).await;
    let (_, error) = run_url(&url).await;
    let error = error.expect("a loop").to_string();
    assert!(error.contains("there were too many before it"), "{error}");
    let mut count = 0;
    while requests.try_recv().is_ok() {
        count += 1;
    }
    assert_eq!(count, 6);
}

#[tokio::test]
async fn follows_redirects_to_other_hosts_only_if_allowed() {
    let (elsewhere, mut seen) = server(|mut connection| async move {
        connection.request().await;
        connection.send(&whole_response()).await;
    })
    .await;
    let (url, mut requests) = redirecting_server(308, elsewhere).await;
    let agent = |redirects| {
        build_agent(
            HttpAgent::builder(&url)
                .header("Authorization", "Bearer secret")
                .header("X-Team", "blue")
                .redirects(redirects),
        )
    };
    let (_, error) = run(&agent(RedirectPolicy::SameHost)).await;
    let error = error.expect("another host").to_string();
    assert!(error.ends_with("it is another host"), "{error}");
    assert!(seen.try_recv().is_err());
    let (events, error) = run(&agent(RedirectPolicy::AnyHost)).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, 2);
    assert!(
        requests
            .recv()
            .await
            .expect("a request")
            .contains("Bearer secret")
    );
    let request = seen.recv().await.expect("a request");
    assert!(
        !request.contains("secret") && request.contains("X-Team: blue"),
        "{request}"
    );
    assert!(request.ends_with(&input().to_json()), "{request}");
}

#[tokio::test(start_paused = true)]
async fn retries_only_before_the_first_event() {
    let retries = RetryPolicy {
        before_first_event: 2,
        ..RetryPolicy::default()
    };
    let (url, _) = server(|mut connection| async move {
        connection.request().await;
        match connection.number {
            0 => {}
            1 => {
                let busy = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n";
                connection.send(busy).await;
            }
            _ => connection.send(&whole_response()).await,
        }
    })
    .await;
    let began = tokio::time::Instant::now();
    let (events, error) = run(&build_agent(HttpAgent::builder(url).retries(retries))).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, 2);
    assert_eq!(began.elapsed(), Duration::from_millis(200 + 7000));

    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let (url, _) = server(move |mut connection| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            connection.request().await;
            connection.send(&format!("{OK}{}", chunk(STARTED))).await;
        }
    })
    .await;
    let (events, error) = run(&build_agent(HttpAgent::builder(url).retries(retries))).await;
    assert!(error.is_some() && events == 1);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn resumes_a_run_with_event_ids() {
    let numbered = |id: usize, event: &str| chunk(&format!("id: {id}\n{event}"));
    let custom = "data: {\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":1}\n\n";
    let (url, mut requests) = server(move |mut connection| async move {
        let request = connection.request().await.unwrap_or_default();
        let from = request
            .lines()
            .find_map(|line| line.strip_prefix("Last-Event-ID: "))
            .map_or(0, |id| id.parse::<usize>().expect("a number"));
        connection.send(OK).await;
        for id in from + 1..=5 {
            let event = match id {
                1 => STARTED,
                5 => FINISHED,
                _ => custom,
            };
            connection.send(&numbered(id, event)).await;
            // Each connection breaks after two events.
            if id == from + 2 {
                return;
            }
        }
        connection.send("0\r\n\r\n").await;
    })
    .await;
    let (events, error) = run_url(&url).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, 5);
    let mut ids = Vec::new();
    while let Ok(request) = requests.try_recv() {
        assert!(request.ends_with(&input().to_json()));
        let id = request
            .lines()
            .find_map(|line| line.strip_prefix("Last-Event-ID: "));
        ids.push(id.map(str::to_owned));
    }
    assert_eq!(ids, [None, Some("2".to_owned()), Some("4".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn rejects_a_resumed_run_that_starts_again() {
    let (url, _) = server(|mut connection| async move {
        connection.request().await;
        connection
            .send(&format!("{OK}{}", chunk(&format!("id: 1\n{STARTED}"))))
            .await;
    })
    .await;
    let (events, error) = run_url(&url).await;
    assert_eq!(events, 1);
    assert_eq!(error.expect("broken").code(), "upstream_truncated");
}

/// Answer of a strict FastAPI server to an input with a member that it does not know.
fn unknown_member(name: &str) -> String {
    let body = format!(
        r#"{{"detail":[{{"type":"extra_forbidden","loc":["body","{name}"],"msg":"Extra inputs are not permitted","input":"1.0"}}]}}"#
    );
    format!(
        "HTTP/1.1 422 Unprocessable Entity\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Starts an agent before 1.0 that rejects `protocolVersion`.
async fn strict_legacy_server() -> (String, mpsc::UnboundedReceiver<String>) {
    server(|mut connection| async move {
        while let Some(request) = connection.request().await {
            match request.contains("protocolVersion") {
                true => connection.send(&unknown_member("protocolVersion")).await,
                false => connection.send(&whole_response()).await,
            }
        }
    })
    .await
}

#[tokio::test]
async fn an_agent_that_rejects_the_protocol_version_is_sent_none() {
    let (url, mut requests) = strict_legacy_server().await;
    let agent = build_agent(HttpAgent::builder(&url));
    for _ in 0..2 {
        let (events, error) = run(&agent).await;
        assert!(events > 0 && error.is_none(), "{error:?}");
    }
    let mut versions = Vec::new();
    while let Ok(request) = requests.try_recv() {
        versions.push(request.contains("\"protocolVersion\":\"1.0\""));
    }
    assert_eq!(versions, [true, false, false], "it is learnt once");
}

#[tokio::test]
async fn a_declared_legacy_agent_is_never_sent_the_protocol_version() {
    let (url, mut requests) = strict_legacy_server().await;
    let (events, error) = run(&build_agent(HttpAgent::builder(&url).legacy(true))).await;
    assert!(events > 0 && error.is_none(), "{error:?}");
    let request = requests.try_recv().expect("one request");
    assert!(!request.contains("protocolVersion"), "{request}");
    assert!(requests.try_recv().is_err(), "one request is enough");
}

#[tokio::test]
async fn other_rejections_of_an_input_end_the_run() {
    let (url, mut requests) = server(|mut connection| async move {
        while connection.request().await.is_some() {
            connection.send(&unknown_member("mood")).await;
        }
    })
    .await;
    let (_, error) = run_url(&url).await;
    let error = error.expect("a rejection").to_string();
    assert!(error.contains("HTTP 422"), "{error}");
    requests.try_recv().expect("a request");
    assert!(requests.try_recv().is_err(), "it is not repeated");
}
