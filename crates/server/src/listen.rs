//! Connections: how many, and how long a client may take to say what it wants.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;

use crate::settings::LimitSettings;

/// How long the head of a request may be.
const MAX_HEAD: usize = 64 << 10;
/// How many headers a request may have.
const MAX_HEADERS: usize = 100;
/// How many requests one connection may make at once.
const MAX_STREAMS: u32 = 200;
/// How long the last answers may take when the server ends.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long nothing is accepted when there is no room for one more.
const FULL: Duration = Duration::from_millis(50);

/// Serves connections until `shutdown` is ready, then lets them finish.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &LimitSettings,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new());
    let patience = limits.header_timeout.0;
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX))
        .max_concurrent_streams(MAX_STREAMS)
        // A client that is gone without a word is found out.
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20));
    let builder = Arc::new(builder);
    let room = Arc::new(Semaphore::new(
        limits.connections.clamp(1, Semaphore::MAX_PERMITS),
    ));
    let graceful = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let place = room.clone().acquire_owned().await;
            (listener.accept().await, place)
        };
        let (socket, place) = tokio::select! {
            (accepted, place) = accepted => match accepted {
                Ok((socket, _)) => (socket, place),
                Err(error) => {
                    // Out of file descriptors, or the client went away at once.
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(FULL).await;
                    continue;
                }
            },
            () = &mut shutdown => break,
        };
        let watcher = graceful.watcher();
        let (builder, router) = (builder.clone(), router.clone());
        tokio::spawn(async move {
            connection(socket, &builder, router, patience, watcher).await;
            drop(place);
        });
    }
    drop(listener);
    if timeout(FAREWELL, graceful.shutdown()).await.is_err() {
        tracing::warn!("some connections were still open at the end");
    }
    Ok(())
}

async fn connection(
    socket: TcpStream,
    builder: &Builder<TokioExecutor>,
    router: Router,
    patience: Duration,
    watcher: hyper_util::server::graceful::Watcher,
) {
    // An event is sent when it is there; a socket that cannot do that still works.
    let _ = socket.set_nodelay(true);
    let asked = Arc::new(AtomicBool::new(false));
    let noting = asked.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        noting.store(true, Ordering::Relaxed);
        router.clone().oneshot(request.map(Body::new))
    });
    let connection = builder.serve_connection(TokioIo::new(socket), service);
    let mut connection = std::pin::pin!(watcher.watch(connection.into_owned()));
    // Whoever has asked nothing by then never will: until the protocol is known no other limit holds.
    let first = timeout(patience, connection.as_mut()).await;
    if first.is_err() && asked.load(Ordering::Relaxed) {
        // How a connection ends is the client's business.
        let _ = connection.await;
    }
}
