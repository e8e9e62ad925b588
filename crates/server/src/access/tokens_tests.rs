//! Tests of accepted and rejected tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::*;

const NOW: Timestamp = Timestamp(1_800_000_000_000);
const SECRET: &[u8; 32] = b"0123456789abcdef0123456789abcdef";

fn settings() -> IssuerSettings {
    IssuerSettings {
        issuer: "https://login.example".to_owned(),
        audience: "pincite".to_owned(),
        keys: "unused".into(),
        scopes: vec![AccessScope::Read],
    }
}

fn shared() -> TokenIssuer {
    let keys = json!({"keys": [{"kty": "oct", "alg": "HS256", "kid": "1", "k": URL_SAFE_NO_PAD.encode(SECRET)}]});
    TokenIssuer::new("company", &settings(), &keys.to_string()).expect("usable")
}

/// Ed25519 key pair of the RFC 8037 appendix.
const ED_PRIVATE: &str = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
const ED_PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

fn public() -> TokenIssuer {
    let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": ED_PUBLIC}]});
    TokenIssuer::new("company", &settings(), &keys.to_string()).expect("usable")
}

fn ed_signing() -> EncodingKey {
    // PKCS #8, version 1: a fixed header and the 32 bytes of the key.
    let mut der = vec![
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04,
        0x20,
    ];
    der.extend(URL_SAFE_NO_PAD.decode(ED_PRIVATE).expect("base64"));
    EncodingKey::from_ed_der(&der)
}

fn claims() -> Value {
    json!({"sub": "ada", "iss": "https://login.example", "aud": "pincite", "exp": 1_800_000_060})
}

fn signed(claims: &Value) -> String {
    let key = EncodingKey::from_secret(SECRET);
    encode(&Header::new(Algorithm::HS256), claims, &key).expect("signed")
}

fn with(key: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[key] = value;
    claims
}

fn rejection(issuer: &TokenIssuer, token: &str) -> &'static str {
    identify(std::slice::from_ref(issuer), token, NOW).expect_err("rejected")
}

#[test]
fn accepts_valid_tokens() {
    let caller = identify(&[shared()], &signed(&claims()), NOW).expect("good");
    assert_eq!(caller.principal.as_str(), "company:ada");
    assert_eq!(caller.scopes, [AccessScope::Read]);
    let token = encode(&Header::new(Algorithm::EdDSA), &claims(), &ed_signing()).expect("signed");
    let caller = identify(&[shared(), public()], &token, NOW).expect("good");
    assert_eq!(caller.principal.as_str(), "company:ada");
    // Several audiences may be named.
    let several = signed(&with("aud", json!(["other", "pincite"])));
    identify(&[shared()], &several, NOW).expect("good");
}

#[test]
fn rejects_tokens_without_a_signature() {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    for algorithm in ["none", "None", "NONE", "nOnE", ""] {
        let head = part(&json!({"alg": algorithm, "typ": "JWT"}));
        for signature in ["", "AAAA"] {
            let token = format!("{head}.{}.{signature}", part(&claims()));
            rejection(&shared(), &token);
            rejection(&public(), &token);
        }
    }
    // A valid token with its signature removed.
    let good = signed(&claims());
    let (unsigned, _) = good.rsplit_once('.').expect("three parts");
    rejection(&shared(), &format!("{unsigned}."));
}

#[test]
fn rejects_extensions_that_must_be_understood() {
    for crit in [json!(["b64"]), json!(["exp"]), json!([]), json!("x")] {
        let header = json!({"alg": "HS256", "typ": "JWT", "crit": crit, "b64": true});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&header), part(&claims()));
        let key = EncodingKey::from_secret(SECRET);
        let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, Algorithm::HS256);
        let token = format!("{message}.{}", signature.expect("signed"));
        assert_eq!(
            rejection(&shared(), &token),
            "crit names an extension that is not supported",
            "{crit}"
        );
    }
}

#[test]
fn rejects_a_list_of_issuers() {
    for issuers in [
        json!(["https://login.example"]),
        json!(["https://evil.example", "https://login.example"]),
        json!([]),
        json!({"https://login.example": true}),
    ] {
        let reason = rejection(&shared(), &signed(&with("iss", issuers)));
        assert!(reason.starts_with("wrong issuer"), "{reason}");
    }
}

#[test]
fn rejects_a_public_key_used_as_a_shared_secret() {
    let der = URL_SAFE_NO_PAD.decode(ED_PUBLIC).expect("base64");
    for secret in [der.as_slice(), ED_PUBLIC.as_bytes()] {
        let key = EncodingKey::from_secret(secret);
        for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
            let token = encode(&Header::new(algorithm), &claims(), &key).expect("signed");
            assert_eq!(
                rejection(&public(), &token),
                "not signed by a configured key"
            );
        }
    }
}

#[test]
fn rejects_an_algorithm_that_the_key_is_not_for() {
    let key = EncodingKey::from_secret(SECRET);
    let token = encode(&Header::new(Algorithm::HS512), &claims(), &key).expect("signed");
    assert_eq!(
        rejection(&shared(), &token),
        "not signed by a configured key"
    );
}

#[test]
fn checks_time_issuer_and_audience() {
    let second = NOW.0 / 1000;
    assert_eq!(
        rejection(&shared(), &signed(&with("exp", json!(second - 31)))),
        "expired"
    );
    identify(&[shared()], &signed(&with("exp", json!(second - 29))), NOW).expect("clocks differ");
    assert_eq!(
        rejection(&shared(), &signed(&with("nbf", json!(second + 31)))),
        "not valid yet"
    );
    identify(&[shared()], &signed(&with("nbf", json!(second + 29))), NOW).expect("clocks differ");
    let elsewhere = "wrong issuer or audience, or sub, exp, iss or aud missing";
    for wrong in [
        with("iss", json!("https://evil.example")),
        with("aud", json!("another-service")),
        with("aud", json!([])),
        with("aud", Value::Null),
        with("iss", Value::Null),
        with("exp", Value::Null),
        with("exp", json!("tomorrow")),
        with("sub", Value::Null),
        with("sub", json!(7)),
    ] {
        assert_eq!(rejection(&shared(), &signed(&wrong)), elsewhere, "{wrong}");
    }
    assert_eq!(
        rejection(&shared(), &signed(&with("sub", json!("")))),
        "sub is empty"
    );
    rejection(&shared(), &signed(&with("sub", json!("x".repeat(600)))));
}

#[test]
fn rejects_unknown_keys_and_changed_tokens() {
    let other = EncodingKey::from_secret(b"another secret of 32 bytes ......");
    let token = encode(&Header::new(Algorithm::HS256), &claims(), &other).expect("signed");
    assert_eq!(
        rejection(&shared(), &token),
        "not signed by a configured key"
    );
    let good = signed(&claims());
    for at in (0..good.len()).step_by(7) {
        let mut changed = good.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        if changed != good.as_bytes() {
            rejection(&shared(), &String::from_utf8(changed).expect("ASCII"));
        }
    }
    let header = Header {
        kid: Some("2".to_owned()),
        ..Header::new(Algorithm::HS256)
    };
    let token = encode(&header, &claims(), &EncodingKey::from_secret(SECRET)).expect("signed");
    assert_eq!(
        rejection(&shared(), &token),
        "not signed by a configured key"
    );
    rejection(&shared(), &"a.".repeat(20_000));
}

#[test]
fn rejects_unusable_key_sets() {
    let new = |keys: Value| TokenIssuer::new("company", &settings(), &keys.to_string());
    assert!(matches!(new(json!({})), Err(UnusableIssuer::NoKeySet(_))));
    assert!(matches!(
        new(json!({"keys": []})),
        Err(UnusableIssuer::NoKey)
    ));
    let short = json!({"keys": [{"kty": "oct", "k": URL_SAFE_NO_PAD.encode("secret")}]});
    assert!(matches!(new(short), Err(UnusableIssuer::ShortSecret)));
    let sealing = json!({"keys": [{"kty": "OKP", "use": "enc", "crv": "Ed25519", "x": ED_PUBLIC}]});
    assert!(matches!(new(sealing), Err(UnusableIssuer::NoKey)));
}
