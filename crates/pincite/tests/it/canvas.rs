//! `pincite canvas`: checks and renderings of agent-generated UI.

use json::Value;

use crate::harness::{pincite, scratch};

const SURFACE: &str = r#"{"version":"v0.9","createSurface":{"surfaceId":"s","catalogId":"https://a2ui.org/specification/v0_9/basic_catalog.json"}}
{"version":"v0.9","updateComponents":{"surfaceId":"s","components":[{"id":"root","component":"Text","text":{"path":"/greeting"},"variant":"h1"}]}}
{"version":"v0.9","updateDataModel":{"surfaceId":"s","value":{"greeting":"Hello <b>you</b>"}}}
"#;

#[test]
fn valid_messages_are_reported_as_valid() {
    let file = scratch("surface.jsonl", SURFACE);
    let file = file.to_str().expect("a plain name");
    let report = pincite(&["canvas", "check", file, "--as", "a2ui"], b"")
        .expect(0)
        .json();
    assert_eq!(report["valid"], Value::Bool(true));
    assert_eq!(report["errors"].as_array(), Some(&[][..]));
    let action = br#"{"version":"v0.9","action":{"name":"n","surfaceId":"s","sourceComponentId":"c","timestamp":"2026-01-16T12:00:00Z","context":{}}}"#;
    pincite(&["canvas", "check", "-", "--as", "a2ui-client"], action).expect(0);
    let message = br#"{"type":"text","agentId":"a","payload":{"text":"Hello"}}"#;
    pincite(&["canvas", "check", "-"], message).expect(0);
}

#[test]
fn invalid_messages_name_path_and_code_and_exit_with_one() {
    let orphan = SURFACE.replace("\"root\"", "\"other\"");
    let report = pincite(&["canvas", "check", "-", "--as", "a2ui"], orphan.as_bytes())
        .expect(1)
        .json();
    assert_eq!(report["valid"], Value::Bool(false));
    let errors = report["errors"].as_array().expect("errors");
    assert_eq!(errors[0]["code"].as_str(), Some("missing_root"));
    assert_eq!(
        errors[0]["path"].as_str(),
        Some("/1/updateComponents/components")
    );
    // The server would repair this one; a check does not.
    let repaired = br#"{"type":"ui","agentId":"a","payload":{"component":"table","data":{"title":"T","columns":["x"],"rows":[[1]]}}}"#;
    let report = pincite(&["canvas", "check", "-"], repaired)
        .expect(1)
        .json();
    let errors = report["errors"].as_array().expect("errors");
    assert_eq!(errors[0]["code"].as_str(), Some("columns_for_headers"));
}

#[test]
fn a_catalog_that_is_none_is_a_usage_error() {
    let catalog = scratch("catalog.json", "{}");
    let catalog = catalog.to_str().expect("a plain name");
    pincite(
        &["canvas", "check", "-", "--as", "a2ui", "--catalog", catalog],
        SURFACE.as_bytes(),
    )
    .expect_usage_error(&["not an A2UI catalog", "components"]);
}

#[test]
fn surfaces_render_as_text_and_as_a_page() {
    let text = pincite(
        &["canvas", "render", "-", "--to", "text"],
        SURFACE.as_bytes(),
    )
    .expect(0);
    assert_eq!(text.text(), "# Hello <b>you</b>\n");
    let page = pincite(
        &["canvas", "render", "-", "--to", "html"],
        SURFACE.as_bytes(),
    )
    .expect(0);
    assert!(
        page.text()
            .contains("<h1>Hello &lt;b&gt;you&lt;/b&gt;</h1>"),
        "{}",
        page.text()
    );
}
