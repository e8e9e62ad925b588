//! Surfaces: messages applied in order, bindings and templates resolved.

use a2ui::{DataScope, MAX_TEMPLATE_ITEMS, SurfaceError, SurfaceSet, SurfaceView, split_messages};
use serde_json::{Value, json};

use crate::{create, examples, update};

fn applied(messages: &[Value]) -> SurfaceSet {
    let mut set = SurfaceSet::default();
    for message in messages {
        set.apply(message).expect("valid test data");
    }
    set
}

fn data(path: &str, value: impl Into<Value>) -> Value {
    let value = value.into();
    json!({ "version": "v0.9", "updateDataModel": { "surfaceId": "s", "path": path, "value": value } })
}

#[test]
fn official_examples_build_a_surface_with_a_root() {
    for (name, text) in examples() {
        let messages: Vec<Value> = split_messages(&text)
            .expect("valid test data")
            .into_iter()
            .map(|(_, message)| message)
            .collect();
        let set = applied(&messages);
        for surface in set.surfaces() {
            assert!(surface.components.contains_key("root"), "{name}");
        }
    }
}

#[test]
fn bindings_calls_and_templates_are_resolved() {
    let set = applied(&[
        create(),
        data(
            "/",
            json!({ "total": 1234.5, "items": [{ "name": "alpha" }, { "name": "beta" }] }),
        ),
        update(json!([
            { "id": "root", "component": "List", "children": { "componentId": "row", "path": "/items" } },
            { "id": "row", "component": "Text", "text": { "call": "formatString",
                "args": { "value": "${name} of ${formatNumber(value: ${/total})}" } } },
        ])),
    ]);
    let view = SurfaceView::new(&set.surfaces()[0]);
    let root = view.component("root").expect("valid test data");
    let texts: Vec<String> = view
        .children(root, "children", &DataScope::default())
        .iter()
        .map(|(id, scope)| view.text(view.component(id).expect("valid test data"), "text", scope))
        .collect();
    assert_eq!(texts, ["alpha of 1,234.5", "beta of 1,234.5"]);
}

#[test]
fn missing_data_is_empty_and_broken_calls_say_so() {
    let set = applied(&[create()]);
    let view = SurfaceView::new(&set.surfaces()[0]);
    let scope = DataScope::default();
    assert_eq!(
        view.resolve(&json!({ "path": "/none" }), &scope),
        Value::Null
    );
    let broken = json!({ "call": "formatString", "args": { "value": "${a" } });
    assert_eq!(
        view.resolve(&broken, &scope),
        json!("[an expression is not closed: `}` is missing]")
    );
}

#[test]
fn templates_are_bounded() {
    let items: Vec<u32> = (0..20_000).collect();
    let set = applied(&[create(), data("/items", json!(items))]);
    let view = SurfaceView::new(&set.surfaces()[0]);
    let list = json!({ "children": { "componentId": "row", "path": "/items" } });
    assert_eq!(
        view.children(&list, "children", &DataScope::default())
            .len(),
        MAX_TEMPLATE_ITEMS
    );
}

#[test]
fn surfaces_are_bounded_and_named_once() {
    let mut set = applied(&[create()]);
    assert_eq!(
        set.apply(&create()),
        Err(SurfaceError::Exists("s".to_owned()))
    );
    let other = |id: usize| json!({ "version": "v0.9", "createSurface": { "surfaceId": id.to_string(), "catalogId": "c" } });
    for id in 1..100 {
        set.apply(&other(id)).expect("valid test data");
    }
    assert_eq!(set.apply(&other(100)), Err(SurfaceError::TooManySurfaces));
    set.apply(&json!({ "version": "v0.9", "deleteSurface": { "surfaceId": "s" } }))
        .expect("valid test data");
    assert_eq!(
        set.apply(&update(json!([]))),
        Err(SurfaceError::Missing("s".to_owned()))
    );
    let many: Vec<Value> = (0..5_001)
        .map(|id| json!({ "id": id.to_string(), "component": "Divider" }))
        .collect();
    let flood =
        json!({ "version": "v0.9", "updateComponents": { "surfaceId": "1", "components": many } });
    assert_eq!(
        set.apply(&flood),
        Err(SurfaceError::TooManyComponents("1".to_owned()))
    );
}
