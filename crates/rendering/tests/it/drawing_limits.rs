//! Pages that exceed the limits on drawing are simplified.

use documents::ReadOptions;
use rendering::{DocumentRenderer, Image, PageView, PdfSource, RenderLimits, RenderOptions};

use crate::pdf_pages::*;
use crate::sample_pdf;

const BLACK: [u8; 3] = [0, 0, 0];

/// Draws the first page with a limit on steps.
fn draw_within(pdf: &PdfSource, limits: RenderLimits) -> Image {
    let options = RenderOptions {
        limits,
        ..RenderOptions::default()
    };
    let view = PageView::Page {
        number: 1,
        highlights: &[],
    };
    let drawn = DocumentRenderer::for_pdf(pdf).draw(&view, &plain(), &options);
    drawn.expect("a page is always drawn")
}

fn few_steps(steps: u64) -> RenderLimits {
    RenderLimits {
        steps,
        ..RenderLimits::default()
    }
}

/// Returns the first page of a PDF with objects beside it: number, then content.
fn with_objects(content: &str, resources: &str, objects: &[String]) -> PdfSource {
    let mut file = format!(
        "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n\
         2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n\
         3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R \
         /Resources << {resources} >> >>\nendobj\n\
         4 0 obj\n<< /Length {} >>\nstream\n{content}\nendstream\nendobj\n",
        content.len()
    );
    for (at, object) in objects.iter().enumerate() {
        file += &format!("{} 0 obj\n{object}\nendobj\n", at + 5);
    }
    file += "trailer\n<< /Root 1 0 R >>\n%%EOF\n";
    PdfSource::open(file.as_bytes(), &ReadOptions::default()).expect("it is a PDF")
}

fn stream(dict: &str, content: &str) -> String {
    let length = content.len();
    format!("<< {dict} /Length {length} >>\nstream\n{content}\nendstream")
}

#[test]
fn fine_dashes_become_a_solid_line_and_the_rest_is_shown() {
    // Without a limit, the line has 800 million dashes.
    let pdf = open(&["q 4 w [0.000001] 0 d 0 150 m 400 150 l S Q 10 10 50 50 re f"]);
    let image = draw_within(&pdf, RenderLimits::default());
    assert!(image.is_simplified());
    assert_eq!(pixel(&image, 200, 150), BLACK);
    assert_eq!(pixel(&image, 30, 270), BLACK);
    assert_eq!(pixel(&image, 200, 50), WHITE);
    let usual = open(&["q 4 w [10] 0 d 0 150 m 400 150 l S Q 10 10 50 50 re f"]);
    let image = draw_within(&usual, RenderLimits::default());
    assert!(!image.is_simplified());
    assert_eq!(pixel(&image, 5, 150), BLACK);
    assert_eq!(pixel(&image, 15, 150), WHITE);
}

#[test]
fn dashes_of_long_lines_and_graphics_states_are_counted() {
    let long = open(&["4 w [3] 0 d -1000000000 150 m 1000000000 150 l S"]);
    assert!(draw_within(&long, RenderLimits::default()).is_simplified());
    let state = with_objects(
        "/G gs 4 w 0 150 m 400 150 l S",
        "/ExtGState << /G << /D [[0.00001] 0] >> >>",
        &[],
    );
    let image = draw_within(&state, RenderLimits::default());
    assert!(image.is_simplified());
    assert_eq!(pixel(&image, 200, 150), BLACK);
    // A line that is not on the page costs nothing.
    let outside = open(&["4 w [0.000001] 0 d 0 9000 m 400 9000 l S 10 10 50 50 re f"]);
    assert!(!draw_within(&outside, RenderLimits::default()).is_simplified());
}

#[test]
fn many_short_dashed_lines_count_together() {
    let lines = "0 150 m 400 150 l S ".repeat(100);
    let content = format!("4 w [2] 0 d {lines}");
    let pdf = open(&[&content]);
    assert!(!draw_within(&pdf, few_steps(1_000_000)).is_simplified());
    assert!(draw_within(&pdf, few_steps(100_000)).is_simplified());
}

#[test]
fn copies_of_a_tile_are_counted() {
    let resources = "/Pattern << /P 5 0 R >> /ColorSpace << /C /Pattern >>";
    let content = "/C cs /P scn 0 0 400 300 re f 0 g 10 10 50 50 re f";
    let tile = |step: f32| {
        stream(
            &format!(
                "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1000 1000] /XStep {step} \
                 /YStep {step} /Resources << >>"
            ),
            "1 0 0 rg 0 0 1 1 re f",
        )
    };
    let usual = with_objects(content, resources, &[tile(100.0)]);
    assert!(!draw_within(&usual, RenderLimits::default()).is_simplified());
    let dense = with_objects(content, resources, &[tile(0.1)]);
    let image = draw_within(&dense, RenderLimits::default());
    assert!(image.is_simplified());
    assert_eq!(pixel(&image, 30, 270), BLACK);
}

#[test]
fn nested_forms_are_counted_and_shown_as_far_as_possible() {
    // Each form shows the next one ten times.
    let form = |content: &str| stream("/Type /XObject /Subtype /Form /BBox [0 0 400 300]", content);
    let mut forms: Vec<String> = (0..12)
        .map(|at| {
            let next = format!("/F{} Do ", at + 1);
            form(&next.repeat(10))
        })
        .collect();
    forms.push(form("200 200 5 5 re f"));
    let names: String = (0..13)
        .map(|at| format!("/F{at} {} 0 R ", at + 5))
        .collect();
    let resources = format!("/XObject << {names} >>");
    let pdf = with_objects("10 10 50 50 re f /F0 Do", &resources, &forms);
    let image = draw_within(&pdf, few_steps(50_000));
    assert!(image.is_simplified());
    assert_eq!(pixel(&image, 30, 270), BLACK);
    assert_eq!(pixel(&image, 202, 98), BLACK);
}

#[test]
fn shadings_and_masks_cost_by_their_area() {
    let shading = "<< /ShadingType 1 /ColorSpace /DeviceGray /Domain [0 400 0 300] /Function \
                   << /FunctionType 2 /Domain [0 400] /N 1 >> >>";
    let resources = format!("/Shading << /S {shading} >>");
    let one = with_objects("/S sh", &resources, &[]);
    assert!(!draw_within(&one, RenderLimits::default()).is_simplified());
    let many = with_objects(&"/S sh ".repeat(400), &resources, &[]);
    assert!(draw_within(&many, RenderLimits::default()).is_simplified());
}

#[test]
fn boxes_replace_images_over_the_limit() {
    let content = "q 100 0 0 100 0 0 cm /I Do Q 200 200 50 50 re f";
    let huge = sample_pdf::pdf((400, 300), &[content], Some((10_000, 10_000)));
    let huge = PdfSource::open(&huge, &ReadOptions::default()).expect("it is a PDF");
    let image = draw_within(&huge, RenderLimits::default());
    assert!(image.is_simplified());
    assert_eq!(pixel(&image, 50, 250), [225, 225, 225]);
    assert_eq!(pixel(&image, 220, 70), BLACK);
}

#[test]
fn a_page_with_too_many_steps_shows_the_first_ones() {
    let content = "0 0 10 10 re f\n".repeat(3000) + "300 200 10 10 re f";
    let pdf = open(&[&content]);
    let image = draw_within(&pdf, few_steps(2999));
    assert!(image.is_simplified());
    assert_eq!(pixel(&image, 5, 295), BLACK);
    assert_eq!(pixel(&image, 305, 95), WHITE);
    assert!(!draw_within(&pdf, RenderLimits::default()).is_simplified());
}

#[test]
fn simplified_pages_look_like_full_ones() {
    let content = format!("{TEXT} q 0.5 g 300 200 40 40 re f Q q 60 0 0 60 10 10 cm /I Do Q");
    let file = sample_pdf::pdf((400, 300), &[&content], Some((8, 8)));
    let pdf = PdfSource::open(&file, &ReadOptions::default()).expect("it is a PDF");
    let full = draw_within(&pdf, RenderLimits::default());
    assert!(!full.is_simplified());
    // The dashes are outside the part that is compared.
    let dashed = format!("{content} q [0.000001] 0 d 0 1 m 400 1 l S Q");
    let file = sample_pdf::pdf((400, 300), &[&dashed], Some((8, 8)));
    let pdf = PdfSource::open(&file, &ReadOptions::default()).expect("it is a PDF");
    let simplified = draw_within(&pdf, RenderLimits::default());
    assert!(simplified.is_simplified());
    let mut differing = 0;
    for y in 0..295 {
        for x in 0..400 {
            let (a, b) = (pixel(&full, x, y), pixel(&simplified, x, y));
            let is_near = a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 64);
            differing += u32::from(!is_near);
        }
    }
    // Letters of the full page are hinted.
    assert!(differing < 1200, "{differing} pixels differ");
}
