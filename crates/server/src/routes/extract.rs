//! Extractors: JSON bodies and thread keys.

use std::error::Error;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use gateway::Key;
use serde::de::DeserializeOwned;
use store::ThreadId;
use tower_http::timeout::TimeoutError;

use crate::access::Caller;
use crate::api::read_json_body;
use crate::error::{ApiError, ErrorCode};

/// JSON body of a request.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body = read_body(Bytes::from_request(request, state).await)?;
        Ok(Self(read_json_body(&body)?))
    }
}

/// JSON body of a request that may be empty.
pub(super) struct OptionalJsonBody<T>(pub(super) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalJsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body = read_body(Bytes::from_request(request, state).await)?;
        if body.is_empty() {
            return Ok(Self(T::default()));
        }
        Ok(Self(read_json_body(&body)?))
    }
}

/// Returns the whole body of a request, or an error that tells why it is incomplete.
pub(super) fn read_body(body: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    body.map_err(|rejection| {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            return ApiError::new(
                ErrorCode::TooLarge,
                "The body is too large",
                "Send less at a time, or raise `limits.max_body_bytes`",
            );
        }
        let causes = std::iter::successors(rejection.source(), |&cause| cause.source());
        if { causes }.any(|cause| cause.is::<TimeoutError>()) {
            return ApiError::new(
                ErrorCode::Timeout,
                "The body did not arrive in time",
                "Send it without long pauses, or raise `limits.body_timeout`",
            );
        }
        ApiError::new(
            ErrorCode::BadRequest,
            rejection.body_text(),
            "Send the whole body that Content-Length announces",
        )
    })
}

/// Key of the thread that the path names: the principal of the request, and the thread id.
pub(super) struct ThreadKey(pub(super) Key);

impl<S: Send + Sync> FromRequestParts<S> for ThreadKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(id) = path.map_err(|rejection| {
            ApiError::new(
                ErrorCode::BadRequest,
                rejection.body_text(),
                "Check the thread id in the path",
            )
        })?;
        Ok(Self((caller.principal, ThreadId::new(&id)?)))
    }
}
