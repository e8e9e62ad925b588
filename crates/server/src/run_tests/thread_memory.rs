//! Thread memory between runs, and the sources of citations.

use axum::http::Method;
use documents::{ContentId, Document, ReadLimits};
use store::{
    AttachmentId, DocumentDescription, DocumentStatus, NewAttachment, Principal, SqliteStore,
};

use super::*;

const LOG: &str = "# The log\n\nTwo boats were out.\n";
const CODE: &str = "# The code\n\nFew saw them.\n";

/// Attaches a text whose document is already stored, under an id and a file name.
async fn attach(store: &Arc<dyn Store>, id: &str, name: &str, text: &'static str) {
    let principal = Principal::local();
    let document = Document::read(text.as_bytes(), "a.md", &ReadLimits::default()).expect("read");
    let attachment = NewAttachment {
        id: AttachmentId::new(id).expect("an id"),
        name: name.to_owned(),
        media_type: "text/markdown".to_owned(),
        original: text.into(),
        end_user: None,
        origin: Some(format!("https://x.example/files/{name}")),
        created: Timestamp(1),
        expires: None,
    };
    store.attach(&principal, attachment).await.expect("stored");
    let content = ContentId::of(text.as_bytes());
    let kept = store.store_part(content, "text-1", document.to_bytes().into());
    assert!(kept.await.expect("stored"));
    let description = DocumentDescription {
        media_type: None,
        pages: Some(1),
        title: document.title().map(str::to_owned),
        status: DocumentStatus::Ready,
    };
    assert!(
        store
            .describe_document(content, description)
            .await
            .expect("stored")
    );
}

/// Returns the steps of an answer that quotes.
fn quoting(id: &str, words: &str) -> Vec<ScriptStep> {
    let block = format!(
        r#"So [1].<<<CITATION_DATA>>>[{{\"id\":1,\"attachment_id\":\"log\",\"full_phrase\":\"{words}\"}}]<<<END_CITATION_DATA>>>"#
    );
    vec![
        say(STARTED),
        say(&format!(
            r#"{{"type":"TEXT_MESSAGE_START","messageId":"{id}","role":"assistant"}}"#
        )),
        say(&format!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"{id}","delta":"{block}"}}"#
        )),
        say(&format!(
            r#"{{"type":"TEXT_MESSAGE_END","messageId":"{id}"}}"#
        )),
        say(FINISHED),
    ]
}

fn with_state(run: &str, state: &str) -> String {
    input("t", run).replace("\"state\":{}", &format!("\"state\":{state}"))
}

fn phrases(turns: &Value) -> Vec<Vec<&str>> {
    let turns = turns.as_array().expect("a list").iter();
    turns
        .map(|turn| {
            let references = turn["sourceReferences"].as_array().expect("a list");
            references
                .iter()
                .filter_map(|reference| reference["content"].as_str())
                .collect()
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn turns_contain_citations_that_the_state_cannot_hold() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = store::OpenOptions::new(directory.path());
    let sqlite = SqliteStore::open(&options).expect("a store");
    let stores: [Arc<dyn Store>; 2] = [Arc::new(MemoryStore::new()), Arc::new(sqlite)];
    for store in stores {
        attach(&store, "log", "log.md", LOG).await;
        let agents = vec![
            ("a", agent(quoting("m-@R", "Two boats were out"))),
            ("b", agent(quoting("constructor", "Few at all"))),
        ];
        let server = RunServer::new(store, agents).await;
        let told = |run: &str, state: &str| with_state(run, state);
        let (_, response) = server.post(&told("r1", "[1]"), &[]).await;
        let events = response.all().await;
        let (_, state) = folded(&events, Some(&told("r1", "[1]")));
        assert_eq!(state.to_json(), "[1]");
        let turns = server.get("/threads/t/turns").await;
        assert_eq!(phrases(&turns), [["Two boats were out"]]);

        let unsafe_id = told("r2", "[1]");
        let sent = server
            .send(Method::POST, "/agents/b", &[], &unsafe_id)
            .await;
        sent.1.all().await;
        let turns = server.get("/threads/t/turns").await;
        assert_eq!(phrases(&turns), [["Few at all"]]);

        let (_, response) = server.post(&told("r3", "{}"), &[]).await;
        response.all().await;
        let state = server.get("/threads/t/state").await;
        let messages = state["deepcitation"]["messages"].as_object();
        let ids: Vec<&str> = messages
            .into_iter()
            .flat_map(|m| m.iter())
            .map(|(id, _)| id)
            .collect();
        assert_eq!(ids, ["m-r1", "m-r3"]);
        assert_eq!(
            state["rag"]["citations"].as_array().map(<[Value]>::len),
            Some(2)
        );
    }
}

/// Sources that a citation in the state names, with the expected status, attachment id and missing source.
const NAMED_SOURCES: &[(&str, &str, &str, bool)] = &[
    (
        r#""document_id":"log","document_uri":"""#,
        "found",
        "log",
        false,
    ),
    (
        r#""document_id":"code","document_uri":"""#,
        "not_found",
        "code",
        false,
    ),
    // File name, title and address.
    (
        r#""document_id":"doc456","document_uri":"s3://b/log.md""#,
        "found",
        "log",
        false,
    ),
    (
        r#""document_id":"doc456","document_uri":"s3://b/code.md""#,
        "not_found",
        "code",
        false,
    ),
    (
        r#""document_id":"doc456","document_uri":"s3://b/x","document_title":"The log""#,
        "found",
        "log",
        false,
    ),
    (
        r#""document_id":"doc456","document_uri":"https://x.example/files/code.md""#,
        "not_found",
        "code",
        false,
    ),
    // An unknown source may be any document.
    (
        r#""document_id":"doc456","document_uri":"s3://b/x""#,
        "found",
        "log",
        false,
    ),
    (
        r#""document_id":"doc456","document_uri":"s3://b/x","content":"Dragons live here""#,
        "not_found",
        "doc456",
        true,
    ),
];

#[tokio::test(start_paused = true)]
async fn a_source_is_found_by_file_name_title_or_address() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    attach(&store, "log", "log.md", LOG).await;
    attach(&store, "code", "code.md", CODE).await;
    for (at, &(source, status, place, missing)) in NAMED_SOURCES.iter().enumerate() {
        let content = match source.contains("content") {
            true => "",
            false => r#","content":"Two boats were out""#,
        };
        let citation = format!(r#"{{"index":1,"chunk_id":"c",{source}{content}}}"#);
        let snapshot = format!(
            r#"{{"type":"STATE_SNAPSHOT","snapshot":{{"rag":{{"citations":[{citation}],"qa_history":[]}}}}}}"#
        );
        let mut steps = answer("Yes.");
        steps.insert(4, say(&snapshot));
        let server = RunServer::new(store.clone(), vec![("a", agent(steps))]).await;
        let thread = format!("t{at}");
        server.run(&thread, "r").await.all().await;
        let state = server.get(&format!("/threads/{thread}/state")).await;
        let verifications = state["deepcitation"]["verifications"].as_object();
        let (_, verification) = verifications
            .and_then(|all| all.iter().next())
            .expect("one");
        assert_eq!(verification["status"].as_str(), Some(status), "{source}");
        assert_eq!(
            verification["attachmentId"].as_str(),
            Some(place),
            "{source}"
        );
        assert_eq!(verification.get("problem").is_some(), missing, "{source}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_thread_without_a_new_state_keeps_its_documents() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    attach(&store, "log", "log.md", LOG).await;
    attach(&store, "code", "code.md", CODE).await;
    // The citation names no attachment, so the documents of the thread are searched.
    let steps = answer(
        r#"So.<<<CITATION_DATA>>>[{\"id\":1,\"full_phrase\":\"Few saw them, says @R\"},{\"id\":2,\"full_phrase\":\"Few saw them\"}]<<<END_CITATION_DATA>>>"#,
    );
    let server = RunServer::new(store, vec![("a", agent(steps))]).await;
    let first = with_state("r1", r#"{"fileDataParts":[{"attachmentId":"log"}]}"#);
    let second = input("t", "r2").replace("\"state\":{},", "");
    for (run, body) in [("r1", first), ("r2", second)] {
        server.post(&body, &[]).await.1.all().await;
        let state = server.get("/threads/t/state").await;
        let message = &state["deepcitation"]["messages"][format!("a-{run}").as_str()];
        assert_eq!(message["summary"]["missed"], Value::from(2_usize), "{run}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_old_review_in_a_new_thread_is_not_stored_again() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    attach(&store, "log", "log.md", LOG).await;
    let server = RunServer::new(
        store,
        vec![("a", agent(quoting("m-@R", "Two boats were out")))],
    )
    .await;
    server.run("t", "r1").await.all().await;
    let state = server.get("/threads/t/state").await;
    let citations = state["deepcitation"]["citations"].as_object();
    let (key, _) = citations.and_then(|all| all.iter().next()).expect("one");
    let path = format!("/citations/{key}/reviews");
    let posted = r#"{"action":"accepted","at":"2026-03-01T00:00:00Z"}"#;
    assert_eq!(server.json(Method::POST, &path, posted).await.0, 201);
    let mut shown = state.clone();
    let old = format!(r#"{{"{key}":{{"action":"opened","at":"2026-01-01T00:00:00Z"}}}}"#);
    let old = Json::parse(old).expect("JSON");
    json::patch::Patcher::default()
        .apply(
            &mut shown,
            &[json::patch::PatchOperation::add(
                "/deepcitation/reviews",
                old,
            )],
        )
        .expect("it applies");
    let body = with_state("r1", &shown.to_json()).replace(r#""threadId":"t""#, r#""threadId":"u""#);
    server.post(&body, &[]).await.1.all().await;
    sleep(Duration::from_secs(1)).await;
    let steps = server.get(&path).await;
    assert_eq!(steps["items"].as_array().map(<[Value]>::len), Some(1));
}
