//! Choice of an encoding by the `Accept` header, compared with the golden vectors.

use std::collections::BTreeSet;

use agui::negotiate::Encoding;
use testkit::vectors::name;

use crate::sse::of_kind;

/// Headers for which the reference chooses protobuf and we choose SSE. The reference sends protobuf
/// unless the header excludes it; we require that the header names it and prefers it at least as
/// much as SSE. An entry that makes no difference fails the test.
const SSE_UNLESS_NAMED: &[&str] = &[
    "*/*",
    "application/*",
    "text/event-stream, application/vnd.ag-ui.event+proto;q=0.1",
    "text/event-stream;q=1, */*;q=0.01",
];

#[test]
fn negotiation_equals_the_vectors() {
    let mut used = BTreeSet::new();
    for vector in of_kind("negotiate") {
        let accept = vector["accept"].as_str();
        let ours = Encoding::negotiate(accept);
        let theirs = vector["content_type"].as_str().expect("a content type");
        match SSE_UNLESS_NAMED
            .iter()
            .find(|known| accept == Some(**known))
        {
            Some(known) => {
                assert_eq!(ours, Encoding::Sse, "{}", name(&vector));
                assert_eq!(theirs, Encoding::Proto.content_type(), "{known} is stale");
                used.insert(*known);
            }
            None => assert_eq!(ours.content_type(), theirs, "{}", name(&vector)),
        }
    }
    let known: BTreeSet<&str> = SSE_UNLESS_NAMED.iter().copied().collect();
    assert_eq!(used, known, "an exception that no vector needs is stale");
}

#[test]
fn protobuf_needs_to_be_named_and_preferred() {
    const PROTO: &str = "application/vnd.ag-ui.event+proto";
    for (accept, encoding) in [
        (format!("{PROTO}, text/event-stream"), Encoding::Proto),
        (
            format!("text/event-stream;q=0.5, {PROTO};q=0.5"),
            Encoding::Proto,
        ),
        (
            format!("text/event-stream;q=0.6, {PROTO};q=0.5"),
            Encoding::Sse,
        ),
        (format!("{PROTO};q=0.9, */*;q=0.1"), Encoding::Proto),
        (format!("{PROTO};q=0.1, */*;q=0.9"), Encoding::Sse),
        (format!("{PROTO};q=0.5, text/*;q=0.4, */*"), Encoding::Proto),
        (format!("{PROTO};q=0"), Encoding::Sse),
        (format!(" ,, {PROTO} ; Q=\"0.3\" ,"), Encoding::Proto),
        (format!("{PROTO};version=2"), Encoding::Sse),
        (format!("{PROTO};q=nan"), Encoding::Sse),
        (format!("{PROTO};q=2"), Encoding::Sse),
        (format!("x/\"{PROTO}"), Encoding::Sse),
        ("text/*".to_owned(), Encoding::Sse),
        ("*/*;q=0".to_owned(), Encoding::Sse),
        (";;;,,,\"".to_owned(), Encoding::Sse),
    ] {
        assert_eq!(Encoding::negotiate(Some(&accept)), encoding, "{accept}");
    }
}
