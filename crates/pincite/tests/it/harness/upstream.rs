//! Scripted agents that control every byte of their response.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Head of an event stream that ends with the connection.
pub(crate) const EVENT_STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// A scripted agent on a free port. It responds until the test process ends.
pub(crate) struct Upstream {
    pub(crate) url: String,
    /// Bodies of the requests in the order of their arrival.
    bodies: Arc<Mutex<Vec<String>>>,
    /// Heads of the requests in the order of their arrival.
    heads: Arc<Mutex<Vec<String>>>,
}

impl Upstream {
    /// Passes the body of each request and its connection to `handler`.
    pub(crate) fn with_handler(
        handler: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let upstream = Self {
            url: format!("http://{address}/"),
            bodies: Arc::default(),
            heads: Arc::default(),
        };
        let (bodies, heads) = (Arc::clone(&upstream.bodies), Arc::clone(&upstream.heads));
        let handler = Arc::new(handler);
        thread::spawn(move || {
            for mut socket in listener.incoming().flatten() {
                let (bodies, heads) = (Arc::clone(&bodies), Arc::clone(&heads));
                let handler = Arc::clone(&handler);
                thread::spawn(move || {
                    if let Some((head, body)) = read_request(&socket) {
                        heads.lock().expect("no panic").push(head);
                        bodies.lock().expect("no panic").push(body.clone());
                        handler(&body, &mut socket);
                    }
                });
            }
        });
        upstream
    }

    /// Answers each request with the same bytes.
    pub(crate) fn replying(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::with_handler(move |_, socket| {
            // The client may have disconnected.
            let _ = socket.write_all(&answer);
        })
    }

    /// Returns the bodies of the requests so far.
    pub(crate) fn request_bodies(&self) -> Vec<String> {
        self.bodies.lock().expect("no panic").clone()
    }

    /// Returns the heads of the requests so far.
    pub(crate) fn request_heads(&self) -> Vec<String> {
        self.heads.lock().expect("no panic").clone()
    }
}

/// Reads a request. Returns its head and body.
fn read_request(socket: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(socket);
    let (mut length, mut head) = (0, String::new());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        head.push_str(&line);
        match line.trim_end() {
            "" => break,
            line => {
                let (name, value) = line.split_once(':').unwrap_or_default();
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse().ok()?;
                }
            }
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}
