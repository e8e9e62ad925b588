//! Pictures of laid-out documents.

use documents::{Document, ReadOptions, Word};
use passage::Quote;
use rendering::{
    DocumentRenderer, Highlight, HighlightState, Image, ImageTheme, PageView, RenderError,
    RenderOptions, RenderSource, RenderStyle,
};

const TEXT: &str = "# The tide\n\nIt was **high** at nine & fell by noon.\n\n| a | b |\n|---|---|\n| one | عشرة |\n\n日本語 हि\n";

fn open(text: &str, name: &str) -> (Document, RenderSource) {
    let read = Document::read_as(text.as_bytes(), name, &ReadOptions::default());
    let source = RenderSource::open(text.as_bytes(), name, &ReadOptions::default());
    (read.expect("it is read"), source.expect("it is laid out"))
}

fn page(source: &RenderSource, theme: ImageTheme) -> Image {
    let style = RenderStyle {
        dpi: 144.0,
        theme,
        ..RenderStyle::default()
    };
    let view = PageView::Page {
        number: 1,
        highlights: &[],
    };
    let drawn = DocumentRenderer::new(source).draw(&view, &style, &RenderOptions::default());
    drawn.expect("it can be drawn")
}

/// Returns the pixels of a word, two per point.
fn pixels(image: &Image, word: &Word) -> Vec<[u8; 3]> {
    let range = |from: f32, length: f32| (from * 2.0) as u32..((from + length) * 2.0) as u32;
    let mut pixels = Vec::new();
    for y in range(word.y, word.height) {
        for x in range(word.x, word.width) {
            let at = (y * image.width() + x) as usize * 4;
            pixels.push([0, 1, 2].map(|part| image.pixels()[at + part]));
        }
    }
    pixels
}

#[test]
fn draws_every_word_at_its_position() {
    let (document, source) = open(TEXT, "tide.md");
    assert_eq!(document.words().len(), 17);
    for (theme, paper) in [(ImageTheme::Light, 255), (ImageTheme::Dark, 26)] {
        let image = page(&source, theme);
        assert_eq!((image.width(), image.height()), (1190, 1684));
        assert_eq!(image.pixels()[..3], [paper; 3]);
        for word in document.words() {
            let pixels = pixels(&image, word);
            let inked = pixels
                .iter()
                .filter(|pixel| pixel[0].abs_diff(paper) > 120)
                .count();
            assert!(inked * 50 > pixels.len(), "{word:?} {theme:?}");
            assert!(inked * 2 < pixels.len(), "{word:?} {theme:?}");
        }
    }
}

#[test]
fn empty_areas_stay_white() {
    let (document, source) = open("one two\n", "a.txt");
    let mut image = page(&source, ImageTheme::Light).pixels().to_vec();
    for word in document.words() {
        for y in (word.y * 2.0) as usize - 2..((word.y + word.height) * 2.0) as usize + 2 {
            let from = y * 1190 + (word.x * 2.0) as usize - 2;
            let to = from + (word.width * 2.0) as usize + 5;
            image[from * 4..to * 4].fill(255);
        }
    }
    assert!(image.iter().all(|part| *part == 255));
}

#[test]
fn pictures_are_reproducible_and_strips_are_parts_of_them() {
    let (document, source) = open(TEXT, "tide.md");
    let body = &document.text_streams()[0];
    let quote = Quote::new("high at nine", body.index.text()).expect("it has words");
    let found = body.index.find(&quote, None).expect("it says so");
    let highlights = Highlight::new(&document, body, found.range, None, HighlightState::Partial);
    assert_eq!(highlights.pages(), [1]);
    let style = RenderStyle {
        dpi: 72.0,
        ..RenderStyle::default()
    };
    let draw = |view: &PageView<'_>| {
        let drawn = DocumentRenderer::new(&source).draw(view, &style, &RenderOptions::default());
        drawn.expect("it can be drawn")
    };
    let strip = draw(&PageView::Strip {
        highlight: &highlights,
    });
    assert_eq!(
        strip,
        draw(&PageView::Strip {
            highlight: &highlights
        })
    );
    let whole = draw(&PageView::Page {
        number: 1,
        highlights: std::slice::from_ref(&highlights),
    });
    let (left, top) = (
        highlights.phrase[0].x.floor() as usize - 60,
        highlights.phrase[0].y.floor() as usize - 60,
    );
    let stride = strip.width() as usize * 4;
    for (y, row) in strip.pixels().chunks_exact(stride).enumerate() {
        let from = ((top + y) * whole.width() as usize + left) * 4;
        assert_eq!(row, &whole.pixels()[from..from + stride], "{y}");
    }
}

#[test]
fn reports_missing_pages() {
    let opened = RenderSource::open(b" \n", "empty.txt", &ReadOptions::default());
    assert_eq!(opened.expect_err("it is empty"), RenderError::NoPages);
    let (_, source) = open("one", "a.txt");
    let view = PageView::Page {
        number: 2,
        highlights: &[],
    };
    let refused = DocumentRenderer::new(&source).draw(
        &view,
        &RenderStyle::default(),
        &RenderOptions::default(),
    );
    assert_eq!(
        refused.expect_err("there is one page"),
        RenderError::NoPage { page: 2, pages: 1 }
    );
}

#[test]
fn tints_anchors_in_scripts_without_spaces() {
    let (document, source) = open("砂州は以前の高さの半分まで戻っている\n", "a.txt");
    let body = &document.text_streams()[0];
    let range = |words: &str| {
        let start = body.index.text().source().find(words).expect("it says so");
        start..start + words.len()
    };
    let phrase = range("砂州は以前の高さの半分まで戻っている");
    let highlights = |anchor| {
        Highlight::new(
            &document,
            body,
            phrase.clone(),
            Some(anchor),
            HighlightState::Exact,
        )
    };
    assert_eq!(highlights(range("半分")).anchor.len(), 1);
    assert_eq!(highlights(phrase.clone()).anchor.len(), 0);
    let draw = |highlights: &Highlight| {
        let view = PageView::Strip {
            highlight: highlights,
        };
        let drawn = DocumentRenderer::new(&source).draw(
            &view,
            &RenderStyle::default(),
            &RenderOptions::default(),
        );
        drawn.expect("it can be drawn")
    };
    assert_ne!(
        draw(&highlights(range("半分"))),
        draw(&highlights(phrase.clone()))
    );
}
