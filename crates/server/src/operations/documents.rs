//! Documents.

use super::builder::{
    BinaryBody, DOCUMENT_ERRORS, EventStreamBody, IMAGE, JSON, READ, SSE, WRITE, json, json_body,
    operation, response, schema,
};
use super::{ApiOperation, RequestBody, RequiredScope};
use crate::access::audit::AuditRule;
use crate::api::{
    ChunkInfo, ChunkQuery, CitingAnswerList, CitingAnswersQuery, DeletedAttachment,
    DocumentChangeRequest, DocumentEventPage, DocumentEventsQuery, DocumentInfo, ItemPage,
    LabelList, OutlineList, PageImageQuery, PageLines, PageQuery, PageTextQuery, SearchParameters,
    SearchResultPage, UploadForm, UploadQuery, UploadRequest,
};
use crate::error::ErrorCode;

/// Bodies of uploads.
pub(super) const UPLOAD: &[RequestBody] = &[
    RequestBody {
        media_type: "multipart/form-data",
        schema: schema::<UploadForm>,
    },
    json_body::<UploadRequest>(),
];

pub(super) const OPERATIONS: &[ApiOperation] = &[
    operation(
        "GET",
        "/documents",
        READ,
        "documents",
        "List documents, the newest first",
    )
    .audit(AuditRule::Read("documents.listed"))
    .query(&[schema::<PageQuery>])
    .responses(&[json::<ItemPage<DocumentInfo>>("Page of documents")]),
    operation(
        "POST",
        "/documents",
        WRITE,
        "documents",
        "Attach a document",
    )
    .query(&[schema::<UploadQuery>])
    .bodies(UPLOAD)
    .responses(&[
        response::<DocumentInfo>(201, JSON, "The document was attached"),
        response::<DocumentInfo>(200, JSON, "The document was attached before"),
        response::<DocumentInfo>(202, JSON, "The document is read in the background"),
    ])
    .errors(DOCUMENT_ERRORS),
    operation(
        "GET",
        "/documents/events",
        READ,
        "documents",
        "Follow the states of documents: all present ones, then every change",
    )
    .query(&[schema::<DocumentEventsQuery>])
    .responses(&[
        response::<EventStreamBody>(
            200,
            SSE,
            "Documents as JSON, with the number of the change as id",
        ),
        json::<DocumentEventPage>("Page of changes"),
    ]),
    operation(
        "GET",
        "/documents/{id}",
        READ,
        "documents",
        "Get a document",
    )
    .audit(AuditRule::Read("document.read"))
    .responses(&[json::<DocumentInfo>("Document")])
    .errors(&[ErrorCode::UnreadableDocument]),
    operation(
        "PATCH",
        "/documents/{id}",
        WRITE,
        "documents",
        "Set title and labels of a document",
    )
    .bodies(&[json_body::<DocumentChangeRequest>()])
    .responses(&[json::<DocumentInfo>("Document")]),
    operation(
        "DELETE",
        "/documents/{id}",
        WRITE,
        "documents",
        "Remove an attachment, or with the hash of a file all attachments of it",
    )
    .audit(AuditRule::Deleted("document.deleted"))
    .responses(&[json::<DeletedAttachment>("The document was removed")]),
    operation(
        "GET",
        "/documents/{id}/file",
        RequiredScope::ReadOrLink,
        "documents",
        "Download the original file",
    )
    .audit(AuditRule::Read("document.read"))
    .responses(&[response::<BinaryBody>(200, "*/*", "File")])
    .errors(&[ErrorCode::UnreadableDocument]),
    operation(
        "GET",
        "/documents/{id}/pages/{page}",
        RequiredScope::ReadOrLink,
        "documents",
        "Get a page image: 1.webp, 1.png, 1.jpeg or 1.avif",
    )
    .audit(AuditRule::Read("document.read"))
    .query(&[schema::<PageImageQuery>])
    .responses(&[response::<BinaryBody>(200, IMAGE, "Page image")])
    .errors(&[ErrorCode::UnreadableDocument]),
    operation(
        "GET",
        "/documents/{id}/text",
        READ,
        "documents",
        "Get the lines of a page with their roles and places",
    )
    .audit(AuditRule::Read("document.read"))
    .query(&[schema::<PageTextQuery>])
    .responses(&[json::<PageLines>("Text of the page")])
    .errors(&[ErrorCode::UnreadableDocument]),
    operation(
        "GET",
        "/documents/{id}/outline",
        READ,
        "documents",
        "Get the outline of a document",
    )
    .audit(AuditRule::Read("document.read"))
    .responses(&[json::<OutlineList>("Headings")])
    .errors(&[ErrorCode::UnreadableDocument]),
    operation(
        "GET",
        "/documents/{id}/citations",
        READ,
        "documents",
        "List the answers that cite a document or one of its pages",
    )
    .audit(AuditRule::Read("document.read"))
    .query(&[schema::<CitingAnswersQuery>])
    .responses(&[json::<CitingAnswerList>("Citations, the latest first")]),
    operation(
        "POST",
        "/documents/{id}/read",
        WRITE,
        "documents",
        "Read a document again from its file",
    )
    .responses(&[response::<DocumentInfo>(
        202,
        JSON,
        "The document is read in the background",
    )]),
    operation("GET", "/search", READ, "documents", "Search the documents")
        .audit(AuditRule::Read("documents.searched"))
        .query(&[schema::<SearchParameters>])
        .responses(&[json::<SearchResultPage>("Hits, the best first")])
        .errors(&[ErrorCode::NotFound]),
    operation(
        "GET",
        "/chunks/{id}",
        READ,
        "documents",
        "Get a chunk with its boxes on the pages, by chunk id or citation key",
    )
    .audit(AuditRule::Read("document.read"))
    .query(&[schema::<ChunkQuery>])
    .responses(&[json::<ChunkInfo>("Chunk")])
    .errors(&[ErrorCode::UnreadableDocument]),
    operation(
        "GET",
        "/labels",
        READ,
        "documents",
        "List the labels of the documents",
    )
    .responses(&[json::<LabelList>("Labels in alphabetical order")]),
];
