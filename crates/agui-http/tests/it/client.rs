//! The client against servers that misbehave, over real sockets.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agui::model::RunAgentInput;
use agui::negotiate::Encoding;
use agui::{Agent, AgentError, ReceivedEvent, proto};
use agui_http::client::{
    HttpAgent, HttpAgentBuilder, HttpError, ProxyConfig, RedirectPolicy, ResponseLimits,
    RetryPolicy, TimeoutPhase, Timeouts, TlsConfig,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_rustls::rustls;

const OK: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const STARTED: &str = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
const FINISHED: &str = "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// A whole answer of two events.
fn whole() -> String {
    format!("{OK}{}{}0\r\n\r\n", chunk(STARTED), chunk(FINISHED))
}

fn input() -> RunAgentInput {
    RunAgentInput::from_json(
        r#"{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[]}"#,
    )
    .expect("a valid input")
}

/// One connection as the server sees it: which it is, and the socket.
struct Call {
    number: usize,
    socket: TcpStream,
    requests: mpsc::UnboundedSender<String>,
}

impl Call {
    /// Reads a request to the end of its body.
    async fn request(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        loop {
            let mut buffer = [0; 4096];
            let length = self.socket.read(&mut buffer).await.ok()?;
            if length == 0 {
                return None;
            }
            bytes.extend_from_slice(&buffer[..length]);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let wanted = head
                    .lines()
                    .find_map(|line| line.strip_prefix("Content-Length: "))
                    .map_or(0, |length| length.parse().expect("a length"));
                if body.len() >= wanted {
                    let _ = self.requests.send(text.clone());
                    return Some(text);
                }
            }
        }
    }

    async fn say(&mut self, text: &str) {
        let _ = self.socket.write_all(text.as_bytes()).await;
    }
}

/// A server that treats each connection as `answer` says; its address and the requests it got.
async fn server<A, F>(answer: A) -> (String, mpsc::UnboundedReceiver<String>)
where
    A: Fn(Call) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/agent", listener.local_addr().expect("bound"));
    let (requests, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for number in 0.. {
            let (socket, _) = listener.accept().await.expect("a connection");
            let requests = requests.clone();
            tokio::spawn(answer(Call {
                number,
                socket,
                requests,
            }));
        }
    });
    (url, seen)
}

/// A server that reads a request, says this and closes.
async fn says(text: impl Into<String>) -> String {
    let text = text.into();
    let (url, _) = server(move |mut call| {
        let text = text.clone();
        async move {
            call.request().await;
            call.say(&text).await;
        }
    })
    .await;
    url
}

/// Runs an agent to its end: how many events came, and the error.
async fn run(agent: &HttpAgent) -> (usize, Option<AgentError>) {
    let mut stream = agent.run(input());
    let mut event = ReceivedEvent::default();
    let mut events = 0;
    while let Some(read) = stream.next_into(&mut event).await {
        match read {
            Ok(()) => events += 1,
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}

async fn run_url(url: &str) -> (usize, Option<AgentError>) {
    run(&HttpAgent::new(url).expect("a URL")).await
}

fn built(builder: HttpAgentBuilder) -> HttpAgent {
    builder.build().expect("valid options")
}

#[tokio::test]
async fn a_run_is_read_in_every_framing() {
    let events = format!("{STARTED}{FINISHED}");
    for answer in [
        whole(),
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nContent-Length: {}\r\n\r\n{events}",
            events.len()
        ),
        format!("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{events}"),
        format!("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{events}"),
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n: hello\n\n{events}"),
    ] {
        let (events, error) = run_url(&says(answer.clone()).await).await;
        assert_eq!(
            (events, error.map(|error| error.to_string())),
            (2, None),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn protobuf_is_read_if_the_answer_says_so() {
    let mut frames = Vec::new();
    let mut decoder = agui::sse::SseDecoder::new();
    decoder.push(STARTED.as_bytes());
    let started = decoder.next_event().expect("an event").expect("valid");
    proto::encode_received_frame(&started, &mut frames);
    let (url, mut requests) = server(move |mut call| {
        let frames = frames.clone();
        async move {
            call.request().await;
            call.say("HTTP/1.1 200 OK\r\nContent-Type: application/vnd.ag-ui.event+proto\r\n\r\n")
                .await;
            let _ = call.socket.write_all(&frames).await;
        }
    })
    .await;
    let agent = built(
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
async fn a_server_that_closes_early_is_found_out() {
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
        let (events, error) = run_url(&says(answer).await).await;
        assert_eq!(events, events_read);
        let error = error.expect("it broke off");
        assert_eq!(error.code(), "upstream_truncated");
        assert_eq!(
            error.to_string(),
            format!("the connection broke after {events_read} events")
        );
    }
    let (_, error) = run_url(&says("").await).await;
    let error = error.expect("no answer");
    assert!(
        error
            .to_string()
            .contains("closed the connection without an answer"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_trickles_is_given_up() {
    let trickle = |before: &'static str| {
        server(move |mut call| async move {
            call.request().await;
            call.say(before).await;
            for byte in std::iter::repeat_n("x", 10_000) {
                sleep(Duration::from_secs(1)).await;
                call.say(byte).await;
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
        let (read, error) = run(&built(HttpAgent::builder(url).timeouts(timeouts))).await;
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
async fn silence_is_not_waited_out() {
    let (url, _) = server(move |mut call| async move {
        call.request().await;
        call.say(&format!("{OK}{}", chunk(STARTED))).await;
        sleep(Duration::from_secs(200)).await;
        call.say(&chunk(":\n\n")).await;
        sleep(Duration::from_secs(100_000)).await;
    })
    .await;
    let began = tokio::time::Instant::now();
    let (events, error) = run_url(&url).await;
    assert_eq!(events, 1);
    let error = error.expect("it is given up").to_string();
    assert_eq!(error, "waiting for the next event took longer than 300 s");
    // The heartbeat counts.
    assert_eq!(began.elapsed().as_secs(), 500);
}

#[tokio::test]
async fn garbage_after_a_thousand_events_is_an_error_behind_them() {
    let raw = "data: {\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":1}\n\n".repeat(999);
    let answer = format!(
        "{OK}{}{}{}",
        chunk(STARTED),
        chunk(&raw),
        chunk("data: garbage\n\n")
    );
    let (events, error) = run_url(&says(answer).await).await;
    assert_eq!(events, 1000);
    let error = error.expect("garbage");
    assert_eq!(error.code(), "upstream_protocol");
    assert!(error.to_string().starts_with("invalid JSON"), "{error}");
}

#[tokio::test]
async fn answers_that_are_no_streams_are_named() {
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
        let (events, error) = run_url(&says(answer).await).await;
        assert_eq!(events, 0);
        assert_eq!(error.expect(answer).to_string(), says_this);
    }
}

#[tokio::test]
async fn heads_and_bodies_have_limits() {
    let (url, _) = server(|mut call| async move {
        call.request().await;
        call.say("HTTP/1.1 200 OK\r\n").await;
        while call
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

    let (url, _) = server(|mut call| async move {
        call.request().await;
        call.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            .await;
        while call.socket.write_all(b":\n\n").await.is_ok() {}
    })
    .await;
    let limits = ResponseLimits {
        body: 100_000,
        ..ResponseLimits::default()
    };
    let (_, error) = run(&built(HttpAgent::builder(url).limits(limits))).await;
    let error = error.expect("the body does not end");
    assert_eq!(
        (error.code(), &*error.to_string()),
        ("limit", "the answer is longer than 100000 bytes")
    );

    let (url, _) = server(|mut call| async move {
        call.request().await;
        call.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ")
            .await;
        while call.socket.write_all(&[b'x'; 4096]).await.is_ok() {}
    })
    .await;
    let limits = ResponseLimits {
        event: 100_000,
        ..ResponseLimits::default()
    };
    let (_, error) = run(&built(HttpAgent::builder(url).limits(limits))).await;
    let error = error.expect("the event does not end");
    assert_eq!(
        error.to_string(),
        "an event is longer than 100000 characters"
    );
}

/// A server that redirects everything there.
async fn redirects(status: u16, location: String) -> (String, mpsc::UnboundedReceiver<String>) {
    server(move |mut call| {
        let answer =
            format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        async move {
            while call.request().await.is_some() {
                call.say(&answer).await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn redirects_end_somewhere() {
    let (url, mut requests) = redirects(307, "/agent".to_owned()).await;
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
async fn redirects_stay_with_the_host_unless_allowed() {
    let (elsewhere, mut seen) = server(|mut call| async move {
        call.request().await;
        call.say(&whole()).await;
    })
    .await;
    let (url, mut requests) = redirects(308, elsewhere).await;
    let agent = |redirects| {
        built(
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
async fn requests_are_repeated_before_the_first_event_only() {
    let retries = RetryPolicy {
        before_first_event: 2,
        ..RetryPolicy::default()
    };
    let (url, _) = server(|mut call| async move {
        call.request().await;
        match call.number {
            0 => {}
            1 => {
                let busy = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n";
                call.say(busy).await;
            }
            _ => call.say(&whole()).await,
        }
    })
    .await;
    let began = tokio::time::Instant::now();
    let (events, error) = run(&built(HttpAgent::builder(url).retries(retries))).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, 2);
    assert_eq!(began.elapsed(), Duration::from_millis(200 + 7000));

    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let (url, _) = server(move |mut call| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            call.request().await;
            call.say(&format!("{OK}{}", chunk(STARTED))).await;
        }
    })
    .await;
    let (events, error) = run(&built(HttpAgent::builder(url).retries(retries))).await;
    assert!(error.is_some() && events == 1);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_numbered_run_is_taken_up_where_it_broke() {
    let numbered = |id: usize, event: &str| chunk(&format!("id: {id}\n{event}"));
    let custom = "data: {\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":1}\n\n";
    let (url, mut requests) = server(move |mut call| async move {
        let request = call.request().await.unwrap_or_default();
        let from = request
            .lines()
            .find_map(|line| line.strip_prefix("Last-Event-ID: "))
            .map_or(0, |id| id.parse::<usize>().expect("a number"));
        call.say(OK).await;
        for id in from + 1..=5 {
            let event = match id {
                1 => STARTED,
                5 => FINISHED,
                _ => custom,
            };
            call.say(&numbered(id, event)).await;
            // Each connection breaks after two events.
            if id == from + 2 {
                return;
            }
        }
        call.say("0\r\n\r\n").await;
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
async fn a_server_that_starts_anew_is_not_believed() {
    let (url, _) = server(|mut call| async move {
        call.request().await;
        call.say(&format!("{OK}{}", chunk(&format!("id: 1\n{STARTED}"))))
            .await;
    })
    .await;
    let (events, error) = run_url(&url).await;
    assert_eq!(events, 1);
    assert_eq!(error.expect("broken").code(), "upstream_truncated");
}

#[tokio::test]
async fn connections_are_used_again_while_they_live() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let (url, _) = server(move |mut call| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            // Two requests, then it is closed without a word.
            for _ in 0..2 {
                if call.request().await.is_some() {
                    call.say(&whole()).await;
                }
            }
        }
    })
    .await;
    let agent = HttpAgent::new(url).expect("a URL");
    for done in 1_usize..=6 {
        let (events, error) = run(&agent).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(events, 2);
        assert_eq!(count.load(Ordering::SeqCst), done.div_ceil(2));
    }
}

#[tokio::test]
async fn other_headers_share_the_connections() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let (url, mut requests) = server(move |mut call| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            while call.request().await.is_some() {
                call.say(&whole()).await;
            }
        }
    })
    .await;
    let agent = HttpAgent::builder(url)
        .header("X-Kept", "1")
        .header("X-Tenant", "a");
    let agent = agent.build().expect("a URL");
    let (_, error) = run(&agent).await;
    assert!(error.is_none(), "{error:?}");
    let other = agent.with_headers([("x-tenant", "b"), ("accept", "text/html")]);
    let (_, error) = run(&other.expect("headers")).await;
    assert!(error.is_none(), "{error:?}");
    let (first, second) = (requests.recv().await, requests.recv().await);
    let (first, second) = (first.expect("one"), second.expect("two"));
    assert!(first.contains("X-Tenant: a\r\n"), "{first}");
    for kept in [
        "X-Kept: 1\r\n",
        "x-tenant: b\r\n",
        "Accept: text/event-stream\r\n",
    ] {
        assert!(second.contains(kept), "{kept}: {second}");
    }
    assert!(!second.contains("X-Tenant: a"), "{second}");
    assert!(!second.contains("text/html"), "{second}");
    assert_eq!(count.load(Ordering::SeqCst), 1);
    assert!(agent.with_headers([("a", "b\r\nc")]).is_err());
}

#[tokio::test]
async fn dropping_a_run_hangs_up() {
    let (hung_up, mut news) = mpsc::unbounded_channel();
    let (url, _) = server(move |mut call| {
        let hung_up = hung_up.clone();
        async move {
            call.request().await;
            call.say(&format!("{OK}{}", chunk(STARTED))).await;
            let _ = hung_up.send(call.request().await);
        }
    })
    .await;
    let mut stream = HttpAgent::new(url).expect("a URL").run(input());
    let mut event = ReceivedEvent::default();
    assert!(matches!(stream.next_into(&mut event).await, Some(Ok(()))));
    drop(stream);
    assert_eq!(news.recv().await, Some(None));
}

#[tokio::test]
async fn nobody_at_home() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    drop(listener);
    let (_, error) = run_url(&format!("http://{address}/")).await;
    let error = error.expect("refused");
    assert_eq!(error.code(), "upstream_unreachable");
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("cannot connect to {address}: ")),
        "{text}"
    );
    assert!(text.ends_with("is the agent running there?"), "{text}");
}

#[tokio::test]
async fn proxies_get_the_whole_url_and_tunnels() {
    let (proxy, mut requests) = server(|mut call| async move {
        let request = call.request().await.unwrap_or_default();
        if request.starts_with("CONNECT ") {
            call.say("HTTP/1.1 403 No\r\n\r\n").await;
        } else {
            call.say(&whole()).await;
        }
    })
    .await;
    let proxy = proxy
        .replace("http://", "http://me:pass@")
        .replace("/agent", "");
    let agent = |url: &str| built(HttpAgent::builder(url).proxies(ProxyConfig::through(&proxy)));
    let (events, error) = run(&agent("http://agent.test/x?y")).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, 2);
    let request = requests.recv().await.expect("a request");
    assert!(
        request.starts_with("POST http://agent.test/x?y HTTP/1.1\r\nHost: agent.test\r\n"),
        "{request}"
    );
    assert!(
        request.contains("\r\nProxy-Authorization: Basic bWU6cGFzcw==\r\n"),
        "{request}"
    );
    let (_, error) = run(&agent("https://agent.test/x")).await;
    let error = error.expect("refused").to_string();
    assert!(
        error.contains("does not connect to agent.test:443: it answers 'HTTP/1.1 403 No'"),
        "{error}"
    );
    assert!(!error.contains("pass"), "{error}");
    let request = requests.recv().await.expect("a request");
    assert!(
        request.starts_with("CONNECT agent.test:443 HTTP/1.1\r\n"),
        "{request}"
    );
}

#[tokio::test]
async fn a_thousand_runs_at_once() {
    let (url, _) = server(|mut call| async move {
        while call.request().await.is_some() {
            call.say(OK).await;
            call.say(&chunk(STARTED)).await;
            tokio::task::yield_now().await;
            call.say(&chunk(FINISHED)).await;
            call.say("0\r\n\r\n").await;
        }
    })
    .await;
    let agent = HttpAgent::new(url).expect("a URL");
    let runs: Vec<_> = (0..1000)
        .map(|_| {
            let agent = agent.clone();
            tokio::spawn(async move { run(&agent).await })
        })
        .collect();
    for done in runs {
        let (events, error) = done.await.expect("no panic");
        assert!(error.is_none(), "{error:?}");
        assert_eq!(events, 2);
    }
}

/// A server behind TLS, with a certificate for `localhost` that its client must trust.
async fn secure_server() -> (String, Arc<TlsConfig>) {
    let signed =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .expect("usual versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![signed.cert.der().clone()],
            rustls::pki_types::PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der()).into(),
        )
        .expect("a usable certificate");
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.expect("a connection");
            if let Ok(mut socket) = acceptor.accept(socket).await {
                let mut buffer = [0; 4096];
                let _ = socket.read(&mut buffer).await;
                let _ = socket.write_all(whole().as_bytes()).await;
                let _ = socket.shutdown().await;
            }
        }
    });
    let mut roots = rustls::RootCertStore::empty();
    roots.add(signed.cert.der().clone()).expect("a root");
    let trusting = TlsConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("usual versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    (format!("https://localhost:{port}/"), Arc::new(trusting))
}

#[tokio::test]
async fn secure_connections_need_a_trusted_certificate() {
    let (url, trusting) = secure_server().await;
    let (events, error) = run(&built(HttpAgent::builder(&url).tls(trusting))).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, 2);
    // The platform does not know who signed it.
    let (_, error) = run_url(&url).await;
    let error = error.expect("not trusted").to_string();
    assert!(
        error.starts_with("no secure connection to localhost:"),
        "{error}"
    );
}
