//! The description of the API as a page: no script, nothing from elsewhere.

use std::fmt::Write;

use crate::error::ErrorCode;
use crate::operations::{self, ApiOperation, JsonShape, RequiredScope, ShapeField};
use crate::page::ICON;

/// The page.
pub(crate) fn page() -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">{ICON}\
         <title>Pincite: the API</title><style>{STYLE}</style><main><h1>Pincite {}: the API</h1>\
         <p>For programs the same is at <a href=\"/openapi.json\">/openapi.json</a>.</p>",
        env!("CARGO_PKG_VERSION")
    );
    let mut subjects: Vec<&str> = Vec::new();
    for operation in operations::all() {
        if !subjects.contains(&operation.subject) {
            subjects.push(operation.subject);
        }
    }
    for subject in subjects {
        // Writing to a text cannot fail.
        let _ = write!(page, "<h2>{}</h2>", escaped(subject));
        for operation in operations::all().filter(|row| row.subject == subject) {
            write_operation(&mut page, operation);
        }
    }
    page.push_str("<h2>errors</h2><table><tr><th>code</th><th>status</th><th>meaning</th></tr>");
    for code in ErrorCode::ALL {
        let _ = write!(
            page,
            "<tr id=\"{0}\"><td><code>{0}</code></td><td>{1}</td><td>{2}</td></tr>",
            code.name(),
            code.status().as_u16(),
            escaped(code.meaning())
        );
    }
    page.push_str("</table></main></html>");
    page
}

fn write_operation(page: &mut String, operation: &ApiOperation) {
    let need = match operation.need {
        RequiredScope::Nothing => "anybody".to_owned(),
        RequiredScope::Scope(scope) => format!("scope {}", scope.as_str()),
        RequiredScope::ReadOrLink => "scope read, or a signed link".to_owned(),
    };
    let _ = write!(
        page,
        "<details><summary><b>{}</b> <code>{}</code> <span>{}</span></summary><p class=\"need\">For {need}.</p>",
        operation.method,
        escaped(operation.path),
        escaped(operation.summary)
    );
    if !operation.query.is_empty() {
        page.push_str("<h3>Query</h3>");
        write_fields(page, operation.query);
    }
    for (media, form) in operation.takes {
        let _ = write!(page, "<h3>Body: {}</h3>", escaped(media));
        write_form(page, form);
    }
    for answer in operation.answers {
        let _ = write!(
            page,
            "<h3>{} {}</h3><p>{}</p>",
            answer.status,
            escaped(answer.media),
            escaped(answer.about)
        );
        write_form(page, &answer.form);
    }
    page.push_str("<h3>Errors</h3><p>");
    for code in operation.codes() {
        let _ = write!(page, "<a href=\"#{0}\">{0}</a> ", code.name());
    }
    page.push_str("</p></details>");
}

fn write_form(page: &mut String, form: &JsonShape) {
    match form {
        JsonShape::Object(fields) => write_fields(page, fields),
        JsonShape::Named(name) => {
            let named = operations::NAMED.iter().find(|(known, _)| known == name);
            if let Some((_, JsonShape::Object(fields))) = named {
                write_fields(page, fields);
            }
        }
        _ => {}
    }
}

fn write_fields(page: &mut String, fields: &[ShapeField]) {
    if fields.is_empty() {
        return;
    }
    page.push_str("<table>");
    for field in fields {
        let _ = write!(
            page,
            "<tr><td><code>{}</code></td><td>{}{}</td><td>{}</td></tr>",
            escaped(field.name),
            escaped(&kind(&field.form)),
            if field.required { "" } else { ", optional" },
            escaped(field.about)
        );
    }
    page.push_str("</table>");
}

/// What a form is, in a few words.
fn kind(form: &JsonShape) -> String {
    match form {
        JsonShape::Any => "anything".to_owned(),
        JsonShape::Text | JsonShape::Word | JsonShape::Lines => "text".to_owned(),
        JsonShape::AttachmentId => "1 to 128 of A–Z, a–z, 0–9, _ and -".to_owned(),
        JsonShape::Moment => "a moment, or never".to_owned(),
        JsonShape::Whole(least, i64::MAX) => format!("a whole number from {least}"),
        JsonShape::Whole(least, most) => format!("a whole number, {least} to {most}"),
        JsonShape::Flag => "true or false".to_owned(),
        JsonShape::OneOf(words) => words.join(" | "),
        JsonShape::List(items) => format!("a list: {}", kind(items)),
        JsonShape::Map(values) => format!("an object with values: {}", kind(values)),
        JsonShape::Object(_) => "an object".to_owned(),
        JsonShape::OrNull(form) => format!("{}, or null", kind(form)),
        JsonShape::Named(name) => (*name).to_owned(),
        JsonShape::Bytes => "a file".to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#faf7f2;--ink:#26221c;--line:#26221c2b;--accent:#8a3b12}\
@media(prefers-color-scheme:dark){:root{--paper:#14130f;--ink:#ece7dd;--line:#ece7dd2b;--accent:#e8a07a}}\
body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.5 Georgia,serif}\
main{max-width:52rem;margin:0 auto;padding:2rem 1.25rem 4rem}\
h1{font-size:1.5rem}h2{margin:2.5rem 0 .5rem;font-size:1.1rem;text-transform:capitalize}\
h3{font:600 .8rem/1.2 system-ui,sans-serif;margin:1.25rem 0 .25rem;opacity:.75}\
details{border-bottom:1px solid var(--line);padding:.5rem 0}summary{cursor:pointer;overflow-wrap:anywhere}\
summary b{font:600 .75rem system-ui,sans-serif;color:var(--accent);display:inline-block;min-width:3.6rem}\
summary span{opacity:.8}code{font:.88em ui-monospace,monospace}a{color:var(--accent)}\
table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}\
.need{font-style:italic;margin:.5rem 0}";
