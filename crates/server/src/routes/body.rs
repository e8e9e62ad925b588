//! Bodies of requests, and the members of the objects in them.

use std::error::Error;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use citations::Citation;
use json::{Map, Value};
use tower_http::timeout::TimeoutError;

use crate::error::{ApiError, ErrorCode};

/// The JSON object that a body is.
pub(super) fn object(body: Result<Bytes, BytesRejection>) -> Result<Map, ApiError> {
    let body = whole(body)?;
    let invalid =
        |message: String| ApiError::new(ErrorCode::InvalidJson, message, "send a JSON object");
    let text =
        std::str::from_utf8(&body).map_err(|_| invalid("the body is not UTF-8".to_owned()))?;
    match Value::parse(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(ApiError::new(
            ErrorCode::InvalidInput,
            format!("the body must be an object, and is {}", kind(&other)),
            "send a JSON object, {…}",
        )),
        Err(error) => Err(invalid(format!("the body is not JSON: {error}"))),
    }
}

/// The whole body of a request.
pub(super) fn whole(body: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    body.map_err(|rejection| {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            return ApiError::new(
                ErrorCode::TooLarge,
                "the body is too long",
                "send less at a time, or raise limits.max_body_bytes",
            );
        }
        let causes = std::iter::successors(rejection.source(), |&cause| cause.source());
        if { causes }.any(|cause| cause.is::<TimeoutError>()) {
            return ApiError::new(
                ErrorCode::Timeout,
                "the rest of the body did not come in time",
                "send it without long pauses",
            );
        }
        ApiError::new(
            ErrorCode::BadRequest,
            rejection.body_text(),
            "send the whole body that the request announces",
        )
    })
}

/// An object of a request, and where in it that stands. A member that is null is absent; one that is not what it must
/// be is refused, because nobody would notice that it was passed over.
#[derive(Debug, Clone)]
pub(super) struct RequestMembers<'m> {
    map: &'m Map,
    /// What stands before the names of its members, `data.`.
    place: String,
}

impl<'m> RequestMembers<'m> {
    pub(super) fn of(map: &'m Map) -> Self {
        Self {
            map,
            place: String::new(),
        }
    }

    /// A member that is a text; nothing if that is empty.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'m str>, ApiError> {
        match self.given(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(other) => Err(self.wrong(key, "a text", "\"…\"", &is(other))),
        }
    }

    /// A member that is a list of texts.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<&'m str>, ApiError> {
        let wrong = |is: String| self.wrong(key, "a list of texts", "[\"…\"]", &is);
        match self.given(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| {
                    let has = || format!("has {} in it", kind(item));
                    item.as_str().ok_or_else(|| wrong(has()))
                })
                .collect(),
            Some(other) => Err(wrong(is(other))),
        }
    }

    /// A member that is an object.
    pub(super) fn object(&self, key: &str) -> Result<Option<Self>, ApiError> {
        match self.given(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self {
                map,
                place: format!("{}{key}.", self.place),
            })),
            Some(other) => Err(self.wrong(key, "an object", "{…}", &is(other))),
        }
    }

    /// A member that is an object of citations by key: each as it was sent, and read.
    pub(super) fn citations(
        &self,
        key: &str,
    ) -> Result<Option<Vec<(&'m str, Citation)>>, ApiError> {
        let citations = match self.given(key) {
            Some(Value::Object(_)) => self.object(key)?,
            None => None,
            Some(other) => {
                let form = "an object of citations by key";
                return Err(self.wrong(key, form, "{\"key\":{…}}", &is(other)));
            }
        };
        let Some(citations) = citations else {
            return Ok(None);
        };
        let read = citations.map.iter().map(|(key, value)| {
            let Some(citation) = Citation::from_json(value) else {
                let example = "{\"fullPhrase\":\"…\"}";
                return Err(citations.wrong(key, "a citation", example, &is(value)));
            };
            // Without these it would be looked for where it is not said to be.
            let members = citations.object(key)?;
            for name in ["attachmentId", "attachment_id", "fileId", "file_id"] {
                members
                    .iter()
                    .try_for_each(|one| one.text(name).map(drop))?;
            }
            for name in ["pageNumber", "page_number"] {
                members.iter().try_for_each(|one| one.number(name))?;
            }
            Ok((key, citation))
        });
        read.collect::<Result<_, _>>().map(Some)
    }

    /// Whether a member is a number, if it is there.
    fn number(&self, key: &str) -> Result<(), ApiError> {
        match self.given(key) {
            None | Some(Value::Number(_)) => Ok(()),
            Some(other) => Err(self.wrong(key, "a number", "1", &is(other))),
        }
    }

    fn given(&self, key: &str) -> Option<&'m Value> {
        self.map.get(key).filter(|value| **value != Value::Null)
    }

    fn wrong(&self, key: &str, form: &str, example: &str, found: &str) -> ApiError {
        ApiError::new(
            ErrorCode::InvalidInput,
            format!("{}{key} must be {form}, and {found}", self.place),
            format!("send \"{key}\":{example}"),
        )
    }
}

fn is(value: &Value) -> String {
    format!("is {}", kind(value))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
