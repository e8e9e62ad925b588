//! Export of a principal's data.

use std::collections::BTreeSet;

use json::{Json, Value};
use server::settings::Settings;

use store::{
    AccessStore, AttachmentId, BeginRun, Checkpoint, CitationReview, DocumentStore, EvidenceStore,
    Knowledge, LogBatch, NewAttachment, NewRun, Ontology, OntologyRecord, PageRequest, Principal,
    ReviewAction, RunId, RunStatus, StoredMessage, StoredRunEnd, ThreadId, ThreadStore, Timestamp,
};

use crate::test_server::{BOTH, TestServer};

/// Stores one item of every kind.
async fn fill(server: &TestServer, owner: &Principal) {
    let store = &server.store;
    let (thread, run) = (
        ThreadId::new("t").expect("an id"),
        RunId::new("r").expect("an id"),
    );
    let new = NewRun {
        thread: thread.clone(),
        run: run.clone(),
        agent: "demo".to_owned(),
        parent: None,
        input: Json::parse(r#"{"messages":[{"id":"u","role":"user","content":"asked"}]}"#)
            .expect("JSON"),
        started: Timestamp(1),
    };
    let Ok(BeginRun::New(open, _)) = store.begin_run(owner, new).await else {
        panic!("a run");
    };
    let mut batch = LogBatch::new();
    batch.push(br#"{"type":"CUSTOM","name":"said","value":"the answer"}"#);
    store.append(open, batch).await.expect("stored");
    let checkpoint = Checkpoint {
        through: 1,
        state: r#"{"state":"kept"}"#.into(),
        record: None,
        messages: vec![StoredMessage {
            id: "a".to_owned(),
            role: "assistant".to_owned(),
            json: r#"{"id":"a","role":"assistant","content":"the answer"}"#.into(),
        }],
    };
    let ended = store.end_run(
        open,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(2), Some(checkpoint)),
    );
    ended.await.expect("ended");
    let patch = r#"[{"op":"add","path":"/late","value":1}]"#;
    let amended = store.add_late_result(owner, &thread, &run, patch.into(), None, Timestamp(3));
    amended.await.expect("amended");
    let file = NewAttachment {
        id: AttachmentId::new("doc").expect("an id"),
        name: "tide.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        original: "the bytes of the file".into(),
        end_user: Some("u1".to_owned()),
        origin: Some("https://tides.example/tide.txt".to_owned()),
        created: Timestamp(1),
        expires: None,
    };
    store.attach(owner, file).await.expect("attached");
    let review = CitationReview {
        key: "e".to_owned(),
        action: ReviewAction::Disputed,
        at: Timestamp(4),
        note: Some("not so".to_owned()),
    };
    store.review(owner, review).await.expect("reviewed");
    let knowledge = Knowledge {
        id: "k".to_owned(),
        group: owner.as_str().to_owned(),
        kind: "label".to_owned(),
        text: Some("topic:tides".to_owned()),
        embedding: Some(vec![0; 8]),
        embedding_model: None,
        source: None,
        source_field: None,
        chunk: None,
        labels: "[]".to_owned(),
        metadata: None,
        created: Timestamp(1),
        updated: Timestamp(1),
        deleted: None,
    };
    let put = store.put(owner, vec![OntologyRecord::Knowledge(knowledge)]);
    put.await.expect("known");
}

#[tokio::test]
async fn exports_contain_every_kind_of_data_of_one_principal_only() {
    let server = TestServer::start(Settings::default(), Vec::new()).await;
    let ada = Principal::new("ada").expect("a name");
    let key = server.key("ada", BOTH, None).await;
    let other = server.key("bob", BOTH, None).await;
    server.keep_evidence("ada", "e1").await;
    fill(&server, &ada).await;
    // The read is in the audit log, which is part of the export.
    assert_eq!(
        server
            .send_with_key(&key.secret, "GET", "/p/e1")
            .await
            .status,
        200
    );
    while server
        .store
        .audit_entries(Some(&ada), &PageRequest::first(1))
        .await
        .expect("read")
        .items
        .is_empty()
    {
        tokio::task::yield_now().await;
    }
    let export = server.send_with_key(&key.secret, "GET", "/me/export").await;
    let body = export.body.replace("\r\n", "\n");
    let lines = body.lines().filter(|line| line.starts_with('{'));
    let lines: Vec<Value> = lines.map(|line| Value::parse(line).expect(line)).collect();
    let kind = |line: &Value| line["kind"].as_str().expect("a kind").to_owned();
    let kinds: BTreeSet<String> = lines.iter().map(kind).collect();
    let all = [
        "amendment",
        "audit",
        "connection",
        "document",
        "end",
        "event",
        "group",
        "happened",
        "key",
        "knowledge",
        "person",
        "review",
        "run",
        "thing",
        "thread",
        "verification",
    ];
    assert_eq!(kinds, all.map(str::to_owned).into());
    let of = |wanted: &str| {
        lines
            .iter()
            .find(|line| kind(line) == wanted)
            .expect("there")
    };
    let file = of("document")["file"].as_str().expect("a file").to_owned();
    assert_eq!(file, "dGhlIGJ5dGVzIG9mIHRoZSBmaWxl");
    let said = ["url", "endUserId"].map(|key| of("document")[key].as_str());
    assert_eq!(said, [Some("https://tides.example/tide.txt"), Some("u1")]);
    assert_eq!(of("run")["status"].as_str(), Some("finished"));
    assert_eq!(of("thread")["state"]["state"].as_str(), Some("kept"));
    assert_eq!(of("event")["event"]["value"].as_str(), Some("the answer"));
    assert_eq!(of("review")["note"].as_str(), Some("not so"));
    assert_eq!(of("key")["name"].as_str(), Some("ada"));
    for secret in [&key.secret, &other.secret] {
        assert!(
            !export.body.contains(secret.as_str()),
            "a secret is exported"
        );
    }
    assert!(!export.body.contains("\"hash\""));
    let export = server
        .send_with_key(&other.secret, "GET", "/me/export")
        .await;
    for own in ["the answer", "dGhlIGJ5", "not so", "topic:tides", "asked"] {
        assert!(!export.body.contains(own), "{own}");
    }
}
