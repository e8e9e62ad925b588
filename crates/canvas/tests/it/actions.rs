//! Actions: confirmation, parameters, states; updates of messages.

use canvas::{ActionError, ActionRequest, ActionState, UpdateError, find_action, update_payload};
use json::Value;
use json::patch::PatchOperation;

use super::{check_data, check_payload};

fn request(params: Option<&str>, is_confirmed: bool) -> ActionRequest {
    ActionRequest {
        params: params.map(|params| Value::parse(params).expect("JSON")),
        is_confirmed,
    }
}

#[test]
fn destructive_and_marked_actions_must_be_confirmed() {
    let message = check_payload(
        "action",
        r#"{"actions":[
        {"id":"a","label":"A","params":{"x":1}},
        {"id":"b","label":"B","confirmationRequired":true,"confirmationMessage":"Sure?"},
        {"id":"c","label":"C","destructive":true,"confirmationRequired":false},
        {"id":"d","label":"D","expiresAt":10}]}"#,
    )
    .expect("valid")
    .message;
    let accept = |id: &str, request: &ActionRequest| {
        find_action(&message, id).expect(id).accept(request, 11)
    };
    assert_eq!(
        accept("a", &request(None, false)).map(|it| it.to_json()),
        Ok(r#"{"x":1}"#.to_owned())
    );
    let asked = accept("b", &request(None, false)).expect_err("not confirmed");
    assert_eq!(asked.to_string(), "The action 'B' must be confirmed: Sure?");
    assert!(accept("b", &request(None, true)).is_ok());
    assert!(matches!(
        accept("c", &request(None, false)),
        Err(ActionError::ConfirmationRequired { .. })
    ));
    assert_eq!(accept("d", &request(None, true)), Err(ActionError::Expired));
    assert!(find_action(&message, "e").is_none());
    let card = r#"{"title":"t","content":"","actions":[{"label":"Delete","actionId":"x","variant":"destructive"}]}"#;
    let card = check_data("card", card).expect("valid").message;
    let delete = find_action(&card, "x").expect("a button");
    assert!(matches!(
        delete.accept(&request(None, false), 0),
        Err(ActionError::ConfirmationRequired { .. })
    ));
}

#[test]
fn parameters_are_edited_within_their_schema_only() {
    let message = check_payload("action", r#"{"actions":[
        {"id":"fixed","label":"A","params":{"x":1}},
        {"id":"open","label":"B","params":{"n":1},"paramsSchema":{"type":"object","properties":
            {"n":{"type":"integer","minimum":1,"maximum":5}},"required":["n"],"additionalProperties":false}}]}"#)
        .expect("valid").message;
    let accept = |id: &str, params: &str| {
        let result = find_action(&message, id)
            .expect(id)
            .accept(&request(Some(params), false), 0);
        result.map(|it| it.to_json()).map_err(|error| match error {
            ActionError::Invalid(error) => error.errors[0].path.clone(),
            other => other.to_string(),
        })
    };
    assert_eq!(accept("fixed", r#"{"x":1}"#), Ok(r#"{"x":1}"#.to_owned()));
    assert_eq!(accept("fixed", r#"{"x":2}"#), Err("/params".to_owned()));
    assert_eq!(accept("open", r#"{"n":5}"#), Ok(r#"{"n":5}"#.to_owned()));
    assert_eq!(accept("open", r#"{"n":6}"#), Err("/params/n".to_owned()));
    assert_eq!(accept("open", "[]"), Err("/params".to_owned()));
}

#[test]
fn submitted_forms_are_checked_against_their_fields() {
    let form = check_data(
        "form",
        r#"{"title":"t","onSubmitActionId":"s","fields":[
        {"name":"who","label":"Who","type":"email","required":true},
        {"name":"n","label":"N","type":"number","validation":{"min":1,"max":3}},
        {"name":"pick","label":"Pick","type":"select","options":["a","b"]}]}"#,
    )
    .expect("valid")
    .message;
    let accept = |params: &str| {
        let result = find_action(&form, "s")
            .expect("submit")
            .accept(&request(Some(params), false), 0);
        match result {
            Ok(params) => Ok(params.to_json()),
            Err(ActionError::Invalid(error)) => Err(error
                .errors
                .into_iter()
                .map(|it| it.path)
                .collect::<Vec<_>>()),
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(
        accept(r#"{"who":"a@b.c","n":2,"x":1}"#),
        Ok(r#"{"who":"a@b.c","n":2}"#.to_owned())
    );
    assert_eq!(accept("{}"), Err(vec!["/params/who".to_owned()]));
    let wrong = accept(r#"{"who":"no address","n":4,"pick":"c"}"#);
    assert_eq!(
        wrong,
        Err(vec![
            "/params/who".to_owned(),
            "/params/n".to_owned(),
            "/params/pick".to_owned()
        ])
    );
}

#[test]
fn executions_change_state_in_order() {
    use ActionState::{Confirmed, Done, Expired, Failed, Running, Suggested, Undone};
    let all = [Suggested, Confirmed, Running, Done, Failed, Expired, Undone];
    let allowed = [
        (Suggested, Confirmed),
        (Suggested, Running),
        (Suggested, Expired),
        (Confirmed, Running),
        (Confirmed, Expired),
        (Running, Done),
        (Running, Failed),
        (Running, Expired),
        (Done, Undone),
    ];
    for from in all {
        assert_eq!(ActionState::from_name(from.as_str()), Some(from));
        for to in all {
            assert_eq!(
                from.can_become(to),
                allowed.contains(&(from, to)),
                "{from:?} {to:?}"
            );
        }
    }
}

#[test]
fn updates_apply_as_a_whole_and_keep_the_message_valid() {
    let mut message = check_data("table", r#"{"title":"t","headers":["a"],"rows":[[1]]}"#)
        .expect("valid")
        .message;
    let add = |path: &str, json: &str| PatchOperation::add(path, Value::parse(json).expect("JSON"));
    update_payload(&mut message, &[add("/data/rows/-", "[2]")]).expect("a row");
    assert_eq!(message.payload["data"]["rows"].to_json(), "[[1],[2]]");
    let before = message.clone();
    let wrong = update_payload(
        &mut message,
        &[add("/data/rows/-", "[null]"), add("/data/title", "5")],
    );
    let Err(UpdateError::Invalid(error)) = wrong else {
        panic!("{wrong:?}")
    };
    assert_eq!(error.errors.len(), 2);
    assert_eq!(error.errors[0].path, "/payload/data/title");
    let missing = update_payload(&mut message, &[PatchOperation::remove("/data/nothing")]);
    assert!(matches!(missing, Err(UpdateError::Patch(_))));
    assert_eq!(message, before);
}
