//! What can be asked for: each route with who may use it, what is recorded of it, what it takes and answers.
//!
//! One table. The gate ([`access`](crate::access)) and the description of the API
//! ([`openapi`](crate::openapi)) read it, and a test compares it with the routes there are.

mod conversations;
mod documents;
mod forms;
mod row;
mod sdk;
mod server;

use axum::http::Method;

use crate::error::ErrorCode;
use crate::scope::AccessScope;

pub(crate) use forms::{JsonShape, NAMED, ShapeField};

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredScope {
    /// Anybody.
    Nothing,
    /// Whoever may do such things.
    Scope(AccessScope),
    /// Whoever may read, or holds a signed link.
    ReadOrLink,
}

/// What is recorded of a route that was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuditRule {
    /// Somebody saw something.
    Read(&'static str),
    /// Something is gone.
    Deleted(&'static str),
}

impl AuditRule {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Read(action) | Self::Deleted(action) => action,
        }
    }

    pub(crate) fn is_deletion(self) -> bool {
        matches!(self, Self::Deleted(_))
    }
}

/// A route.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApiOperation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// What it is about.
    pub(crate) subject: &'static str,
    /// What it does, in a line.
    pub(crate) summary: &'static str,
    pub(crate) need: RequiredScope,
    pub(crate) audit: Option<AuditRule>,
    /// What may follow the question mark.
    pub(crate) query: &'static [ShapeField],
    /// Bodies that it takes, by media type.
    pub(crate) takes: &'static [(&'static str, JsonShape)],
    /// Whether there must be a body.
    pub(crate) needs_body: bool,
    /// What it answers if all is well.
    pub(crate) answers: &'static [OperationResponse],
    /// What else can be wrong, besides what follows from the rest.
    pub(crate) refuses: &'static [ErrorCode],
}

/// An answer if all is well.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OperationResponse {
    pub(crate) status: u16,
    pub(crate) media: &'static str,
    pub(crate) form: JsonShape,
    pub(crate) about: &'static str,
}

impl ApiOperation {
    /// Every code of an error that it may answer with.
    pub(crate) fn codes(&self) -> Vec<ErrorCode> {
        // Any name and any page may be wrong, any store may fail.
        let mut codes = vec![
            ErrorCode::BadRequest,
            ErrorCode::Forbidden,
            ErrorCode::Internal,
            ErrorCode::Storage,
            ErrorCode::Unavailable,
        ];
        if self.need != RequiredScope::Nothing {
            codes.extend([
                ErrorCode::Unauthorized,
                ErrorCode::ScopeMissing,
                ErrorCode::TooMany,
            ]);
        }
        if self.need == RequiredScope::ReadOrLink {
            codes.push(ErrorCode::LinkRefused);
        }
        if self.path.contains('{') {
            codes.extend([ErrorCode::NotFound, ErrorCode::InvalidInput]);
        }
        if !self.query.is_empty() {
            codes.push(ErrorCode::InvalidInput);
        }
        if !self.takes.is_empty() {
            codes.extend([
                ErrorCode::InvalidJson,
                ErrorCode::InvalidInput,
                ErrorCode::Timeout,
                ErrorCode::TooLarge,
                ErrorCode::UnsupportedMedia,
            ]);
        }
        codes.extend(self.refuses);
        let mut unique = Vec::new();
        for code in codes {
            if !unique.contains(&code) {
                unique.push(code);
            }
        }
        unique
    }
}

/// All rows, subject by subject.
const TABLE: [&[ApiOperation]; 4] = [
    conversations::ROWS,
    documents::ROWS,
    sdk::ROWS,
    server::ROWS,
];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static ApiOperation> {
    TABLE.into_iter().flatten()
}

/// The row of a route.
pub(crate) fn find(method: &Method, path: &str) -> Option<&'static ApiOperation> {
    // Whoever may GET may ask for the head alone.
    let method = if method == Method::HEAD {
        "GET"
    } else {
        method.as_str()
    };
    all().find(|operation| operation.path == path && operation.method == method)
}

/// Whether something can be done with a path, if not this.
pub(crate) fn is_known(path: &str) -> bool {
    all().any(|operation| operation.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_a_row_and_every_row_a_route() {
        let mut routes: Vec<(String, &str)> = crate::routes::all()
            .listed
            .into_iter()
            .map(|(method, path)| (method.to_string(), path))
            .collect();
        let mut rows: Vec<(String, &str)> =
            all().map(|row| (row.method.to_owned(), row.path)).collect();
        routes.sort();
        rows.sort();
        assert_eq!(rows, routes, "left: operations/, right: routes.rs");
    }

    #[test]
    fn what_changes_something_is_not_for_readers() {
        // These only look, but take more than fits into a path.
        let look = [
            "/verify",
            "/verifyCitations",
            "/verifyCitation",
            "/getAttachment",
            "/healthz/stream",
        ];
        for row in all().filter(|row| row.method != "GET" && !look.contains(&row.path)) {
            assert!(
                matches!(
                    row.need,
                    RequiredScope::Scope(AccessScope::Write | AccessScope::Admin)
                ),
                "{row:?}"
            );
        }
    }
}
