//! TLS with the certificates that the platform trusts.

use std::sync::{Arc, OnceLock};

use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::ServerName;

pub use tokio_rustls::rustls::ClientConfig as TlsConfig;

/// TLS configuration that is created on first use, because reading the platform's certificates takes a while.
#[derive(Debug, Default)]
pub struct LazyTlsConfig(OnceLock<Result<Arc<TlsConfig>, String>>);

impl LazyTlsConfig {
    /// Uses this configuration instead of the platform's.
    pub fn with(config: Arc<TlsConfig>) -> Self {
        Self(OnceLock::from(Ok(config)))
    }

    /// Returns the configuration, or the reason why the platform's certificates cannot be read.
    pub fn get(&self) -> Result<Arc<TlsConfig>, String> {
        self.0.get_or_init(platform_config).clone()
    }
}

fn platform_config() -> Result<Arc<TlsConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = TlsConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|error| error.to_string())?
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Performs the TLS handshake with a host. `host` is a name or an address without brackets.
pub async fn handshake(
    tcp: TcpStream,
    host: &str,
    config: Arc<TlsConfig>,
) -> Result<TlsStream<TcpStream>, String> {
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| "the host name cannot be in a certificate".to_owned())?;
    TlsConnector::from(config)
        .connect(name, tcp)
        .await
        .map_err(|error| error.to_string())
}
