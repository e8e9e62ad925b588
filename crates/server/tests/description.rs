//! What is written down of the API: `docs/openapi.json` and `docs/errors.md`. `PINCITE_BLESS=1` writes them anew.

use server::error::ErrorCode;

#[track_caller]
fn kept(file: &str, written: &str) {
    let path = format!("{}/../../docs/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("PINCITE_BLESS").is_some() {
        std::fs::write(&path, written).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == written,
        "docs/{file}: PINCITE_BLESS=1 writes it anew"
    );
}

/// In a form that shows what changed.
#[test]
fn the_description_is_the_one_that_is_kept() {
    let written: serde_json::Value =
        serde_json::from_str(&server::description()).expect("it is JSON");
    let written = serde_json::to_string_pretty(&written).expect("it is JSON") + "\n";
    kept("openapi.json", &written);
}

#[test]
fn the_page_about_errors_is_the_table() {
    let mut page = String::from(
        "# Errors\n\nEvery refusal over HTTP has one form:\n\n```json\n\
         {\"error\":{\"code\":\"not_found\",\"message\":\"…\",\"hint\":\"…\",\"docs\":\"…\",\"requestId\":\"…\"}}\n```\n\n\
         `code` is for programs and never changes its meaning; `message` and `hint` are for people and may be \
         said better. `requestId` is also the header `x-request-id`, and the log knows it. A run that was \
         accepted answers 200 and ends in an event: its failures are `RUN_ERROR` events, with codes of their \
         own at the end of this page.\n\n\
         | code | status | meaning |\n|---|--:|---|\n",
    );
    for code in ErrorCode::ALL {
        let (name, status) = (code.name(), code.status().as_u16());
        page.push_str(&format!("| `{name}` | {status} | {} |\n", code.meaning()));
    }
    page.push_str(
        "\n`too_many_requests` comes with `Retry-After` in seconds, `unauthorized` with `WWW-Authenticate`. The \
         head of a request that is too long or has too many headers is answered with 431 and no body.\n\n\
         ## Runs\n\n`upstream_unreachable`, `upstream_status`, `upstream_timeout`, `upstream_truncated`, \
         `upstream_protocol`, `storage`, `limit`, `shutdown`, `crashed`.\n",
    );
    kept("errors.md", &page);
}
