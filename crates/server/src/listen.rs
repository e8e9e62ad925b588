//! Accepting connections: their number, and the time and size limits of request heads.

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
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;

use crate::settings::LimitSettings;

/// Maximum size of a request head in bytes.
const MAX_HEAD: usize = 64 << 10;
/// Maximum number of headers of a request.
const MAX_HEADERS: usize = 100;
/// Maximum number of simultaneous requests on one HTTP/2 connection.
const MAX_STREAMS: u32 = 200;
/// Grace period for open responses when the server shuts down.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);
/// Pause after a failed accept, for example when file descriptors run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Idle time after which TCP asks if the client is still there.
const KEEP_ALIVE_TIME: Duration = Duration::from_secs(15);
/// Interval between two such questions.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// Number of questions without an answer after which the connection is closed.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
const KEEP_ALIVE_RETRIES: u32 = 4;
/// Time after which a connection is closed if the client does not acknowledge data.
#[cfg(any(target_os = "linux", target_os = "android"))]
const USER_TIMEOUT: Duration = Duration::from_secs(30);

/// Serves connections until `shutdown` is ready, then waits for open responses.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &LimitSettings,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new());
    let header_timeout = limits.header_timeout.0;
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX))
        .max_concurrent_streams(MAX_STREAMS)
        // Detects clients that disappeared without closing the connection.
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20));
    let builder = Arc::new(builder);
    let connections = Arc::new(Semaphore::new(
        limits.connections.clamp(1, Semaphore::MAX_PERMITS),
    ));
    let graceful = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let permit = connections.clone().acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (socket, permit) = tokio::select! {
            (accepted, permit) = accepted => match accepted {
                Ok((socket, _)) => (socket, permit),
                Err(error) => {
                    // Out of file descriptors, or the client disconnected at once.
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = &mut shutdown => break,
        };
        let watcher = graceful.watcher();
        let (builder, router) = (builder.clone(), router.clone());
        tokio::spawn(async move {
            serve_connection(socket, &builder, router, header_timeout, watcher).await;
            drop(permit);
        });
    }
    drop(listener);
    if timeout(SHUTDOWN_GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("connections were still open after the grace period and were closed");
    }
    Ok(())
}

/// Sends events without delay, and closes the connection of a client whose network has vanished within a minute.
fn set_options(socket: &TcpStream) {
    // A socket that rejects an option still works.
    let _ = socket.set_nodelay(true);
    let keep_alive = TcpKeepalive::new()
        .with_time(KEEP_ALIVE_TIME)
        .with_interval(KEEP_ALIVE_INTERVAL);
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    let keep_alive = keep_alive.with_retries(KEEP_ALIVE_RETRIES);
    let socket = SockRef::from(socket);
    let _ = socket.set_tcp_keepalive(&keep_alive);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = socket.set_tcp_user_timeout(Some(USER_TIMEOUT));
}

async fn serve_connection(
    socket: TcpStream,
    builder: &Builder<TokioExecutor>,
    router: Router,
    header_timeout: Duration,
    watcher: hyper_util::server::graceful::Watcher,
) {
    set_options(&socket);
    let has_request = Arc::new(AtomicBool::new(false));
    let on_request = has_request.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        on_request.store(true, Ordering::Relaxed);
        router.clone().oneshot(request.map(Body::new))
    });
    let connection = builder.serve_connection(TokioIo::new(socket), service);
    let mut connection = std::pin::pin!(watcher.watch(connection.into_owned()));
    // No other timeout applies until the protocol is known, so a connection without a request is closed here.
    let first = timeout(header_timeout, connection.as_mut()).await;
    if first.is_err() && has_request.load(Ordering::Relaxed) {
        // Errors at the end of a connection are the client's.
        let _ = connection.await;
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn vanished_clients_are_detected_within_a_minute() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (_client, (socket, _)) = (client.expect("connected"), accepted.expect("accepted"));
        set_options(&socket);
        let socket = SockRef::from(&socket);
        assert_eq!(socket.keepalive().ok(), Some(true));
        let time = socket.tcp_keepalive_time().expect("set");
        let interval = socket.tcp_keepalive_interval().expect("set");
        let retries = socket.tcp_keepalive_retries().expect("set");
        let minute = Duration::from_secs(60);
        assert!(time + interval * retries < minute, "an idle connection");
        let user_timeout = socket.tcp_user_timeout().expect("set");
        // It is noticed at the first retransmission after the timeout, which may be up to half of it later.
        assert!(
            user_timeout.is_some_and(|timeout| timeout * 3 / 2 <= minute),
            "unacknowledged data"
        );
    }
}
