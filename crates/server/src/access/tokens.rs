//! Tokens of others (JWT), checked with keys that were configured.
//!
//! What a token says of itself is not believed: the algorithm must be one that the configured key is for, so a
//! token without a signature, or one signed with a public key as if it were a password, opens nothing.

use std::collections::HashSet;
use std::fmt;

use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use store::{Principal, Timestamp};

use super::{AccessScope, Caller};
use crate::settings::IssuerSettings;

/// How long a token may be.
const MAX_TOKEN: usize = 16 << 10;
/// How far clocks may be apart, in seconds.
const LEEWAY: i64 = 30;

/// Whose tokens are taken.
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
        f.debug_struct("Issuer")
            .field("name", &self.name)
            .field("issuer", &self.issuer)
            .field("keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}

/// Why an issuer cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnusableIssuer {
    /// The keys cannot be read.
    #[error("the keys are no JWK set ({0}); save what the issuer publishes as jwks_uri")]
    NoKeySet(String),
    /// There is no key for signatures.
    #[error(
        "the JWK set has no key for signatures; RSA, EC (P-256, P-384), Ed25519 and oct are read"
    )]
    NoKey,
    /// A shared secret that can be guessed.
    #[error("a shared secret of the JWK set is shorter than 32 bytes; make a longer one")]
    ShortSecret,
}

impl TokenIssuer {
    /// An issuer with its keys: a JWK set as JSON.
    pub fn new(name: &str, settings: &IssuerSettings, keys: &str) -> Result<Self, UnusableIssuer> {
        let set: JwkSet = serde_json::from_str(keys)
            .map_err(|error| UnusableIssuer::NoKeySet(error.to_string()))?;
        let mut usable = Vec::new();
        for jwk in &set.keys {
            usable.extend(key(jwk)?);
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

/// A key and what it is for; none if it is not for signatures that are known here.
fn key(jwk: &Jwk) -> Result<Option<IssuerKey>, UnusableIssuer> {
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
            // Base64 makes four letters of three bytes.
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
                .is_none_or(|named| is(named, *algorithm))
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

fn is(named: KeyAlgorithm, algorithm: Algorithm) -> bool {
    // Both are written the same way.
    format!("{named:?}") == format!("{algorithm:?}")
}

#[derive(Debug, Deserialize)]
struct TokenClaims {
    sub: String,
    exp: i64,
    #[serde(default)]
    nbf: Option<i64>,
}

/// Whose token it is, or why it is refused.
pub(super) fn identify(
    issuers: &[TokenIssuer],
    token: &str,
    now: Timestamp,
) -> Result<Caller, &'static str> {
    if token.len() > MAX_TOKEN {
        return Err("it is longer than 16 KiB");
    }
    let header = decode_header(token)
        .map_err(|_| "it is no signed JWT, or signed in a way that is not taken")?;
    let mut signed = false;
    for issuer in issuers {
        for key in &issuer.keys {
            let other = header.kid.is_some() && key.id.is_some() && header.kid != key.id;
            if other || !key.algorithms.contains(&header.alg) {
                continue;
            }
            let mut validation = Validation::new(header.alg);
            // The time is ours to say.
            validation.validate_exp = false;
            validation.validate_nbf = false;
            validation.required_spec_claims = ["exp", "iss", "aud", "sub"]
                .map(str::to_owned)
                .into_iter()
                .collect::<HashSet<_>>();
            validation.set_issuer(&[&issuer.issuer]);
            validation.set_audience(&[&issuer.audience]);
            match decode::<TokenClaims>(token, &key.decoding, &validation) {
                Ok(decoded) => return accepted(issuer, &decoded.claims, now),
                Err(error) => {
                    use jsonwebtoken::errors::ErrorKind;
                    signed |= !matches!(error.kind(), ErrorKind::InvalidSignature);
                }
            }
        }
    }
    Err(if signed {
        "it is of another issuer, for somebody else, or lacks sub, exp, iss or aud"
    } else {
        "no configured key has signed it"
    })
}

fn accepted(
    issuer: &TokenIssuer,
    claims: &TokenClaims,
    now: Timestamp,
) -> Result<Caller, &'static str> {
    let seconds = now.0.div_euclid(1000);
    if claims.exp.saturating_add(LEEWAY) <= seconds {
        return Err("it has expired");
    }
    if claims
        .nbf
        .is_some_and(|from| from.saturating_sub(LEEWAY) > seconds)
    {
        return Err("it is not valid yet");
    }
    if claims.sub.is_empty() {
        return Err("its sub is empty");
    }
    // The name of the issuer comes first: nobody else's token, and no key, is mistaken for it.
    let principal = Principal::new(&format!("{}:{}", issuer.name, claims.sub))
        .map_err(|_| "its sub is too long or has a null character")?;
    Ok(Caller {
        principal,
        key: None,
        scopes: issuer.scopes.clone(),
        link: None,
    })
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
