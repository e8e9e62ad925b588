//! Access control, limits and security headers, as clients see them.

use std::sync::atomic::{AtomicI64, Ordering};

use server::access::{AccessScope, TokenIssuer};
use server::settings::{AgentSettings, IssuerSettings, LimitSettings, Settings};

use store::{AccessStore, PageRequest, Principal, Timestamp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::test_server::{BOTH, TestServer};

#[tokio::test]
async fn requests_need_a_key_as_soon_as_one_exists() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let local = server.send_with_key("whatever", "GET", "/me").await;
    assert_eq!(local.status, 200);
    assert_eq!(local.json()["principal"].as_str(), Some("local"));

    let key = server.key("ada", BOTH, None).await;
    let rejected = server.send("GET", "/me", "", "").await;
    assert_eq!(
        (rejected.status, rejected.code().as_str()),
        (401, "unauthorized")
    );
    assert!(
        rejected
            .header("www-authenticate")
            .is_some_and(|wanted| wanted.starts_with("Bearer"))
    );
    assert_eq!(
        server
            .send_with_key("sk-dc-wrong", "GET", "/documents")
            .await
            .status,
        401
    );
    assert_eq!(
        server
            .send_with_key(&key.key.id, "GET", "/documents")
            .await
            .status,
        401
    );
    let ada = server.send_with_key(&key.secret, "GET", "/me").await;
    assert_eq!(ada.json()["principal"].as_str(), Some("ada"));
    let own_header = format!("X-Api-Key: {}\r\n", key.secret);
    assert_eq!(server.send("GET", "/me", &own_header, "").await.status, 200);
    // Health checks need no key.
    assert_eq!(server.send("GET", "/healthz", "", "").await.status, 200);

    // Revoking works at once, and deleting the last key does not open the server.
    let revoked = server.store.revoke_key(&key.key.id, Timestamp(5));
    assert!(revoked.await.expect("revoked"));
    assert_eq!(
        server.send_with_key(&key.secret, "GET", "/me").await.status,
        401
    );
    server
        .store
        .delete_principal(&Principal::new("ada").expect("a name"))
        .await
        .expect("forgotten");
    assert_eq!(server.send("GET", "/me", "", "").await.status, 401);
    let expired = server.key("bob", BOTH, Some(1_000)).await;
    let answer = server.send_with_key(&expired.secret, "GET", "/me").await;
    assert_eq!(answer.status, 401);
    assert!(answer.body.contains("expired"));
}

#[tokio::test]
async fn keys_grant_their_scopes_only() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let reader = server.key("ada", &[AccessScope::Read], None).await;
    let writer = server.key("ada", &[AccessScope::Write], None).await;
    let admin = server.key("ada", &[AccessScope::Admin], None).await;
    for (key, method, path, status) in [
        (&reader, "GET", "/documents", 200),
        (&reader, "DELETE", "/documents/x", 403),
        (&reader, "POST", "/agents/none", 403),
        (&reader, "GET", "/metrics", 403),
        (&writer, "GET", "/documents", 403),
        (&writer, "DELETE", "/documents/x", 404),
        (&writer, "POST", "/agents/none", 404),
        (&admin, "GET", "/metrics", 200),
        (&admin, "GET", "/documents", 403),
    ] {
        let answer = server.send_with_key(&key.secret, method, path).await;
        assert_eq!(
            answer.status, status,
            "{:?} {method} {path}",
            key.key.scopes
        );
        if status == 403 {
            assert_eq!(answer.code(), "scope_missing");
        }
    }
}

#[tokio::test]
async fn evidence_of_other_principals_is_not_found() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let (ada, bob) = (
        server.key("ada", BOTH, None).await,
        server.key("bob", BOTH, None).await,
    );
    server.keep_evidence("ada", "e1").await;
    assert_eq!(
        server
            .send_with_key(&ada.secret, "GET", "/p/e1")
            .await
            .status,
        200
    );
    for path in ["/p/e1", "/p/e"] {
        let there = server.send_with_key(&bob.secret, "GET", path).await;
        assert_eq!(there.status, 404);
        let nowhere = server.send_with_key(&bob.secret, "GET", "/p/nothing").await;
        assert_eq!(
            there.json()["error"]["message"],
            nowhere.json()["error"]["message"]
        );
    }
    assert_eq!(
        server
            .send_with_key(&bob.secret, "POST", "/p/e1/links")
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn signed_links_open_one_page_without_a_key() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let ada = server.key("ada", BOTH, None).await;
    server.keep_evidence("ada", "e1").await;
    server.keep_evidence("ada", "e2").await;
    let made = server
        .send_with_key(&ada.secret, "POST", "/p/e1/links")
        .await;
    assert_eq!(made.status, 201, "{}", made.body);
    let made = made.json();
    let url = made["url"].as_str().expect("a link");
    assert!(url.starts_with("/p/e1?token="), "{url}");
    assert_eq!(server.send("GET", url, "", "").await.status, 200);
    let other = url.replace("/p/e1", "/p/e2");
    let rejected = server.send("GET", &other, "", "").await;
    assert_eq!(
        (rejected.status, rejected.code().as_str()),
        (403, "link_refused")
    );
    let elsewhere = url.replace("/p/e1", "/documents");
    assert_eq!(server.send("GET", &elsewhere, "", "").await.status, 401);
    let headers = format!("Authorization: Bearer {}\r\n", ada.secret);
    for seconds in ["1e12", "0", "1.5", "-1", "\"7\""] {
        let body = format!("{{\"seconds\":{seconds}}}");
        let answer = server.send("POST", "/p/e1/links", &headers, &body).await;
        assert_eq!(answer.status, 422, "{seconds}");
    }
}

#[tokio::test]
async fn tokens_of_a_configured_issuer_are_accepted() {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let secret = [9_u8; 32];
    let keys = format!(
        r#"{{"keys":[{{"kty":"oct","alg":"HS256","k":"{}"}}]}}"#,
        URL_SAFE_NO_PAD.encode(secret)
    );
    let issuer = IssuerSettings {
        issuer: "https://login.example".to_owned(),
        audience: "pincite".to_owned(),
        keys: "unused".into(),
        scopes: BOTH.to_vec(),
    };
    let issuer = TokenIssuer::new("company", &issuer, &keys).expect("usable");
    let server = TestServer::start(Settings::default(), vec![issuer]).await;
    assert_eq!(server.send("GET", "/me", "", "").await.status, 401);
    let claims = serde_json::json!({
        "sub": "ada", "iss": "https://login.example", "aud": "pincite", "exp": 4_000_000_000_i64
    });
    let signing = jsonwebtoken::EncodingKey::from_secret(&secret);
    let token = jsonwebtoken::encode(&Default::default(), &claims, &signing).expect("signed");
    let me = server.send_with_key(&token, "GET", "/me").await;
    assert_eq!(me.json()["principal"].as_str(), Some("company:ada"));
    let head = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
    let unsigned = format!("{head}.{}.", URL_SAFE_NO_PAD.encode(claims.to_string()));
    let rejected = server.send_with_key(&unsigned, "GET", "/me").await;
    assert_eq!(
        (rejected.status, rejected.code().as_str()),
        (401, "unauthorized")
    );
}

#[tokio::test]
async fn too_many_requests_are_rejected_with_retry_after() {
    let settings = Settings {
        limits: LimitSettings {
            requests_per_minute: 12,
            ..LimitSettings::default()
        },
        ..Settings::default()
    };
    let server = TestServer::start(settings, Vec::new()).await;
    let ada = server.key("ada", BOTH, None).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(server.send_with_key(&ada.secret, "GET", "/me").await);
    }
    let rejected = &statuses[2];
    assert_eq!((statuses[1].status, rejected.status), (200, 429));
    assert_eq!(rejected.code(), "too_many_requests");
    let wait: u64 = rejected
        .header("retry-after")
        .expect("said")
        .parse()
        .expect("seconds");
    assert!((1..=5).contains(&wait), "{wait}");
    let bob = server.key("bob", BOTH, None).await;
    assert_eq!(
        server.send_with_key(&bob.secret, "GET", "/me").await.status,
        200
    );
}

/// Agent that records the requests it receives.
async fn upstream() -> (String, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let (sender, heads) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut received = vec![0; 64 << 10];
            let length = socket.read(&mut received).await.unwrap_or_default();
            let _ = sender.send(String::from_utf8_lossy(&received[..length]).into_owned());
            let _ = socket
                .write_all(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .await;
        }
    });
    (url, heads)
}

#[tokio::test]
async fn keys_are_never_forwarded_to_agents() {
    let (url, mut heads) = upstream().await;
    let mut agent = AgentSettings::at(url);
    agent.forward_headers = ["authorization", "x-api-key", "x-tenant"]
        .map(str::to_owned)
        .to_vec();
    let mut settings = Settings::default();
    settings.agents.insert("up".to_owned(), agent);
    let server = TestServer::start(settings, Vec::new()).await;
    let input =
        r#"{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"hi"}]}"#;

    // Without keys, the header is the client's own; it is listed, so it is forwarded.
    let open = "Authorization: Bearer theirs\r\nX-Tenant: 7\r\n";
    server.send("POST", "/agents/up", open, input).await;
    let head = heads.recv().await.expect("asked").to_lowercase();
    assert!(
        head.contains("authorization: bearer theirs") && head.contains("x-tenant: 7"),
        "{head}"
    );

    let key = server.key("ada", BOTH, None).await;
    for (headers, theirs) in [
        (format!("Authorization: Bearer {}\r\n", key.secret), false),
        (
            format!(
                "X-Api-Key: {}\r\nAuthorization: Bearer theirs\r\n",
                key.secret
            ),
            true,
        ),
        (
            format!(
                "X-Api-Key: {0}\r\nAuthorization: Bearer {0}\r\n",
                key.secret
            ),
            false,
        ),
    ] {
        let input = input.replace("\"r\"", &format!("\"{}\"", uuid::Uuid::new_v4()));
        let run = server.send("POST", "/agents/up", &headers, &input).await;
        assert_eq!(run.status, 200, "{}", run.body);
        let head = heads.recv().await.expect("asked");
        assert!(!head.contains(&key.secret), "{head}");
        assert_eq!(
            head.to_lowercase().contains("authorization: bearer theirs"),
            theirs,
            "{head}"
        );
    }
}

#[tokio::test]
async fn reads_are_in_the_audit_log() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let ada = server.key("ada", BOTH, None).await;
    server.keep_evidence("ada", "e1").await;
    let headers = format!(
        "Authorization: Bearer {}\r\nX-Request-Id: r-1\r\n",
        ada.secret
    );
    assert_eq!(server.send("GET", "/p/e1", &headers, "").await.status, 200);
    assert_eq!(
        server
            .send_with_key(&ada.secret, "GET", "/p/none")
            .await
            .status,
        404
    );
    let audited = server
        .store
        .audit_entries(None, &PageRequest::first(10))
        .await
        .expect("a record");
    let [entry] = audited.items.as_slice() else {
        panic!("one entry: {audited:?}");
    };
    assert_eq!(
        (entry.action.as_str(), entry.target.as_str()),
        ("evidence.read", "/p/e1")
    );
    assert_eq!(entry.key.as_deref(), Some(ada.key.id.as_str()));
    assert_eq!(entry.request.as_deref(), Some("r-1"));
}

#[tokio::test]
async fn principals_can_be_exported_and_deleted() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let ada = server.key("ada", BOTH, None).await;
    server.keep_evidence("ada", "e1").await;
    let export = server.send_with_key(&ada.secret, "GET", "/me/export").await;
    assert_eq!(export.status, 200);
    assert!(export.body.contains("the quay") && export.body.contains(r#""kind":"end""#));
    let others = server.send_with_key(&ada.secret, "GET", "/me/export?principal=bob");
    assert_eq!(others.await.code(), "scope_missing");
    let bare = server.send_with_key(&ada.secret, "DELETE", "/me").await;
    assert_eq!(bare.status, 422, "without confirmation");
    let gone = server
        .send_with_key(&ada.secret, "DELETE", "/me?confirm=ada")
        .await;
    assert_eq!(gone.status, 200, "{}", gone.body);
    assert_eq!(
        server
            .send_with_key(&ada.secret, "GET", "/p/e1")
            .await
            .status,
        401,
        "the key was deleted, too"
    );
    let admin = server
        .key("root", &[AccessScope::Admin, AccessScope::Read], None)
        .await;
    let audit = server
        .send_with_key(&admin.secret, "GET", "/audit?all=true")
        .await;
    assert!(audit.body.contains("principal.forgotten"), "{}", audit.body);
    let own = server.send_with_key(&admin.secret, "GET", "/audit").await;
    assert!(!own.body.contains("principal.forgotten"));
}

static CLOCK: AtomicI64 = AtomicI64::new(NOON);
const NOON: i64 = 1_800_000_000_000;
const HOUR: i64 = 3_600_000;

fn set_clock(hours: i64) {
    CLOCK.store(NOON + hours * HOUR, Ordering::Relaxed);
}

#[tokio::test]
async fn clock_changes_affect_key_expiry_but_not_rate_limits() {
    let settings = Settings {
        limits: LimitSettings {
            requests_per_minute: 60,
            ..LimitSettings::default()
        },
        ..Settings::default()
    };
    let clock = || Timestamp(CLOCK.load(Ordering::Relaxed));
    let server = TestServer::with_clock(settings, Vec::new(), clock).await;
    let ada = server.key("ada", BOTH, Some(NOON + HOUR)).await;
    let status = async |hours| {
        set_clock(hours);
        server.send_with_key(&ada.secret, "GET", "/me").await.status
    };
    assert_eq!(status(0).await, 200);
    assert_eq!(status(2).await, 401, "expired");
    assert_eq!(status(-48).await, 200, "the clock was set back");
    // Jumps of the clock neither raise nor lower the rate limit.
    let mut rejected = 0;
    for request in 0..40 {
        let hours = if request % 2 == 0 { 0 } else { -100 };
        match status(hours).await {
            429 => rejected += 1,
            status => assert_eq!(status, 200),
        }
    }
    assert!(rejected > 20, "{rejected} of 40");
}
