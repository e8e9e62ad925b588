//! Who asks, and what they may do.

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use store::Principal;

use crate::error::{ApiError, Code};

/// Who asks: every route that reads or changes something takes one.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// Whose things they see.
    pub(crate) principal: Principal,
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // A route that nobody guards is a fault of ours, not a way in.
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            ApiError::new(
                Code::Internal,
                "it is not known who asks",
                "report this: the route is not guarded",
            )
        })
    }
}

/// Finds out who asks.
pub(crate) async fn admit(mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(Caller {
        principal: Principal::local(),
    });
    next.run(request).await
}
