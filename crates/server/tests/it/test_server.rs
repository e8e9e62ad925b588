//! Server in the process of the tests, with requests over TCP.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use json::Value;
use server::access::{AccessScope, LinkKey, NewKey, TokenIssuer};
use server::settings::Settings;
use server::{IndexLocation, LogControl, ReaderCommand, Server, ServerParts};
use store::{AccessStore, EvidenceStore, MemoryStore, Principal, StoredVerification, Timestamp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Scopes of an ordinary key.
pub(crate) const BOTH: &[AccessScope] = &[AccessScope::Read, AccessScope::Write];

/// Server that ends with the runtime of the test.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) store: Arc<MemoryStore>,
}

/// Response of the server.
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl TestResponse {
    pub(crate) fn json(&self) -> Value {
        Value::parse(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the code of an error response.
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        json["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl TestServer {
    pub(crate) async fn start(settings: Settings, issuers: Vec<TokenIssuer>) -> Self {
        Self::with_clock(settings, issuers, server::system_clock).await
    }

    /// Starts a server with another clock.
    pub(crate) async fn with_clock(
        settings: Settings,
        issuers: Vec<TokenIssuer>,
        clock: fn() -> Timestamp,
    ) -> Self {
        let store = Arc::new(MemoryStore::new());
        Self::with_store(store, settings, issuers, clock).await
    }

    /// Starts another server on the same store.
    pub(crate) async fn restart(&self, settings: Settings) -> Self {
        let store = self.store.clone();
        Self::with_store(store, settings, Vec::new(), server::system_clock).await
    }

    async fn with_store(
        store: Arc<MemoryStore>,
        settings: Settings,
        issuers: Vec<TokenIssuer>,
        clock: fn() -> Timestamp,
    ) -> Self {
        let parts = ServerParts {
            settings,
            store: store.clone(),
            reading: ReaderCommand {
                program: "/nonexistent".into(),
                arguments: Vec::new(),
                at_once: 1,
                allowance: Default::default(),
            },
            index: IndexLocation::Memory,
            embedding: None,
            built_in: BTreeMap::new(),
            reader: None,
            issuers,
            link_key: LinkKey::new([7; 32]),
            log: LogControl::new(tracing::Level::WARN, |_| {}),
            console: &[],
            environment: Default::default(),
            clock,
        };
        let server = Server::new(parts).await.expect("a server");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(server.serve(listener, std::future::pending()));
        Self { address, store }
    }

    /// Creates a key.
    pub(crate) async fn key(
        &self,
        principal: &str,
        scopes: &[AccessScope],
        expires: Option<i64>,
    ) -> NewKey {
        let random = || uuid::Uuid::new_v4().into_bytes();
        let new = NewKey::new(
            (random(), random(), random()),
            Principal::new(principal).expect("a name"),
            principal,
            scopes,
            Timestamp(0),
            expires.map(Timestamp),
        );
        let added = self.store.add_key(new.key.clone(), new.hash());
        added.await.expect("added");
        new
    }

    /// Stores a verification of a principal.
    pub(crate) async fn keep_evidence(&self, owner: &str, id: &str) {
        let verification = StoredVerification {
            id: id.to_owned(),
            key: id[..1].to_owned(),
            thread: None,
            message: None,
            document: None,
            citation: r#"{"fullPhrase":"the quay"}"#.into(),
            verification: r#"{"status":"found"}"#.into(),
            created: Timestamp(1),
        };
        let owner = Principal::new(owner).expect("a name");
        let kept = self.store.store_verifications(&owner, vec![verification]);
        kept.await.expect("kept");
    }

    /// Sends bytes and reads until the server closes the connection.
    pub(crate) async fn send_raw(&self, bytes: &[u8]) -> String {
        let mut socket = TcpStream::connect(self.address).await.expect("it listens");
        // The server may reject the request before it has read everything.
        let _ = socket.write_all(bytes).await;
        let mut response = Vec::new();
        let _ = socket.read_to_end(&mut response).await;
        String::from_utf8_lossy(&response).into_owned()
    }

    /// Sends a request. `headers` are lines that end in line breaks.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> TestResponse {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        parse_response(&self.send_raw(request.as_bytes()).await)
    }

    /// Sends a request with a key.
    pub(crate) async fn send_with_key(
        &self,
        secret: &str,
        method: &str,
        path: &str,
    ) -> TestResponse {
        let headers = format!("Authorization: Bearer {secret}\r\n");
        self.send(method, path, &headers, "").await
    }
}

pub(crate) fn parse_response(response: &str) -> TestResponse {
    let (head, body) = response.split_once("\r\n\r\n").expect("a whole response");
    let status = head.split(' ').nth(1).expect("a status");
    TestResponse {
        status: status.parse().expect("a number"),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}
