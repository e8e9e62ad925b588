//! Evidence pages and page images over HTTP.

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{RUN_FINISHED, RUN_STARTED, header, image_size, parse, poll_until, sse};

const SOURCE: &str =
    "# Tides\n\nHigh tide was at **12:04** in Bergen.\n\n## Later\n\nLow water came at 18:20.\n";

/// Verifies a quote in its own thread. Returns the key of the citation.
fn cite(gateway: &Gateway, phrase: &str) -> String {
    let entry = Value::from([
        ("attachment_id", "tide".into()),
        ("full_phrase", phrase.into()),
    ]);
    cite_in(gateway, &phrase.len().to_string(), "null", &entry).0
}

/// Runs an agent with this citation. Returns the key of the citation and the path of its evidence page.
fn cite_in(gateway: &Gateway, thread: &str, state: &str, entry: &Value) -> (String, String) {
    let text = format!(
        "Tide [1].\n<<<CITATION_DATA>>>[{}]<<<END_CITATION_DATA>>>",
        entry.to_json().replacen('{', "{\"id\":1,", 1)
    );
    let events = [
        RUN_STARTED.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
        format!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{}}}"#,
            Value::from(text.as_str()).to_json()
        ),
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned(),
        RUN_FINISHED.to_owned(),
    ];
    let body = format!(
        r#"{{"threadId":"{thread}","runId":"{thread}","messages":[],"state":{state},"forwardedProps":{}}}"#,
        Value::from(sse(&events)).to_json()
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

/// Starts a gateway with an agent that sends the events of `forwardedProps`.
fn gateway() -> (Gateway, Upstream) {
    let upstream = Upstream::with_handler(|body, socket| {
        let request = parse(body);
        let events = request["forwardedProps"].as_str().unwrap_or_default();
        let answer = format!("{EVENT_STREAM}{events}");
        // The client may have disconnected.
        let _ = std::io::Write::write_all(socket, answer.as_bytes());
    });
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("up={}", upstream.url)]);
    assert_eq!(gateway.attach("tide", "tide.md", SOURCE).0, 200);
    (gateway, upstream)
}

#[test]
fn renders_a_page_with_the_citation_highlighted() {
    let (gateway, _upstream) = gateway();
    let key = cite(&gateway, "High tide was at 12:04 in Bergen");
    let page = "/documents/tide/pages/1.png";
    let (head, plain) = gateway.exchange("GET", page, "", b"");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert_eq!(header(&head, "content-type"), Some("image/png"));
    // A4 at 108 dots per inch.
    assert_eq!(image_size(&plain), (893, 1263));
    let (head, marked) = gateway.exchange("GET", &format!("{page}?citation={key}"), "", b"");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert_eq!(image_size(&marked), image_size(&plain));
    assert_ne!(marked, plain);
    let (_, fine) = gateway.exchange("GET", &format!("{page}?scale=2"), "", b"");
    assert_eq!(image_size(&fine), (1785, 2526));
    let (_, dark) = gateway.exchange("GET", &format!("{page}?theme=dark"), "", b"");
    assert_ne!(dark, plain);

    // A cached image is validated by its ETag; a URL with the hash of its content is immutable.
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

    // The document id works like the attachment id.
    let (_, about) = gateway.json("GET", "/documents/tide", "");
    let content = about["documentId"].as_str().expect("an id");
    let (_, same) = gateway.exchange("GET", &format!("/documents/{content}/pages/1.png"), "", b"");
    assert_eq!(same, plain);
    let (status, by_content) = gateway.json("GET", &format!("/documents/{content}"), "");
    assert_eq!(status, 200);
    assert_eq!(by_content["pageCount"], about["pageCount"]);
}

#[test]
fn page_images_report_errors() {
    let (gateway, _upstream) = gateway();
    let unknown = "0".repeat(64);
    for (path, status) in [
        ("/documents/tide/pages/2.png", 404),
        ("/documents/tide/pages/0.png", 404),
        ("/documents/tide/pages/1.gif", 404),
        ("/documents/tide/pages/one.png", 404),
        ("/documents/tide/pages/99999999999.png", 404),
        ("/documents/tide/pages/1", 404),
        ("/documents/ebb/pages/1.png", 404),
        (&*format!("/documents/{unknown}/pages/1.png"), 404),
        (&*format!("/documents/{unknown}"), 404),
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
fn evidence_page_shows_the_passage() {
    let (gateway, _upstream) = gateway();
    let key = cite(&gateway, "High tide was at 12:04 in Bergen");
    let (status, page) = gateway.request("GET", &format!("/p/{key}"), "", b"");
    assert_eq!(status, 200);
    assert!(page.contains("prefers-color-scheme: dark"), "{page}");
    let sources: Vec<&str> = page
        .split(['"', ' '])
        .filter(|word| word.starts_with("/p/"))
        .collect();
    // Strip and page, light and dark, two scales, and a fallback for old browsers.
    assert_eq!(sources.len(), 10, "{page}");
    for source in sources {
        let source = source.replace("&amp;", "&");
        let (head, picture) = gateway.exchange("GET", &source, "", b"");
        assert!(head.starts_with("HTTP/1.1 200"), "{source}: {head}");
        assert!(
            header(&head, "cache-control").is_some_and(|said| said.contains("immutable")),
            "{head}"
        );
        let (width, height) = image_size(&picture);
        assert!(width > 100 && height > 20, "{source}: {width} by {height}");
    }
    // Every image has an alternative text and a size, and is loaded lazily.
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
        let (width, height) = image_size(&picture);
        assert_eq!(attribute("width"), Some(width.to_string()));
        assert_eq!(attribute("height"), Some(height.to_string()));
    }
    // The document is shown with its label.
    assert!(
        page.contains(
            "<cite dir=\"auto\">tide.md</cite>, page 1, line 3 · <span class=\"id\">tide</span>"
        ),
        "{page}"
    );
    // The passage is the paragraph without its heading.
    assert!(
        page.contains("<mark>High tide was at 12:04 in Bergen</mark>.</blockquote>"),
        "{page}"
    );
    // The browser requests nothing else.
    assert!(page.contains("<link rel=\"icon\" href=\"data:"), "{page}");
    // A miss has a page with an image of the nearest passage.
    let missed = cite(&gateway, "Ships sank near Oslo");
    let (status, page) = gateway.request("GET", &format!("/p/{missed}"), "", b"");
    assert_eq!(status, 200);
    assert!(
        page.contains("not found") && page.contains("<img"),
        "{page}"
    );
    let (status, _) = gateway.request("GET", &format!("/p/{missed}?format=webp"), "", b"");
    assert_eq!(status, 200);
    for wrong in ["format=gif", "view=zzz", "theme=x", "scale=3", "page=one"] {
        let (status, answer) = gateway.request("GET", &format!("/p/{key}?{wrong}"), "", b"");
        assert_eq!(status, 422, "{wrong}: {answer}");
    }
    // Access to the evidence gives no access to other pages of the document.
    let other = format!("/p/{key}?view=page&page=2&format=webp");
    assert_eq!(gateway.request("GET", &other, "", b"").0, 404);
}

#[test]
fn evidence_page_of_a_miss_shows_reason_and_difference() {
    let (gateway, _upstream) = gateway();
    for (phrase, told) in [
        (
            "High tide was at 12:09 in Bergen",
            [
                "✗</span> not found",
                "The nearest passage says something else: a number differs.",
                "<h2>Most similar passage</h2>",
                "was at <del><span class=\"unseen\">[only in the quote: </span>12:09<span class=\"unseen\">]</span></del> \
                 <ins><span class=\"unseen\">[in the source: </span>12:04<span class=\"unseen\">]</span></ins> in Bergen",
                "<cite dir=\"auto\">tide.md</cite>, page 1, line 3",
            ],
        ),
        (
            "High tidde was at 12:04 in Bergen",
            [
                "~</span> partly found",
                "The passage differs: the spelling differs.",
                "<h2>Difference</h2>",
                "tidde<span",
                "<h2>Passage on the page</h2>",
            ],
        ),
        (
            "Ships sank near Oslo",
            [
                "✗</span> not found",
                "<p class=\"why\" dir=\"auto\">",
                "<h1>Quote</h1>",
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
fn evidence_page_survives_the_deletion_of_its_document() {
    let (gateway, _upstream) = gateway();
    let key = cite(&gateway, "High tide was at 12:04 in Bergen");
    assert_eq!(gateway.request("DELETE", "/documents/tide", "", b"").0, 200);
    let (status, page) = gateway.request("GET", &format!("/p/{key}"), "", b"");
    assert_eq!(status, 200);
    assert!(
        page.contains("The document has been deleted since"),
        "{page}"
    );
    assert!(
        page.contains("High tide was at 12:04 in Bergen. Later"),
        "{page}"
    );
    assert!(!page.contains("<img"), "{page}");
    // The page is deleted with its last thread.
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
fn evidence_pages_of_the_demo_show_place_and_reason() {
    let gateway = Gateway::start(&["--in-memory"]);
    let body = br#"{"threadId":"t","runId":"r","messages":[]}"#;
    let (status, _) = gateway.request("POST", "/agents/demo", "", body);
    assert_eq!(status, 200);
    let (_, state) = gateway.json("GET", "/threads/t/state", "");
    let messages = state["deepcitation"]["messages"].as_object();
    let (id, message) = messages.and_then(|all| all.iter().next()).expect("one");
    let groups: Vec<usize> = id.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12], "the id is a UUID: {id}");
    let markers = &message["markers"];
    let page = |marker: &str| {
        let key = markers[marker].as_str().expect("a key");
        gateway.request("GET", &format!("/p/{key}"), "", b"").1
    };
    // A quote on another page names both pages.
    let elsewhere = page("3");
    assert!(
        elsewhere.contains("The citation names page 2; the words are on page 1, lines"),
        "{elsewhere}"
    );
    // A quote over two pages names and shows both.
    let both = page("4");
    assert!(both.contains("</cite>, pages 1 and 2 ·"), "{both}");
    for number in [1, 2] {
        let (_, opened) = both
            .split_once(&format!("<summary>Whole page {number}</summary>"))
            .expect("it can be opened");
        let (_, source) = opened.split_once("src=\"").expect("a picture");
        let source = source
            .split('"')
            .next()
            .expect("a place")
            .replace("&amp;", "&");
        let (head, picture) = gateway.exchange("GET", &source, "", b"");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(image_size(&picture).1, 1263);
    }
}

#[test]
fn reviews_appear_in_state_and_list() {
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
    // The review is in the state of every thread with the citation.
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
    // A client sends another review in its state.
    let sent = state.to_json().replace("disputed", "accepted");
    let events = sse(&[RUN_STARTED, RUN_FINISHED]);
    let body = format!(
        r#"{{"threadId":"{thread}","runId":"next","messages":[],"state":{sent},"forwardedProps":{}}}"#,
        Value::from(events).to_json()
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
fn same_quote_has_an_evidence_page_for_each_document() {
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
    // Another match in the first document does not change the page of the second.
    assert_eq!(cite_in(&gateway, "v", &attached("tide"), &entry).1, there);
    says(&missing, "not found");
}
