//! API fuzzing with schemathesis: no server error, and every response matches the OpenAPI document.
//! `PINCITE_SCHEMATHESIS_EXAMPLES=500` sends more requests.

use std::path::Path;
use std::process::Command;

use crate::harness::gateway::Gateway;

#[test]
fn responses_match_the_openapi_document() {
    let gateway = Gateway::start(&["--in-memory", "--demo"]);
    let examples = std::env::var("PINCITE_SCHEMATHESIS_EXAMPLES");
    let examples = examples.unwrap_or_else(|_| "8".to_owned());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("../../target/python/bin/python"));
    command
        .args(["-m", "schemathesis.cli", "run"])
        .arg(format!("{}/openapi.json", gateway.url))
        .args(["--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", &examples, "--seed", "7"])
        // Checks that reject unknown or missing fields are left out, because requests are read leniently.
        .args([
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,\
             response_headers_conformance,response_schema_conformance,unsupported_method,\
             allow_header_conformance",
        ])
        // Pages of events, because the streams of later events never end.
        .args(["--header", "Accept: application/json"])
        .args(["--generation-database", "none", "--request-timeout", "120"])
        .args(["--suppress-health-check", "all", "--no-color"])
        .current_dir(env!("CARGO_TARGET_TMPDIR"));
    let ended = command
        .output()
        .expect("scripts/require-python has set it up");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(
        ended.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&ended.stderr)
    );
}
