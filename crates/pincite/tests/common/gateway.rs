//! `pincite serve`, started for a test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use json::Value;

use super::{PINCITE, parse};

/// A gateway that a test started; dropping it ends it.
pub struct Gateway {
    child: Child,
    pub url: String,
}

/// Where a server that just started says it is; its log is JSON on a piped stderr.
#[track_caller]
pub fn url_of(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let card = loop {
        let line = lines.next().expect("it says where it is").expect("text");
        if line.contains("\"started\"") {
            break parse(&line);
        }
    };
    // What else it says must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    card["url"].as_str().expect("a place").to_owned()
}

impl Gateway {
    #[track_caller]
    pub fn start(args: &[&str]) -> Self {
        let mut command = Command::new(PINCITE);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
        command.args(args);
        Self::of(command)
    }

    /// Starts it by a command that has everything.
    #[track_caller]
    pub fn of(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let url = url_of(&mut child);
        Self { child, url }
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits until it has.
    #[track_caller]
    pub fn end(mut self) {
        let pid = self.child.id().to_string();
        let told = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(told.expect("kill is there").success());
        let ended = self.child.wait().expect("it ends");
        assert!(ended.success(), "{ended}");
    }

    /// A request; the status and the body.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> (u16, String) {
        let (head, body) = self.exchange(method, path, headers, body);
        let status = head.split(' ').nth(1).expect("a status");
        let body = String::from_utf8_lossy(&body).into_owned();
        (status.parse().expect("a number"), body)
    }

    /// A request; the head and the body of the answer.
    pub fn exchange(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> (String, Vec<u8>) {
        let place = self.url.trim_start_matches("http://");
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: {place}\r\n")
        };
        let mut socket = TcpStream::connect(place).expect("it listens");
        write!(
            socket,
            "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            body.len()
        )
        .expect("it reads");
        socket.write_all(body).expect("it reads");
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).expect("it answers");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let body = answer.split_off(end.expect("a whole answer") + 4);
        (String::from_utf8_lossy(&answer).into_owned(), body)
    }

    pub fn json(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let (status, body) = self.ask(
            method,
            path,
            "Content-Type: application/json\r\n",
            body.as_bytes(),
        );
        (status, parse(&body))
    }

    /// Attaches a text.
    pub fn attach(&self, id: &str, name: &str, text: &str) -> (u16, Value) {
        let body = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n\
             --x\r\nContent-Disposition: form-data; name=\"attachmentId\"\r\n\r\n{id}\r\n--x--\r\n"
        );
        let headers = "Content-Type: multipart/form-data; boundary=x\r\n";
        let (status, body) = self.ask("POST", "/prepareAttachments", headers, body.as_bytes());
        (status, parse(&body))
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
