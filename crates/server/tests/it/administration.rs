//! Administration over HTTP: upstream agents, access keys, and the description of the server.

use json::Value;
use server::access::AccessScope;
use server::settings::{AgentSettings, Settings};
use store::{StoredUpstream, Timestamp, UpstreamStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::test_server::{BOTH, TestServer};

const ADMIN: &[AccessScope] = &[AccessScope::Read, AccessScope::Write, AccessScope::Admin];

/// Starts an agent that answers every request with these events. Returns its address.
async fn agent(events: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let _ = socket.read(&mut head).await;
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n{events}"
            );
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    format!("http://{address}/")
}

fn agent_names(list: &Value) -> Vec<(String, String)> {
    let items = list["items"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items
        .iter()
        .map(|item| (text(&item["name"]), text(&item["origin"])))
        .collect()
}

#[tokio::test]
async fn upstreams_are_added_checked_stored_and_removed() {
    let url =
        agent("data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n").await;
    let configured = AgentSettings::at("http://127.0.0.1:1/");
    let settings = Settings {
        agents: [("fixed".to_owned(), configured)].into(),
        ..Settings::default()
    };
    let server = TestServer::start(settings, Vec::new()).await;
    let body = format!(r#"{{"url":"{url}?token=secret","headers":{{"X-Token":"hidden"}}}}"#);
    let added = server.send("PUT", "/agents/mine", "", &body).await;
    assert_eq!(added.status, 200, "{}", added.body);
    assert_eq!(added.json()["origin"].as_str(), Some("added"));
    assert!(!added.body.contains("secret") && !added.body.contains("hidden"));

    let list = server.send("GET", "/agents", "", "").await.json();
    let pair = |name: &str, origin: &str| (name.to_owned(), origin.to_owned());
    assert_eq!(
        agent_names(&list),
        [pair("fixed", "configuration"), pair("mine", "added")]
    );
    let stored = server.store.upstreams().await.expect("a list");
    assert_eq!(stored.len(), 1);

    let check = server.send("POST", "/agents/mine/check", "", "").await;
    assert_eq!(check.json()["state"].as_str(), Some("ok"), "{}", check.body);
    let failed = server.send("POST", "/agents/fixed/check", "", "").await;
    assert_eq!(failed.json()["state"].as_str(), Some("fail"));
    assert!(failed.json()["hint"].as_str().is_some());

    for method in ["PUT", "DELETE"] {
        let refused = server.send(method, "/agents/fixed", "", &body).await;
        assert_eq!(
            (refused.status, refused.code()),
            (409, "conflict".to_owned())
        );
    }
    let removed = server.send("DELETE", "/agents/mine", "", "").await;
    assert_eq!(removed.status, 200);
    assert_eq!(server.send("GET", "/agents/mine", "", "").await.status, 404);
    assert_eq!(
        server.send("DELETE", "/agents/mine", "", "").await.status,
        404
    );
    assert!(server.store.upstreams().await.expect("a list").is_empty());
}

#[tokio::test]
async fn bad_upstreams_are_refused() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    for (path, body) in [
        ("/agents/mine", r#"{"url":"not a url"}"#),
        ("/agents/mine", r#"{"url":"ftp://host/"}"#),
        ("/agents/mine", r#"{}"#),
        ("/agents/a%20b", r#"{"url":"http://127.0.0.1:1/"}"#),
        (
            "/agents/mine",
            r#"{"url":"http://h/","headers":{"a b":"c"}}"#,
        ),
    ] {
        let refused = server.send("PUT", path, "", body).await;
        assert_eq!(refused.status, 422, "{path} {body}: {}", refused.body);
    }
    assert!(server.store.upstreams().await.expect("a list").is_empty());
}

#[tokio::test]
async fn upstreams_need_an_administrator() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let ada = server.key("ada", BOTH, None).await;
    for (method, path) in [
        ("PUT", "/agents/mine"),
        ("DELETE", "/agents/mine"),
        ("POST", "/agents/mine/check"),
        ("GET", "/keys"),
        ("POST", "/keys"),
        ("DELETE", "/keys/k-1"),
    ] {
        let refused = server.send_with_key(&ada.secret, method, path).await;
        assert_eq!(refused.code(), "scope_missing", "{method} {path}");
    }
}

#[tokio::test]
async fn a_stored_upstream_that_cannot_be_used_does_not_stop_the_server() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let broken = StoredUpstream {
        name: "broken".to_owned(),
        settings: "{".into(),
        created: Timestamp(1),
    };
    let good = StoredUpstream {
        name: "good".to_owned(),
        settings: r#"{"url":"http://127.0.0.1:1/"}"#.into(),
        created: Timestamp(1),
    };
    for upstream in [broken, good] {
        server.store.store_upstream(upstream).await.expect("stored");
    }
    let restarted = server.restart(Settings::default()).await;
    let list = restarted.send("GET", "/agents", "", "").await.json();
    assert_eq!(
        agent_names(&list),
        [("good".to_owned(), "added".to_owned())]
    );
    // The configuration has precedence over the store.
    let configured = AgentSettings::at("http://127.0.0.1:2/");
    let settings = Settings {
        agents: [("good".to_owned(), configured)].into(),
        ..Settings::default()
    };
    let restarted = server.restart(settings).await;
    let good = restarted.send("GET", "/agents/good", "", "").await.json();
    assert_eq!(good["origin"].as_str(), Some("configuration"));
    assert_eq!(good["upstream"].as_str(), Some("http://127.0.0.1:2/"));
}

#[tokio::test]
async fn keys_are_created_listed_and_revoked() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let created = server
        .send(
            "POST",
            "/keys",
            "",
            r#"{"name":"laptop","scopes":["read","admin"],"expiresInDays":1}"#,
        )
        .await;
    assert_eq!(created.status, 201, "{}", created.body);
    let created = created.json();
    let secret = created["secret"].as_str().expect("a secret").to_owned();
    let id = created["key"]["id"].as_str().expect("an id").to_owned();
    assert_eq!(created["key"]["principal"].as_str(), Some("local"));

    // From the first key on every request needs one.
    assert_eq!(server.send("GET", "/keys", "", "").await.status, 401);
    let listed = server.send_with_key(&secret, "GET", "/keys").await;
    assert!(!listed.body.contains(&secret), "secrets are never listed");
    let listed = listed.json();
    let keys = listed["items"].as_array().expect("a list");
    assert_eq!(keys[0]["state"].as_str(), Some("valid"));

    let missing = server.send_with_key(&secret, "DELETE", "/keys/k-0").await;
    assert_eq!(missing.status, 404);
    let revoked = server
        .send_with_key(&secret, "DELETE", &format!("/keys/{id}"))
        .await;
    assert_eq!(revoked.json()["state"].as_str(), Some("revoked"));
    let refused = server.send_with_key(&secret, "GET", "/keys").await;
    assert_eq!(refused.status, 401);
}

#[tokio::test]
async fn bad_keys_are_refused() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    for body in [
        r#"{"name":" "}"#,
        r#"{"name":"a","scopes":[]}"#,
        r#"{"name":"a","scopes":["root"]}"#,
        r#"{"name":"a","principal":""}"#,
        r#"{}"#,
    ] {
        let refused = server.send("POST", "/keys", "", body).await;
        assert_eq!(refused.status, 422, "{body}: {}", refused.body);
    }
    let session = server.send("GET", "/session", "", "").await.json();
    assert_eq!(session["needsKey"], Value::Bool(false));
}

#[tokio::test]
async fn the_server_describes_itself_without_secrets() {
    let settings = Settings {
        models: server::settings::ModelSettings {
            default: Some("anthropic".to_owned()),
            fallback: vec!["ollama:llama3.2".to_owned()],
            ..Default::default()
        },
        ..Settings::default()
    };
    let server = TestServer::start(settings, Vec::new()).await;
    let about = server.send("GET", "/server", "", "").await.json();
    let models = about["models"].as_array().expect("models");
    let model = |at: usize| {
        let name = models[at]["name"].as_str().expect("a name").to_owned();
        (name, models[at]["hasKey"] == Value::Bool(true))
    };
    assert_eq!(model(0), ("anthropic:claude-haiku-4-5".to_owned(), false));
    assert_eq!(model(1), ("ollama:llama3.2".to_owned(), true));
    let projections = about["projections"].as_array().expect("a list");
    assert_eq!(projections.len(), 3);
    assert_eq!(about["storage"], Value::Null, "nothing is stored on a disk");

    let ada = server.key("ada", BOTH, None).await;
    let root = server.key("root", ADMIN, None).await;
    for key in [ada, root] {
        let about = server.send_with_key(&key.secret, "GET", "/server").await;
        assert_eq!(about.status, 200);
    }
}
