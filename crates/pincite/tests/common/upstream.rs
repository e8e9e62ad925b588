//! An agent that a test plays, byte by byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What an event stream begins with; the connection's end is its end.
pub const EVENT_STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// An agent that a test plays; it answers until the test ends.
pub struct Upstream {
    pub url: String,
    /// The bodies of the requests, in the order they came.
    asked: Arc<Mutex<Vec<String>>>,
    /// Their heads.
    heads: Arc<Mutex<Vec<String>>>,
}

impl Upstream {
    /// Answers each request as it is told; what is written is sent at once.
    pub fn answering(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let place = listener.local_addr().expect("a place");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (heard, answer) = (Arc::clone(&asked), Arc::new(answer));
        let noted = Arc::clone(&heads);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (heard, answer) = (Arc::clone(&heard), Arc::clone(&answer));
                let noted = Arc::clone(&noted);
                thread::spawn(move || {
                    let mut socket = socket;
                    if let Some((head, body)) = request(&socket) {
                        noted.lock().expect("no panic").push(head);
                        heard.lock().expect("no panic").push(body.clone());
                        answer(&body, &mut socket);
                    }
                });
            }
        });
        Self {
            url: format!("http://{place}/"),
            asked,
            heads,
        }
    }

    /// Answers each request with these bytes.
    pub fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::answering(move |_, socket| {
            // Whoever asked may have left.
            let _ = socket.write_all(&answer);
        })
    }

    /// The bodies of the requests so far.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

impl Upstream {
    /// The heads of the requests so far.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("no panic").clone()
    }
}

/// The head and the body of a request.
fn request(socket: &TcpStream) -> Option<(String, String)> {
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
