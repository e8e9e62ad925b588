//! Sessions of browsers, as the console uses them.

use json::Value;
use server::settings::Settings;
use store::{AccessStore, Timestamp};

use crate::test_server::{BOTH, TestServer};

#[tokio::test]
async fn a_browser_needs_no_session_without_keys() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let session = server.send("GET", "/session", "", "").await.json();
    assert_eq!(session["needsKey"], Value::Bool(false));
    assert_eq!(session["principal"].as_str(), Some("local"));
    assert_eq!(session["csrfToken"], Value::Null);
}

#[tokio::test]
async fn a_key_is_exchanged_for_a_session_that_ends_with_it() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let key = server.key("ada", BOTH, None).await;
    let open = server.send("GET", "/session", "", "").await;
    assert_eq!(open.status, 200);
    assert_eq!(open.json()["principal"], Value::Null);
    let wrong = server
        .send("POST", "/session", "", r#"{"key":"sk-dc-wrong"}"#)
        .await;
    assert_eq!(wrong.status, 401);
    assert!(wrong.header("set-cookie").is_none());

    let body = format!(r#"{{"key":"{}"}}"#, key.secret);
    let created = server.send("POST", "/session", "", &body).await;
    assert_eq!(created.status, 200);
    let set = created.header("set-cookie").expect("a cookie");
    assert!(
        set.contains("HttpOnly") && set.contains("SameSite=Strict"),
        "{set}"
    );
    let cookie = set.split(';').next().expect("a pair");
    let token = created.json()["csrfToken"]
        .as_str()
        .expect("a token")
        .to_owned();
    let cookie = format!("Cookie: theme=dark; {cookie}\r\n");
    let protected = format!("{cookie}X-CSRF-Token: {token}\r\n");

    let me = server.send("GET", "/me", &cookie, "").await;
    assert_eq!(me.json()["principal"].as_str(), Some("ada"));
    let restored = server.send("GET", "/session", &cookie, "").await.json();
    assert_eq!(restored["csrfToken"].as_str(), Some(token.as_str()));
    let forged = server.send("DELETE", "/documents/x", &cookie, "").await;
    assert_eq!((forged.status, forged.code().as_str()), (403, "forbidden"));
    let own = server.send("DELETE", "/documents/x", &protected, "").await;
    assert_eq!(own.status, 404, "the document does not exist");

    // A revoked key ends its sessions.
    let revoked = server.store.revoke_key(&key.key.id, Timestamp(5));
    assert!(revoked.await.expect("revoked"));
    assert_eq!(server.send("GET", "/me", &cookie, "").await.status, 401);
}

#[tokio::test]
async fn signing_out_ends_the_session() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let key = server.key("ada", BOTH, None).await;
    let body = format!(r#"{{"key":"{}"}}"#, key.secret);
    let created = server.send("POST", "/session", "", &body).await;
    let cookie = created.header("set-cookie").expect("a cookie");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().expect("a pair"));
    let token = created.json()["csrfToken"]
        .as_str()
        .expect("a token")
        .to_owned();
    assert_eq!(
        server.send("DELETE", "/session", &cookie, "").await.status,
        403
    );
    let protected = format!("{cookie}X-CSRF-Token: {token}\r\n");
    let ended = server.send("DELETE", "/session", &protected, "").await;
    let removed = ended.header("set-cookie").expect("a removal");
    assert!(removed.contains("Max-Age=0"), "{removed}");
    assert_eq!(server.send("GET", "/me", &cookie, "").await.status, 401);
}

#[tokio::test]
async fn evidence_is_returned_as_json() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    server.keep_evidence("local", "e1").await;
    let evidence = server.send("GET", "/p/e1?format=json", "", "").await;
    assert_eq!(evidence.status, 200);
    let evidence = evidence.json();
    assert_eq!(evidence["quote"].as_str(), Some("the quay"));
    assert_eq!(evidence["status"].as_str(), Some("found"));
    assert_eq!(evidence["words"].as_str(), Some("verified"));
    assert_eq!(evidence["isNearest"], Value::Bool(false));
}
