//! Requests and responses of the citation SDK.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::JsonMap;
use super::citations::{CitationInput, VerificationJson};
use super::raw_json::raw_json_types;

raw_json_types! {
    /// Page image: page number, dimensions in pixels, address, expiry and scale.
    PageImageJson = { "type": "object", "additionalProperties": true };
    /// Download link of the original file: file name, media type, address and expiry.
    DownloadJson = { "type": "object", "additionalProperties": true };
}

/// Document prepared for a model.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreparedAttachment {
    /// Attachment id.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,128}$"))]
    pub(crate) attachment_id: String,
    /// Text for the prompt, with tags for pages and line numbers.
    pub(crate) deep_text_prompt_portion: String,
    /// The same text page by page, without the tags of pages.
    pub(crate) deep_text_pages: Vec<String>,
    /// Data about the document.
    pub(crate) metadata: PreparedMetadata,
    /// Always `ready`.
    pub(crate) status: &'static str,
    /// Images of all pages; empty if there are more than 2,000, or pages that take several images.
    pub(crate) page_images: Vec<PageImageJson>,
    /// Always `completed`.
    pub(crate) page_images_status: &'static str,
    /// Original file.
    pub(crate) original_download: DownloadJson,
    /// Address from which the document was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url_source: Option<UrlSource>,
    /// Time that the preparation took, in milliseconds.
    pub(crate) processing_time_ms: u64,
    /// Time at which the attachment expires (RFC 3339), or `never`.
    pub(crate) expires_at: String,
    /// Parts that could not be read, each with a hint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}

/// Data about a prepared document.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreparedMetadata {
    /// File name.
    pub(crate) filename: String,
    /// Media type.
    pub(crate) mime_type: String,
    /// Number of pages.
    pub(crate) page_count: usize,
    /// Size of the text in bytes.
    pub(crate) text_byte_size: usize,
}

/// Address from which a document was fetched.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UrlSource {
    /// Address.
    pub(crate) url: String,
    /// Domain of the address, without `www.`.
    pub(crate) domain: String,
}

/// Document that was attached by `/convertFile`. Files are read as they are, so nothing is converted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConvertedAttachment {
    /// Attachment id.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,128}$"))]
    pub(crate) attachment_id: String,
    /// Data about the document.
    pub(crate) metadata: ConvertedMetadata,
    /// Always `converted`.
    pub(crate) status: &'static str,
}

/// Data about a converted document.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConvertedMetadata {
    /// File name.
    pub(crate) original_filename: String,
    /// Media type.
    pub(crate) original_mime_type: String,
    /// Media type, which is the same.
    pub(crate) converted_mime_type: String,
    /// Time that reading took, in milliseconds.
    pub(crate) conversion_time_ms: u64,
}

/// Attachment to describe.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachmentRequest {
    /// Attachment id.
    #[schemars(length(min = 1))]
    pub(crate) attachment_id: String,
}

/// Attachment with its text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachmentInfo {
    /// Attachment id.
    pub(crate) id: String,
    /// Always `ready`.
    pub(crate) status: &'static str,
    /// `url` for a document that was fetched, else `upload`.
    #[schemars(extend("enum" = ["url", "upload"]))]
    pub(crate) source: &'static str,
    /// Address from which the document was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url_source: Option<UrlSource>,
    /// Original file.
    pub(crate) original_download: DownloadJson,
    /// File name.
    pub(crate) original_filename: String,
    /// Media type.
    pub(crate) mime_type: String,
    /// Size of the file in bytes.
    pub(crate) file_size: u64,
    /// Number of pages.
    pub(crate) page_count: usize,
    /// Size of the text in bytes.
    pub(crate) text_byte_size: usize,
    /// Images of all pages; empty if there are more than 2,000, or pages that take several images.
    pub(crate) page_images: Vec<PageImageJson>,
    /// Always `completed`.
    pub(crate) page_images_status: &'static str,
    /// Verifications of citations in the document, by the keys of the citations.
    pub(crate) verifications: JsonMap<VerificationJson>,
    /// Time at which it was attached (RFC 3339).
    pub(crate) uploaded_at: String,
    /// Time at which it expires (RFC 3339), or `never`.
    pub(crate) expires_at: String,
    /// Text for the prompt, with tags for pages and line numbers.
    pub(crate) deep_text_prompt_portion: String,
    /// Plain text page by page.
    pub(crate) page_texts: Vec<String>,
    /// Parts that could not be read, each with a hint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}

/// Extension of the lifetime of an attachment.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ExtendRequest {
    /// Time to add.
    pub(crate) duration: ExtendDuration,
}

/// Time by which the lifetime of an attachment is extended.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExtendDuration {
    /// 30 days.
    Month,
    /// 365 days.
    Year,
}

/// Attachment whose lifetime was extended.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExtendedAttachment {
    /// Attachment id.
    pub(crate) attachment_id: String,
    /// Time at which it expires (RFC 3339), or `never`.
    pub(crate) expires_at: String,
    /// Time at which it would have expired (RFC 3339), or `never`.
    pub(crate) previous_expires_at: String,
}

/// Citations to verify, as the SDK sends them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SdkVerifyRequest {
    /// Citations and their source. The first releases of the SDK send its members without `data`.
    #[schemars(with = "SdkVerifyData")]
    pub(crate) data: Option<SdkVerifyData>,
}

/// Citations and their source.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SdkVerifyData {
    /// Document to search for citations that name none.
    pub(crate) attachment_id: Option<String>,
    /// Older name of `attachmentId`.
    pub(crate) file_id: Option<String>,
    /// Format of the images of found passages; no images if absent.
    #[schemars(extend("enum" = ["avif", "webp", "jpeg", "png"]))]
    pub(crate) output_image_format: Option<String>,
    /// Citations by key.
    #[schemars(with = "JsonMap<CitationInput>")]
    pub(crate) citations: Option<JsonMap<CitationInput>>,
}

/// Verifications for the SDK.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SdkVerifyResponse {
    /// Verifications by the key of their citation.
    pub(crate) verifications: JsonMap<VerificationJson>,
    /// Documents in which citations were found, by attachment id.
    pub(crate) attachments: JsonMap<VerifiedAttachment>,
}

/// Document in which citations were found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VerifiedAttachment {
    /// Images of all pages; empty if there are more than 2,000, or pages that take several images.
    pub(crate) page_images: Vec<PageImageJson>,
    /// Always `completed`.
    pub(crate) page_images_status: &'static str,
    /// Original file.
    pub(crate) original_download: DownloadJson,
}

/// Address of a document to describe.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReviewUrlRequest {
    /// Address.
    #[schemars(length(min = 1))]
    pub(crate) url: String,
    /// Fetch the document even if it is attached.
    pub(crate) skip_cache: Option<bool>,
}

/// Document at an address.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReviewedUrl {
    /// Address of the request.
    pub(crate) url: String,
    /// Address after redirects.
    pub(crate) normalized_url: String,
    /// Domain, without `www.`.
    pub(crate) domain: String,
    /// Always 200: other statuses are errors.
    pub(crate) http_status: u16,
    /// Media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_type: Option<String>,
    /// Size of the file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_length: Option<u64>,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggested_filename: Option<String>,
    /// Kind of document.
    #[schemars(extend("enum" = ["pdf", "html", "office", "image"]))]
    pub(crate) classified_as: &'static str,
    /// True if the document is attached and was not fetched.
    pub(crate) is_cached: bool,
    /// Time at which the attachment expires (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cache_expires_at: Option<String>,
    /// Time that the answer took, in milliseconds.
    pub(crate) processing_time_ms: u64,
}
