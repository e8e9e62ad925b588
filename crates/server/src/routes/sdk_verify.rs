//! The citation SDK's verification: citations in, verdicts with pictures out.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use agui::json::{Map, Value};
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use citations::{Citation, Dimensions, Evidence, Names, PageImage, Scale, Verification};
use evidence::{Format, Style};
use store::{Principal, Timestamp};
use tokio::time::{Instant, timeout_at};

use super::documents::attachment;
use super::files::{download, linked};
use super::pictures::version_of;
use super::sdk::{expiry, names};
use super::verify::MAX_CITATIONS;
use super::{object, ok, text};
use crate::access::Caller;
use crate::app::App;
use crate::error::{ApiError, Code};
use crate::library::Held;
use crate::pictures::{Shown, Wanted, marks};
use crate::verifying::LibraryVerifier;

/// How long pictures may hold up an answer; what is not drawn by then is left out.
const PATIENCE: Duration = Duration::from_secs(8);
/// How many pages of a document are listed with their pictures.
const MAX_PAGES: usize = 2_000;

/// Checks citations of one attachment, or of several at once.
pub(super) async fn verify(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let names = names(&headers);
    let body = object(body)?;
    let data = match body.get("data") {
        Some(Value::Object(data)) => data,
        Some(_) => return Err(invalid("data is no object")),
        // The first releases sent the members themselves.
        None => &body,
    };
    let Some(citations) = data.get("citations").and_then(Value::as_object) else {
        return Err(invalid(
            "data.citations is missing: an object of citations by key",
        ));
    };
    if citations.iter().count() > MAX_CITATIONS {
        return Err(invalid(
            "there are more than 10,000 citations; send them in parts",
        ));
    }
    let format = format(text(data, "outputImageFormat"))?;
    let named = text(data, "attachmentId").or_else(|| text(data, "fileId"));
    if let Some(id) = named {
        attachment(&app, &caller.principal, id).await?;
    }
    let verifier =
        LibraryVerifier::new(app.clone(), caller.principal.clone(), None, HashMap::new());
    let mut illustrated = Illustrated {
        app: &app,
        principal: &caller.principal,
        names,
        format,
        until: Instant::now() + PATIENCE,
        attachments: Map::new(),
    };
    let mut verifications = Map::new();
    for (key, value) in citations.iter() {
        let Some(mut citation) = Citation::from_json(value) else {
            return Err(invalid(&format!("the citation '{key}' is no object")));
        };
        if let (None | Some(""), Some(id)) = (citation.attachment_id.as_deref(), named) {
            citation.attachment_id = Some(id.to_owned());
        }
        let citation = Arc::new(citation);
        let finding = verifier.check(&citation, &[]).await;
        let mut verification = finding.verification.clone();
        illustrated.add(&mut verification).await;
        verification.citation = Some(Box::new((*citation).clone()));
        let mut json = verification.to_json(names);
        if let (true, Some(map)) = (finding.source_missing, json.as_object_mut()) {
            map.insert("problem".to_owned(), "source_missing".into());
        }
        verifications.insert(key.to_owned(), json);
    }
    Ok(ok(&Value::from([
        ("verifications", Value::Object(verifications)),
        ("attachments", Value::Object(illustrated.attachments)),
    ])))
}

fn invalid(message: &str) -> ApiError {
    ApiError::new(
        Code::InvalidInput,
        message,
        "send {\"data\":{\"attachmentId\":\"…\",\"citations\":{\"key\":{…}}}}",
    )
}

/// The form in which pictures are wanted; none if none are.
fn format(named: Option<&str>) -> Result<Option<Format>, ApiError> {
    match named {
        None => Ok(None),
        Some(name) => Format::named(name).map(Some).ok_or_else(|| {
            ApiError::new(
                Code::InvalidInput,
                format!("there is no image format '{name}'"),
                "ask for avif, webp, jpeg or png",
            )
        }),
    }
}

/// Adds pictures to what was found.
struct Illustrated<'a> {
    app: &'a Arc<App>,
    principal: &'a Principal,
    names: Names,
    format: Option<Format>,
    until: Instant,
    /// What the answer says of each attachment.
    attachments: Map,
}

impl Illustrated<'_> {
    async fn add(&mut self, verification: &mut Verification) {
        let Some(id) = verification.attachment_id.clone() else {
            return;
        };
        let Ok((known, held)) = attachment(self.app, self.principal, &id).await else {
            return;
        };
        if !self.attachments.contains(&id) {
            let images = page_images(self.app, self.principal, &held, known.expires);
            let original = download(self.app, self.principal, &known);
            let about = [
                ("pageImages", images),
                ("pageImagesStatus", "completed".into()),
                ("originalDownload", original.to_json(self.names)),
            ];
            self.attachments.insert(id, Value::from(about));
        }
        let Some(marks) = marks(verification, &held) else {
            return;
        };
        let first = marks.pages().first().copied();
        let image =
            first.and_then(|page| page_image(self.app, self.principal, &held, page, known.expires));
        if let Some(mut image) = image {
            image.is_match_page = Some(true);
            verification.page_images = vec![image];
        }
        let Some(format) = self.format else {
            return;
        };
        let wanted = Wanted {
            document: held,
            shown: Shown::Strip,
            marks: vec![marks],
            style: Style::default(),
            format,
        };
        let drawn = self
            .app
            .gallery
            .draw(self.principal, wanted, self.app.now());
        if let Ok(Ok(picture)) = timeout_at(self.until, drawn).await {
            let data = STANDARD.encode(&picture.bytes);
            verification.evidence = Some(Evidence {
                src: Some(format!("data:{};base64,{data}", format.media_type())),
                dimensions: Some(Dimensions {
                    width: Some(picture.width.into()),
                    height: Some(picture.height.into()),
                }),
                ..Evidence::default()
            });
        }
    }
}

/// Where pictures of a document's pages are.
pub(super) fn page_images(
    app: &App,
    principal: &Principal,
    held: &Held,
    expires: Option<Timestamp>,
) -> Value {
    let sheets = (1..=held.sheets()).take(MAX_PAGES);
    let images = sheets.filter_map(|sheet| {
        let image = page_image(app, principal, held, sheet, expires)?;
        Some(image.to_json(Names::G2))
    });
    Value::Array(images.collect())
}

/// Where the picture of a page is; none if it has no size and cannot be drawn.
fn page_image(
    app: &App,
    principal: &Principal,
    held: &Held,
    number: u32,
    expires: Option<Timestamp>,
) -> Option<PageImage> {
    let size = held.sheet_size(number)?;
    let wanted = Wanted {
        document: held.clone(),
        shown: Shown::Page(number),
        marks: Vec::new(),
        style: Style::default(),
        format: Format::WebP,
    };
    let scale = f64::from(wanted.style.dpi) / 72.0;
    let version = version_of(wanted.key().ok()?);
    let path = format!("/documents/{}/pages/{number}.webp", held.id());
    let (url, until) = linked(app, principal, &path, &format!("v={version}"), expires);
    Some(PageImage {
        page_number: Some(number.into()),
        dimensions: Some(Dimensions {
            width: Some((f64::from(size.width) * scale).round()),
            height: Some((f64::from(size.height) * scale).round()),
        }),
        image_url: Some(url),
        expires_at: expiry(until).as_str().map(str::to_owned),
        render_scale: Some(Scale {
            x: Some(scale),
            y: Some(scale),
        }),
        ..PageImage::default()
    })
}
