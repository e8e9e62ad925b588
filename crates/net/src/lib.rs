//! Network access that every part of the program shares.
//!
//! [`tls`] holds the certificates that the platform trusts, [`proxy`] the platform's proxies, and [`connect`]
//! opens plain and secure connections, through a proxy where one is configured. [`fetch`] downloads documents
//! from hosts that the operator allowed, at public addresses only ([`is_public`]). This crate knows nothing of
//! documents, agents or AG-UI.

pub mod connect;
pub mod fetch;
pub mod proxy;
mod public_address;
pub mod tls;
mod url_secrets;

pub use fetch::{
    FetchError, FetchLimits, FetchPolicy, FetchedDocument, Fetcher, InvalidHost, Resolved, Resolver,
};
pub use public_address::is_public;
pub use tls::TlsConfig;
pub use url_secrets::hide_url_secrets;

/// Waits for an exchange on a connection while the connection is driven. Both end together.
pub async fn drive_connection<T>(connection: impl Future, exchange: impl Future<Output = T>) -> T {
    tokio::pin!(exchange, connection);
    let mut is_open = true;
    loop {
        tokio::select! {
            answer = &mut exchange => return answer,
            // An error of the connection reaches the exchange by itself.
            _ = &mut connection, if is_open => is_open = false,
        }
    }
}
