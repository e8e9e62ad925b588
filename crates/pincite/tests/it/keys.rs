//! `pincite keys` beside a running server, and access from other machines.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use crate::harness::gateway::Gateway;
use crate::harness::{PINCITE, parse, pincite, scratch, unused_path};

fn directory(name: &str) -> String {
    let path = unused_path(name);
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn keys_are_created_and_revoked_beside_a_running_server() {
    let data = directory("keys-beside");
    let gateway = Gateway::start(&["--data", &data]);
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 200);

    let make = |args: &[&str]| {
        let args = [
            &["keys", "create"],
            args,
            &["--data", &data, "--format", "json"],
        ]
        .concat();
        pincite(&args, b"").expect(0).json()
    };
    let ada = make(&["ada"]);
    let bob = make(&["bob", "--scope", "read", "--expires", "90d"]);
    let secret = ada["secret"].as_str().expect("a secret");
    assert!(
        secret.starts_with("sk-dc-") && secret.len() == 70,
        "{secret}"
    );
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 401);
    let bearer = |secret: &str| format!("Authorization: Bearer {secret}\r\n");
    let (status, me) = gateway.request("GET", "/me", &bearer(secret), b"");
    assert_eq!(
        (status, parse(&me)["principal"].as_str()),
        (200, Some("ada"))
    );

    // Principals do not see each other's documents.
    let form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nThe quay is long.\r\n\
                --x\r\nContent-Disposition: form-data; name=\"attachmentId\"\r\n\r\nquay\r\n--x--\r\n";
    let headers = format!(
        "Content-Type: multipart/form-data; boundary=x\r\n{}",
        bearer(secret)
    );
    assert_eq!(
        gateway
            .request("POST", "/documents", &headers, form.as_bytes())
            .0,
        201
    );
    assert_eq!(
        gateway
            .request("GET", "/documents/quay", &bearer(secret), b"")
            .0,
        200
    );
    let bobs = bearer(bob["secret"].as_str().expect("a secret"));
    assert_eq!(gateway.request("GET", "/documents/quay", &bobs, b"").0, 404);
    let listed = gateway.request("GET", "/documents", &bobs, b"").1;
    assert_eq!(parse(&listed)["items"].as_array().map(<[_]>::len), Some(0));
    assert_eq!(gateway.request("POST", "/documents", &bobs, b"{}").0, 403);

    // Browsers load images and files without a key, by signed URLs.
    let asked = br#"{"attachmentId":"quay"}"#;
    let json = format!("Content-Type: application/json\r\n{}", bearer(secret));
    let (_, about) = gateway.request("POST", "/getAttachment", &json, asked);
    let about = parse(&about);
    let images = about["pageImages"].as_array().expect("pages");
    let addresses = [
        &images[0]["imageUrl"],
        &about["originalDownload"]["link"]["url"],
    ];
    let paths = addresses.map(|url| {
        let url = url.as_str().expect("an address");
        url.strip_prefix(gateway.url.as_str()).expect("ours")
    });
    for (at, path) in paths.iter().enumerate() {
        assert_eq!(gateway.request("GET", path, "", b"").0, 200, "{path}");
        let (place, _) = path.split_once('?').expect("it is signed");
        assert_eq!(gateway.request("GET", place, "", b"").0, 401, "{place}");
        let (_, others) = paths[1 - at].split_once('?').expect("it is signed");
        let mixed = format!("{place}?{others}");
        assert_eq!(gateway.request("GET", &mixed, "", b"").0, 403, "{mixed}");
    }
    let ends = about["originalDownload"]["link"]["expiresAt"].as_str();
    assert!(
        ends.is_some_and(|ends| ends.ends_with("T00:00:00Z")),
        "{ends:?}"
    );

    let list = pincite(&["keys", "list", "--data", &data], b"").expect(0);
    for word in ["ada", "bob", "read,write", "valid", "PRINCIPAL"] {
        assert!(list.text().contains(word), "{word}: {}", list.text());
    }
    assert!(!list.text().contains(secret) && !list.text().contains("sk-dc-"));

    let id = ada["id"].as_str().expect("an id");
    pincite(&["keys", "revoke", id, "--data", &data], b"").expect(0);
    assert_eq!(gateway.request("GET", "/me", &bearer(secret), b"").0, 401);
    pincite(&["keys", "revoke", id, "--data", &data], b"").expect(1);
    let listed = pincite(&["keys", "list", "--data", &data, "--format", "json"], b"");
    assert!(listed.expect(0).text().contains("revoked"));
}

#[test]
fn demo_document_is_attached_for_every_principal() {
    let data = directory("keys-demo");
    let gateway = Gateway::start(&["--data", &data]);
    let secret = |name: &str| {
        let made = pincite(&["keys", "create", name, "--data", &data], b"").expect(0);
        made.text().trim().to_owned()
    };
    for name in ["ada", "bob"] {
        let bearer = format!("Authorization: Bearer {}\r\n", secret(name));
        let (_, before) = gateway.request("GET", "/documents", &bearer, b"");
        assert_eq!(parse(&before)["items"].as_array().map(<[_]>::len), Some(0));
        let body = br#"{"threadId":"t","runId":"r","messages":[]}"#;
        let (status, answer) = gateway.request("POST", "/agents/demo", &bearer, body);
        assert_eq!(status, 200, "{answer}");
        let (_, state) = gateway.request("GET", "/threads/t/state", &bearer, b"");
        let state = parse(&state);
        let messages = state["deepcitation"]["messages"].as_object();
        let (_, entry) = messages.and_then(|all| all.iter().next()).expect("one");
        assert_eq!(entry["summary"]["verified"], json::Value::from(3_usize));
        let (_, after) = gateway.request("GET", "/documents", &bearer, b"");
        assert!(after.contains("\"id\":\"nordvik\""), "{after}");
    }
}

#[test]
fn key_is_revoked_by_a_unique_name() {
    let data = directory("keys-names");
    let make = |name: &str| {
        let args = ["keys", "create", name, "--data", &data, "--format", "json"];
        let made = pincite(&args, b"").expect(0).json();
        made["id"].as_str().expect("an id").to_owned()
    };
    let revoke = |key: &str| pincite(&["keys", "revoke", key, "--data", &data], b"");
    let (first, second, other) = (make("ada"), make("ada"), make("bob"));
    assert!(revoke("bob").expect(0).stderr.contains(&other));
    assert!(revoke("bob").expect(1).stderr.contains("pincite keys list"));
    let both = revoke("ada").expect(1).stderr;
    assert!(both.contains(&first) && both.contains(&second), "{both}");
    revoke(&first).expect(0);
    // The name is unique after the revocation of the other key.
    assert!(revoke("ada").expect(0).stderr.contains(&second));
}

/// Returns the response of a public server to a request without a key.
fn public_status(data: &str) -> u16 {
    let mut child = Command::new(PINCITE)
        .args([
            "serve",
            "--listen",
            "0.0.0.0:0",
            "--log-format",
            "json",
            "--data",
            data,
        ])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut card = String::new();
    BufReader::new(child.stderr.take().expect("piped"))
        .read_line(&mut card)
        .expect("a card");
    let url = parse(&card)["url"].as_str().expect("a place").to_owned();
    let port = url.rsplit_once(':').expect("a port").1;
    let mut socket = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
    let request = b"GET /me HTTP/1.1\r\nHost: pincite.example\r\nConnection: close\r\n\r\n";
    socket.write_all(request).expect("it reads");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("it answers");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    answer
        .split(' ')
        .nth(1)
        .expect("a status")
        .parse()
        .expect("a number")
}

#[test]
fn public_address_needs_a_key_or_an_issuer() {
    let data = directory("keys-public");
    let public = ["serve", "--listen", "0.0.0.0:0", "--data", &data];
    pincite(&public, b"").expect_usage_error(&["other machines", "pincite keys create"]);
    // A revoked key does not count.
    let made = pincite(
        &["keys", "create", "ada", "--data", &data, "--format", "json"],
        b"",
    );
    let made = made.expect(0).json();
    let id = made["id"].as_str().expect("an id");
    pincite(&["keys", "revoke", id, "--data", &data], b"").expect(0);
    pincite(&public, b"").expect_usage_error(&["no valid key"]);
    pincite(&["keys", "create", "ada", "--data", &data], b"").expect(0);
    assert_eq!(
        public_status(&data),
        401,
        "also for requests from this machine"
    );

    let keys = scratch("short.jwks", r#"{"keys":[{"kty":"oct","k":"c2hvcnQ"}]}"#);
    let config = format!(
        "[access.issuers.company]\nissuer = \"https://login.example\"\naudience = \"pincite\"\nkeys = {:?}\n",
        keys.to_str().expect("plain")
    );
    let config = scratch("issuer.toml", config);
    let config = config.to_str().expect("plain");
    pincite(&["serve", "--in-memory", "--config", config], b"")
        .expect_usage_error(&["access.issuers.company", "32 bytes"]);
}

#[test]
fn public_url_needs_a_key_or_an_issuer() {
    let data = directory("keys-public-url");
    let config = scratch(
        "public.toml",
        "[server]\npublic_url = \"https://pincite.example\"\n",
    );
    let config = config.to_str().expect("plain");
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--config",
        config,
        "--data",
        &data,
    ];
    pincite(&serve, b"").expect_usage_error(&[
        "other machines can reach https://pincite.example",
        "pincite keys create",
        "remove server.public_url",
    ]);
    pincite(&["keys", "create", "ada", "--data", &data], b"").expect(0);
    let gateway = Gateway::start(&["--config", config, "--data", &data]);
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 401);
    // Switching access off does not open a server that others can reach.
    pincite(&["access", "off", "--data", &data], b"").expect(0);
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 401);
    // A URL of this machine is not public.
    let local = scratch(
        "local.toml",
        "[server]\npublic_url = \"http://localhost:1\"\n",
    );
    let gateway = Gateway::start(&["--config", local.to_str().expect("plain"), "--in-memory"]);
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 200);
}

#[test]
fn access_stays_on_until_it_is_switched_off_on_the_machine() {
    let data = directory("keys-access");
    let access = |word: &str| pincite(&["access", word, "--data", &data], b"").expect(0);
    let gateway = Gateway::start(&["--data", &data]);
    assert!(access("show").text().starts_with("off"));
    let made = pincite(&["keys", "create", "ada", "--data", &data], b"").expect(0);
    let bearer = format!("Authorization: Bearer {}\r\n", made.text().trim());
    assert!(access("show").text().starts_with("on"));
    // The last key goes with its principal, and the server stays closed, also after a restart.
    assert_eq!(
        gateway.request("DELETE", "/me?confirm=ada", &bearer, b"").0,
        200
    );
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 401);
    assert_eq!(gateway.request("GET", "/me", &bearer, b"").0, 401);
    gateway.stop();
    let gateway = Gateway::start(&["--data", &data]);
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 401);
    let off = access("off");
    assert!(off.stderr.contains("need no key"), "{}", off.stderr);
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 200);
    pincite(&["keys", "create", "ada", "--data", &data], b"").expect(0);
    assert_eq!(gateway.request("GET", "/me", "", b"").0, 401);
}

#[test]
fn only_some_commands_create_a_missing_data_directory() {
    let backup = directory("keys-no-backup");
    let data = directory("keys-missing");
    for args in [
        &["keys", "list"][..],
        &["keys", "revoke", "ada"],
        &["access", "show"],
        &["access", "off"],
        &["backup", &backup],
        &["check-data"],
    ] {
        let args = [args, &["--data", &data]].concat();
        pincite(&args, b"").expect_usage_error(&["is not a data directory", "--data"]);
        assert!(!std::path::Path::new(&data).exists(), "{args:?}");
        assert!(!std::path::Path::new(&backup).exists(), "{args:?}");
    }
    // An empty directory is no data directory, and stays empty.
    std::fs::create_dir(&data).expect("created");
    pincite(&["keys", "list", "--data", &data], b"")
        .expect_usage_error(&["is not a data directory"]);
    assert_eq!(std::fs::read_dir(&data).expect("there").count(), 0);
    pincite(&["keys", "create", "ada", "--data", &data], b"").expect(0);
    assert!(
        pincite(&["keys", "list", "--data", &data], b"")
            .expect(0)
            .text()
            .contains("ada")
    );
}

#[test]
fn create_prints_only_the_secret_on_stdout() {
    let data = directory("keys-secret");
    let made = pincite(&["keys", "create", "ci", "--data", &data], b"").expect(0);
    assert_eq!(made.text().trim().len(), 70);
    assert!(made.stderr.contains("shown only once"), "{}", made.stderr);
    for (args, words) in [
        (["--expires", "soon"], "90d"),
        (["--expires", "0s"], "90d"),
        (["--scope", "all"], "read, write or admin"),
        (["--principal", ""], "principal"),
    ] {
        let args = [&["keys", "create", "x", "--data", &data], args.as_slice()].concat();
        pincite(&args, b"").expect_usage_error(&[words]);
    }
    let help = Command::new(PINCITE)
        .args(["keys", "--help"])
        .stdout(Stdio::piped())
        .output();
    let help = String::from_utf8_lossy(&help.expect("it runs").stdout).into_owned();
    assert!(help.contains("while a server is running"), "{help}");
}
