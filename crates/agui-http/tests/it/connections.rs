//! Connections: reuse, proxies, TLS.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agui::{Agent, ReceivedEvent};
use agui_http::client::{HttpAgent, ProxyConfig, TlsConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::rustls;

use super::scripted_server::*;

#[tokio::test]
async fn reuses_open_connections() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let (url, _) = server(move |mut connection| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            // The server answers two requests and closes without a response.
            for _ in 0..2 {
                if connection.request().await.is_some() {
                    connection.send(&whole_response()).await;
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
async fn shares_connections_between_agents_with_other_headers() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let (url, mut requests) = server(move |mut connection| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            while connection.request().await.is_some() {
                connection.send(&whole_response()).await;
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
async fn closes_the_connection_of_a_dropped_run() {
    let (hung_up, mut news) = mpsc::unbounded_channel();
    let (url, _) = server(move |mut connection| {
        let hung_up = hung_up.clone();
        async move {
            connection.request().await;
            connection.send(&format!("{OK}{}", chunk(STARTED))).await;
            let _ = hung_up.send(connection.request().await);
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
async fn reports_a_host_that_refuses_connections() {
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
async fn uses_proxies_for_http_and_tunnels() {
    let (proxy, mut requests) = server(|mut connection| async move {
        let request = connection.request().await.unwrap_or_default();
        if request.starts_with("CONNECT ") {
            connection.send("HTTP/1.1 403 No\r\n\r\n").await;
        } else {
            connection.send(&whole_response()).await;
        }
    })
    .await;
    let proxy = proxy
        .replace("http://", "http://me:pass@")
        .replace("/agent", "");
    let agent =
        |url: &str| build_agent(HttpAgent::builder(url).proxies(ProxyConfig::through(&proxy)));
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
async fn handles_a_thousand_concurrent_runs() {
    let (url, _) = server(|mut connection| async move {
        while connection.request().await.is_some() {
            connection.send(OK).await;
            connection.send(&chunk(STARTED)).await;
            tokio::task::yield_now().await;
            connection.send(&chunk(FINISHED)).await;
            connection.send("0\r\n\r\n").await;
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

/// Starts a TLS server with a certificate for `localhost`. Returns its URL and a configuration that trusts it.
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
                let _ = socket.write_all(whole_response().as_bytes()).await;
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
async fn requires_a_trusted_certificate() {
    let (url, trusting) = secure_server().await;
    let (events, error) = run(&build_agent(HttpAgent::builder(&url).tls(trusting))).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, 2);
    // The platform does not trust the issuer.
    let (_, error) = run_url(&url).await;
    let error = error.expect("not trusted").to_string();
    assert!(
        error.starts_with("no secure connection to localhost:"),
        "{error}"
    );
}
