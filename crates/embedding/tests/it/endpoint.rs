//! Endpoints that answer, fail, are slow, or answer nonsense.

use std::time::Duration;

use agui_http::client::ProxyConfig;
use embedding::{EndpointAccess, EndpointEmbedder, EndpointProtocol};
use search::{EmbedError, Embedder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task;

/// Starts a server that answers every request with a status and a body, after a delay. Returns its URL.
async fn serve(status: &'static str, body: &'static str, delay: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4096];
            let _ = stream.read(&mut request).await;
            tokio::time::sleep(delay).await;
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
    });
    url
}

/// Embeds two texts with the endpoint at a URL.
async fn embed(protocol: EndpointProtocol, url: String) -> Result<Vec<Vec<f32>>, EmbedError> {
    let access = EndpointAccess {
        protocol,
        model: "m".to_owned(),
        url: Some(url),
        key: Some("secret".to_owned()),
        timeout: Duration::from_secs(3),
        query_timeout: Duration::from_secs(3),
        proxies: ProxyConfig::none(),
    };
    let embedder = EndpointEmbedder::new(access, Handle::current()).expect("the URL is valid");
    let embedded = task::spawn_blocking(move || embedder.embed(&["one", "two"]));
    embedded.await.expect("no panic")
}

async fn failure(status: &'static str, body: &'static str, delay: Duration) -> String {
    let url = serve(status, body, delay).await;
    let error = embed(EndpointProtocol::Ollama, url).await;
    let error = error.expect_err("it fails").to_string();
    assert!(
        error.contains("ollama:m") && !error.contains("secret"),
        "{error}"
    );
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn both_protocols_are_read() {
    let body = r#"{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}]}"#;
    let url = serve("200 OK", body, Duration::ZERO).await;
    let vectors = embed(EndpointProtocol::OpenAi, format!("{url}/v1")).await;
    assert_eq!(vectors, Ok(vec![vec![1.0, 0.0], vec![0.0, 1.0]]));
    let url = serve("200 OK", r#"{"embeddings":[[1],[2]]}"#, Duration::ZERO).await;
    let vectors = embed(EndpointProtocol::Ollama, url).await;
    assert_eq!(vectors, Ok(vec![vec![1.0], vec![2.0]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_name_the_model_and_the_reason() {
    let slow = failure("200 OK", "{}", Duration::from_secs(30)).await;
    assert!(slow.contains("longer than"), "{slow}");
    let nonsense = failure("200 OK", "<html>", Duration::ZERO).await;
    assert!(nonsense.contains("cannot be read"), "{nonsense}");
    let few = failure("200 OK", r#"{"embeddings":[[1]]}"#, Duration::ZERO).await;
    assert!(few.contains("1 vectors for 2 texts"), "{few}");
    let status = failure("500 Oops", "{}", Duration::ZERO).await;
    assert!(status.contains("500"), "{status}");
    let down = embed(EndpointProtocol::Ollama, "http://127.0.0.1:1".to_owned()).await;
    assert!(matches!(down, Err(EmbedError::Failed(_))), "{down:?}");
}
