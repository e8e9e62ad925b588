//! Images in documents, and the orientation of photographs.

use documents::{Document, ReadOptions};
use rendering::{
    DocumentRenderer, Image, ImageFormat, ImageTheme, PageView, RenderError, RenderLimits,
    RenderOptions, RenderSource, RenderStyle,
};

/// Returns an image of 64 by 32 pixels, red on the left and blue on the right.
const HALVES: &[u8] = include_bytes!("../data/halves.jpg");

fn address(file: &[u8]) -> String {
    let digits = b"0123456789abcdef";
    let mut address = "data:image/x,".to_owned();
    for byte in file {
        address.push('%');
        address.push(char::from(digits[usize::from(byte >> 4)]));
        address.push(char::from(digits[usize::from(byte & 15)]));
    }
    address
}

/// Draws the first page with two pixels per point.
fn draw(file: &[u8], name: &str, theme: ImageTheme, limits: RenderLimits) -> Image {
    let source = RenderSource::open(file, name, &ReadOptions::default()).expect("it is opened");
    let style = RenderStyle {
        dpi: 144.0,
        theme,
        ..RenderStyle::default()
    };
    let drawing = RenderOptions {
        limits,
        ..RenderOptions::default()
    };
    let view = PageView::Page {
        number: 1,
        highlights: &[],
    };
    let drawn = DocumentRenderer::new(&source).draw(&view, &style, &drawing);
    drawn.expect("it is drawn")
}

fn light(file: &[u8], name: &str) -> Image {
    draw(file, name, ImageTheme::Light, RenderLimits::default())
}

/// Returns the pixel at a position in points.
fn at(image: &Image, x: f32, y: f32) -> [u8; 3] {
    let at = ((y * 2.0) as u32 * image.width() + (x * 2.0) as u32) as usize * 4;
    [0, 1, 2].map(|part| image.pixels()[at + part])
}

fn is_red([red, green, blue]: [u8; 3]) -> bool {
    red > 180 && green < 60 && blue < 60
}

fn is_blue([red, green, blue]: [u8; 3]) -> bool {
    blue > 180 && green < 60 && red < 60
}

/// Returns a page with an image of 100 by 50 points at (56, 66).
fn page(file: &[u8]) -> String {
    let address = address(file);
    format!("<img src='{address}' style='width:100pt;height:50pt' alt=Halves><p>One</p>")
}

/// Returns an image that is half red and half transparent.
fn see_through() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 2, 1);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().expect("a header");
    writer
        .write_image_data(&[255, 0, 0, 255, 0, 0, 255, 0])
        .expect("pixels");
    writer.finish().expect("an end");
    file
}

/// Returns a GIF with a red and a blue frame on a screen that is larger than the first.
fn frames() -> Vec<u8> {
    let mut file = Vec::new();
    let colours = [255, 0, 0, 0, 0, 255];
    let mut encoder = gif::Encoder::new(&mut file, 4, 2, &colours).expect("a header");
    for pixel in [0, 1] {
        let frame = gif::Frame {
            width: 2,
            height: 2,
            buffer: vec![pixel; 4].into(),
            ..gif::Frame::default()
        };
        encoder.write_frame(&frame).expect("a frame");
    }
    drop(encoder);
    file
}

#[test]
fn draws_images_at_their_position() {
    let webp = light(HALVES, "a.jpg")
        .encode(ImageFormat::WebP)
        .expect("a file");
    let png = light(HALVES, "a.jpg")
        .encode(ImageFormat::Png)
        .expect("a file");
    for file in [HALVES, &webp, &png] {
        let html = page(file);
        let image = light(html.as_bytes(), "a.html");
        for y in [67.0, 90.0, 115.0] {
            assert!(is_red(at(&image, 57.0, y)), "{:?}", at(&image, 57.0, y));
            assert!(is_red(at(&image, 100.0, y)));
            assert!(is_blue(at(&image, 112.0, y)));
            assert!(is_blue(at(&image, 155.0, y)));
        }
        for (x, y) in [(55.0, 90.0), (157.0, 90.0), (100.0, 65.0), (100.0, 117.0)] {
            assert_eq!(at(&image, x, y), [255; 3]);
        }
        // The bytes are the same after other pictures of the file.
        assert_eq!(light(html.as_bytes(), "a.html"), image);
        let dark = draw(
            html.as_bytes(),
            "a.html",
            ImageTheme::Dark,
            RenderLimits::default(),
        );
        let [red, green, _] = at(&dark, 60.0, 90.0);
        assert!((150..230).contains(&red) && green < 60, "{red} {green}");
    }
}

#[test]
fn transparent_pixels_show_the_paper() {
    for (theme, paper) in [(ImageTheme::Light, 255), (ImageTheme::Dark, 26)] {
        let html = page(&see_through());
        let image = draw(html.as_bytes(), "a.html", theme, RenderLimits::default());
        assert_eq!(at(&image, 150.0, 90.0), [paper; 3]);
        assert!(at(&image, 60.0, 90.0)[0] > 180);
        let html = page(&frames());
        let image = draw(html.as_bytes(), "a.html", theme, RenderLimits::default());
        assert_eq!(at(&image, 150.0, 90.0), [paper; 3]);
        // The first frame is drawn, not the second.
        let [red, _, blue] = at(&image, 60.0, 90.0);
        assert!(red > 180 && blue < 80, "{red} {blue}");
    }
}

#[test]
fn draws_a_box_for_a_broken_image() {
    let frame = |image: &Image| {
        let rule = [0xc9, 0xc6, 0xbf];
        let sides = [(56.0, 90.0), (155.5, 90.0), (90.0, 66.0), (90.0, 115.5)];
        sides.map(|(x, y)| at(image, x, y) == rule) == [true; 4]
    };
    let whole = page(HALVES);
    let expected = light(whole.as_bytes(), "a.html");
    assert!(!frame(&expected));
    let cut = page(&HALVES[..HALVES.len() / 2]);
    for file in [
        cut.replace("data:image/x,", "data:image/x;base64,"),
        page(&see_through()[..45]),
        page(&frames()[..20]),
    ] {
        let Ok(source) = RenderSource::open(file.as_bytes(), "a.html", &ReadOptions::default())
        else {
            panic!("a document with a broken image is a document");
        };
        let view = PageView::Page {
            number: 1,
            highlights: &[],
        };
        let drawn = DocumentRenderer::new(&source).draw(
            &view,
            &RenderStyle::default(),
            &RenderOptions::default(),
        );
        assert!(drawn.is_ok());
    }
    let broken = light(page(&see_through()[..45]).as_bytes(), "a.html");
    assert!(frame(&broken), "a PNG that is cut off is a box");
    let inked = (64..150).any(|x| at(&broken, x as f32, 90.0)[0] < 200);
    assert!(inked, "the box has letters in it");
    // Images beyond the limit of pixels are replaced by boxes.
    let limits = RenderLimits {
        image_pixels: 64 * 32 - 1,
        ..RenderLimits::default()
    };
    assert!(frame(&draw(
        whole.as_bytes(),
        "a.html",
        ImageTheme::Light,
        limits
    )));
    let limits = RenderLimits {
        image_pixels: 64 * 32,
        ..RenderLimits::default()
    };
    assert_eq!(
        draw(whole.as_bytes(), "a.html", ImageTheme::Light, limits),
        expected
    );
}

#[test]
fn drawing_images_can_be_cancelled() {
    let html = page(HALVES);
    let source =
        RenderSource::open(html.as_bytes(), "a.html", &ReadOptions::default()).expect("a page");
    let drawing = RenderOptions {
        give_up: &|| true,
        ..RenderOptions::default()
    };
    let view = PageView::Page {
        number: 1,
        highlights: &[],
    };
    let drawn = DocumentRenderer::new(&source).draw(&view, &RenderStyle::default(), &drawing);
    assert_eq!(drawn, Err(RenderError::GivenUp { page: 1 }));
}

/// Returns the photograph with an orientation in its metadata.
fn held(orientation: u8) -> Vec<u8> {
    let mut file = HALVES[..2].to_vec();
    file.extend(b"\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0");
    file.extend([orientation, 0, 0, 0, 0, 0, 0]);
    file.extend(&HALVES[2..]);
    file
}

#[test]
fn rotates_photographs_by_their_orientation() {
    // The side with the red half: left, top, right or bottom.
    for (orientation, red) in [
        (1, (0.1, 0.5)),
        (2, (0.9, 0.5)),
        (3, (0.9, 0.5)),
        (4, (0.1, 0.5)),
        (5, (0.5, 0.1)),
        (6, (0.5, 0.1)),
        (7, (0.5, 0.9)),
        (8, (0.5, 0.9)),
    ] {
        let file = held(orientation);
        let image = light(&file, "a.jpg");
        assert_eq!(
            image.width() > image.height(),
            orientation < 5,
            "{orientation}"
        );
        let (width, height) = (image.width() as f32 / 2.0, image.height() as f32 / 2.0);
        let (x, y) = red;
        assert!(is_red(at(&image, x * width, y * height)), "{orientation}");
        let (x, y) = (1.0 - x, 1.0 - y);
        assert!(is_blue(at(&image, x * width, y * height)), "{orientation}");
        // The same in a document, where the given size is that of the rotated picture.
        let html = page(&file);
        let image = light(html.as_bytes(), "a.html");
        let (x, y) = red;
        assert!(
            is_red(at(&image, 56.0 + 100.0 * x, 66.0 + 50.0 * y)),
            "{orientation}"
        );
        let (x, y) = (1.0 - x, 1.0 - y);
        assert!(
            is_blue(at(&image, 56.0 + 100.0 * x, 66.0 + 50.0 * y)),
            "{orientation}"
        );
    }
}

#[test]
fn a_strip_shows_the_nearby_part_of_an_image() {
    let html = page(&held(6));
    let read = Document::read_as(html.as_bytes(), "a.html", &ReadOptions::default());
    let document = read.expect("a document");
    let flow = &document.text_streams()[0];
    let phrase = flow.index.text().source().find("One").expect("it says so");
    let highlights = rendering::Highlight::new(
        &document,
        flow,
        phrase..phrase + 3,
        None,
        rendering::HighlightState::Exact,
    );
    let source =
        RenderSource::open(html.as_bytes(), "a.html", &ReadOptions::default()).expect("a page");
    let style = RenderStyle {
        dpi: 144.0,
        ..RenderStyle::default()
    };
    let mut pictures = DocumentRenderer::new(&source);
    let mut draw = |view: PageView<'_>| {
        let drawn = pictures.draw(&view, &style, &RenderOptions::default());
        drawn.expect("a picture")
    };
    let whole = draw(PageView::Page {
        number: 1,
        highlights: std::slice::from_ref(&highlights),
    });
    let strip = draw(PageView::Strip {
        highlight: &highlights,
    });
    // The strip equals a part of the page, and some of it is blue.
    let row = strip.width() as usize * 4;
    let first = &strip.pixels()[..row];
    assert!(first.chunks(4).any(|pixel| pixel[2] > 180 && pixel[0] < 60));
    let stride = whole.width() as usize * 4;
    let begins_at = |start: usize| {
        let rows = strip.pixels().chunks(row).enumerate();
        { rows }.all(|(nth, part)| {
            let start = start + nth * stride;
            whole.pixels().get(start..start + row) == Some(part)
        })
    };
    let pixels = 0..whole.pixels().len() / 4;
    assert!(pixels.into_iter().any(|pixel| begins_at(pixel * 4)));
}
