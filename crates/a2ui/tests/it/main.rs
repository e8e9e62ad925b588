//! Tests of A2UI: checks, data, templates, functions, surfaces.

mod agent_messages;
mod client_messages;
mod data;
mod functions;
mod surfaces;
mod templates;

use serde_json::{Value, json};

/// The official examples: file name and text.
fn examples() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut examples: Vec<_> = std::fs::read_dir(folder)
        .expect("valid test data")
        .map(|entry| entry.expect("valid test data").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| {
            (
                path.file_name()
                    .expect("valid test data")
                    .to_string_lossy()
                    .into_owned(),
                std::fs::read_to_string(&path).expect("valid test data"),
            )
        })
        .collect();
    examples.sort();
    assert_eq!(examples.len(), 21);
    examples
}

/// A message that updates the components of surface `s`.
fn update(components: impl Into<Value>) -> Value {
    let components = components.into();
    json!({ "version": "v0.9", "updateComponents": { "surfaceId": "s", "components": components } })
}

/// A message that creates surface `s`.
fn create() -> Value {
    let catalog = a2ui::BASIC_CATALOG_IDS[0];
    json!({ "version": "v0.9.1", "createSurface": { "surfaceId": "s", "catalogId": catalog } })
}
