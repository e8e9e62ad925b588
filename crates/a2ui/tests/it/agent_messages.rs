//! Messages of agents: schemas, then the graph of components.

use std::sync::LazyLock;

use a2ui::{A2uiCatalog, check_agent_messages};
use serde_json::{Value, json};

use crate::{create, examples, update};

static BASIC: LazyLock<A2uiCatalog> = LazyLock::new(A2uiCatalog::basic);

/// Path and code of each problem.
fn problems(input: &Value) -> Vec<(String, &'static str)> {
    let found = check_agent_messages(&input.to_string(), &BASIC);
    found
        .into_iter()
        .map(|problem| (problem.path, problem.code))
        .collect()
}

fn one(input: &Value) -> (String, &'static str) {
    let found = problems(input);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().expect("valid test data")
}

fn at(path: &str, code: &'static str) -> (String, &'static str) {
    (path.to_owned(), code)
}

#[test]
fn official_examples_are_valid() {
    for (name, text) in examples() {
        assert_eq!(check_agent_messages(&text, &BASIC), [], "{name}");
    }
}

#[test]
fn one_message_a_list_and_lines_are_read() {
    let message = update(json!([{ "id": "a", "component": "Divider" }]));
    assert_eq!(problems(&message), []);
    assert_eq!(problems(&json!([message, message])), []);
    assert_eq!(problems(&json!({ "messages": [message] })), []);
    let lines = format!("{message}\n\n{message}\n");
    assert_eq!(check_agent_messages(&lines, &BASIC), []);
    let broken = check_agent_messages(&format!("{message}\nnonsense"), &BASIC);
    assert_eq!(broken[0].code, "not_json");
}

#[test]
fn problems_name_the_place_and_the_rule() {
    let base = "/updateComponents/components/0";
    let cases = [
        (
            json!({ "id": "a", "component": "Text" }),
            base.to_owned(),
            "missing_field",
        ),
        (
            json!({ "id": "a", "component": "Text", "text": 5 }),
            format!("{base}/text"),
            "wrong_type",
        ),
        (
            json!({ "id": "a", "component": "Text", "text": "x", "variant": "h6" }),
            format!("{base}/variant"),
            "not_allowed",
        ),
        (
            json!({ "id": "a", "component": "Chart" }),
            format!("{base}/component"),
            "unknown_component",
        ),
        (
            json!({ "component": "Divider" }),
            base.to_owned(),
            "missing_field",
        ),
        (
            json!({ "id": "a", "component": "Divider", "colour": "red" }),
            base.to_owned(),
            "unknown_field",
        ),
        (
            json!({ "id": "a", "component": "Text", "text": { "call": "shout", "args": {} } }),
            format!("{base}/text/call"),
            "unknown_function",
        ),
        (
            json!({ "id": "a", "component": "Text", "text": { "path": "/a~2" } }),
            format!("{base}/text/path"),
            "invalid_path",
        ),
    ];
    for (component, path, code) in cases {
        let found = problems(&update(json!([component])));
        assert!(
            found.contains(&(path.clone(), code)),
            "{component}: {found:?}, expected {path} {code}"
        );
    }
}

#[test]
fn envelopes_are_checked() {
    let body = json!({ "surfaceId": "s" });
    let message = |version: &str| json!({ "version": version, "deleteSurface": body });
    assert_eq!(problems(&message("v0.9.1")), []);
    assert_eq!(one(&message("v1.0")), at("/version", "unknown_version"));
    assert_eq!(
        one(&json!({ "deleteSurface": body })),
        at("", "missing_field")
    );
    assert_eq!(
        one(&json!({ "version": "v0.9" })),
        at("", "missing_operation")
    );
    assert_eq!(one(&json!([1])), at("/0", "wrong_type"));
    let two = json!({ "version": "v0.9", "deleteSurface": body, "createSurface": { "surfaceId": "s", "catalogId": "c" } });
    assert_eq!(one(&two), at("", "several_operations"));
    let empty = one(&update(json!([])));
    assert_eq!(empty, at("/updateComponents/components", "too_short"));
    let theme = json!({ "version": "v0.9", "createSurface": { "surfaceId": "s", "catalogId": "c",
        "theme": { "primaryColor": "red", "iconUrl": "not a uri" } } });
    let codes: Vec<_> = problems(&theme).into_iter().map(|(_, code)| code).collect();
    assert_eq!(codes, ["wrong_format", "wrong_format"]);
}

#[test]
fn duplicates_self_references_and_cycles_always_fail() {
    let nameless = update(json!([{ "id": "", "component": "Divider" }]));
    assert_eq!(
        one(&nameless),
        at("/updateComponents/components/0/id", "empty_id")
    );
    let twice = update(
        json!([{ "id": "a", "component": "Divider" }, { "id": "a", "component": "Divider" }]),
    );
    assert_eq!(
        one(&twice),
        at("/updateComponents/components/1/id", "duplicate_id")
    );
    let own = update(json!([{ "id": "a", "component": "Card", "child": "a" }]));
    assert_eq!(
        one(&own),
        at("/updateComponents/components/0/child", "self_reference")
    );
    let circle = update(json!([
        { "id": "a", "component": "Card", "child": "b" },
        { "id": "b", "component": "Column", "children": ["c", "a"] },
        { "id": "c", "component": "Divider" },
    ]));
    assert_eq!(
        one(&circle),
        at("/updateComponents/components/1/children/1", "cycle")
    );
}

#[test]
fn a_created_surface_must_be_complete_and_an_updated_one_need_not() {
    let part = update(json!([
        { "id": "a", "component": "Tabs", "tabs": [{ "title": "One", "child": "missing" }] },
        { "id": "lonely", "component": "Divider" },
    ]));
    assert_eq!(problems(&part), []);
    let codes: Vec<_> = problems(&json!([create(), part])).into_iter().collect();
    let components = "/1/updateComponents/components";
    assert_eq!(
        codes,
        [
            at(components, "missing_root"),
            at(
                &format!("{components}/0/tabs/0/child"),
                "dangling_reference"
            ),
            at(&format!("{components}/0"), "orphan"),
            at(&format!("{components}/1"), "orphan"),
        ]
    );
    let root = update(json!([{ "id": "root", "component": "Column", "children": ["a"] }]));
    let child = update(json!([{ "id": "a", "component": "Divider" }]));
    assert_eq!(
        problems(&json!([create(), root, child])),
        [],
        "children may arrive later"
    );
    assert_eq!(
        problems(&json!([create()])),
        [],
        "components may arrive in another input"
    );
}

#[test]
fn templates_refer_to_their_component() {
    let list = |component: &str| {
        json!([
            create(),
            update(json!([
                { "id": "root", "component": "List", "children": { "componentId": component, "path": "/items" } },
                { "id": "row", "component": "Text", "text": { "path": "name" } },
            ]))
        ])
    };
    assert_eq!(problems(&list("row")), []);
    let wrong = problems(&list("line"));
    assert_eq!(
        wrong[0],
        at(
            "/1/updateComponents/components/0/children/componentId",
            "dangling_reference"
        )
    );
}

#[test]
fn surfaces_are_created_once_and_before_they_are_used() {
    let root = update(json!([{ "id": "root", "component": "Divider" }]));
    let delete = json!({ "version": "v0.9", "deleteSurface": { "surfaceId": "s" } });
    assert_eq!(
        one(&json!([create(), root, create()])),
        at("/2/createSurface", "surface_exists")
    );
    assert_eq!(
        one(&json!([root, create()])),
        at("/0/updateComponents", "surface_missing")
    );
    assert_eq!(
        problems(&json!([create(), root, delete, create(), root])),
        []
    );
}

#[test]
fn depth_is_bounded() {
    let chain = |length: usize| {
        let card = |index: usize| {
            let id = if index == 0 {
                "root".to_owned()
            } else {
                format!("n{index}")
            };
            json!({ "id": id, "component": "Card", "child": format!("n{}", index + 1) })
        };
        let mut components: Vec<Value> = (0..length).map(card).collect();
        components.push(json!({ "id": format!("n{length}"), "component": "Divider" }));
        update(Value::Array(components))
    };
    assert_eq!(problems(&chain(50)), []);
    assert_eq!(one(&chain(51)).1, "too_deep");
    assert_eq!(one(&chain(4_000)).1, "too_deep");
    let call = |depth: usize| {
        let inner = (0..depth).fold(
            json!(true),
            |value, _| json!({ "call": "not", "args": { "value": value } }),
        );
        update(json!([{ "id": "a", "component": "CheckBox", "label": "x", "value": inner }]))
    };
    assert_eq!(problems(&call(5)), []);
    assert_eq!(one(&call(6)).1, "too_deep");
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    assert_eq!(check_agent_messages(&format!("{{\"version\":\"v0.9\",\"updateDataModel\":{{\"surfaceId\":\"s\",\"value\":{deep}}}}}"), &BASIC)[0].code, "too_deep");
}

#[test]
fn other_catalogs_bring_their_own_components() {
    let catalog = A2uiCatalog::parse(
        &json!({
            "catalogId": "example",
            "components": { "Panel": {
                "type": "object",
                "properties": {
                    "component": { "const": "Panel" },
                    "id": { "$ref": "common_types.json#/$defs/ComponentId" },
                    "inner": { "$ref": "common_types.json#/$defs/ChildList" },
                },
                "required": ["id", "component"],
                "additionalProperties": false,
            } },
        })
        .to_string(),
    )
    .expect("valid test data");
    let codes = |components: Value| -> Vec<_> {
        let found = check_agent_messages(&update(components).to_string(), &catalog);
        found.into_iter().map(|problem| problem.code).collect()
    };
    assert!(codes(json!([{ "id": "a", "component": "Panel", "inner": ["b"] }])).is_empty());
    assert_eq!(
        codes(json!([{ "id": "a", "component": "Panel", "inner": ["a"] }])),
        ["self_reference"]
    );
    assert_eq!(
        codes(json!([{ "id": "a", "component": "Text", "text": "x" }])).len(),
        1
    );
    assert!(A2uiCatalog::parse("{}").is_err());
    let wrong = r#"{"components":{"A":{"type":"nothing"}}}"#;
    assert!(A2uiCatalog::parse(wrong).is_err());
}
