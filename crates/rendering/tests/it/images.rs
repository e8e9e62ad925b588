//! Images in documents, and photographs as the camera was held: what is drawn is what they show.

use documents::{Document, ReadOptions};
use rendering::{
    DocumentRenderer, Image, ImageFormat, ImageTheme, PageView, RenderError, RenderLimits,
    RenderOptions, RenderSource, RenderStyle,
};

/// Red on the left, blue on the right, 64 by 32 pixels.
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

/// The first page, two pixels for each point.
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
        marks: &[],
    };
    let drawn = DocumentRenderer::of(&source).draw(&view, &style, &drawing);
    drawn.expect("it is drawn")
}

fn light(file: &[u8], name: &str) -> Image {
    draw(file, name, ImageTheme::Light, RenderLimits::default())
}

/// The pixel at a place in points.
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

/// A page with an image of 100 by 50 points at its top left, which is at 56, 66.
fn page(file: &[u8]) -> String {
    let address = address(file);
    format!("<img src='{address}' style='width:100pt;height:50pt' alt=Halves><p>One</p>")
}

/// Half red, half see-through.
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

/// Red and blue, in two frames; on a screen that is larger than the first.
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
fn images_are_drawn_where_they_stand() {
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
        // The same bytes again, also after other pictures of the same file.
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
fn what_is_see_through_shows_the_paper() {
    for (theme, paper) in [(ImageTheme::Light, 255), (ImageTheme::Dark, 26)] {
        let html = page(&see_through());
        let image = draw(html.as_bytes(), "a.html", theme, RenderLimits::default());
        assert_eq!(at(&image, 150.0, 90.0), [paper; 3]);
        assert!(at(&image, 60.0, 90.0)[0] > 180);
        let html = page(&frames());
        let image = draw(html.as_bytes(), "a.html", theme, RenderLimits::default());
        assert_eq!(at(&image, 150.0, 90.0), [paper; 3]);
        // The first frame, not the second.
        let [red, _, blue] = at(&image, 60.0, 90.0);
        assert!(red > 180 && blue < 80, "{red} {blue}");
    }
}

#[test]
fn a_broken_image_is_a_box_with_its_name() {
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
            marks: &[],
        };
        let drawn = DocumentRenderer::of(&source).draw(
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
    // Where images have too many pixels in all, boxes stand for the rest.
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
fn drawing_images_can_be_given_up() {
    let html = page(HALVES);
    let source =
        RenderSource::open(html.as_bytes(), "a.html", &ReadOptions::default()).expect("a page");
    let drawing = RenderOptions {
        give_up: &|| true,
        ..RenderOptions::default()
    };
    let view = PageView::Page {
        number: 1,
        marks: &[],
    };
    let drawn = DocumentRenderer::of(&source).draw(&view, &RenderStyle::default(), &drawing);
    assert_eq!(drawn, Err(RenderError::GivenUp { page: 1 }));
}

/// The same photograph, with what the camera has noted.
fn held(orientation: u8) -> Vec<u8> {
    let mut file = HALVES[..2].to_vec();
    file.extend(b"\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0");
    file.extend([orientation, 0, 0, 0, 0, 0, 0]);
    file.extend(&HALVES[2..]);
    file
}

#[test]
fn photographs_stand_as_the_camera_was_held() {
    // Where red is: left, top, right or bottom.
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
        // In a document as well; the size that is asked for is that of the picture as it is shown.
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
fn a_strip_shows_the_part_of_an_image_that_is_near() {
    let html = page(&held(6));
    let read = Document::read_as(html.as_bytes(), "a.html", &ReadOptions::default());
    let document = read.expect("a document");
    let flow = &document.flows()[0];
    let phrase = flow.index.text().source().find("One").expect("it says so");
    let marks = rendering::Highlight::of(
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
    let mut pictures = DocumentRenderer::of(&source);
    let mut draw = |view: PageView<'_>| {
        let drawn = pictures.draw(&view, &style, &RenderOptions::default());
        drawn.expect("a picture")
    };
    let whole = draw(PageView::Page {
        number: 1,
        marks: std::slice::from_ref(&marks),
    });
    let strip = draw(PageView::Strip { marks: &marks });
    // The strip is a part of the page, pixel for pixel, and some of it is blue.
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
