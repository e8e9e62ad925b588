//! `pincite serve` as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use json::Value;

use super::{PINCITE, parse};

/// A running gateway; dropping it kills it.
pub(crate) struct Gateway {
    child: Child,
    pub(crate) url: String,
}

/// Waits until the server has started and returns its URL. Its stderr must be piped and its log JSON.
#[track_caller]
pub(crate) fn wait_for_url(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let started = loop {
        let line = lines.next().expect("it logs its URL").expect("text");
        if line.contains("\"started\"") {
            break parse(&line);
        }
    };
    // A full pipe would block the server.
    std::thread::spawn(move || lines.for_each(drop));
    started["url"].as_str().expect("a URL").to_owned()
}

impl Gateway {
    #[track_caller]
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = Command::new(PINCITE);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
        // Most tests need an agent that answers without documents.
        if !args.contains(&"--upstream") && !args.contains(&"--demo") {
            command.arg("--demo");
        }
        command.args(args);
        Self::from_command(command)
    }

    /// Starts a gateway with a complete command.
    #[track_caller]
    pub(crate) fn from_command(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let url = wait_for_url(&mut child);
        Self { child, url }
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Requests a graceful stop and waits for it.
    #[track_caller]
    pub(crate) fn stop(mut self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(sent.expect("kill is there").success());
        let ended = self.child.wait().expect("it ends");
        assert!(ended.success(), "{ended}");
    }

    /// Sends a request. Returns the status and the body of the response.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> (u16, String) {
        let (head, body) = self.exchange(method, path, headers, body);
        let status = head.split(' ').nth(1).expect("a status");
        let body = String::from_utf8_lossy(&body).into_owned();
        (status.parse().expect("a number"), body)
    }

    /// Sends a request. Returns the head and the body of the response.
    pub(crate) fn exchange(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> (String, Vec<u8>) {
        let address = self.url.trim_start_matches("http://");
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: {address}\r\n")
        };
        let mut socket = TcpStream::connect(address).expect("it listens");
        write!(
            socket,
            "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            body.len()
        )
        .expect("it reads");
        socket.write_all(body).expect("it reads");
        let mut response = Vec::new();
        socket.read_to_end(&mut response).expect("it responses");
        let end = response.windows(4).position(|four| four == b"\r\n\r\n");
        let body = response.split_off(end.expect("a whole response") + 4);
        (String::from_utf8_lossy(&response).into_owned(), body)
    }

    /// Sends JSON. Returns the status and the JSON of the response.
    pub(crate) fn json(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let (status, body) = self.request(
            method,
            path,
            "Content-Type: application/json\r\n",
            body.as_bytes(),
        );
        (status, parse(&body))
    }

    /// Uploads a text as an attachment.
    pub(crate) fn attach(&self, id: &str, name: &str, text: &str) -> (u16, Value) {
        let body = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n\
             --x\r\nContent-Disposition: form-data; name=\"attachmentId\"\r\n\r\n{id}\r\n--x--\r\n"
        );
        let headers = "Content-Type: multipart/form-data; boundary=x\r\n";
        let (status, body) = self.request("POST", "/prepareAttachments", headers, body.as_bytes());
        (status, parse(&body))
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
