//! Local HTTP server that replays scripted answers of a provider.

use std::sync::{Arc, Mutex};

use agents::model::{HttpModel, LanguageModel, ModelDelta, ModelError, ModelRequest};
use agents::model::{ModelMessage, ModelName, ProviderAccess, ProviderConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Scripted answer.
pub(crate) struct ReplayedAnswer {
    status: u16,
    headers: &'static str,
    body: String,
    /// Size of the pieces in which the body is sent, in bytes.
    piece: usize,
    /// True if the connection breaks after the body.
    is_cut: bool,
}

impl ReplayedAnswer {
    pub(crate) fn stream(body: impl Into<String>) -> Self {
        Self {
            status: 200,
            headers: "Content-Type: text/event-stream\r\n",
            body: body.into(),
            piece: usize::MAX,
            is_cut: false,
        }
    }

    pub(crate) fn error(status: u16, headers: &'static str, body: &str) -> Self {
        Self {
            status,
            headers,
            ..Self::stream(body)
        }
    }

    pub(crate) fn in_pieces(self, piece: usize) -> Self {
        Self { piece, ..self }
    }

    pub(crate) fn cut(self) -> Self {
        Self {
            is_cut: true,
            ..self
        }
    }
}

/// Server and the requests that it received.
pub(crate) struct ReplayServer {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl ReplayServer {
    /// Starts a server that gives the answers in order.
    pub(crate) async fn start(answers: Vec<ReplayedAnswer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            for answer in answers {
                let (mut socket, _) = listener.accept().await.expect("a connection");
                let mut bytes = Vec::new();
                while !is_complete(&bytes) {
                    let read = socket.read_buf(&mut bytes).await.expect("a request");
                    assert!(read > 0, "the request ended early");
                }
                let text = String::from_utf8_lossy(&bytes).into_owned();
                seen.lock().expect("not poisoned").push(text);
                let head = format!(
                    "HTTP/1.1 {} X\r\n{}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
                    answer.status, answer.headers
                );
                socket.write_all(head.as_bytes()).await.expect("written");
                for piece in answer.body.as_bytes().chunks(answer.piece) {
                    let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
                    chunk.extend_from_slice(piece);
                    chunk.extend_from_slice(b"\r\n");
                    socket.write_all(&chunk).await.expect("written");
                    tokio::task::yield_now().await;
                }
                if !answer.is_cut {
                    socket.write_all(b"0\r\n\r\n").await.expect("written");
                }
            }
        });
        Self { url, requests }
    }

    /// Returns the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("not poisoned").clone()
    }

    /// Returns providers that all live at this server.
    pub(crate) fn providers(&self) -> ProviderConfig {
        let access = ProviderAccess {
            url: Some(self.url.clone()),
            key: Some("secret-key".to_owned()),
        };
        ProviderConfig {
            anthropic: access.clone(),
            openai: access.clone(),
            ollama: access,
            ..ProviderConfig::default()
        }
    }
}

fn is_complete(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "));
    body.len() >= length.map_or(0, |length| length.parse().expect("a length"))
}

pub(crate) fn model_name(name: &str) -> ModelName {
    name.parse().expect("a model")
}

pub(crate) fn question(text: &str) -> Arc<ModelRequest> {
    Arc::new(ModelRequest {
        system: "Be short.".to_owned(),
        messages: vec![ModelMessage::User(text.to_owned())],
        max_output_tokens: 100,
        ..ModelRequest::default()
    })
}

/// Reads an answer to its end.
pub(crate) async fn read_answer(
    name: &str,
    server: &ReplayServer,
    request: Arc<ModelRequest>,
) -> (Vec<ModelDelta>, Option<ModelError>) {
    let model = HttpModel::new(model_name(name), Arc::new(server.providers()));
    let mut stream = model.stream(request);
    let mut deltas = Vec::new();
    while let Some(delta) = stream.next().await {
        match delta {
            Ok(delta) => deltas.push(delta),
            Err(error) => return (deltas, Some(error)),
        }
    }
    (deltas, None)
}
