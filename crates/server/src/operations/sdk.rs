//! Operations of the public citation SDK.

use super::builder::{DOCUMENT_ERRORS, READ, WRITE, json, json_body, operation};
use super::documents::UPLOAD;
use super::{ApiOperation, RequestBody, SuccessResponse};
use crate::access::audit::AuditRule;
use crate::api::{
    AttachmentInfo, AttachmentRequest, ConvertedAttachment, DeletedAttachment, ExtendRequest,
    ExtendedAttachment, PreparedAttachment, ReviewUrlRequest, ReviewedUrl, SdkVerifyRequest,
    SdkVerifyResponse,
};
use crate::error::ErrorCode;

const SUBJECT: &str = "citation SDK";

const PREPARED: &[SuccessResponse] = &[json::<PreparedAttachment>("Document for a model")];
const VERIFY: &[RequestBody] = &[json_body::<SdkVerifyRequest>()];
const VERIFIED: &[SuccessResponse] = &[json::<SdkVerifyResponse>("Verifications")];

const fn prepare(path: &'static str, summary: &'static str) -> ApiOperation {
    operation("POST", path, WRITE, SUBJECT, summary)
        .bodies(UPLOAD)
        .responses(PREPARED)
        .errors(DOCUMENT_ERRORS)
}

const fn verify(path: &'static str, summary: &'static str) -> ApiOperation {
    operation("POST", path, READ, SUBJECT, summary)
        .bodies(VERIFY)
        .responses(VERIFIED)
        .errors(DOCUMENT_ERRORS)
}

pub(super) const OPERATIONS: &[ApiOperation] = &[
    prepare(
        "/prepareAttachments",
        "Attach a document, or name an attached one, and get its text for a model",
    ),
    prepare(
        "/prepareAttachment",
        "Same as /prepareAttachments, for older clients",
    ),
    prepare(
        "/prepareFile",
        "Same as /prepareAttachments, for the oldest clients",
    ),
    operation(
        "POST",
        "/convertFile",
        WRITE,
        SUBJECT,
        "Attach a document of any format",
    )
    .bodies(UPLOAD)
    .responses(&[json::<ConvertedAttachment>("The document was attached")])
    .errors(DOCUMENT_ERRORS),
    verify("/verifyCitations", "Verify citations"),
    verify(
        "/verifyCitation",
        "Same as /verifyCitations, for older clients",
    ),
    operation(
        "POST",
        "/getAttachment",
        READ,
        SUBJECT,
        "Get an attachment with its text",
    )
    .audit(AuditRule::Read("document.read"))
    .bodies(&[json_body::<AttachmentRequest>()])
    .responses(&[json::<AttachmentInfo>("Attachment")])
    .errors(&[ErrorCode::NotFound, ErrorCode::UnreadableDocument]),
    operation(
        "POST",
        "/reviewUrl",
        READ,
        SUBJECT,
        "Describe the document at an address without attaching it",
    )
    .bodies(&[json_body::<ReviewUrlRequest>()])
    .responses(&[json::<ReviewedUrl>("Kind and size of the document")])
    .errors(&[ErrorCode::FetchOff, ErrorCode::UnreadableDocument]),
    operation(
        "POST",
        "/attachments/{id}/extend",
        WRITE,
        SUBJECT,
        "Extend the lifetime of an attachment",
    )
    .bodies(&[json_body::<ExtendRequest>()])
    .responses(&[json::<ExtendedAttachment>("New expiry")]),
    operation(
        "DELETE",
        "/attachments/{id}",
        WRITE,
        SUBJECT,
        "Remove an attachment",
    )
    .audit(AuditRule::Deleted("document.deleted"))
    .responses(&[json::<DeletedAttachment>("The attachment was removed")]),
];
