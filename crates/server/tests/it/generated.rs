//! Files that are generated from the types and tables of the server. `PINCITE_BLESS=1` writes them.

use server::error::ErrorCode;

/// Compares a file of the repository with its generated content.
#[track_caller]
fn assert_generated(path: &str, generated: &str) {
    let full = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("PINCITE_BLESS").is_some() {
        let folder = std::path::Path::new(&full).parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("the folder can be created");
        std::fs::write(&full, generated).expect("the file can be written");
    }
    let stored = std::fs::read_to_string(&full).unwrap_or_default();
    assert!(
        stored == generated,
        "{path} is out of date: run the test with PINCITE_BLESS=1"
    );
}

#[test]
fn generated_openapi_document_is_current() {
    let document: serde_json::Value =
        serde_json::from_str(&server::description()).expect("it is JSON");
    let document = serde_json::to_string_pretty(&document).expect("it is JSON") + "\n";
    assert_generated("docs/openapi.json", &document);
}

#[test]
fn generated_typescript_is_current() {
    assert_generated(
        "web/packages/client/src/generated/api.ts",
        &server::typescript(),
    );
}

/// The table of routes is between two markers of the page; the rest of the page is written by hand.
#[test]
fn generated_table_of_routes_is_current() {
    const BEGIN: &str = "<!-- routes: generated -->\n";
    const END: &str = "<!-- end of routes -->";
    let path = format!("{}/../../docs/http-api.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the first marker");
    let (_, after) = rest.split_once(END).expect("the second marker");
    let table = server::route_table();
    assert_generated(
        "docs/http-api.md",
        &format!("{before}{BEGIN}\n{table}\n{END}{after}"),
    );
}

#[test]
fn generated_page_of_errors_is_current() {
    let mut page = String::from(
        "# Errors\n\nHTTP errors have one form:\n\n```json\n\
         {\"error\":{\"code\":\"not_found\",\"message\":\"…\",\"hint\":\"…\",\"docs\":\"…\",\"requestId\":\"…\"}}\n```\n\n\
         | member | meaning |\n|---|---|\n\
         | `code` | for programs; its meaning never changes |\n\
         | `message` | what happened, for people; the wording may change |\n\
         | `hint` | what to do about it, for people; the wording may change |\n\
         | `docs` | address of the description of the code |\n\
         | `requestId` | id of the request, also in the header `x-request-id` and in the log |\n\n\
         ## Codes\n\n\
         | code | status | meaning |\n|---|--:|---|\n",
    );
    for code in ErrorCode::ALL {
        let (name, status) = (code.name(), code.status().as_u16());
        page.push_str(&format!("| `{name}` | {status} | {} |\n", code.meaning()));
    }
    page.push_str(
        "\n`too_many_requests` has the header `Retry-After` in seconds, `unauthorized` the header \
         `WWW-Authenticate`. A request head that is too long or has too many headers gets status 431 without a \
         body.\n\n\
         ## Errors of a run\n\n\
         A run that was accepted has status 200. If it fails, its last event is `RUN_ERROR` with one of these \
         codes:\n\n\
         | code | meaning |\n|---|---|\n\
         | `upstream_unreachable` | The agent could not be reached. |\n\
         | `upstream_status` | The agent responded with an HTTP error. |\n\
         | `upstream_timeout` | The agent sent nothing for too long. |\n\
         | `upstream_truncated` | The agent's response ended before its run did. |\n\
         | `upstream_protocol` | The agent violated AG-UI. |\n\
         | `storage` | The database failed. |\n\
         | `limit` | The answer was too large. |\n\
         | `shutdown` | The server was stopped during the run. |\n\
         | `crashed` | The server crashed during the run. |\n",
    );
    assert_generated("docs/errors.md", &page);
}
