//! Uploads of documents and their names.

use std::collections::BTreeSet;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{parse, scratch};

const FORM: &str = "Content-Type: multipart/form-data; boundary=x\r\n";

fn gateway() -> Gateway {
    Gateway::start(&["--in-memory"])
}

/// Returns a multipart form from pairs of disposition parameters and content.
fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (head, content) in parts {
        body.extend_from_slice(b"--x\r\nContent-Disposition: form-data; ");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(b"\r\n\r\n");
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    body
}

fn send(gateway: &Gateway, path: &str, parts: &[(&str, &[u8])]) -> (u16, Value) {
    let (status, answer) = gateway.request("POST", path, FORM, &form(parts));
    (status, parse(&answer))
}

fn error<'a>(answer: &'a Value, member: &str) -> &'a str {
    answer["error"][member].as_str().expect("an error")
}

#[test]
fn uploading_a_file_again_gives_the_same_attachment() {
    let gateway = gateway();
    let file = r#"name="file"; filename="tide.txt""#;
    let ids: BTreeSet<String> = std::thread::scope(|scope| {
        let send = || {
            let (status, prepared) =
                send(&gateway, "/prepareAttachments", &[(file, b"High tide.")]);
            assert_eq!(status, 200, "{}", prepared.to_json());
            prepared["attachmentId"].as_str().expect("an id").to_owned()
        };
        let at_once: Vec<_> = (0..4).map(|_| scope.spawn(send)).collect();
        at_once
            .into_iter()
            .map(|one| one.join().expect("it is sent"))
            .collect()
    });
    assert_eq!(ids.len(), 1, "{ids:?}");
    let id = ids.first().expect("one");
    assert!(
        id.len() == 20 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "{id}"
    );
    let (status, again) = send(&gateway, "/documents", &[(file, b"High tide.")]);
    assert_eq!((status, again["id"].as_str()), (200, Some(id.as_str())));
    // Another file, another name or another principal gives another attachment.
    let other = r#"name="file"; filename="ebb.txt""#;
    for parts in [
        &[(file, &b"Low water."[..])][..],
        &[(other, b"High tide.")],
        &[(file, b"High tide."), (r#"name="endUserId""#, b"ada")],
    ] {
        let (status, attached) = send(&gateway, "/documents", parts);
        assert_eq!(status, 201, "{}", attached.to_json());
    }
    let (_, listed) = gateway.json("GET", "/documents", "");
    let items = listed["items"].as_array().expect("items").iter();
    let names = items.filter_map(|item| item["filename"].as_str());
    let ours = names.filter(|name| ["tide.txt", "ebb.txt"].contains(name));
    assert_eq!(ours.count(), 4);
}

#[test]
fn attachment_id_names_the_same_document_everywhere() {
    let gateway = gateway();
    gateway.attach("b", "b.txt", "Low water came at 18:20.");
    gateway.attach("again", "b.txt", "Low water came at 18:20.");
    let (_, about) = gateway.json("GET", "/documents/b", "");
    let content = about["documentId"].as_str().expect("a hash").to_owned();

    // The document id works under every name.
    let file = |id: &str| gateway.request("GET", &format!("/documents/{id}/file"), "", b"");
    assert_eq!(file(&content), (200, "Low water came at 18:20.".to_owned()));
    let body = format!(r#"{{"attachmentId":"{content}"}}"#);
    let (status, got) = gateway.json("POST", "/getAttachment", &body);
    assert_eq!(
        (status, got["originalFilename"].as_str()),
        (200, Some("b.txt"))
    );
    let cited = format!(
        r#"{{"data":{{"attachmentId":"{content}","citations":{{"k":{{"fullPhrase":"Low water came"}}}}}}}}"#
    );
    let (_, answer) = gateway.json("POST", "/verifyCitations", &cited);
    assert_eq!(
        answer["verifications"]["k"]["status"].as_str(),
        Some("found")
    );
    assert!(
        answer["attachments"].get(&content).is_some(),
        "{}",
        answer.to_json()
    );

    // A name may look like a document id.
    let (status, _) = gateway.attach(&content, "a.txt", "High tide was at 12:04.");
    assert_eq!(status, 200);
    let (_, about) = gateway.json("GET", &format!("/documents/{content}"), "");
    assert_eq!(about["filename"].as_str(), Some("a.txt"));
    assert_eq!(file(&content).1, "High tide was at 12:04.");
    let (_, got) = gateway.json("POST", "/getAttachment", &body);
    assert_eq!(got["originalFilename"].as_str(), Some("a.txt"));
    let (_, answer) = gateway.json("POST", "/verifyCitations", &cited);
    assert_eq!(
        answer["verifications"]["k"]["status"].as_str(),
        Some("not_found")
    );
    let page = |id: &str| {
        let (head, picture) =
            gateway.exchange("GET", &format!("/documents/{id}/pages/1.png"), "", b"");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        picture
    };
    assert_ne!(page(&content), page("b"));
    // Page images of the other document are different.
    let (_, got) = gateway.json("POST", "/getAttachment", r#"{"attachmentId":"b"}"#);
    let images = got["pageImages"].as_array().expect("pages");
    let url = images[0]["imageUrl"].as_str().expect("an address");
    let path = url.strip_prefix(gateway.url.as_str()).expect("ours");
    let (_, shown) = gateway.exchange("GET", path, "", b"");
    let (_, own) = gateway.exchange("GET", "/documents/b/pages/1.webp", "", b"");
    assert_eq!(shown, own);

    // Deletes the attachment first, then the document.
    let remove = || {
        gateway
            .request("DELETE", &format!("/documents/{content}"), "", b"")
            .0
    };
    assert_eq!(remove(), 200);
    assert_eq!(gateway.request("GET", "/documents/b", "", b"").0, 200);
    assert_eq!(file(&content).1, "Low water came at 18:20.");
    assert_eq!(remove(), 200);
    for id in ["b", "again", &content] {
        assert_eq!(
            gateway
                .request("GET", &format!("/documents/{id}"), "", b"")
                .0,
            404,
            "{id}"
        );
    }
    let (status, answer) = gateway.json("DELETE", &format!("/attachments/{content}"), "");
    assert_eq!(status, 404);
    assert!(
        error(&answer, "hint").starts_with("GET /documents lists"),
        "{}",
        answer.to_json()
    );
}

#[test]
fn form_with_several_files_is_rejected() {
    let gateway = gateway();
    let one = (r#"name="file"; filename="one.txt""#, &b"one"[..]);
    let two = (r#"name="file"; filename="two.txt""#, &b"two"[..]);
    let (status, answer) = send(&gateway, "/documents", &[one, two]);
    assert_eq!((status, error(&answer, "code")), (422, "invalid_input"));
    assert!(
        error(&answer, "message").contains("file"),
        "{}",
        answer.to_json()
    );
    let named = (r#"name="attachmentId""#, &b"a"[..]);
    let renamed = (r#"name="attachmentId""#, &b"b"[..]);
    assert_eq!(send(&gateway, "/documents", &[one, named, renamed]).0, 422);
    // Other fields of the SDK are ignored.
    let policy = (r#"name="convertedPdfDownloadPolicy""#, &b"always"[..]);
    assert_eq!(send(&gateway, "/documents", &[one, policy, policy]).0, 201);
}

#[test]
fn names_and_labels_are_shortened_and_cleaned() {
    let gateway = gateway();
    let called = |name: &str, content: &str| {
        let head = r#"name="file"; filename="x.txt""#;
        let parts = [
            (head, content.as_bytes()),
            (r#"name="filename""#, name.as_bytes()),
        ];
        let (status, attached) = send(&gateway, "/documents", &parts);
        assert_eq!(status, 201, "{}", attached.to_json());
        attached["filename"].as_str().expect("a name").to_owned()
    };
    assert_eq!(called("../../etc/tide.txt", "one"), "tide.txt");
    assert_eq!(called("a\u{1b}[2Jb.txt", "two"), "a[2Jb.txt");
    let long = called(&format!("{}.txt", "n".repeat(5_000)), "three");
    assert!(long.len() == 255 && long.ends_with("nn.txt"), "{long}");
    let file = (r#"name="file"; filename="y.txt""#, &b"four"[..]);
    let label = |label: &str| {
        let label = (r#"name="endUserId""#, label.as_bytes());
        send(&gateway, "/documents", &[file, label])
    };
    for wrong in ["é".repeat(129), "a\tb".to_owned()] {
        let (status, answer) = label(&wrong);
        assert_eq!(status, 422, "{}", answer.to_json());
        assert!(
            error(&answer, "message").contains("128"),
            "{}",
            answer.to_json()
        );
    }
    assert_eq!(label(&"é".repeat(128)).0, 201);
    let (status, _) = gateway.json(
        "POST",
        "/documents",
        r#"{"url":"https://a.b/","endUserId":"a\nb"}"#,
    );
    assert_eq!(status, 422);
}

#[test]
fn unsupported_content_type_is_rejected_with_a_hint() {
    let gateway = gateway();
    let pdf = "Content-Type: application/pdf\r\n";
    for (path, words) in [
        ("/documents", "curl -F file=@FILE"),
        ("/prepareAttachments", "curl -F file=@FILE"),
        ("/verify", "application/json"),
        ("/agents/demo", "application/json"),
    ] {
        let (status, answer) = gateway.request("POST", path, pdf, b"%PDF-1.7 \xff");
        let answer = parse(&answer);
        assert_eq!(
            (status, error(&answer, "code")),
            (415, "unsupported_media_type"),
            "{path}"
        );
        assert!(
            error(&answer, "message").contains("application/pdf"),
            "{path}"
        );
        assert!(
            error(&answer, "hint").contains(words),
            "{}",
            answer.to_json()
        );
    }
    // The content decides, not the declared type: valid JSON is accepted, invalid JSON is not.
    let citations = br#"{"citations":{"k":{"fullPhrase":"x y z"}}}"#;
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
    ] {
        assert_eq!(
            gateway.request("POST", "/verify", kind, citations).0,
            200,
            "{kind}"
        );
    }
    for kind in [
        "",
        "Content-Type: application/json; charset=utf-8\r\n",
        "Content-Type: application/ld+json\r\n",
    ] {
        assert_eq!(
            gateway.request("POST", "/verify", kind, b"{").0,
            400,
            "{kind}"
        );
    }
}

#[test]
fn too_large_body_is_rejected_with_the_limit() {
    let settings = scratch("body-bytes.toml", "[limits]\nmax_body_bytes = 5000\n");
    let settings = settings.to_str().expect("plain");
    let gateway = Gateway::start(&["--in-memory", "--config", settings]);
    let long = vec![b'x'; 6_000];
    let file = r#"name="file"; filename="long.txt""#;
    let (status, answer) = send(&gateway, "/documents", &[(file, &long)]);
    assert_eq!((status, error(&answer, "code")), (413, "too_large"));
    let hint = error(&answer, "hint");
    assert!(
        hint.contains("5000") && hint.contains("limits.max_body_bytes"),
        "{hint}"
    );
}

#[test]
fn damaged_file_is_reported() {
    let gateway = gateway();
    let shows = "BT /F1 10 Tf 72 700 Td (The tide came in at noon.) Tj ET\n".repeat(40);
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        format!("<</Length {}>>\nstream\n{shows}endstream", shows.len()),
    ];
    let mut file = "%PDF-1.7\n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let whole = format!("{file}trailer\n<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n");
    let part = r#"name="file"; filename="tide.pdf""#;
    let (status, attached) = send(&gateway, "/documents", &[(part, whole.as_bytes())]);
    assert_eq!((status, attached.get("warnings")), (201, None));
    let cut = &whole.as_bytes()[..1_500];
    let (status, attached) = send(&gateway, "/documents", &[(part, cut)]);
    assert_eq!(status, 201, "{}", attached.to_json());
    let id = attached["id"].as_str().expect("an id");
    let (_, described) = gateway.json("GET", &format!("/documents/{id}"), "");
    let (_, prepared) = send(&gateway, "/prepareAttachments", &[(part, cut)]);
    let body = format!(r#"{{"attachmentId":"{id}"}}"#);
    let (_, got) = gateway.json("POST", "/getAttachment", &body);
    for answer in [attached, described, prepared, got] {
        let told = answer["warnings"].as_array().expect("warnings");
        let told = told[0].as_str().expect("a text");
        assert!(
            told.contains("damaged") && told.contains("get the whole file"),
            "{told}"
        );
    }
}

#[test]
fn fetch_error_names_the_option_in_the_field_the_sdk_shows() {
    let gateway = gateway();
    let (status, answer) = gateway.json(
        "POST",
        "/prepareAttachments",
        r#"{"url":"https://a.example/b.pdf"}"#,
    );
    assert_eq!((status, error(&answer, "code")), (422, "fetch_off"));
    assert!(
        error(&answer, "message").contains("--allow-fetch"),
        "{}",
        answer.to_json()
    );
}

#[test]
fn upload_errors_have_hints() {
    let gateway = gateway();
    for (path, headers, status, words) in [
        (
            "/documents?after=nowhere",
            "",
            422,
            "the `next` of the page before",
        ),
        (
            "/threads?after=nowhere",
            "",
            422,
            "the `next` of the page before",
        ),
        (
            "/documents?limit=many",
            "",
            400,
            "limit (a number from 1 to 1000)",
        ),
        (
            "/threads?limit=many",
            "",
            400,
            "limit (a number from 1 to 1000)",
        ),
        ("/documents", "Origin: null\r\n", 403, "from a web server"),
        ("/documents", "Host: 127.0.0.2\r\n", 403, "127.0.0.1"),
    ] {
        let (got, answer) = gateway.request("GET", path, headers, b"");
        assert_eq!(got, status, "{path}: {answer}");
        let answer = parse(&answer);
        assert!(
            error(&answer, "hint").contains(words),
            "{path}: {}",
            answer.to_json()
        );
        assert!(
            !error(&answer, "message").contains("deserialize"),
            "{}",
            answer.to_json()
        );
    }
}
