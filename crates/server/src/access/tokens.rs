//! Tokens (JWT) of configured issuers.
//!
//! The algorithm that a token names is not trusted: it must be one that the configured key is for. Tokens without
//! a signature, or signed with a public key used as a shared secret, are rejected.

use std::collections::HashSet;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use store::{Principal, Timestamp};

use super::revocation::CredentialValidity;
use super::{AccessScope, Caller};
use crate::settings::IssuerSettings;

/// Maximum length of a token in bytes.
const MAX_TOKEN: usize = 16 << 10;
/// Tolerated difference between clocks, in seconds.
const LEEWAY: i64 = 30;

/// Issuer whose tokens are accepted, with its keys.
#[derive(Clone)]
pub struct TokenIssuer {
    name: String,
    issuer: String,
    audience: String,
    scopes: Vec<AccessScope>,
    keys: Vec<IssuerKey>,
}

#[derive(Clone)]
struct IssuerKey {
    id: Option<String>,
    decoding: DecodingKey,
    algorithms: Vec<Algorithm>,
}

impl fmt::Debug for TokenIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenIssuer")
            .field("name", &self.name)
            .field("issuer", &self.issuer)
            .field("keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}

/// Error in the configuration of an issuer.
#[derive(Debug, thiserror::Error)]
pub enum UnusableIssuer {
    /// The file is not a JWK set.
    #[error(
        "the key file is not a JWK set ({0}); save the document that the issuer publishes as jwks_uri"
    )]
    NoKeySet(String),
    /// No key of the set is for signatures.
    #[error(
        "the JWK set has no key for signatures; supported are RSA, EC (P-256, P-384), Ed25519 and oct"
    )]
    NoKey,
    /// A shared secret is short enough to be guessed.
    #[error("a shared secret of the JWK set is shorter than 32 bytes; use a longer one")]
    ShortSecret,
}

impl TokenIssuer {
    /// Creates an issuer from its settings and its keys, a JWK set as JSON.
    pub fn new(name: &str, settings: &IssuerSettings, keys: &str) -> Result<Self, UnusableIssuer> {
        let set: JwkSet = serde_json::from_str(keys)
            .map_err(|error| UnusableIssuer::NoKeySet(error.to_string()))?;
        let mut usable = Vec::new();
        for jwk in &set.keys {
            usable.extend(issuer_key(jwk)?);
        }
        if usable.is_empty() {
            return Err(UnusableIssuer::NoKey);
        }
        Ok(Self {
            name: name.to_owned(),
            issuer: settings.issuer.clone(),
            audience: settings.audience.clone(),
            scopes: settings.scopes.clone(),
            keys: usable,
        })
    }
}

/// Returns a key with its algorithms, or `None` if it is not for supported signatures.
fn issuer_key(jwk: &Jwk) -> Result<Option<IssuerKey>, UnusableIssuer> {
    if matches!(jwk.common.public_key_use, Some(PublicKeyUse::Encryption)) {
        return Ok(None);
    }
    let family: &[Algorithm] = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => &[
            Algorithm::RS256,
            Algorithm::RS384,
            Algorithm::RS512,
            Algorithm::PS256,
            Algorithm::PS384,
            Algorithm::PS512,
        ],
        AlgorithmParameters::EllipticCurve(curve) => match curve.curve {
            EllipticCurve::P256 => &[Algorithm::ES256],
            EllipticCurve::P384 => &[Algorithm::ES384],
            _ => &[],
        },
        AlgorithmParameters::OctetKeyPair(pair) => match pair.curve {
            EllipticCurve::Ed25519 => &[Algorithm::EdDSA],
            _ => &[],
        },
        AlgorithmParameters::OctetKey(secret) => {
            // 43 base64 characters encode 32 bytes.
            if secret.value.trim_end_matches('=').len() < 43 {
                return Err(UnusableIssuer::ShortSecret);
            }
            &[Algorithm::HS256, Algorithm::HS384, Algorithm::HS512]
        }
    };
    let algorithms: Vec<Algorithm> = family
        .iter()
        .copied()
        .filter(|algorithm| {
            jwk.common
                .key_algorithm
                .is_none_or(|named| is_same(named, *algorithm))
        })
        .collect();
    let Ok(decoding) = DecodingKey::from_jwk(jwk) else {
        return Ok(None);
    };
    Ok((!algorithms.is_empty()).then(|| IssuerKey {
        id: jwk.common.key_id.clone(),
        decoding,
        algorithms,
    }))
}

fn is_same(named: KeyAlgorithm, algorithm: Algorithm) -> bool {
    // The two enums of the library use the same names.
    format!("{named:?}") == format!("{algorithm:?}")
}

#[derive(Debug, Deserialize)]
struct TokenClaims {
    sub: String,
    /// Issuer. A list is rejected: its members would have to be trusted one by one.
    #[serde(rename = "iss")]
    _iss: String,
    exp: i64,
    #[serde(default)]
    nbf: Option<i64>,
}

/// Returns the sender of a token, or the reason for rejecting it.
pub(super) fn identify(
    issuers: &[TokenIssuer],
    token: &str,
    now: Timestamp,
) -> Result<Caller, &'static str> {
    if token.len() > MAX_TOKEN {
        return Err("longer than 16 KiB");
    }
    let header = decode_header(token)
        .map_err(|_| "not a signed JWT, or signed with an unsupported algorithm")?;
    if has_critical_extension(token) {
        return Err("crit names an extension that is not supported");
    }
    let mut has_valid_signature = false;
    for issuer in issuers {
        for key in &issuer.keys {
            let is_other_key = header.kid.is_some() && key.id.is_some() && header.kid != key.id;
            if is_other_key || !key.algorithms.contains(&header.alg) {
                continue;
            }
            let mut validation = Validation::new(header.alg);
            // Times are checked below, against the clock of the server.
            validation.validate_exp = false;
            validation.validate_nbf = false;
            validation.required_spec_claims = ["exp", "iss", "aud", "sub"]
                .map(str::to_owned)
                .into_iter()
                .collect::<HashSet<_>>();
            validation.set_issuer(&[&issuer.issuer]);
            validation.set_audience(&[&issuer.audience]);
            match decode::<TokenClaims>(token, &key.decoding, &validation) {
                Ok(decoded) => return accept(issuer, &decoded.claims, now),
                Err(error) => {
                    use jsonwebtoken::errors::ErrorKind;
                    has_valid_signature |= !matches!(error.kind(), ErrorKind::InvalidSignature);
                }
            }
        }
    }
    Err(if has_valid_signature {
        "wrong issuer or audience, or sub, exp, iss or aud missing"
    } else {
        "not signed by a configured key"
    })
}

/// Returns true if the header of a token has the member `crit`. It names extensions that must be understood, and none
/// is supported.
fn has_critical_extension(token: &str) -> bool {
    let header = token.split('.').next().unwrap_or_default();
    let header = URL_SAFE_NO_PAD.decode(header).unwrap_or_default();
    let header: Result<serde_json::Map<String, serde_json::Value>, _> =
        serde_json::from_slice(&header);
    header.is_ok_and(|header| header.contains_key("crit"))
}

fn accept(
    issuer: &TokenIssuer,
    claims: &TokenClaims,
    now: Timestamp,
) -> Result<Caller, &'static str> {
    let seconds = now.0.div_euclid(1000);
    let accepted_until = claims.exp.saturating_add(LEEWAY);
    if accepted_until <= seconds {
        return Err("expired");
    }
    if claims
        .nbf
        .is_some_and(|from| from.saturating_sub(LEEWAY) > seconds)
    {
        return Err("not valid yet");
    }
    if claims.sub.is_empty() {
        return Err("sub is empty");
    }
    // The prefix keeps principals of different issuers, and of keys, apart.
    let principal = Principal::new(&format!("{}:{}", issuer.name, claims.sub))
        .map_err(|_| "sub is too long or contains a null character")?;
    Ok(Caller {
        principal,
        key: None,
        scopes: issuer.scopes.clone(),
        link: None,
        validity: CredentialValidity {
            key: None,
            expires: Some(Timestamp(accepted_until.saturating_mul(1000))),
        },
    })
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
