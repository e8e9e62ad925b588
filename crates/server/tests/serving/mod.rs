//! A server in this process, asked over TCP.
#![allow(dead_code)] // each test file uses its part

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use json::Value;
use server::access::{AccessScope, LinkKey, NewKey, TokenIssuer};
use server::settings::Settings;
use server::{LogControl, ReaderCommand, Server, ServerParts};
use store::{AccessStore, EvidenceStore, MemoryStore, Principal, StoredVerification, Timestamp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What people with a key mostly may do.
pub(crate) const BOTH: &[AccessScope] = &[AccessScope::Read, AccessScope::Write];

/// A server that ends with the test's runtime.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) store: Arc<MemoryStore>,
}

/// What was answered.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        Value::parse(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The code of an error.
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

impl Serving {
    pub(crate) async fn start(settings: Settings, issuers: Vec<TokenIssuer>) -> Self {
        Self::with_clock(settings, issuers, server::system_clock).await
    }

    /// With a clock of the test's own.
    pub(crate) async fn with_clock(
        settings: Settings,
        issuers: Vec<TokenIssuer>,
        clock: fn() -> Timestamp,
    ) -> Self {
        let store = Arc::new(MemoryStore::new());
        let parts = ServerParts {
            settings,
            store: store.clone(),
            reading: ReaderCommand {
                program: "/nonexistent".into(),
                arguments: Vec::new(),
                at_once: 1,
                allowance: Default::default(),
            },
            built_in: BTreeMap::new(),
            issuers,
            link_key: LinkKey::new([7; 32]),
            log: LogControl::new(tracing::Level::WARN, |_| {}),
            clock,
        };
        let server = Server::new(parts).await.expect("a server");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(server.serve(listener, std::future::pending()));
        Self { address, store }
    }

    /// Makes a key.
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

    /// Stores a verification of somebody's.
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

    /// Sends bytes as they are, and reads to the end.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> String {
        let mut socket = TcpStream::connect(self.address).await.expect("it listens");
        // It may refuse before it has read everything.
        let _ = socket.write_all(bytes).await;
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A request with headers that end in line breaks.
    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Answered {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        answered(&self.raw(request.as_bytes()).await)
    }

    /// A request with a key.
    pub(crate) async fn with(&self, secret: &str, method: &str, path: &str) -> Answered {
        let headers = format!("Authorization: Bearer {secret}\r\n");
        self.ask(method, path, &headers, "").await
    }
}

pub(crate) fn answered(answer: &str) -> Answered {
    let (head, body) = answer.split_once("\r\n\r\n").expect("a whole answer");
    let status = head.split(' ').nth(1).expect("a status");
    Answered {
        status: status.parse().expect("a number"),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}
