//! Table of operations: each route with its scope, audit rule, query, bodies and errors.
//!
//! Admission reads it for every request; the OpenAPI document, the TypeScript types and the table in
//! `docs/http-api.md` are generated from it. A test compares it with the router.

mod attributions;
mod builder;
mod citations;
mod conversations;
mod documents;
mod sdk;
mod server;
mod threads;

use axum::http::Method;
use schemars::{Schema, SchemaGenerator};

use crate::access::AccessScope;
use crate::access::audit::AuditRule;
use crate::error::ErrorCode;

pub(crate) use builder::JSON;

/// Requirement of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredScope {
    /// No authentication.
    Nothing,
    /// Key or token with this scope.
    Scope(AccessScope),
    /// Key or token with the scope `read`, or a signed link.
    ReadOrLink,
}

/// Function that returns the schema of a type and registers the types it refers to.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// Operation: a method on a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApiOperation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// Heading under which it is documented.
    pub(crate) subject: &'static str,
    /// Purpose in one line, as an imperative.
    pub(crate) summary: &'static str,
    pub(crate) required: RequiredScope,
    /// Entry of the audit log for successful requests.
    pub(crate) audit: Option<AuditRule>,
    /// Types of the query parameters.
    pub(crate) query: &'static [SchemaOf],
    /// Accepted request bodies.
    pub(crate) bodies: &'static [RequestBody],
    /// True if a request without a body is an error.
    pub(crate) needs_body: bool,
    /// Responses other than errors.
    pub(crate) responses: &'static [SuccessResponse],
    /// Error codes besides those that follow from the other columns.
    pub(crate) errors: &'static [ErrorCode],
}

/// Accepted request body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestBody {
    pub(crate) media_type: &'static str,
    pub(crate) schema: SchemaOf,
}

/// Response other than an error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuccessResponse {
    pub(crate) status: u16,
    pub(crate) media_type: &'static str,
    pub(crate) schema: SchemaOf,
    pub(crate) description: &'static str,
}

impl ApiOperation {
    /// Returns all error codes of the operation, each once.
    pub(crate) fn error_codes(&self) -> Vec<ErrorCode> {
        let mut codes = vec![
            ErrorCode::BadRequest,
            ErrorCode::Forbidden,
            ErrorCode::Internal,
            ErrorCode::Storage,
            ErrorCode::Unavailable,
        ];
        if self.required != RequiredScope::Nothing {
            codes.extend([
                ErrorCode::Unauthorized,
                ErrorCode::ScopeMissing,
                ErrorCode::TooMany,
            ]);
        }
        if self.required == RequiredScope::ReadOrLink {
            codes.push(ErrorCode::LinkRefused);
        }
        if self.path.contains('{') {
            codes.extend([ErrorCode::NotFound, ErrorCode::InvalidInput]);
        }
        if !self.query.is_empty() {
            codes.push(ErrorCode::InvalidInput);
        }
        if !self.bodies.is_empty() {
            codes.extend([
                ErrorCode::InvalidJson,
                ErrorCode::InvalidInput,
                ErrorCode::Timeout,
                ErrorCode::TooLarge,
                ErrorCode::UnsupportedMedia,
            ]);
        }
        codes.extend(self.errors);
        let mut unique = Vec::new();
        for code in codes {
            if !unique.contains(&code) {
                unique.push(code);
            }
        }
        unique
    }
}

/// All operations, subject by subject.
const TABLE: [&[ApiOperation]; 7] = [
    threads::OPERATIONS,
    conversations::OPERATIONS,
    documents::OPERATIONS,
    citations::OPERATIONS,
    sdk::OPERATIONS,
    attributions::OPERATIONS,
    server::OPERATIONS,
];

/// Returns all operations.
pub(crate) fn all() -> impl Iterator<Item = &'static ApiOperation> {
    TABLE.into_iter().flatten()
}

/// Returns the operation of a request. `HEAD` counts as `GET`.
pub(crate) fn find(method: &Method, path: &str) -> Option<&'static ApiOperation> {
    let method = if method == Method::HEAD {
        "GET"
    } else {
        method.as_str()
    };
    all().find(|operation| operation.path == path && operation.method == method)
}

/// Returns true if the path has an operation with any method.
pub(crate) fn has_path(path: &str) -> bool {
    all().any(|operation| operation.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_in_the_table_and_every_operation_has_a_route() {
        let mut routes: Vec<(String, &str)> = crate::routes::all()
            .listed
            .into_iter()
            .map(|(method, path)| (method.to_string(), path))
            .collect();
        let mut operations: Vec<(String, &str)> = all()
            .map(|operation| (operation.method.to_owned(), operation.path))
            .collect();
        routes.sort();
        operations.sort();
        assert_eq!(operations, routes, "left: operations/, right: routes.rs");
    }

    #[test]
    fn operations_that_change_data_need_more_than_the_scope_read() {
        // These read only, but their input does not fit into a path..
        let reading = [
            "/verify",
            "/verifyCitations",
            "/verifyCitation",
            "/getAttachment",
            "/reviewUrl",
            "/api/v1/permissions/check",
            "/healthz/stream",
            // A browser signs in with a key and signs out; both need none.
            "/session",
        ];
        for operation in all().filter(|row| row.method != "GET" && !reading.contains(&row.path)) {
            assert!(
                matches!(
                    operation.required,
                    RequiredScope::Scope(AccessScope::Write | AccessScope::Admin)
                ),
                "{operation:?}"
            );
        }
    }
}
