//! The citation SDK's verification: citations in, verdicts with pictures out.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use citations::{EvidenceImage, ImageSize, SdkVersion, Verification};
use json::{Map, Value};
use rendering::{ImageFormat, RenderStyle};
use store::Principal;
use tokio::time::{Instant, timeout_at};

use super::documents::{attachment, opened};
use super::files::download;
use super::sdk::names;
use super::sdk_images::SdkImages;
use super::verify::MAX_CITATIONS;
use super::{RequestMembers, object, ok};
use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::{CachedImageRequest, CachedView, RunDocuments, highlight};

/// How long pictures may hold up an answer; what is not drawn by then is left out.
const PATIENCE: Duration = Duration::from_secs(8);

/// Checks citations of one attachment, or of several at once.
pub(super) async fn verify(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let names = names(&headers);
    let body = object(body)?;
    let body = RequestMembers::of(&body);
    // The first releases sent the members themselves.
    let data = body.object("data")?.unwrap_or(body);
    let Some(citations) = data.citations("citations")? else {
        return Err(invalid(
            "data.citations is missing: an object of citations by key",
        ));
    };
    if citations.len() > MAX_CITATIONS {
        return Err(invalid(
            "there are more than 10,000 citations; send them in parts",
        ));
    }
    let format = format(data.text("outputImageFormat")?)?;
    let named = match data.text("attachmentId")? {
        Some(id) => Some(id),
        None => data.text("fileId")?,
    };
    if let Some(id) = named {
        opened(&app, &caller.principal, id).await?;
    }
    let verifier = app
        .gateway
        .verifier(caller.principal.clone(), RunDocuments::default());
    let mut illustrator = SdkIllustrator {
        app: &app,
        principal: &caller.principal,
        names,
        format,
        until: Instant::now() + PATIENCE,
        known: HashMap::new(),
        attachments: Map::new(),
    };
    let mut verifications = Map::new();
    for (key, mut citation) in citations {
        if let (None | Some(""), Some(id)) = (citation.attachment_id.as_deref(), named) {
            citation.attachment_id = Some(id.to_owned());
        }
        let citation = Arc::new(citation);
        let finding = verifier.check(&citation, None).await;
        let mut verification = finding.verification.clone();
        illustrator.add(&mut verification).await?;
        verification.citation = Some(Box::new((*citation).clone()));
        let mut json = verification.to_json(names);
        if let (true, Some(map)) = (finding.source_missing, json.as_object_mut()) {
            map.insert("problem".to_owned(), "source_missing".into());
        }
        verifications.insert(key.to_owned(), json);
    }
    Ok(ok(&Value::from([
        ("verifications", Value::Object(verifications)),
        ("attachments", Value::Object(illustrator.attachments)),
    ])))
}

fn invalid(message: &str) -> ApiError {
    ApiError::new(
        ErrorCode::InvalidInput,
        message,
        "send {\"data\":{\"attachmentId\":\"…\",\"citations\":{\"key\":{…}}}}",
    )
}

/// The form in which pictures are wanted; none if none are.
fn format(named: Option<&str>) -> Result<Option<ImageFormat>, ApiError> {
    match named {
        None => Ok(None),
        Some(name) => ImageFormat::named(name).map(Some).ok_or_else(|| {
            ApiError::new(
                ErrorCode::InvalidInput,
                format!("there is no image format '{name}'"),
                "ask for avif, webp, jpeg or png",
            )
        }),
    }
}

/// Adds pictures to what was found.
struct SdkIllustrator<'a> {
    app: &'a Arc<AppState>,
    principal: &'a Principal,
    names: SdkVersion,
    format: Option<ImageFormat>,
    until: Instant,
    /// The documents that were cited, by what they were called; none if there is none.
    known: HashMap<String, Option<Arc<SdkImages<'a>>>>,
    /// What the answer says of each attachment.
    attachments: Map,
}

impl<'a> SdkIllustrator<'a> {
    async fn add(&mut self, verification: &mut Verification) -> Result<(), ApiError> {
        let Some(id) = verification.attachment_id.clone() else {
            return Ok(());
        };
        let Some(known) = self.known(&id).await? else {
            return Ok(());
        };
        if self.names == SdkVersion::V2 {
            let original = download(self.app, self.principal, &known.attachment);
            verification.original_download = Some(original);
        }
        let Some(marks) = highlight(verification, &known.held) else {
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
            document: known.held.clone(),
            shown: CachedView::Strip,
            marks: vec![marks],
            style: RenderStyle::default(),
            format,
        };
        let drawn = self
            .app
            .gateway
            .page_images
            .draw(self.principal, wanted, self.app.now());
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

    /// The document of that name; what is said of it is in the answer then.
    async fn known(&mut self, id: &str) -> Result<Option<Arc<SdkImages<'a>>>, ApiError> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let known = match attachment(self.app, self.principal, id).await {
            Ok(found) => {
                let known = SdkImages::new(self.app, self.principal, found).await?;
                let original = download(self.app, self.principal, &known.attachment);
                let about = [
                    ("pageImages", known.pages()),
                    ("pageImagesStatus", "completed".into()),
                    ("originalDownload", original.to_json(self.names)),
                ];
                self.attachments.insert(id.to_owned(), Value::from(about));
                Some(Arc::new(known))
            }
            Err(_) => None,
        };
        self.known.insert(id.to_owned(), known.clone());
        Ok(known)
    }
}
