//! JSON Schema of the JSON report, as it is published in `docs`.

use citations::{SdkVersion, verification_schema};
use json::{Map, Value};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use super::json::EntryDetails;
use super::positions::AnswerPosition;

/// Problem besides the verdicts, such as a source that cannot be read.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "describes the members of notices, which are written one by one"
)]
struct ReportProblem {
    /// Stable name of the problem, such as `unreadable_source`.
    code: String,
    /// Message for people.
    message: String,
    /// Key of the citation.
    key: Option<String>,
    /// Source that the citation names.
    attachment_id: Option<String>,
    /// Page that the citation names.
    page_number: Option<u64>,
    /// Printed label of the page that the citation names, such as a Roman numeral.
    page_label: Option<String>,
    /// File or URL of the source.
    source: Option<String>,
    /// Reason why the source cannot be read.
    reason: Option<String>,
    /// Hint about what to do.
    hint: Option<String>,
    /// Position in the answer.
    position: Option<AnswerPosition>,
}

/// Returns the JSON Schema of the report under the names of a version.
fn schema(names: SdkVersion) -> Value {
    let generator =
        || SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let plain = |schema: schemars::Schema| {
        // The schema is JSON, so parsing cannot fail.
        Value::parse(&schema.to_value().to_string()).unwrap_or_default()
    };
    let details = plain(
        generator()
            .into_generator()
            .into_root_schema_for::<EntryDetails<'_>>(),
    );
    let problem = plain(
        generator()
            .into_generator()
            .into_root_schema_for::<ReportProblem>(),
    );
    let mut definitions = Map::new();
    let verification = verification_schema(names, &mut definitions);
    let without_head = |schema: Value| match schema {
        Value::Object(mut map) => {
            map.remove("$schema");
            map.remove("title");
            Value::Object(map)
        }
        other => other,
    };
    definitions.insert("EntryDetails".to_owned(), without_head(details));
    definitions.insert("ReportProblem".to_owned(), without_head(problem));
    let reference = |name: &str| Value::from([("$ref", format!("#/$defs/{name}").into())]);
    let entry = Value::from([(
        "allOf",
        Value::Array(vec![verification, reference("EntryDetails")]),
    )]);
    let verifications = Value::from([
        ("type", "object".into()),
        (
            "description",
            "Results by the key of the citation: that of the caller, or a hash.".into(),
        ),
        ("additionalProperties", entry),
    ]);
    let problems = Value::from([
        ("type", "array".into()),
        ("description", "Problems besides the verdicts.".into()),
        ("items", reference("ReportProblem")),
    ]);
    Value::from([
        (
            "$schema",
            "https://json-schema.org/draft/2020-12/schema".into(),
        ),
        ("title", "Report of pincite verify --format json".into()),
        ("type", "object".into()),
        (
            "required",
            Value::Array(vec!["verifications".into(), "problems".into()]),
        ),
        (
            "properties",
            Value::from([("verifications", verifications), ("problems", problems)]),
        ),
        ("$defs", Value::Object(definitions)),
    ])
}

#[test]
fn the_published_schemas_are_up_to_date() {
    for (names, file) in [
        (SdkVersion::V2, "verify-report.schema.json"),
        (SdkVersion::V3, "verify-report.g3.schema.json"),
    ] {
        let schema: serde_json::Value =
            serde_json::from_str(&schema(names).to_json()).expect("the schema is JSON");
        let text = format!("{schema:#}\n");
        let path = format!("{}/../../docs/{file}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("PINCITE_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the schema can be written");
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            published == text,
            "{path} is out of date: run the test with PINCITE_BLESS=1"
        );
    }
}
