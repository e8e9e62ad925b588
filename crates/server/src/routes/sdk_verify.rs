//! Verification for the citation SDK, with images of the passages.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use citation_stream::{CitationClaim, CitationVerifier as _};
use citations::{EvidenceImage, ImageSize, SdkVersion, Verification};
use json::Value;
use rendering::{ImageFormat, RenderStyle};
use store::Principal;
use tokio::time::{Instant, timeout_at};

use super::documents::{self, open_attachment};
use super::extract::JsonBody;
use super::files::download_link;
use super::ok;
use super::sdk::sdk_version;
use super::sdk_images::SdkImages;
use super::verify::MAX_CITATIONS;
use crate::access::Caller;
use crate::api::{
    CitationInput, JsonMap, RawJson, SdkVerifyData, SdkVerifyRequest, SdkVerifyResponse,
    VerifiedAttachment, non_empty, read_json_value,
};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::{CachedImageRequest, CachedView, RunDocuments, WorkOwner, highlight};

/// Time limit for all images of a response. Images that are not ready by then are left out.
const IMAGE_TIMEOUT: Duration = Duration::from_secs(8);

/// Verifies citations of one attachment, or of several.
pub(super) async fn verify(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody<RawJson>,
) -> Result<Response, ApiError> {
    let version = sdk_version(&headers);
    let data = read_data(&body.into_value())?;
    let Some(JsonMap(citations)) = data.citations else {
        return Err(invalid("`data.citations` is missing"));
    };
    if citations.len() > MAX_CITATIONS {
        return Err(invalid("There are more than 10000 citations"));
    }
    let format = image_format(non_empty(data.output_image_format).as_deref())?;
    let source = non_empty(data.attachment_id).or(non_empty(data.file_id));
    if let Some(id) = &source {
        documents::open(&app, &caller.principal, id).await?;
    }
    let verifier = app
        .gateway
        .verifier(caller.principal.clone(), RunDocuments::default());
    let mut illustrator = SdkIllustrator {
        app: &app,
        principal: &caller.principal,
        version,
        format,
        until: Instant::now() + IMAGE_TIMEOUT,
        known: HashMap::new(),
        attachments: JsonMap::default(),
    };
    let mut verifications = JsonMap::default();
    for (key, CitationInput(mut citation)) in citations {
        if citation.attachment_id.as_deref().is_none_or(str::is_empty) && source.is_some() {
            citation.attachment_id.clone_from(&source);
        }
        let citation = Arc::new(citation);
        let claim = CitationClaim {
            thread_id: Arc::from(""),
            message_id: Arc::from(""),
            key: citation.key(),
            id: citation.id(),
            citation: citation.clone(),
            document_index: None,
            other_names: Vec::new(),
        };
        // The result is stored, so that it has an evidence page and is listed with the attachment.
        let finding = verifier.verify(claim).await;
        let mut verification = finding.verification.clone();
        illustrator.add(&mut verification).await?;
        verification.citation = Some(Box::new((*citation).clone()));
        verifications.push(key, verification.to_json(version).into());
    }
    ok(&SdkVerifyResponse {
        verifications,
        attachments: illustrator.attachments,
    })
}

/// Reads the citations. The first releases of the SDK send the members of `data` themselves.
fn read_data(body: &Value) -> Result<SdkVerifyData, ApiError> {
    match read_json_value::<SdkVerifyRequest>(body)?.data {
        Some(data) => Ok(data),
        None => read_json_value(body),
    }
}

fn invalid(message: &str) -> ApiError {
    ApiError::new(
        ErrorCode::InvalidInput,
        message,
        "Send {\"data\":{\"attachmentId\":\"…\",\"citations\":{\"key\":{…}}}}",
    )
}

/// Returns the format of the images; `None` if no images are wanted.
fn image_format(named: Option<&str>) -> Result<Option<ImageFormat>, ApiError> {
    match named {
        None => Ok(None),
        Some(name) => ImageFormat::named(name).map(Some).ok_or_else(|| {
            ApiError::new(
                ErrorCode::InvalidInput,
                format!("Image format not known: `{name}`"),
                "Use avif, webp, jpeg or png",
            )
        }),
    }
}

/// Adds images to verifications.
struct SdkIllustrator<'a> {
    app: &'a Arc<AppState>,
    principal: &'a Principal,
    version: SdkVersion,
    format: Option<ImageFormat>,
    until: Instant,
    /// Cited attachments by the name that citations use; `None` if there is no such attachment.
    known: HashMap<String, Option<Arc<SdkImages<'a>>>>,
    /// Attachments of the response.
    attachments: JsonMap<VerifiedAttachment>,
}

impl<'a> SdkIllustrator<'a> {
    async fn add(&mut self, verification: &mut Verification) -> Result<(), ApiError> {
        let Some(id) = verification.attachment_id.clone() else {
            return Ok(());
        };
        let Some(known) = self.known(&id).await? else {
            return Ok(());
        };
        // The images of an attachment are listed with it, under their own addresses.
        verification.page_images.clear();
        if self.version == SdkVersion::V2 {
            let original = download_link(self.app, self.principal, &known.attachment);
            verification.original_download = Some(original);
        }
        let Some(marks) = highlight(verification, &known.document) else {
            return Ok(());
        };
        let page = verification.document.as_ref();
        let page = page.and_then(|found| found.verified_page_number);
        let place = marks.pages().first().copied().zip(page);
        let image = place.and_then(|(sheet, page)| known.page_of_match(sheet, page));
        verification.page_images.extend(image);
        let Some(format) = self.format else {
            return Ok(());
        };
        let wanted = CachedImageRequest {
            document: known.document.clone(),
            shown: CachedView::Strip,
            marks: vec![marks],
            style: RenderStyle::default(),
            format,
        };
        let owner = WorkOwner::Principal(self.principal.clone());
        let drawn = self
            .app
            .gateway
            .page_images
            .draw(&owner, wanted, self.app.now());
        if let Ok(Ok(picture)) = timeout_at(self.until, drawn).await {
            let data = STANDARD.encode(&picture.bytes);
            verification.evidence = Some(EvidenceImage {
                src: Some(format!("data:{};base64,{data}", format.media_type())),
                dimensions: Some(ImageSize {
                    width: Some(picture.width.into()),
                    height: Some(picture.height.into()),
                }),
                ..EvidenceImage::default()
            });
        }
        Ok(())
    }

    /// Returns the attachment with this name, and adds it to the response.
    async fn known(&mut self, id: &str) -> Result<Option<Arc<SdkImages<'a>>>, ApiError> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let known = match open_attachment(self.app, self.principal, id).await {
            Ok(found) => {
                let known = SdkImages::new(self.app, self.principal, found).await?;
                let original = download_link(self.app, self.principal, &known.attachment);
                let attachment = VerifiedAttachment {
                    page_images: known.pages(),
                    page_images_status: "completed",
                    original_download: original.to_json(self.version).into(),
                };
                self.attachments.push(id, attachment);
                Some(Arc::new(known))
            }
            Err(_) => None,
        };
        self.known.insert(id.to_owned(), known.clone());
        Ok(known)
    }
}
