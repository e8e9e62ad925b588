//! Citations, reviews and evidence pages.

use super::builder::{
    BinaryBody, DOCUMENT_ERRORS, IMAGE, JSON, READ, SSE, TextBody, WRITE, json, json_body,
    operation, response, schema,
};
use super::{ApiOperation, RequiredScope};
use crate::access::audit::AuditRule;
use crate::api::{
    EvidenceInfo, EvidenceQuery, LinkRequest, PageImageQuery, ReviewInfo, ReviewList,
    ReviewRequest, SignedLink, VerifyBody, VerifyEvent, VerifyResponse,
};
use crate::error::ErrorCode;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    operation(
        "POST",
        "/verify",
        READ,
        "citations",
        "Verify the citations of an answer, or single citations",
    )
    .bodies(&[json_body::<VerifyBody>()])
    .responses(&[
        json::<VerifyResponse>("Verifications"),
        response::<VerifyEvent>(
            200,
            SSE,
            "One event per verification, then an event named `end`",
        ),
    ])
    .errors(DOCUMENT_ERRORS),
    operation(
        "GET",
        "/citations/{key}/reviews",
        READ,
        "citations",
        "List the review of a citation, the last step first",
    )
    .audit(AuditRule::Read("reviews.listed"))
    .responses(&[json::<ReviewList>("Review")]),
    operation(
        "POST",
        "/citations/{key}/reviews",
        WRITE,
        "citations",
        "Add a step to the review of a citation",
    )
    .bodies(&[json_body::<ReviewRequest>()])
    .responses(&[response::<ReviewInfo>(201, JSON, "The step was stored")]),
    operation(
        "GET",
        "/p/{id}",
        RequiredScope::ReadOrLink,
        "citations",
        "Get the evidence page of a citation, its content, or an image of the passage",
    )
    .audit(AuditRule::Read("evidence.read"))
    .query(&[schema::<EvidenceQuery>, schema::<PageImageQuery>])
    .responses(&[
        response::<TextBody>(200, "text/html", "Evidence page"),
        json::<EvidenceInfo>("Content of the evidence page"),
        response::<BinaryBody>(200, IMAGE, "Image of the passage"),
    ])
    .errors(&[ErrorCode::UnreadableDocument]),
    operation(
        "POST",
        "/p/{id}/links",
        WRITE,
        "citations",
        "Create a signed link to an evidence page, which works without a key",
    )
    .optional_bodies(&[json_body::<LinkRequest>()])
    .responses(&[response::<SignedLink>(201, JSON, "Signed link")]),
];
