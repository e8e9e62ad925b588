//! Downloads from a local server, and requests that are refused.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use net::{FetchError, FetchLimits, FetchPolicy, Fetcher, Resolved, Resolver};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// A local server that counts its connections.
struct LocalServer {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

async fn serve(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> LocalServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(answer_request(stream, answer.clone()));
        }
    });
    LocalServer {
        address,
        connections,
    }
}

async fn answer_request(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: Arc<impl Fn(&str) -> String + Send + Sync>,
) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let answer = answer(&String::from_utf8_lossy(&request));
    // The client may have closed the connection.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn ok_response(body: &str, headers: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

fn redirect_to(location: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
}

/// Resolver that returns these addresses for every name and counts its calls.
#[derive(Clone, Default)]
struct FixedResolver {
    addresses: Vec<IpAddr>,
    calls: Arc<AtomicUsize>,
}

impl FixedResolver {
    fn leading_to(addresses: &[&str]) -> Self {
        let parse = |text: &&str| text.parse().expect("an address");
        Self {
            addresses: addresses.iter().map(parse).collect(),
            calls: Arc::default(),
        }
    }
}

impl Resolver for FixedResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolved<'a> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(self.addresses.clone()) })
    }
}

fn trusting(host: &str, served: &LocalServer) -> Fetcher {
    let host = format!("{host}:{}", served.address.port());
    let policy = FetchPolicy::of([host]).expect("a host").trust_named();
    Fetcher::new(policy).resolver(FixedResolver::leading_to(&["127.0.0.1"]))
}

#[tokio::test]
async fn returns_a_document_with_its_name() {
    let served = serve(|request| {
        assert!(
            request.starts_with("GET /a/report.md?raw=1 HTTP/1.1\r\n"),
            "{request}"
        );
        let lower = request.to_ascii_lowercase();
        assert!(lower.contains("\r\nhost: tides.example:"), "{request}");
        assert!(
            !lower.contains("authorization") && !lower.contains("cookie"),
            "{request}"
        );
        ok_response("# Tides", "Content-Type: image/png\r\n")
    })
    .await;
    let url = format!(
        "http://Tides.Example:{}/a/report.md?raw=1#top",
        served.address.port()
    );
    let fetched = trusting("tides.example", &served)
        .fetch(&url)
        .await
        .expect("it is there");
    assert_eq!(fetched.bytes, b"# Tides");
    assert_eq!(fetched.name, "report.md");
    assert_eq!(fetched.content_type.as_deref(), Some("image/png"));
}

#[tokio::test]
async fn refuses_hosts_that_are_not_allowed() {
    let served = serve(|_| ok_response("secret", "")).await;
    let port = served.address.port();
    let names = || FixedResolver::leading_to(&["127.0.0.1"]);
    let off = Fetcher::new(FetchPolicy::off()).resolver(names());
    let refused = off.fetch("http://tides.example/").await.expect_err("off");
    assert!(matches!(refused, FetchError::Off) && refused.is_refusal());
    assert!(refused.hint().contains("--allow-fetch"));
    // Another host, another port, another scheme, credentials.
    let fetcher = trusting("tides.example", &served);
    for url in [
        "http://other.example/".to_owned(),
        format!("http://tides.example:{}/", port ^ 1),
        format!("ftp://tides.example:{port}/"),
        format!("file:///etc/passwd?tides.example:{port}"),
        format!("http://user:secret@tides.example:{port}/"),
        "tides.example/report.pdf".to_owned(),
        "http://".to_owned(),
    ] {
        let refused = fetcher.fetch(&url).await.expect_err(&url);
        assert!(refused.is_refusal(), "{url}: {refused}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }
    assert_eq!(served.connections.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn refuses_names_and_numbers_of_internal_addresses() {
    let any = || FetchPolicy::of(["*"]).expect("any");
    for addresses in [
        &["127.0.0.1"][..],
        &["1.1.1.1", "10.0.0.1"],
        &["::ffff:1.1.1.1"],
        &["169.254.169.254"],
    ] {
        let fetcher = Fetcher::new(any()).resolver(FixedResolver::leading_to(addresses));
        let refused = fetcher
            .fetch("http://tides.example/")
            .await
            .expect_err("inside");
        assert!(matches!(refused, FetchError::NotPublic { .. }), "{refused}");
    }
    for url in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://0x7f.0.0.1/",
        "http://2130706433/",
        "http://017700000001/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://0/",
    ] {
        let refused = Fetcher::new(any()).fetch(url).await.expect_err(url);
        assert!(
            matches!(refused, FetchError::NotPublic { .. }),
            "{url}: {refused}"
        );
    }
    // An allowed name may not resolve to an internal address either, unless the list of names is trusted.
    let named = FetchPolicy::of(["tides.example"]).expect("a host");
    let fetcher = Fetcher::new(named).resolver(FixedResolver::leading_to(&["192.168.0.7"]));
    let refused = fetcher
        .fetch("https://tides.example/")
        .await
        .expect_err("inside");
    assert!(matches!(refused, FetchError::NotPublic { .. }), "{refused}");
}

#[tokio::test]
async fn checks_redirects_like_addresses() {
    let served = serve(|request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        match path {
            "/start" => redirect_to("next/report.txt"),
            "/next/report.txt" => ok_response("The tide was high.", ""),
            "/loop" => redirect_to("/loop"),
            "/inside" => redirect_to("http://169.254.169.254/latest/meta-data"),
            "/elsewhere" => redirect_to("http://other.example/"),
            "/file" => redirect_to("file:///etc/passwd"),
            "/credentials" => redirect_to("http://a:b@tides.example/"),
            _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
        }
    })
    .await;
    let fetcher = trusting("tides.example", &served);
    let url = |path: &str| format!("http://tides.example:{}{path}", served.address.port());
    let fetched = fetcher.fetch(&url("/start")).await.expect("it leads there");
    assert_eq!(
        (fetched.name.as_str(), fetched.url),
        ("report.txt", url("/next/report.txt"))
    );
    let refused = fetcher.fetch(&url("/loop")).await.expect_err("a loop");
    assert!(
        matches!(refused, FetchError::TooManyRedirects(5)),
        "{refused}"
    );
    for path in ["/inside", "/elsewhere", "/file", "/credentials"] {
        let refused = fetcher.fetch(&url(path)).await.expect_err(path);
        assert!(refused.is_refusal(), "{path}: {refused}");
    }
    let refused = fetcher.fetch(&url("/nothing")).await.expect_err("404");
    assert!(
        matches!(refused, FetchError::Status { status: 404, .. }),
        "{refused}"
    );
}

#[tokio::test]
async fn resolves_a_name_once_for_each_request() {
    let served = serve(|_| ok_response("x", "")).await;
    let names = FixedResolver::leading_to(&["127.0.0.1"]);
    let fetcher = trusting("tides.example", &served).resolver(names.clone());
    let url = format!("http://tides.example:{}/", served.address.port());
    fetcher.fetch(&url).await.expect("it is there");
    assert_eq!(names.calls.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn limits_the_size_of_responses() {
    let served = serve(|request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        match path {
            "/said" => "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx".to_owned(),
            "/unsaid" => format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(2000)),
            "/chunks" => format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
                "40\r\n0123456789012345678901234567890123456789012345678901234567890123\r\n"
                    .repeat(20)
            ),
            "/cut" => "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nx".to_owned(),
            "/packed" => ok_response("x", "Content-Encoding: gzip\r\n"),
            "/head" => format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "a".repeat(3_000_000)),
            "/exact" => ok_response(&"x".repeat(1000), ""),
            _ => "nonsense\r\n\r\n".to_owned(),
        }
    })
    .await;
    let limits = FetchLimits {
        bytes: 1000,
        ..FetchLimits::default()
    };
    let fetcher = trusting("tides.example", &served).limits(limits);
    let url = |path: &str| format!("http://tides.example:{}{path}", served.address.port());
    for path in ["/said", "/unsaid", "/chunks"] {
        let refused = fetcher.fetch(&url(path)).await.expect_err(path);
        assert!(
            matches!(refused, FetchError::TooLarge { limit: 1000 }),
            "{path}: {refused}"
        );
    }
    for path in ["/cut", "/head", "/nonsense"] {
        let refused = fetcher.fetch(&url(path)).await.expect_err(path);
        assert!(
            matches!(refused, FetchError::BadAnswer { .. }),
            "{path}: {refused}"
        );
    }
    let refused = fetcher.fetch(&url("/packed")).await.expect_err("packed");
    assert!(
        matches!(refused, FetchError::Compressed { .. }),
        "{refused}"
    );
    let fetched = fetcher.fetch(&url("/exact")).await.expect("just so");
    assert_eq!(fetched.bytes.len(), 1000);
}

#[tokio::test(start_paused = true)]
async fn gives_up_on_a_silent_host() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let policy = FetchPolicy::of([format!("127.0.0.1:{port}")]).expect("a host");
    let fetcher = Fetcher::new(policy.trust_named());
    let refused = fetcher.fetch(&format!("http://127.0.0.1:{port}/")).await;
    let refused = refused.expect_err("it says nothing");
    assert!(
        matches!(refused, FetchError::TooSlow(time) if time == Duration::from_secs(30)),
        "{refused}"
    );
}

#[tokio::test]
async fn reports_a_host_that_refuses_connections() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a port");
    let port = listener.local_addr().expect("bound").port();
    drop(listener);
    let policy = FetchPolicy::of([format!("127.0.0.1:{port}")]).expect("a host");
    let fetcher = Fetcher::new(policy.trust_named());
    let refused = fetcher.fetch(&format!("http://127.0.0.1:{port}/")).await;
    let refused = refused.expect_err("no server listens");
    assert!(
        matches!(refused, FetchError::Unreachable { .. }),
        "{refused}"
    );
    assert!(!refused.is_refusal());
}

#[tokio::test]
async fn checks_certificates_for_the_name() {
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig, crypto, pki_types};
    let signed = rcgen::generate_simple_self_signed(["tides.example".to_owned()]).expect("one");
    let provider = Arc::new(crypto::ring::default_provider());
    let key = pki_types::PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
    let server = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .expect("usual versions")
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key.into())
        .expect("a usable certificate");
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(server));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                let answer = |request: &str| match request.starts_with("GET /down ") {
                    true => redirect_to("http://tides.example/"),
                    false => ok_response("high", ""),
                };
                answer_request(stream, Arc::new(answer)).await;
            }
        }
    });
    let mut roots = RootCertStore::empty();
    roots.add(signed.cert.der().clone()).expect("a root");
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("usual versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let hosts = [
        format!("tides.example:{port}"),
        format!("other.example:{port}"),
        "tides.example".to_owned(),
    ];
    let fetcher = || {
        let policy = FetchPolicy::of(&hosts).expect("hosts").trust_named();
        Fetcher::new(policy).resolver(FixedResolver::leading_to(&["127.0.0.1"]))
    };
    let trusting = fetcher().tls(Arc::new(client));
    let url = |host: &str, path: &str| format!("https://{host}:{port}{path}");
    let fetched = trusting
        .fetch(&url("tides.example", "/"))
        .await
        .expect("trusted");
    assert_eq!(fetched.bytes, b"high");
    let refused = trusting
        .fetch(&url("other.example", "/"))
        .await
        .expect_err("another name");
    assert!(matches!(refused, FetchError::Tls { .. }), "{refused}");
    let refused = trusting
        .fetch(&url("tides.example", "/down"))
        .await
        .expect_err("to http");
    assert!(matches!(refused, FetchError::Downgrade), "{refused}");
    let refused = fetcher()
        .fetch(&url("tides.example", "/"))
        .await
        .expect_err("an unknown issuer");
    assert!(matches!(refused, FetchError::Tls { .. }), "{refused}");
}
