//! Schema of error responses.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::error::ErrorCode;

/// Error response. [`ApiError`](crate::error::ApiError) writes it; this type is its schema.
#[derive(JsonSchema)]
#[allow(dead_code)] // only the schema is used
pub(crate) struct ErrorResponse {
    /// Error.
    error: ErrorDetail,
}

/// Error.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[allow(dead_code)] // only the schema is used
struct ErrorDetail {
    /// Code for programs. Its meaning never changes.
    code: ErrorCode,
    /// Description of the failure.
    message: String,
    /// Advice on what to do.
    hint: String,
    /// Address of the documentation of the code.
    docs: String,
    /// Id of the request, which is also in the log of the server.
    request_id: String,
}

impl JsonSchema for ErrorCode {
    fn schema_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let codes = Self::ALL.iter().map(|code| {
            json_schema!({ "type": "string", "const": code.name(), "description": code.meaning() })
        });
        json_schema!({ "description": "Error code.", "oneOf": codes.collect::<Vec<_>>() })
    }
}
