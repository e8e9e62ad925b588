//! Data of the components.

use canvas::catalog;
use json::Value;

use super::{check_data, fault, faults};

#[test]
fn examples_of_all_components_are_valid_and_kept_unchanged() {
    let names = catalog().component_names();
    assert_eq!(
        names,
        [
            "chart", "table", "card", "form", "list", "timeline", "calendar", "kanban", "map",
            "diff", "markdown", "custom"
        ]
    );
    for entry in &catalog().components {
        let sent = entry.example.to_json();
        let checked = check_data(entry.name, &sent).expect(entry.name);
        assert!(checked.repairs.is_empty());
        assert_eq!(checked.message.payload["data"].to_json(), sent);
    }
}

#[test]
fn every_required_member_of_every_component_is_required() {
    for entry in &catalog().components {
        let required = entry.schema["required"]
            .as_array()
            .expect("required members");
        for name in required.iter().filter_map(serde_json::Value::as_str) {
            let mut data = entry.example.clone();
            data.as_object_mut().expect("an object").remove(name);
            let faults = faults(check_data(entry.name, &data.to_json()));
            assert_eq!(
                faults,
                [(format!("/payload/data/{name}"), "required")],
                "{}",
                entry.name
            );
        }
    }
}

#[test]
fn charts_need_one_finite_number_for_each_label() {
    let chart = |kind: &str, data: &str| {
        check_data(
            "chart",
            &format!(
                r#"{{"title":"t","chartType":"{kind}","labels":["a","b"],"datasets":[{{"label":"s","data":{data}}}]}}"#
            ),
        )
    };
    for kind in ["line", "bar", "pie", "area", "scatter", "radar"] {
        assert!(chart(kind, "[1,2.5]").is_ok(), "{kind}");
    }
    assert_eq!(
        fault(chart("doughnut", "[1,2]")),
        ("/payload/data/chartType".to_owned(), "not_allowed")
    );
    let path = |rest: &str| format!("/payload/data/datasets/0/data{rest}");
    assert_eq!(fault(chart("line", "[1]")), (path(""), "length_mismatch"));
    assert_eq!(
        fault(chart("line", "[1,2,3]")),
        (path(""), "length_mismatch")
    );
    assert_eq!(fault(chart("line", "[1,null]")), (path("/1"), "wrong_type"));
    assert_eq!(
        fault(chart("line", r#"[1,"NaN"]"#)),
        (path("/1"), "wrong_type")
    );
    assert_eq!(
        fault(chart("line", "[1,1e999]")),
        (path("/1"), "not_finite")
    );
    assert_eq!(fault(chart("pie", "[1,-1]")), (path("/1"), "out_of_range"));
    let repaired = chart("bar", r#"["10"," -2.50 "]"#).expect("numeric strings");
    assert_eq!(repaired.repairs.len(), 2);
    assert_eq!(
        repaired.message.payload["data"]["datasets"].to_json(),
        r#"[{"label":"s","data":[10,-2.50]}]"#
    );
}

#[test]
fn charts_without_data_are_valid_and_too_many_series_are_not() {
    let empty = r#"{"title":"t","chartType":"line","labels":[],"datasets":[]}"#;
    assert!(
        check_data("chart", empty).is_ok(),
        "a chart that grows begins empty"
    );
    let series = |count: usize| vec![r#"{"label":"s","data":[1]}"#; count].join(",");
    let chart = |count| {
        format!(
            r#"{{"title":"t","chartType":"line","labels":["a"],"datasets":[{}]}}"#,
            series(count)
        )
    };
    assert!(check_data("chart", &chart(100)).is_ok());
    assert_eq!(
        fault(check_data("chart", &chart(101))),
        ("/payload/data/datasets".to_owned(), "too_many")
    );
}

#[test]
fn colours_are_checked() {
    let chart = |color: &str| {
        check_data(
            "chart",
            &format!(
                r#"{{"title":"t","chartType":"line","labels":["a"],"datasets":[{{"label":"s","data":[1],"color":"{color}"}}]}}"#
            ),
        )
    };
    for color in ["hsl(var(--chart-7))", "#0af", "tomato"] {
        assert!(chart(color).is_ok(), "{color}");
    }
    for color in ["url(javascript:alert(1))", "red;x", "none of these"] {
        assert_eq!(
            fault(chart(color)),
            ("/payload/data/datasets/0/color".to_owned(), "invalid_color")
        );
    }
}

#[test]
fn tables_need_one_cell_of_text_number_or_boolean_for_each_header() {
    let table = |rows: &str| {
        check_data(
            "table",
            &format!(r#"{{"title":"t","headers":["a","b"],"rows":{rows}}}"#),
        )
    };
    assert!(table(r#"[["x",1],[true,"$1,000"]]"#).is_ok());
    assert!(table("[]").is_ok());
    for cell in ["null", "{}", "[]"] {
        assert_eq!(
            fault(table(&format!("[[1,{cell}]]"))),
            ("/payload/data/rows/0/1".to_owned(), "wrong_type")
        );
    }
    assert_eq!(
        fault(table("[[1,2],[1]]")),
        ("/payload/data/rows/1".to_owned(), "length_mismatch")
    );
    assert_eq!(
        fault(table(r#"[{"a":1}]"#)),
        ("/payload/data/rows/0".to_owned(), "wrong_type")
    );
}

#[test]
fn columns_are_read_as_headers() {
    let checked =
        check_data("table", r#"{"title":"t","columns":["a"],"rows":[[1]]}"#).expect("repairable");
    assert_eq!(checked.repairs.len(), 1);
    assert_eq!(
        (checked.repairs[0].path.as_str(), checked.repairs[0].code),
        ("/payload/data/columns", "columns_for_headers")
    );
    assert_eq!(
        checked.message.payload["data"]["headers"].to_json(),
        r#"["a"]"#
    );
    let objects = check_data(
        "table",
        r#"{"title":"t","columns":[{"key":"a"}],"rows":[[1]]}"#,
    );
    assert_eq!(
        fault(objects),
        ("/payload/data/headers".to_owned(), "required")
    );
}

#[test]
fn cells_match_the_types_of_their_columns() {
    let table = |kind: &str, cell: &str| {
        check_data(
            "table",
            &format!(
                r#"{{"title":"t","headers":["a"],"rows":[[{cell}]],"columnTypes":["{kind}"]}}"#
            ),
        )
    };
    for (kind, cell) in [
        ("number", "1.5"),
        ("number", "\"7\""),
        ("date", "\"2026-11-18\""),
        ("boolean", "true"),
        ("currency", "\"$1\""),
    ] {
        assert!(table(kind, cell).is_ok(), "{kind} {cell}");
    }
    for (kind, cell) in [
        ("number", "\"x\""),
        ("date", "\"soon\""),
        ("boolean", "\"yes\""),
        ("text", "1"),
    ] {
        assert_eq!(
            fault(table(kind, cell)),
            ("/payload/data/rows/0/0".to_owned(), "wrong_type")
        );
    }
}

#[test]
fn a_table_beyond_its_limits_is_refused_with_a_hint() {
    let rows = vec!["[1]"; 10_001].join(",");
    let sent = check_data(
        "table",
        &format!(r#"{{"title":"t","headers":["a"],"rows":[{rows}]}}"#),
    );
    assert_eq!(fault(sent), ("/payload/data/rows".to_owned(), "too_many"));
}

#[test]
fn forms_have_known_fields_and_never_ask_for_secrets() {
    let form = |field: &str| {
        check_data(
            "form",
            &format!(r#"{{"title":"t","fields":[{field}],"onSubmitActionId":"s"}}"#),
        )
    };
    for kind in ["text", "email", "number", "checkbox", "date", "textarea"] {
        assert!(
            form(&format!(r#"{{"name":"n","label":"N","type":"{kind}"}}"#)).is_ok(),
            "{kind}"
        );
    }
    let path = |member: &str| format!("/payload/data/fields/0/{member}");
    assert_eq!(
        fault(form(r#"{"name":"n","label":"N","type":"password"}"#)),
        (path("type"), "not_allowed")
    );
    assert_eq!(
        fault(form(
            r#"{"name":"n","label":"Your password","type":"text"}"#
        )),
        (path("label"), "secret_requested")
    );
    assert_eq!(
        fault(form(r#"{"name":"n","label":"N","type":"select"}"#)),
        (path("options"), "required")
    );
    let select = r#"{"name":"n","label":"N","type":"select","options":["a"],"defaultValue":"b"}"#;
    assert_eq!(fault(form(select)), (path("defaultValue"), "wrong_type"));
    let pattern = r#"{"name":"n","label":"N","type":"text","validation":{"pattern":"(a+)+"}}"#;
    assert_eq!(
        fault(form(pattern)),
        (path("validation/pattern"), "unsafe_pattern")
    );
    assert!(form(r#"{"name":"n","label":"N","type":"text","validation":"anything"}"#).is_ok());
}

#[test]
fn checks_of_a_form_name_its_fields() {
    let form = r#"{"title":"t","fields":[{"name":"from","label":"F","type":"date"}],"onSubmitActionId":"s",
        "checks":[{"field":"from","operator":"le","other":"to","message":"m"}]}"#;
    assert_eq!(
        fault(check_data("form", form)),
        (
            "/payload/data/checks/0/other".to_owned(),
            "unknown_reference"
        )
    );
}

#[test]
fn boards_have_unique_ids() {
    let board = |second: &str| {
        check_data(
            "kanban",
            &format!(
                r#"{{"columns":[{{"id":"a","title":"A","cards":[{{"id":"1","title":"x","columnId":"a","labels":["l",{{"name":"m","color":"red"}}]}}]}},
            {{"id":"{second}","title":"B","cards":[{{"id":"1","title":"y"}}]}}]}}"#
            ),
        )
    };
    assert_eq!(
        fault(board("b")),
        (
            "/payload/data/columns/1/cards/0/id".to_owned(),
            "duplicate_id"
        )
    );
    assert_eq!(faults(board("a")).len(), 2);
}

#[test]
fn calendars_and_maps_have_valid_dates_and_places() {
    let calendar = |event: &str| {
        check_data(
            "calendar",
            &format!(r#"{{"title":"t","events":[{event}]}}"#),
        )
    };
    assert!(calendar(r#"{"id":"1","title":"x","start":"2026-11-18","allDay":true}"#).is_ok());
    let path = |member: &str| format!("/payload/data/events/0/{member}");
    assert_eq!(
        fault(calendar(r#"{"id":"1","title":"x","start":"soon"}"#)),
        (path("start"), "invalid_date")
    );
    let reversed = r#"{"id":"1","title":"x","start":"2026-11-18","end":"2026-11-17"}"#;
    assert_eq!(fault(calendar(reversed)), (path("end"), "out_of_range"));
    let map = |points: &str, areas: &str| {
        check_data(
            "map",
            &format!(r#"{{"title":"t","points":[{points}],"areas":[{areas}]}}"#),
        )
    };
    assert!(
        map(
            r#"{"label":"x","lat":-90,"lon":180}"#,
            r#"{"code":"DE","value":1}"#
        )
        .is_ok()
    );
    let far = map(r#"{"label":"x","lat":91,"lon":0}"#, "");
    assert_eq!(
        fault(far),
        ("/payload/data/points/0/lat".to_owned(), "out_of_range")
    );
    assert_eq!(
        fault(map("", r#"{"code":"XX","value":1}"#)),
        ("/payload/data/areas/0/code".to_owned(), "unknown_area")
    );
}

#[test]
fn hostile_addresses_are_refused_also_in_open_parts() {
    let list = check_data(
        "list",
        r#"{"title":"t","items":[{"label":"x","url":"javascript:alert(1)"}]}"#,
    );
    assert_eq!(
        fault(list),
        ("/payload/data/items/0/url".to_owned(), "unsafe_url")
    );
    let custom = check_data(
        "custom",
        r#"{"name":"n","props":{"a":[{"href":"JavaScript:x"}]},"fallback":"f"}"#,
    );
    assert_eq!(
        fault(custom),
        ("/payload/data/props/a/0/href".to_owned(), "unsafe_url")
    );
    let icon = check_data(
        "list",
        r#"{"title":"t","items":[{"label":"x","icon":"javascript:alert(1)"}]}"#,
    );
    assert_eq!(
        fault(icon),
        ("/payload/data/items/0/icon".to_owned(), "invalid_icon")
    );
}

#[test]
fn differences_take_any_values() {
    let checked = check_data(
        "diff",
        r#"{"title":"t","current":null,"suggested":{"a":[1]}}"#,
    )
    .expect("valid");
    assert_eq!(checked.message.payload["data"]["current"], Value::Null);
}
