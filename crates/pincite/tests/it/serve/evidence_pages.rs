//! Evidence over HTTP: pictures of pages, pages about citations, pictures in the citation SDK's answers.

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{parse, poll_until};

const SOURCE: &str =
    "# Tides\n\nHigh tide was at **12:04** in Bergen.\n\n## Later\n\nLow water came at 18:20.\n";

/// The value of a header.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// The width and height of a PNG or of a lossless WebP.
fn size(picture: &[u8]) -> (u32, u32) {
    if picture.starts_with(b"\x89PNG") {
        let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().expect("four"));
        return (number(16), number(20));
    }
    assert_eq!(
        (&picture[..4], &picture[8..16]),
        (&b"RIFF"[..], &b"WEBPVP8L"[..])
    );
    let bits = u32::from_le_bytes(picture[21..25].try_into().expect("four"));
    ((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
}

/// Checks a quotation in a thread of its own; the key of the citation.
fn cite(gateway: &Gateway, phrase: &str) -> String {
    let entry = Value::from([
        ("attachment_id", "tide".into()),
        ("full_phrase", phrase.into()),
    ]);
    cite_in(gateway, &phrase.len().to_string(), "null", &entry).0
}

/// Runs an agent that cites this, in a thread with a state; the key of the citation, and the page about it.
fn cite_in(gateway: &Gateway, thread: &str, state: &str, entry: &Value) -> (String, String) {
    let text = format!(
        "Tide [1].\n<<<CITATION_DATA>>>[{}]<<<END_CITATION_DATA>>>",
        entry.to_json().replacen('{', "{\"id\":1,", 1)
    );
    let events = [
        crate::harness::RUN_STARTED.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
        format!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{}}}"#,
            Value::from(text.as_str()).to_json()
        ),
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned(),
        crate::harness::RUN_FINISHED.to_owned(),
    ];
    let body = format!(
        r#"{{"threadId":"{thread}","runId":"{thread}","messages":[],"state":{state},"forwardedProps":{}}}"#,
        Value::from(crate::harness::sse(&events)).to_json()
    );
    let (status, answer) = gateway.request("POST", "/agents/up", "", body.as_bytes());
    assert_eq!(status, 200, "{answer}");
    let after = |what: &str, length: usize| {
        let at = answer.find(what).expect(what) + what.len();
        answer[at..at + length].to_owned()
    };
    let page = after("/p/", 32);
    (after("/deepcitation/citations/", 16), format!("/p/{page}"))
}

/// A gateway before an agent that says what it is sent.
fn gateway() -> (Gateway, crate::harness::upstream::Upstream) {
    let upstream = crate::harness::upstream::Upstream::with_handler(|body, socket| {
        let asked = parse(body);
        let said = asked["forwardedProps"].as_str().unwrap_or_default();
        let answer = format!("{}{said}", crate::harness::upstream::EVENT_STREAM);
        // Whoever asked may have left.
        let _ = std::io::Write::write_all(socket, answer.as_bytes());
    });
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("up={}", upstream.url)]);
    assert_eq!(gateway.attach("tide", "tide.md", SOURCE).0, 200);
    (gateway, upstream)
}

#[test]
fn a_page_is_drawn_with_what_was_cited_marked() {
    let (gateway, _upstream) = gateway();
    let key = cite(&gateway, "High tide was at 12:04 in Bergen");
    let page = "/documents/tide/pages/1.png";
    let (head, plain) = gateway.exchange("GET", page, "", b"");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert_eq!(header(&head, "content-type"), Some("image/png"));
    // A4 at 108 dots per inch.
    assert_eq!(size(&plain), (893, 1263));
    let (head, marked) = gateway.exchange("GET", &format!("{page}?citation={key}"), "", b"");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert_eq!(size(&marked), size(&plain));
    assert_ne!(marked, plain);
    let (_, fine) = gateway.exchange("GET", &format!("{page}?scale=2"), "", b"");
    assert_eq!(size(&fine), (1785, 2526));
    let (_, dark) = gateway.exchange("GET", &format!("{page}?theme=dark"), "", b"");
    assert_ne!(dark, plain);

    // Who has it need not get it again; an address that names its content need not be asked again.
    let tag = header(&head, "etag").expect("a tag").to_owned();
    assert!(header(&head, "cache-control").is_some_and(|said| said.contains("no-cache")));
    let asking = format!("If-None-Match: {tag}\r\n");
    let (head, none) = gateway.exchange("GET", &format!("{page}?citation={key}"), &asking, b"");
    assert!(
        head.starts_with("HTTP/1.1 304") && none.is_empty(),
        "{head}"
    );
    let version = tag.trim_matches('"');
    let named = format!("{page}?citation={key}&v={version}");
    let (head, _) = gateway.exchange("GET", &named, "", b"");
    assert!(header(&head, "cache-control").is_some_and(|said| said.contains("immutable")));

    // The document by its content.
    let (_, about) = gateway.json("GET", "/documents/tide", "");
    let content = about["documentId"].as_str().expect("an id");
    let (_, same) = gateway.exchange("GET", &format!("/documents/{content}/pages/1.png"), "", b"");
    assert_eq!(same, plain);
    let (status, by_content) = gateway.json("GET", &format!("/documents/{content}"), "");
    assert_eq!(status, 200);
    assert_eq!(by_content["pageCount"], about["pageCount"]);
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let (gateway, _upstream) = gateway();
    let nobody = "0".repeat(64);
    for (path, status) in [
        ("/documents/tide/pages/2.png", 404),
        ("/documents/tide/pages/0.png", 404),
        ("/documents/tide/pages/1.gif", 404),
        ("/documents/tide/pages/one.png", 404),
        ("/documents/tide/pages/99999999999.png", 404),
        ("/documents/tide/pages/1", 404),
        ("/documents/ebb/pages/1.png", 404),
        (&*format!("/documents/{nobody}/pages/1.png"), 404),
        (&*format!("/documents/{nobody}"), 404),
        ("/documents/tide/pages/1.png?citation=nothing", 404),
        ("/documents/tide/pages/1.png?theme=pink", 422),
        ("/documents/tide/pages/1.png?scale=1000", 422),
    ] {
        let (got, answer) = gateway.request("GET", path, "", b"");
        assert_eq!(got, status, "{path}: {answer}");
        let error = &parse(&answer)["error"];
        assert!(
            error["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "{answer}"
        );
    }
}

#[test]
fn the_page_about_a_citation_shows_the_passage() {
    let (gateway, _upstream) = gateway();
    let key = cite(&gateway, "High tide was at 12:04 in Bergen");
    let (status, page) = gateway.request("GET", &format!("/p/{key}"), "", b"");
    assert_eq!(status, 200);
    assert!(page.contains("prefers-color-scheme: dark"), "{page}");
    let sources: Vec<&str> = page
        .split(['"', ' '])
        .filter(|word| word.starts_with("/p/"))
        .collect();
    // Strip and page; light and dark; ordinary and fine; and one that any browser understands.
    assert_eq!(sources.len(), 10, "{page}");
    for source in sources {
        let source = source.replace("&amp;", "&");
        let (head, picture) = gateway.exchange("GET", &source, "", b"");
        assert!(head.starts_with("HTTP/1.1 200"), "{source}: {head}");
        assert!(
            header(&head, "cache-control").is_some_and(|said| said.contains("immutable")),
            "{head}"
        );
        let (width, height) = size(&picture);
        assert!(width > 100 && height > 20, "{source}: {width} by {height}");
    }
    // Every picture tells what it shows, how large it is, and is got when it is seen.
    for image in page.split("<img ").skip(1) {
        let attribute = |name: &str| {
            let (_, rest) = image.split_once(&format!("{name}=\""))?;
            Some(rest.split_once('"')?.0.replace("&amp;", "&"))
        };
        assert!(
            attribute("alt").is_some_and(|alt| alt.contains("tide.md")),
            "{image}"
        );
        assert_eq!(attribute("loading").as_deref(), Some("lazy"));
        let (_, picture) = gateway.exchange("GET", &attribute("src").expect("a place"), "", b"");
        let (width, height) = size(&picture);
        assert_eq!(attribute("width"), Some(width.to_string()));
        assert_eq!(attribute("height"), Some(height.to_string()));
    }
    // The document is called what people call it.
    assert!(
        page.contains(
            "<cite dir=\"auto\">tide.md</cite>, page 1, line 2 · <span class=\"id\">tide</span>"
        ),
        "{page}"
    );
    // The paragraph, without the heading above it.
    assert!(
        page.contains("<mark>High tide was at 12:04 in Bergen</mark>.</blockquote>"),
        "{page}"
    );
    // Nothing else is asked for.
    assert!(page.contains("<link rel=\"icon\" href=\"data:"), "{page}");
    // What was not found has a page, and no picture.
    let missed = cite(&gateway, "Ships sank near Oslo");
    let (status, page) = gateway.request("GET", &format!("/p/{missed}"), "", b"");
    assert_eq!(status, 200);
    assert!(
        page.contains("not found") && !page.contains("<img"),
        "{page}"
    );
    let (status, _) = gateway.request("GET", &format!("/p/{missed}?format=webp"), "", b"");
    assert_eq!(status, 404);
    for wrong in ["format=gif", "view=zzz", "theme=x", "scale=3", "page=one"] {
        let (status, answer) = gateway.request("GET", &format!("/p/{key}?{wrong}"), "", b"");
        assert_eq!(status, 422, "{wrong}: {answer}");
    }
    // A link to the evidence is none to the rest of the document.
    let other = format!("/p/{key}?view=page&page=2&format=webp");
    assert_eq!(gateway.request("GET", &other, "", b"").0, 404);
}

#[test]
fn a_miss_is_told_with_its_reason_and_the_difference() {
    let (gateway, _upstream) = gateway();
    for (phrase, told) in [
        (
            "High tide was at 12:09 in Bergen",
            [
                "✗</span> not found",
                "The nearest passage says something else: a number differs.",
                "<h2>The nearest passage</h2>",
                "was at <del><span class=\"unseen\">[only in the quote: </span>12:09<span class=\"unseen\">]</span></del> \
                 <ins><span class=\"unseen\">[in the source: </span>12:04<span class=\"unseen\">]</span></ins> in Bergen",
                "<cite dir=\"auto\">tide.md</cite>, page 1, line 2",
            ],
        ),
        (
            "High tide was at 12:04 inn Bergen",
            [
                "~</span> partly found",
                "The passage differs in words that change little.",
                "<h2>The difference</h2>",
                "inn<span",
                "<h2>Where it stands</h2>",
            ],
        ),
        (
            "Ships sank near Oslo",
            [
                "✗</span> not found",
                "<p class=\"why\" dir=\"auto\">",
                "<h1>The quote</h1>",
                "Ships sank near Oslo",
                "tide.md",
            ],
        ),
    ] {
        let key = cite(&gateway, phrase);
        let (_, page) = gateway.request("GET", &format!("/p/{key}"), "", b"");
        for words in told {
            assert!(page.contains(words), "{words}: {page}");
        }
    }
}

#[test]
fn evidence_outlives_its_document_and_says_so() {
    let (gateway, _upstream) = gateway();
    let key = cite(&gateway, "High tide was at 12:04 in Bergen");
    assert_eq!(gateway.request("DELETE", "/documents/tide", "", b"").0, 200);
    let (status, page) = gateway.request("GET", &format!("/p/{key}"), "", b"");
    assert_eq!(status, 200);
    assert!(page.contains("The document was deleted since"), "{page}");
    assert!(
        page.contains("High tide was at 12:04 in Bergen. Later"),
        "{page}"
    );
    assert!(!page.contains("<img"), "{page}");
    // With its thread it goes.
    let thread = "High tide was at 12:04 in Bergen".len();
    assert_eq!(
        gateway
            .request("DELETE", &format!("/threads/{thread}"), "", b"")
            .0,
        200
    );
    let (status, answer) = gateway.request("GET", &format!("/p/{key}"), "", b"");
    assert_eq!(status, 404);
    assert!(answer.contains("with the last thread"), "{answer}");
    let (_, told) = gateway.request("GET", &format!("/p/{key}"), "Accept: text/html\r\n", b"");
    assert!(told.starts_with("<!doctype html>"), "{told}");
}

#[test]
fn the_pages_of_the_demo_tell_where_and_why() {
    let gateway = Gateway::start(&["--in-memory"]);
    let body = br#"{"threadId":"t","runId":"r","messages":[]}"#;
    let (status, _) = gateway.request("POST", "/agents/demo", "", body);
    assert_eq!(status, 200);
    let (_, state) = gateway.json("GET", "/threads/t/state", "");
    let markers = &state["deepcitation"]["messages"]["r-answer"]["markers"];
    let page = |marker: &str| {
        let key = markers[marker].as_str().expect("a key");
        gateway.request("GET", &format!("/p/{key}"), "", b"").1
    };
    // On another page: which, and which was meant.
    let elsewhere = page("3");
    assert!(
        elsewhere.contains("The citation names page 2; the words stand on page 1, lines"),
        "{elsewhere}"
    );
    // Over two pages: both are named, and both can be opened.
    let both = page("4");
    assert!(both.contains("</cite>, pages 1 and 2 ·"), "{both}");
    for number in [1, 2] {
        let (_, opened) = both
            .split_once(&format!("<summary>The whole of page {number}</summary>"))
            .expect("it can be opened");
        let (_, source) = opened.split_once("src=\"").expect("a picture");
        let source = source
            .split('"')
            .next()
            .expect("a place")
            .replace("&amp;", "&");
        let (head, picture) = gateway.exchange("GET", &source, "", b"");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(size(&picture).1, 1263);
    }
}

#[test]
fn answers_of_the_sdk_have_pictures() {
    let (gateway, _upstream) = gateway();
    let body = r#"{"data":{"attachmentId":"tide","outputImageFormat":"png","citations":{"a":{"fullPhrase":"High tide was at 12:04"},"b":{"fullPhrase":"never said so"}}}}"#;
    let (status, answer) = gateway.json("POST", "/verifyCitations", body);
    assert_eq!(status, 200, "{}", answer.to_json());
    let found = &answer["verifications"]["a"];
    let picture = found["evidence"]["src"].as_str().expect("a picture");
    assert!(
        picture.starts_with("data:image/png;base64,iVBOR"),
        "{picture:.60}"
    );
    assert_eq!(answer["verifications"]["b"].get("evidence"), None);
    let images = answer["attachments"]["tide"]["pageImages"].as_array();
    let images = images.expect("pages").to_vec();
    assert_eq!(images.len(), 1);
    assert_eq!(found["pageImages"].as_array().map(<[Value]>::len), Some(1));
    let url = images[0]["imageUrl"].as_str().expect("an address");
    let path = url.strip_prefix(gateway.url.as_str()).expect("ours");
    let (head, picture) = gateway.exchange("GET", path, "", b"");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (width, height) = size(&picture);
    let dimensions = &images[0]["dimensions"];
    assert_eq!(dimensions["width"], Value::from(width as usize));
    assert_eq!(dimensions["height"], Value::from(height as usize));
    let (_, about) = gateway.json("POST", "/getAttachment", r#"{"attachmentId":"tide"}"#);
    assert_eq!(about["pageImagesStatus"].as_str(), Some("completed"));
    assert_eq!(about["pageImages"].as_array().map(<[Value]>::len), Some(1));
    // Without a form nothing is drawn; a form that nobody writes is refused.
    let without = body.replace(r#""outputImageFormat":"png","#, "");
    let (_, answer) = gateway.json("POST", "/verifyCitations", &without);
    assert_eq!(answer["verifications"]["a"].get("evidence"), None);
    let photograph = body.replace("\"png\"", "\"jpeg\"");
    let (_, answer) = gateway.json("POST", "/verifyCitations", &photograph);
    let picture = answer["verifications"]["a"]["evidence"]["src"].as_str();
    let is_jpeg = |picture: &str| picture.starts_with("data:image/jpeg;base64,/9j/");
    assert!(picture.is_some_and(is_jpeg), "{picture:.60?}");
    let wrong = body.replace("\"png\"", "\"bmp\"");
    assert_eq!(gateway.json("POST", "/verifyCitations", &wrong).0, 422);
}

#[test]
fn the_file_itself_can_be_had() {
    let (gateway, _upstream) = gateway();
    let (_, prepared) = gateway.attach("quay", "é\\\"; <quay>.html", "<p>The quay was long.");
    let download = &prepared["originalDownload"];
    assert_eq!(download["mimeType"].as_str(), Some("text/html"));
    assert_eq!(download["link"]["expiresAt"].as_str(), Some("never"));
    let url = download["link"]["url"].as_str().expect("an address");
    let path = url.strip_prefix(gateway.url.as_str()).expect("ours");
    let (head, file) = gateway.exchange("GET", path, "", b"");
    assert_eq!(file, b"<p>The quay was long.");
    assert_eq!(header(&head, "content-type"), Some("text/html"));
    // What came from anywhere is never shown as a page of ours.
    let kept = header(&head, "content-disposition").expect("it is kept");
    assert!(
        kept.starts_with("attachment; filename*=UTF-8''%C3%A9"),
        "{kept}"
    );
    let policy = header(&head, "content-security-policy").expect("a policy");
    assert!(policy.starts_with("sandbox"), "{policy}");
    let (_, about) = gateway.json("POST", "/getAttachment", r#"{"attachmentId":"quay"}"#);
    assert_eq!(about["originalDownload"]["link"]["url"].as_str(), Some(url));
    assert_eq!(about["source"].as_str(), Some("upload"));
    assert_eq!(
        gateway.request("GET", "/documents/ebb/file", "", b"").0,
        404
    );
}

#[test]
fn reviews_come_back() {
    let (gateway, _upstream) = gateway();
    let phrase = "High tide was at 12:04 in Bergen";
    let key = cite(&gateway, phrase);
    let entry = Value::from([
        ("attachment_id", "tide".into()),
        ("full_phrase", phrase.into()),
    ]);
    assert_eq!(cite_in(&gateway, "other", "{}", &entry).0, key);
    let path = format!("/citations/{key}/reviews");
    let review = r#"{"action":"disputed","at":"2026-11-16T06:00:00Z","note":"It was later."}"#;
    let (status, answer) = gateway.json("POST", &path, review);
    assert_eq!(status, 201, "{}", answer.to_json());
    for (path, body, status) in [
        (&*path, r#"{"action":"burned"}"#, 422),
        (&*path, r#"{"action":"opened","at":"soon"}"#, 422),
        (
            "/citations/0123456789abcdef/reviews",
            r#"{"action":"opened"}"#,
            404,
        ),
    ] {
        assert_eq!(gateway.json("POST", path, body).0, status, "{path} {body}");
    }
    // It is in the state of every thread that cites.
    let reviewed = |thread: &str| {
        poll_until("the review is in the state", || {
            let (_, state) = gateway.json("GET", &format!("/threads/{thread}/state"), "");
            let reviews = state["deepcitation"].get("reviews")?;
            let shown = &reviews[key.as_str()];
            assert_eq!(shown["action"].as_str(), Some("disputed"));
            Some(state)
        })
    };
    reviewed("other");
    let thread = phrase.len().to_string();
    let state = reviewed(&thread);
    // A client writes one into the state that it sends.
    let sent = state.to_json().replace("disputed", "accepted");
    let said = crate::harness::sse(&[crate::harness::RUN_STARTED, crate::harness::RUN_FINISHED]);
    let body = format!(
        r#"{{"threadId":"{thread}","runId":"next","messages":[],"state":{sent},"forwardedProps":{}}}"#,
        Value::from(said).to_json()
    );
    let (status, answer) = gateway.request("POST", "/agents/up", "", body.as_bytes());
    assert_eq!(status, 200, "{answer}");
    let actions = poll_until("both reviews are listed", || {
        let (_, listed) = gateway.json("GET", &path, "");
        let items = listed["items"].as_array().expect("items");
        let action = |item: &Value| item["action"].as_str().unwrap_or_default().to_owned();
        let actions: Vec<String> = items.iter().map(action).collect();
        (actions.len() == 2).then_some(actions)
    });
    assert!(actions.contains(&"accepted".to_owned()), "{actions:?}");
    assert!(actions.contains(&"disputed".to_owned()), "{actions:?}");
}

#[test]
fn the_same_words_have_a_page_for_each_document_they_were_looked_for_in() {
    let (gateway, _upstream) = gateway();
    let ebb = "Low water came at 18:20.";
    assert_eq!(gateway.attach("ebb", "ebb.txt", ebb).0, 200);
    let entry = Value::from([("full_phrase", "High tide was at 12:04".into())]);
    let attached = |id: &str| format!(r#"{{"fileDataParts":[{{"attachmentId":"{id}"}}]}}"#);
    let (key, there) = cite_in(&gateway, "t", &attached("tide"), &entry);
    let (same, missing) = cite_in(&gateway, "u", &attached("ebb"), &entry);
    assert_eq!(key, same, "the key does not know of documents");
    assert_ne!(there, missing);
    let says = |page: &str, what: &str| {
        let (status, page) = gateway.request("GET", page, "", b"");
        assert!(status == 200 && page.contains(what), "{status} {page}");
    };
    says(&there, "verified");
    says(&missing, "not found");
    // Found again in the first: the page about the second stays what it is.
    assert_eq!(cite_in(&gateway, "v", &attached("tide"), &entry).1, there);
    says(&missing, "not found");
}
