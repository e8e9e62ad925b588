//! Catalog: published schemas, reference, prompt, tools.

use canvas::{CanvasTool, MessageKind, canvas_tools, catalog};
use json::Value;

#[test]
fn reference_of_components_is_up_to_date() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/canvas-components.md"
    );
    let expected = catalog().to_markdown();
    if std::env::var_os("PINCITE_BLESS").is_some() {
        std::fs::write(path, &expected).expect("the document can be written");
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        stored == expected,
        "docs/canvas-components.md is out of date: run with PINCITE_BLESS=1"
    );
}

#[test]
fn schemas_are_self_contained_and_without_null() {
    let document = catalog().to_document();
    let text = document.to_string();
    assert!(
        !text.contains("\"$ref\"") && !text.contains("\"null\""),
        "{text}"
    );
    for component in document["components"].as_array().expect("components") {
        let name = component["name"].as_str().expect("a name");
        let schema = &component["schema"];
        assert_eq!(schema["$id"], format!("urn:pincite:canvas:1.0.0:{name}"));
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false, "{name}");
    }
    assert_eq!(document["messages"].as_array().map(Vec::len), Some(7));
    let chart = catalog().component_schema("chart").expect("chart");
    assert_eq!(chart["properties"]["chartType"]["enum"][2], "pie");
    assert_eq!(
        chart["properties"]["datasets"]["items"]["properties"]["color"]["format"],
        "color"
    );
    let text = catalog().message_schema(MessageKind::Text);
    assert_eq!(text["properties"]["payload"]["required"][0], "text");
    assert_eq!(text["properties"]["type"]["const"], "text");
}

#[test]
fn prompt_teaches_every_component_in_few_words() {
    let prompt = catalog().prompt();
    for name in catalog().component_names() {
        assert!(prompt.contains(&format!("\n{name}: ")), "{name}");
    }
    assert!(
        prompt.contains("rows: (string|number|boolean)[][]"),
        "{prompt}"
    );
    assert!(prompt.len() < 10_000, "{}", prompt.len());
}

#[test]
fn tools_send_messages_and_tell_the_model_its_errors() {
    let names: Vec<&str> = canvas_tools().iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        [
            "send_ui",
            "send_actions",
            "request_context",
            "send_reasoning",
            "send_error"
        ]
    );
    let tool = CanvasTool::by_name("send_ui").expect("a tool");
    let arguments = Value::parse(r#"{"component":"markdown","data":{"text":"x"}}"#).expect("JSON");
    let sent = tool.message(arguments, "agent", "c").expect("valid");
    assert_eq!(sent.message.sent_note(), "Shown to the person.");
    let error = tool.message(
        Value::parse(r#"{"component":"markdown","data":{}}"#).expect("JSON"),
        "agent",
        "c",
    );
    let error = error.expect_err("no text").to_string();
    assert_eq!(
        error,
        "/payload/data/text: The field 'text' is missing. Expected: a string."
    );
}
