//! Pictures of pages: drawn in the processes that read, few at once, and kept at hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use citations::{Status, Verification};
use documents::{ContentId, Document, PageBox};
use evidence::{Format, Marks, PictureError, State, Style, View};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use store::{ORIGINAL, Principal, Store, StoreError, Timestamp};

use crate::error::{ApiError, Code};
use crate::library::{Held, Library, Unavailable};

/// How many bytes of pictures are kept at hand.
const CACHED_BYTES: u64 = 64 << 20;
/// How many pictures are expected to be kept at hand.
const CACHED: usize = 500;
/// How many may wait to be drawn.
const MAX_WAITING: usize = 64;

/// A picture that somebody wants.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) document: Held,
    pub(crate) shown: Shown,
    pub(crate) marks: Vec<Marks>,
    pub(crate) style: Style,
    pub(crate) format: Format,
}

/// What is on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// A page, from 1.
    Page(u32),
    /// What is around the first marks.
    Strip,
}

impl Wanted {
    fn view(&self) -> Result<View<'_>, PictureError> {
        match self.shown {
            Shown::Page(number) => Ok(View::Page {
                number,
                marks: &self.marks,
            }),
            Shown::Strip => {
                let marks = self.marks.first().ok_or(PictureError::NothingMarked)?;
                Ok(View::Strip { marks })
            }
        }
    }

    /// The same, as the process that draws is asked.
    fn asked(&self) -> Result<intake::Wanted, PictureError> {
        let shown = match self.shown {
            Shown::Page(number) => intake::Shown::Page {
                number,
                marks: self.marks.clone(),
            },
            Shown::Strip => {
                let marks = self.marks.first().ok_or(PictureError::NothingMarked)?;
                intake::Shown::Strip {
                    marks: marks.clone(),
                }
            }
        };
        Ok(intake::Wanted {
            shown,
            style: self.style,
            format: self.format,
            coarse: false,
        })
    }

    /// How large it will be, in pixels; `None` if it cannot be drawn.
    pub(crate) fn size(&self) -> Option<(u32, u32)> {
        self.view().ok()?.size(&self.document, &self.style)
    }

    /// What it is kept under: the same for the same picture.
    pub(crate) fn key(&self) -> Result<ContentId, Undrawn> {
        Ok(self
            .view()?
            .key(self.document.id(), &self.style, self.format))
    }
}

/// A picture.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) bytes: Bytes,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Why there is no picture.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Undrawn {
    /// The page cannot be drawn.
    #[error("{message}")]
    Refused {
        code: Code,
        message: String,
        hint: String,
    },
    /// Too many wait.
    #[error("too many pictures are being drawn")]
    Busy,
    /// Its document cannot be had.
    #[error(transparent)]
    Document(#[from] Unavailable),
}

impl From<PictureError> for Undrawn {
    fn from(error: PictureError) -> Self {
        let code = match error {
            PictureError::NoPage { .. } | PictureError::NothingMarked => Code::NotFound,
            _ => Code::UnreadableDocument,
        };
        Self::Refused {
            code,
            message: error.to_string(),
            hint: error.hint().to_owned(),
        }
    }
}

impl From<StoreError> for Undrawn {
    fn from(error: StoreError) -> Self {
        Self::Document(error.into())
    }
}

impl From<Undrawn> for ApiError {
    fn from(undrawn: Undrawn) -> Self {
        let message = undrawn.to_string();
        match undrawn {
            Undrawn::Refused { code, hint, .. } => Self::new(code, message, hint),
            Undrawn::Busy => Self::new(Code::Unavailable, message, "ask again in a moment"),
            Undrawn::Document(unavailable) => unavailable.into(),
        }
    }
}

#[derive(Debug, Clone)]
struct BySize;

impl Weighter<ContentId, Arc<Picture>> for BySize {
    fn weight(&self, _: &ContentId, picture: &Arc<Picture>) -> u64 {
        (picture.bytes.len() as u64).max(1)
    }
}

/// Pictures of all documents.
pub(crate) struct Gallery {
    store: Arc<dyn Store>,
    library: Arc<Library>,
    cache: Cache<ContentId, Arc<Picture>, BySize>,
    waiting: AtomicUsize,
}

impl Gallery {
    pub(crate) fn new(store: Arc<dyn Store>, library: Arc<Library>) -> Self {
        Self {
            store,
            library,
            cache: Cache::with_weighter(CACHED, CACHED_BYTES, BySize),
            waiting: AtomicUsize::new(0),
        }
    }

    /// A picture, from memory or drawn now.
    pub(crate) async fn draw(
        &self,
        principal: &Principal,
        wanted: Wanted,
        now: Timestamp,
    ) -> Result<Arc<Picture>, Undrawn> {
        if let Shown::Page(page) = wanted.shown {
            let pages = wanted.document.sheets();
            if !(1..=pages).contains(&page) {
                return Err(PictureError::NoPage { page, pages }.into());
            }
        }
        let key = wanted.key()?;
        // Many may ask for it at once; it is drawn once.
        let drawn = self.cache.get_or_insert_async(&key, async {
            let _place = Place::take(&self.waiting).ok_or(Undrawn::Busy)?;
            let id = wanted.document.id();
            let file = self.store.part(principal, id, ORIGINAL, now).await?;
            let file = file.ok_or_else(|| Unavailable::Missing(id.to_string()))?;
            let name = name_of(wanted.document.media_type());
            let drawn = self.library.draw(file, name, wanted.asked()?).await?;
            Ok(Arc::new(Picture {
                bytes: drawn.bytes.into(),
                width: drawn.width,
                height: drawn.height,
            }))
        });
        drawn.await
    }
}

/// A place among those who wait; given back when dropped.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Option<Self> {
        let place = Self(waiting);
        (waiting.fetch_add(1, Ordering::Relaxed) < MAX_WAITING).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A name by which a file is read as what it was read as before.
fn name_of(media_type: &str) -> &'static str {
    match media_type {
        "text/markdown" => "document.md",
        "text/html" => "document.html",
        "text/plain" => "document.txt",
        _ => "document",
    }
}

/// What a verification marks on the pages of its document.
pub(crate) fn marks(verification: &Verification, document: &Document) -> Option<Marks> {
    let found = verification.document.as_ref()?;
    let state = match verification.status.as_ref()? {
        Status::Found | Status::FoundPhraseMissedAnchorText => State::Exact,
        _ => State::Partial,
    };
    let phrase: Vec<PageBox> = found
        .boxes
        .iter()
        .filter_map(|part| {
            Some(PageBox {
                page: u32::try_from(part.page?).ok()?,
                x: part.x? as f32,
                y: part.y? as f32,
                width: part.width? as f32,
                height: part.height? as f32,
            })
        })
        .collect();
    let page = phrase.first()?.page;
    let sheet = document.sheet_size(page)?;
    let anchor: Vec<PageBox> = found
        .anchor_text_match_deep_items
        .iter()
        .filter_map(|item| {
            Some(PageBox {
                page,
                x: item.x? as f32,
                // These are counted from the bottom.
                y: sheet.height - item.y? as f32,
                width: item.width? as f32,
                height: item.height? as f32,
            })
        })
        .collect();
    let marks = Marks {
        state,
        anchor: if anchor == phrase { Vec::new() } else { anchor },
        phrase,
        ..Marks::default()
    };
    Some(marks.among(document))
}
