//! Scripted servers on real sockets, and runs against them.

use std::future::Future;

use agui::model::RunAgentInput;
use agui::{Agent, AgentError, ReceivedEvent};
use agui_http::client::{HttpAgent, HttpAgentBuilder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

pub(crate) const OK: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
pub(crate) const STARTED: &str =
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
pub(crate) const FINISHED: &str =
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";

pub(crate) fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// Returns a whole response with two events.
pub(crate) fn whole_response() -> String {
    format!("{OK}{}{}0\r\n\r\n", chunk(STARTED), chunk(FINISHED))
}

pub(crate) fn input() -> RunAgentInput {
    RunAgentInput::from_json(
        r#"{"threadId":"t","runId":"r","protocolVersion":"1.0","messages":[],"tools":[],"context":[]}"#,
    )
    .expect("a valid input")
}

/// A connection that the server accepted.
pub(crate) struct ServerConnection {
    /// Number of connections before it.
    pub(crate) number: usize,
    pub(crate) socket: TcpStream,
    requests: mpsc::UnboundedSender<String>,
}

impl ServerConnection {
    /// Reads a request to the end of its body.
    pub(crate) async fn request(&mut self) -> Option<String> {
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

    pub(crate) async fn send(&mut self, text: &str) {
        let _ = self.socket.write_all(text.as_bytes()).await;
    }
}

/// Starts a server that handles each connection with `answer`. Returns its URL and the requests that it receives.
pub(crate) async fn server<A, F>(answer: A) -> (String, mpsc::UnboundedReceiver<String>)
where
    A: Fn(ServerConnection) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/agent", listener.local_addr().expect("bound"));
    let (requests, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for number in 0.. {
            let (socket, _) = listener.accept().await.expect("a connection");
            let requests = requests.clone();
            tokio::spawn(answer(ServerConnection {
                number,
                socket,
                requests,
            }));
        }
    });
    (url, seen)
}

/// Starts a server that reads a request, sends a text and closes. Returns its URL.
pub(crate) async fn server_sending(text: impl Into<String>) -> String {
    let text = text.into();
    let (url, _) = server(move |mut connection| {
        let text = text.clone();
        async move {
            connection.request().await;
            connection.send(&text).await;
        }
    })
    .await;
    url
}

/// Runs an agent to its end. Returns the number of events and the error.
pub(crate) async fn run(agent: &HttpAgent) -> (usize, Option<AgentError>) {
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

pub(crate) async fn run_url(url: &str) -> (usize, Option<AgentError>) {
    run(&HttpAgent::new(url).expect("a URL")).await
}

pub(crate) fn build_agent(builder: HttpAgentBuilder) -> HttpAgent {
    builder.build().expect("valid options")
}
