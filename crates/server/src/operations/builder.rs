//! Builder of the rows of the table.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{ApiOperation, RequestBody, RequiredScope, SchemaOf, SuccessResponse};
use crate::access::AccessScope;
use crate::access::audit::AuditRule;
use crate::error::ErrorCode;

pub(super) const READ: RequiredScope = RequiredScope::Scope(AccessScope::Read);
pub(super) const WRITE: RequiredScope = RequiredScope::Scope(AccessScope::Write);
pub(super) const ADMIN: RequiredScope = RequiredScope::Scope(AccessScope::Admin);

pub(crate) const JSON: &str = "application/json";
pub(super) const SSE: &str = "text/event-stream";
pub(super) const PROTOBUF: &str = "application/vnd.ag-ui.event+proto";
pub(super) const IMAGE: &str = "image/*";

pub(super) const fn operation(
    method: &'static str,
    path: &'static str,
    required: RequiredScope,
    subject: &'static str,
    summary: &'static str,
) -> ApiOperation {
    ApiOperation {
        method,
        path,
        subject,
        summary,
        required,
        audit: None,
        query: &[],
        bodies: &[],
        needs_body: false,
        responses: &[],
        errors: &[],
    }
}

impl ApiOperation {
    pub(super) const fn audit(self, rule: AuditRule) -> Self {
        Self {
            audit: Some(rule),
            ..self
        }
    }

    pub(super) const fn query(self, query: &'static [SchemaOf]) -> Self {
        Self { query, ..self }
    }

    pub(super) const fn bodies(self, bodies: &'static [RequestBody]) -> Self {
        Self {
            bodies,
            needs_body: true,
            ..self
        }
    }

    pub(super) const fn optional_bodies(self, bodies: &'static [RequestBody]) -> Self {
        Self { bodies, ..self }
    }

    pub(super) const fn responses(self, responses: &'static [SuccessResponse]) -> Self {
        Self { responses, ..self }
    }

    pub(super) const fn errors(self, errors: &'static [ErrorCode]) -> Self {
        Self { errors, ..self }
    }
}

/// Returns the schema of a type.
pub(super) fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Returns a JSON body of this type.
pub(super) const fn json_body<T: JsonSchema>() -> RequestBody {
    RequestBody {
        media_type: JSON,
        schema: schema::<T>,
    }
}

/// Returns a response with status 200 and a JSON body of this type.
pub(super) const fn json<T: JsonSchema>(description: &'static str) -> SuccessResponse {
    response::<T>(200, JSON, description)
}

pub(super) const fn response<T: JsonSchema>(
    status: u16,
    media_type: &'static str,
    description: &'static str,
) -> SuccessResponse {
    SuccessResponse {
        status,
        media_type,
        schema: schema::<T>,
        description,
    }
}

/// Declares types that stand for bodies without a JSON form.
macro_rules! schema_types {
    ($($(#[doc = $doc:literal])* $name:ident = $schema:tt;)*) => {
        $(
            $(#[doc = $doc])*
            pub(super) struct $name;

            impl JsonSchema for $name {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!($schema)
                }
            }
        )*
    };
}

schema_types! {
    /// File or image.
    BinaryBody = { "type": "string", "format": "binary" };
    /// Text or HTML.
    TextBody = { "type": "string" };
    /// Stream of AG-UI events.
    EventStreamBody = {};
    /// Any JSON object.
    ObjectBody = { "type": "object", "additionalProperties": true };
}

/// Error codes of operations that read a document or fetch one.
pub(super) const DOCUMENT_ERRORS: &[ErrorCode] = &[
    ErrorCode::Conflict,
    ErrorCode::FetchOff,
    ErrorCode::NotFound,
    ErrorCode::UnreadableDocument,
];
