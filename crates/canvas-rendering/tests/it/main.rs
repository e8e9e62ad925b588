//! Tests of rendering: the official examples of A2UI, messages of the canvas, hostile input.

use canvas_rendering::{MAX_TREE_DEPTH, RenderTarget, render};
use serde_json::{Value, json};

fn both(input: &str) -> (String, String) {
    let rendered = |target| render(input, target).expect("valid");
    (rendered(RenderTarget::Text), rendered(RenderTarget::Html))
}

fn surface(components: impl Into<Value>) -> String {
    let components = components.into();
    let catalog = a2ui::BASIC_CATALOG_IDS[1];
    json!([
        { "version": "v0.9", "createSurface": { "surfaceId": "s", "catalogId": catalog } },
        { "version": "v0.9", "updateComponents": { "surfaceId": "s", "components": components } },
    ])
    .to_string()
}

#[test]
fn official_examples_render_without_a_note() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../a2ui/tests/vectors");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let input = std::fs::read_to_string(&path).expect("text");
        let (text, html) = both(&input);
        assert!(text.trim().len() > 10, "{}: {text}", path.display());
        for sign in ["has no content", "not shown", "[the ", "[`", "missing]"] {
            assert!(!text.contains(sign), "{}: {text}", path.display());
        }
        assert!(html.contains("<section>"), "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 21);
}

#[test]
fn components_become_readable_text() {
    let input = surface(json!([
        { "id": "root", "component": "Column", "children": ["title", "row", "check", "pick", "tabs", "save", "line", "pic", "key"] },
        { "id": "title", "component": "Text", "text": "Order", "variant": "h2" },
        { "id": "row", "component": "Row", "children": ["a", "b"] },
        { "id": "a", "component": "Text", "text": "Tea" },
        { "id": "b", "component": "Text", "text": { "call": "formatCurrency", "args": { "value": 3, "currency": "EUR" } } },
        { "id": "check", "component": "CheckBox", "label": "Milk", "value": true },
        { "id": "pick", "component": "ChoicePicker", "label": "Size", "value": ["l"], "options": [
            { "label": "Small", "value": "s" }, { "label": "Large", "value": "l" }] },
        { "id": "tabs", "component": "Tabs", "tabs": [{ "title": "Notes", "child": "a2" }] },
        { "id": "a2", "component": "Text", "text": "None" },
        { "id": "save", "component": "Button", "child": "ok", "action": { "event": { "name": "save" } } },
        { "id": "ok", "component": "Text", "text": "Save" },
        { "id": "line", "component": "Divider" },
        { "id": "pic", "component": "Image", "url": "https://example.org/tea.png", "description": "A cup" },
        { "id": "key", "component": "TextField", "label": "Code", "value": "abc", "variant": "obscured" },
    ]));
    let (text, html) = both(&input);
    assert_eq!(
        text,
        "## Order\nTea  €3.00\n[x] Milk\nSize:\n[ ] Small\n[x] Large\n[ Notes ]\n  None\n[ Save ]\n---\n[picture: A cup]\nCode: •••\n"
    );
    assert!(!html.contains("tea.png"), "pictures are not loaded");
    assert!(html.contains("<h2>Order</h2>"));
}

#[test]
fn no_html_of_an_agent_reaches_the_page() {
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) ![p](http://evil/x.png)";
    let input = surface(json!([
        { "id": "root", "component": "Column", "children": ["t", "h", "c", "f"] },
        { "id": "t", "component": "Text", "text": hostile },
        { "id": "h", "component": "Text", "text": hostile, "variant": "h1" },
        { "id": "c", "component": "Text", "text": hostile, "variant": "caption" },
        { "id": "f", "component": "TextField", "label": hostile, "value": hostile },
    ]));
    let message =
        json!({ "type": "text", "agentId": "a", "payload": { "text": hostile } }).to_string();
    for input in [input, message] {
        let (_, html) = both(&input);
        for sign in ["<script", "<img", "href=\"javascript"] {
            assert!(!html.contains(sign), "{sign}: {html}");
        }
    }
}

#[test]
fn deep_surfaces_end_with_a_note() {
    let card = |index: usize| {
        let id = if index == 0 {
            "root".to_owned()
        } else {
            format!("n{index}")
        };
        json!({ "id": id, "component": "Card", "child": format!("n{}", index + 1) })
    };
    let mut components: Vec<Value> = (0..MAX_TREE_DEPTH + 2).map(card).collect();
    components.push(
        json!({ "id": format!("n{}", MAX_TREE_DEPTH + 2), "component": "Text", "text": "deep" }),
    );
    let (text, _) = both(&surface(components));
    assert!(
        text.contains("Deeper parts are not shown") && !text.contains("deep\n"),
        "{text}"
    );
}

#[test]
fn messages_of_the_canvas_render() {
    let lines = [
        json!({ "type": "text", "agentId": "a", "payload": { "text": "Look:" } }),
        json!({ "type": "ui", "agentId": "a", "payload": { "component": "table",
            "data": { "title": "Sales", "headers": ["Month", "Sum"], "rows": [["Jan", 5]] } } }),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (text, html) = both(&input);
    assert!(text.contains("| Jan | 5 |"), "{text}");
    assert!(html.contains("<th>Month</th>"), "{html}");
}

#[test]
fn invalid_input_names_the_place() {
    let wrong = json!({ "type": "ui", "agentId": "a", "payload": { "component": "table", "data": { "title": "T" } } });
    let error = render(&wrong.to_string(), RenderTarget::Text).expect_err("no headers");
    assert!(
        error.to_string().contains("/payload/data/headers"),
        "{error}"
    );
    let error = render("{}", RenderTarget::Html).expect_err("nothing");
    assert!(error.to_string().contains("A2UI"), "{error}");
}
