//! Routes of the citation SDK.

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::parse;

fn gateway() -> Gateway {
    Gateway::start(&["--in-memory"])
}

/// Verifies citations as version 0.2.3 of the SDK does.
fn verify_newer(gateway: &Gateway, body: &str) -> Value {
    let headers = "Content-Type: application/json\r\nX-SDK-Version: 0.3.0\r\n";
    let (status, answer) = gateway.request("POST", "/verifyCitations", headers, body.as_bytes());
    assert_eq!(status, 200, "{answer}");
    parse(&answer)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// Returns a text of `count` lines with a sentence at line `at`.
fn lines(count: usize, at: usize, sentence: &str) -> String {
    let line = |number: usize| match number == at {
        true => format!("{sentence}\n"),
        false => format!("Line {number} says nothing of it.\n"),
    };
    (1..=count).map(line).collect()
}

#[test]
fn text_contains_every_page() {
    let gateway = gateway();
    let (_, prepared) = gateway.attach("log", "log.txt", "One & two\nsea\u{c}\u{c}Last");
    let pages: Vec<_> = list(&prepared["deepTextPages"])
        .iter()
        .map(Value::as_str)
        .collect();
    // The SDK adds page tags unless the text has line numbers.
    assert_eq!(
        pages,
        [
            Some("<line id=\"1\">One &amp; two</line>\n<line id=\"2\">sea</line>"),
            Some(""),
            Some("<line id=\"1\">Last</line>")
        ]
    );
    let portion = prepared["deepTextPromptPortion"].as_str().expect("text");
    assert!(portion.contains("<page_number_3_index_2>\n<line id=\"1\">Last</line>\n</page_number_3_index_2></attachment>"), "{portion}");
}

#[test]
fn page_images_have_the_number_of_their_page() {
    let gateway = gateway();
    let sentence = "The tide came in at noon.";
    let long = lines(400, 300, sentence);
    let (_, prepared) = gateway.attach("long", "long.txt", &long);
    assert_eq!(prepared["metadata"]["pageCount"], Value::from(1_usize));
    // One page has several rendered pages, so no image is that of the page.
    assert_eq!(list(&prepared["pageImages"]).len(), 0);
    gateway.attach("short", "short.txt", &format!("One\u{c}\u{c}{sentence}"));
    let body = format!(
        r#"{{"data":{{"citations":{{"l":{{"attachmentId":"long","fullPhrase":"{sentence}"}},"s":{{"attachmentId":"short","fullPhrase":"{sentence}"}}}}}}}}"#
    );
    let answer = verify_newer(&gateway, &body);
    assert_eq!(list(&answer["attachments"]["long"]["pageImages"]).len(), 0);
    // Version 3 expects the page on which the quote was found.
    let found = &answer["verifications"]["s"]["document"]["verifiedPageNumber"];
    assert_eq!(*found, Value::from(3_usize));
    let images = list(&answer["attachments"]["short"]["pageImages"]);
    let numbers: Vec<_> = images.iter().map(|one| one["pageNumber"].clone()).collect();
    assert_eq!(numbers, [1, 2, 3].map(|page: usize| Value::from(page)));
    assert!(
        images[2]["imageUrl"]
            .as_str()
            .is_some_and(|url| url.contains("/pages/3.webp"))
    );

    // Version 2 uses the image of the passage: its rendered page.
    let (_, answer) = gateway.json("POST", "/verifyCitations", &body);
    let found = &answer["verifications"]["l"];
    let sheet = list(&found["document"]["boxes"])[0]["page"].clone();
    assert_ne!(sheet, Value::from(1_usize));
    let [image] = list(&found["pageImages"]) else {
        panic!("one picture: {}", found.to_json());
    };
    assert_eq!(image["isMatchPage"], Value::Bool(true));
    assert_eq!(image["pageNumber"], found["document"]["verifiedPageNumber"]);
    let place = format!("/pages/{}.webp", sheet.to_json());
    assert!(
        image["imageUrl"]
            .as_str()
            .is_some_and(|url| url.contains(&place))
    );
}

#[test]
fn page_images_of_long_documents_are_not_listed() {
    let gateway = gateway();
    let (_, prepared) = gateway.attach("book", "book.txt", &["Page"; 2_001].join("\u{c}"));
    assert_eq!(list(&prepared["pageImages"]).len(), 0);
    let told = list(&prepared["warnings"])[0].as_str().expect("a text");
    assert!(
        told.contains("2000") && told.contains("/documents/book/pages/"),
        "{told}"
    );
    let (_, prepared) = gateway.attach("novel", "novel.txt", &["Page"; 2_000].join("\u{c}"));
    assert_eq!(list(&prepared["pageImages"]).len(), 2_000);
    assert_eq!(prepared.get("warnings"), None);
}

#[test]
fn each_sdk_version_gets_its_own_field_names() {
    let gateway = gateway();
    gateway.attach("tide", "tide.txt", "High tide was at 12:04 in Bergen.");
    let body = r#"{"data":{"attachmentId":"tide","citations":{"a":{"fullPhrase":"High tide was at 12:04","anchorText":"12:04"},"b":{"fullPhrase":"Ships sank near Oslo"}}}}"#;
    let (_, older) = gateway.json("POST", "/verifyCitations", body);
    let newer = verify_newer(&gateway, body);
    let boxes = |answer: &Value, phrase: &str, anchor: &str| {
        let found = &answer["verifications"]["a"]["document"];
        (found.get(phrase).cloned(), found.get(anchor).cloned())
    };
    let ours = boxes(&older, "phraseMatchDeepItem", "anchorTextMatchDeepItems");
    assert!(ours.0.is_some() && ours.1.is_some(), "{}", older.to_json());
    assert_eq!(
        boxes(&newer, "sourceContextDeepItem", "sourceMatchDeepItems"),
        ours
    );
    assert_eq!(
        boxes(&newer, "phraseMatchDeepItem", "anchorTextMatchDeepItems"),
        (None, None)
    );
    // Version 2 repeats the file in each result, version 3 has it once.
    for key in ["a", "b"] {
        let file = &older["verifications"][key]["originalDownload"];
        assert_eq!(file["filename"].as_str(), Some("tide.txt"), "{key}");
        assert_eq!(newer["verifications"][key].get("originalDownload"), None);
    }
    let file = &newer["attachments"]["tide"]["originalDownload"];
    assert_eq!(file["filename"].as_str(), Some("tide.txt"));
}

#[test]
fn checks_all_citations_that_share_a_key() {
    let gateway = gateway();
    gateway.attach("a", "a.txt", "High tide was at 12:04.");
    gateway.attach("b", "b.txt", "Low water came at 18:20.");
    let text = "Noon [1], evening [2], noon again [3].\n<<<CITATION_DATA>>>{\
        \"a\":[{\"id\":1,\"full_phrase\":\"High tide was at 12:04\"},{\"id\":3,\"full_phrase\":\"High tide was at 12:04\"}],\
        \"b\":[{\"id\":2,\"full_phrase\":\"High tide was at 12:04\"}]}<<<END_CITATION_DATA>>>";
    let body = Value::from([("text", Value::from(text))]).to_json();
    let (status, answer) = gateway.json("POST", "/verify", &body);
    assert_eq!(status, 200, "{}", answer.to_json());
    let citations = answer["citations"].as_object().expect("citations");
    let cited: Vec<(&str, Value)> = citations
        .iter()
        .map(|(key, one)| {
            let number = one["citationNumber"].clone();
            let found = answer["verifications"][key]["status"].as_str();
            assert_eq!(key.len(), 16);
            (found.expect("a status"), number)
        })
        .collect();
    // A repeated citation keeps its first number; in another document it is a different citation.
    assert_eq!(
        cited,
        [
            ("found", Value::from(1_usize)),
            ("not_found", Value::from(2_usize))
        ]
    );
    let keys: Vec<&str> = citations.iter().map(|(key, _)| key).collect();

    let (_, events) = gateway.request(
        "POST",
        "/verify",
        "Accept: text/event-stream\r\n",
        body.as_bytes(),
    );
    let told: Vec<String> = events
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter_map(|line| parse(line)["key"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(told, keys);

    // Results have the keys of the request, whatever the text contains.
    let mine = format!(
        r#""citations":{{"{}":{{"attachmentId":"b","fullPhrase":"Low water came at 18:20"}}}}"#,
        keys[0]
    );
    let body = body.replacen('{', &format!("{{{mine},"), 1);
    let (_, answer) = gateway.json("POST", "/verify", &body);
    let all = answer["verifications"].as_object().expect("results");
    assert_eq!(all.iter().count(), 3);
    assert_eq!(
        answer["verifications"][keys[0]]["attachmentId"].as_str(),
        Some("b")
    );
}

#[test]
fn page_image_highlights_only_its_own_citations() {
    let upstream = crate::harness::upstream::Upstream::with_handler(|body, socket| {
        let asked = parse(body);
        let said = asked["forwardedProps"].as_str().unwrap_or_default();
        let answer = format!("{}{said}", crate::harness::upstream::EVENT_STREAM);
        // The client may have disconnected.
        let _ = std::io::Write::write_all(socket, answer.as_bytes());
    });
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("up={}", upstream.url)]);
    let sentence = "The tide came in at noon.";
    gateway.attach("a", "a.txt", &lines(20, 2, sentence));
    gateway.attach("b", "b.txt", &lines(20, 15, sentence));
    let cite = |run: &str, attachment: &str, phrase: &str| {
        let text = format!(
            "Noon [1].\n<<<CITATION_DATA>>>{{\"{attachment}\":[{{\"id\":1,\"full_phrase\":\"{phrase}\"}}]}}<<<END_CITATION_DATA>>>"
        );
        let delta = Value::from(text).to_json();
        let events = [
            crate::harness::RUN_STARTED.to_owned(),
            r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
            format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{delta}}}"#),
            r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned(),
            crate::harness::RUN_FINISHED.to_owned(),
        ];
        let said = Value::from(crate::harness::sse(&events)).to_json();
        let body = format!(
            r#"{{"threadId":"{run}","runId":"{run}","messages":[],"forwardedProps":{said}}}"#
        );
        let (status, answer) = gateway.request("POST", "/agents/up", "", body.as_bytes());
        assert_eq!(status, 200, "{answer}");
        let at = answer.find("/deepcitation/citations/").expect("a citation") + 24;
        answer[at..at + 16].to_owned()
    };
    let shown = |attachment: &str, citation: &str| {
        let path = format!("/documents/{attachment}/pages/1.png?citation={citation}");
        let (head, picture) = gateway.exchange("GET", &path, "", b"");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        picture
    };
    let (plain, other) = (shown("a", ""), shown("b", ""));
    let key = cite("first", "a", sentence);
    let marked = shown("a", &key);
    assert_ne!(marked, plain);
    assert_eq!(shown("b", &key), other, "it is not cited there");
    assert_eq!(
        cite("second", "b", sentence),
        key,
        "the key leaves out the document"
    );
    assert_eq!(
        shown("a", &key),
        marked,
        "it is marked where it stands in this one"
    );
    let both = shown("b", &key);
    assert!(both != other && both != marked);
    // Only citations of this document are highlighted.
    let line = cite("third", "b", "Line 3 says nothing of it.");
    assert_eq!(shown("a", &line), plain);
    assert_eq!(shown("a", &format!("{line},{key}")), marked);
}

#[test]
fn rejects_fields_of_a_wrong_type_by_name() {
    let gateway = gateway();
    gateway.attach("tide", "tide.txt", "High tide was at 12:04.");
    let citation = r#"{"fullPhrase":"High tide was at 12:04"}"#;
    for (path, body, words) in [
        (
            "/verifyCitations",
            r#"{"data":{"attachmentId":7,"citations":{"k":CITATION}}}"#,
            "`data.attachmentId` must be a string, but is a number.",
        ),
        (
            "/verifyCitations",
            r#"{"data":{"fileId":[],"citations":{"k":CITATION}}}"#,
            "`data.fileId` must be a string, but is an array.",
        ),
        (
            "/verifyCitations",
            r#"{"data":{"citations":[CITATION]}}"#,
            "`data.citations` must be an object, but is an array.",
        ),
        (
            "/verifyCitations",
            r#"{"data":{"citations":{"k":"q"}}}"#,
            "`data.citations.k` must be an object, but is a string.",
        ),
        (
            "/verifyCitations",
            r#"{"data":{"citations":{"k":{"attachmentId":["tide"]}}}}"#,
            "`data.citations.k.attachmentId` must be a string, but is an array.",
        ),
        (
            "/verifyCitations",
            r#"{"data":{"citations":{"k":{"pageNumber":"2"}}}}"#,
            "`data.citations.k.pageNumber` must be a number, but is a string.",
        ),
        (
            "/verifyCitations",
            r#"{"data":{"outputImageFormat":5,"citations":{"k":CITATION}}}"#,
            "`data.outputImageFormat` must be a string, but is a number.",
        ),
        (
            "/verifyCitations",
            r#"{"data":"x"}"#,
            "`data` must be an object, but is a string.",
        ),
        (
            "/verifyCitations",
            r#"{"citations":true}"#,
            "`citations` must be an object, but is a boolean.",
        ),
        (
            "/verify",
            r#"{"attachmentIds":"tide","citations":{"k":CITATION}}"#,
            "`attachmentIds` must be an array, but is a string.",
        ),
        (
            "/verify",
            r#"{"attachmentIds":[5],"citations":{"k":CITATION}}"#,
            "`attachmentIds[0]` must be a string, but is a number.",
        ),
        (
            "/verify",
            r#"{"text":5}"#,
            "`text` must be a string, but is a number.",
        ),
        (
            "/verify",
            "[]",
            "The body must be an object, but is an array.",
        ),
        (
            "/documents",
            r#"{"url":5}"#,
            "`url` must be a string, but is a number.",
        ),
        (
            "/prepareAttachments",
            r#"{"attachmentId":5}"#,
            "`attachmentId` must be a string, but is a number.",
        ),
        (
            "/getAttachment",
            r#"{"attachmentId":{}}"#,
            "`attachmentId` must be a string, but is an object.",
        ),
    ] {
        let body = body.replace("CITATION", citation);
        let (status, answer) = gateway.json("POST", path, &body);
        assert_eq!(status, 422, "{path} {body}: {}", answer.to_json());
        assert_eq!(answer["error"]["message"].as_str(), Some(words), "{body}");
        assert!(
            answer["error"]["hint"]
                .as_str()
                .is_some_and(|hint| hint.starts_with("Send "))
        );
    }
    // Null means absent.
    let body = r#"{"data":{"attachmentId":null,"outputImageFormat":null,"citations":{"k":{"fullPhrase":"High tide was at 12:04","attachmentId":null,"pageNumber":null}}}}"#;
    let (status, answer) = gateway.json("POST", "/verifyCitations", body);
    assert_eq!(
        (status, answer["verifications"]["k"]["status"].as_str()),
        (200, Some("found"))
    );
}
