//! Search by meaning with the real program and the real sentence model.

use std::process::Command;

use json::Value;
use testkit::sentence_model::sentence_model;

use crate::harness::gateway::Gateway;
use crate::harness::{PINCITE, parse, poll_until, unused_path};

const TIDES: &str = "High tide is at noon. The harbour gates open one hour earlier.";
const BREAD: &str = "The dough rests for twelve hours, which gives the crust its taste.";

/// Starts a server with settings of the search.
fn serve(data: &str, settings: &[(&str, &str)]) -> Gateway {
    let mut command = Command::new(PINCITE);
    command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    command.args(["--data", data]);
    command.envs(settings.iter().copied());
    Gateway::from_command(command)
}

fn search(gateway: &Gateway, query: &str) -> Value {
    let (status, body) = gateway.request("GET", &format!("/search?{query}"), "", b"");
    assert_eq!(status, 200, "{body}");
    parse(&body)
}

fn first_name(found: &Value) -> Option<String> {
    let items = found["items"].as_array()?;
    Some(items.first()?["filename"].as_str()?.to_owned())
}

fn notes(found: &Value) -> String {
    found["notes"].to_json()
}

#[test]
fn a_server_embeds_in_the_background_and_finds_by_meaning() {
    let data = unused_path("vectors");
    let data = data.to_str().expect("text");
    let model = sentence_model();
    let settings = [("PINCITE_SEARCH__MODEL_DIR", model.to_str().expect("text"))];
    let gateway = serve(data, &settings);
    for (id, name, text) in [("t", "tides.txt", TIDES), ("b", "bread.txt", BREAD)] {
        assert_eq!(gateway.attach(id, name, text).0, 200);
    }
    let query = "q=when+can+vessels+sail+into+the+port&explain=true";
    poll_until("the passages are embedded", || {
        let found = search(&gateway, query);
        let is_complete = found["notes"].as_array().is_none_or(<[Value]>::is_empty);
        (is_complete && first_name(&found)? == "tides.txt").then_some(())
    });
    let loaf = search(&gateway, "q=baking+a+loaf&mode=vector");
    assert_eq!(first_name(&loaf).as_deref(), Some("bread.txt"));
    let words = search(&gateway, "q=baking+a+loaf&mode=text");
    assert_eq!(first_name(&words), None);

    // The command uses the vectors of the server.
    let mut command = Command::new(PINCITE);
    command.args(["search", "sailing into port", "--explain", "--data", data]);
    let ran = command.envs(settings).output().expect("it runs");
    let shown = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(shown.contains("vector: rank 1"), "{shown}");
    gateway.stop();

    // Another model is refused until everything is embedded again.
    let other = [
        ("PINCITE_SEARCH__EMBEDDING", "ollama:other"),
        ("PINCITE_SEARCH__EMBEDDING_URL", "http://127.0.0.1:1"),
    ];
    let gateway = serve(data, &other);
    poll_until("the other model is refused", || {
        let found = search(&gateway, "q=harbour");
        assert_eq!(first_name(&found)?, "tides.txt");
        notes(&found)
            .contains("pincite reindex --vectors")
            .then_some(())
    });
}

#[test]
fn an_endpoint_that_is_down_leaves_full_text_and_a_note() {
    let data = unused_path("vectors-down");
    let settings = [
        ("PINCITE_SEARCH__EMBEDDING", "ollama:none"),
        ("PINCITE_SEARCH__EMBEDDING_URL", "http://127.0.0.1:1"),
    ];
    let gateway = serve(data.to_str().expect("text"), &settings);
    assert_eq!(gateway.attach("t", "tides.txt", TIDES).0, 200);
    poll_until("the failure is reported", || {
        let found = search(&gateway, "q=harbour");
        let is_reported = notes(&found).contains("127.0.0.1:1");
        (first_name(&found)? == "tides.txt" && is_reported).then_some(())
    });
}

#[test]
fn settings_of_the_search_are_checked() {
    for (name, value, words) in [
        ("PINCITE_SEARCH__EMBEDDING", "telepathy", "ollama:MODEL"),
        ("PINCITE_SEARCH__WEIGHTS__EN", "2.0", "from 0 to 1"),
    ] {
        let data = unused_path("vectors-settings");
        let mut command = Command::new(PINCITE);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]);
        let ran = command.arg(data).env(name, value).output();
        let ran = ran.expect("it runs");
        let shown = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(2), "{shown}");
        assert!(shown.contains(words), "{shown}");
    }
}
