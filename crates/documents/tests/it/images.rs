//! Images in documents: their positions and sizes. Nothing outside the file is read or fetched.

use crate::docx_builder::{DocxBuilder, p, r};
use documents::{
    Document, DrawnItem, ImageRotation, PageLayout, ReadLimits, ReadOptions, ReadWarning,
};

/// Returns the header of a GIF; images are not decoded here.
fn gif(width: u16, height: u16) -> Vec<u8> {
    let mut file = b"GIF89a".to_vec();
    file.extend(width.to_le_bytes());
    file.extend(height.to_le_bytes());
    file.extend([0; 4]);
    file
}

/// GIF of 320 by 240 pixels.
const ADDRESS: &str = "data:image/gif;base64,R0lGODlhQAHwAAAAAAA=";

fn open(file: &[u8], name: &str) -> (Document, PageLayout) {
    let (document, layout) =
        Document::read_with_layout(file, name, &ReadOptions::default()).expect("it is read");
    // Keeping the layout does not move words.
    let read = Document::read(file, name, &ReadLimits::default()).expect("it is read");
    assert_eq!(read.words(), document.words());
    (document, layout.expect("it is laid out"))
}

/// Returns the images on a page: left, top, width and height, rounded.
fn images(layout: &PageLayout, page: u32) -> Vec<[i32; 4]> {
    let images = layout.page(page).filter_map(|drawn| match drawn {
        DrawnItem::Image {
            x,
            y,
            width,
            height,
            ..
        } => Some([x, y, width, height].map(|side| side.round() as i32)),
        _ => None,
    });
    images.collect()
}

/// Returns the number of filled boxes on a page, outside of images.
fn fills(layout: &PageLayout, page: u32) -> usize {
    let fills = layout.page(page);
    fills
        .filter(|drawn| matches!(drawn, DrawnItem::Fill { .. }))
        .count()
}

/// Returns the top of the line that begins with a word.
fn top(document: &Document, word: &str) -> f32 {
    let line = document
        .lines()
        .iter()
        .position(|line| line.text.starts_with(word))
        .unwrap_or_else(|| panic!("no line begins with {word}"));
    let line = &document.lines()[line];
    document.words()[line.words.start as usize].y
}

#[test]
fn images_in_html_have_the_size_of_their_attributes() {
    let html = format!(
        "<p>One<p><img src='{ADDRESS}'><p>Two<p><img src='{ADDRESS}' width=100 alt=a>\
         <img src='{ADDRESS}' style='width:10%;height:30pt'><p>Three <img width=4000 src='{ADDRESS}'> continues"
    );
    let (document, layout) = open(html.as_bytes(), "a.html");
    assert_eq!(document.lines().len(), 3);
    let all = images(&layout, 1);
    let sizes: Vec<[i32; 2]> = all
        .iter()
        .map(|[_, _, width, height]| [*width, *height])
        .collect();
    // By its pixels; by its attributes, side by side; no wider than the text.
    assert_eq!(sizes, [[240, 180], [75, 56], [48, 30], [483, 362]]);
    assert_eq!(all[1][1] + all[1][3], all[2][1] + all[2][3]);
    assert_eq!(all[2][0], all[1][0] + 75 + 6);
    let tops = ["One", "Two", "Three"].map(|word| top(&document, word) as i32);
    assert!(
        tops[0] < all[0][1] && all[0][1] + 180 < tops[1],
        "{tops:?} {all:?}"
    );
    assert!(
        tops[1] < all[1][1] && all[2][1] + 30 < tops[2],
        "{tops:?} {all:?}"
    );
    // An image does not interrupt the text.
    assert!(tops[2] + 10 < all[3][1]);
    assert_eq!(fills(&layout, 1), 0);
    assert!(document.warnings().is_empty());
}

#[test]
fn images_are_set_in_their_cells() {
    let table = format!(
        "<table><tr><td></td><td></td></tr><tr><td>One</td><td><img src='{ADDRESS}' width=40></td><td>Three</td></tr>\
         <tr><td></td><td>Two</td></tr></table>"
    );
    let (document, layout) = open(table.as_bytes(), "a.html");
    let x = |word: &str| {
        let nth = document
            .lines()
            .iter()
            .position(|line| line.text.contains(word));
        let line = &document.lines()[nth.expect("a line")];
        let at = line.text.find(word).expect("a word") as u32;
        let words = &document.words()[line.words.start as usize..line.words.end as usize];
        let word = words.iter().find(|word| word.range.start == at);
        word.expect("a place").x.round() as i32
    };
    let [image] = images(&layout, 1)[..] else {
        panic!("one image");
    };
    assert!(
        x("One") < image[0] && image[0] + 30 < x("Three"),
        "{image:?}"
    );
    // Cells without text keep their columns.
    assert_eq!(image[0], x("Two"));
    let markdown = format!("| a | b |\n|---|---|\n| ![]({ADDRESS}) | c |\n");
    let (document, layout) = open(markdown.as_bytes(), "a.md");
    let [image] = images(&layout, 1)[..] else {
        panic!("one image");
    };
    let word = |nth: usize| document.words()[nth].x.round() as i32;
    assert_eq!(image[0], word(0));
    assert!(image[0] + image[2] <= word(1));
}

#[test]
fn data_images_in_markdown_are_shown() {
    let markdown = format!(
        "One\n\n![a]({ADDRESS})\n\n- Two\n  ![b]({ADDRESS} \"c\")\n\n<img src=\"{ADDRESS}\" width=8>\n\nThree\n"
    );
    let (document, layout) = open(markdown.as_bytes(), "a.md");
    let all = images(&layout, 1);
    assert_eq!(all.len(), 3);
    assert_eq!(all[1][0], all[0][0] + 18);
    assert_eq!(all[2][2], 6);
    assert!(all[2][1] + all[2][3] < top(&document, "Three") as i32);
}

#[test]
fn nothing_is_fetched_and_no_other_file_is_read() {
    for address in [
        "https://a.example/b.png",
        "/etc/passwd",
        "file:///etc/passwd",
        "b.png",
        "//a/b",
    ] {
        let html = format!("<p>One<p><img src='{address}' alt=b><img src='{address}'>");
        let markdown = format!("One\n\n![b]({address})\n");
        for (file, name) in [(html, "a.html"), (markdown, "a.md")] {
            let (document, layout) = open(file.as_bytes(), name);
            assert_eq!(images(&layout, 1), [] as [[i32; 4]; 0], "{file}");
            assert_eq!(fills(&layout, 1), 4, "{file}");
            assert!(document.warnings().is_empty());
        }
    }
}

#[test]
fn unsupported_images_are_boxes_with_a_warning() {
    let large = "data:;base64,iVBORw0KGgoAAAANSUhEUgAA//8AAP//";
    for address in [
        "data:image/svg+xml,<svg/>",
        "data:image/png;base64,AAAA",
        "data:,",
        large,
    ] {
        let html = format!("<p>One<p><img src=\"{address}\" alt=b><img src=\"{address}\">");
        let (document, layout) = open(html.as_bytes(), "a.html");
        assert_eq!(images(&layout, 1), [] as [[i32; 4]; 0], "{address}");
        assert_eq!(fills(&layout, 1), 8, "{address}");
        assert_eq!(
            document.warnings(),
            [ReadWarning::ImagesNotShown { images: 2 }]
        );
    }
}

fn inline(name: &str, width: u32, height: u32, inside: &str) -> String {
    format!(
        "<w:r><w:drawing><wp:inline><wp:extent cx='{}' cy='{}'/><wp:docPr id='1' descr='d'/><a:graphic><pic:blipFill>\
         <a:blip r:embed='{name}'/>{inside}</pic:blipFill><pic:spPr><a:xfrm ROT><a:ext cx='1' cy='1'/></a:xfrm></pic:spPr>\
         </a:graphic></wp:inline></w:drawing></w:r>",
        width * 12_700,
        height * 12_700
    )
}

#[test]
fn images_in_docx_have_the_size_that_the_file_gives() {
    let anchored = inline("two", 50, 40, "<a:srcRect l='25000' b='50000'/>")
        .replace("wp:inline", "wp:anchor")
        .replace("ROT", "rot='16200000'");
    let vector = "<w:r><w:pict><v:shape style='width:30pt;height:20pt' alt='d'><v:imagedata r:id='one' \
                  cropleft='32768f'/></v:shape></w:pict></w:r>";
    let body = [
        p("One"),
        format!(
            "<w:p>{}{anchored}{vector}</w:p>",
            inline("one", 100, 60, "")
        ),
        p("Two"),
        format!("<w:p>{}{}</w:p>", r("Three"), inline("one", 9000, 4500, "")),
    ];
    let file = DocxBuilder::new(&body.concat())
        .image("one", &gif(320, 240))
        .image("two", &gif(10, 10))
        .file();
    let (document, layout) = open(&file, "a.docx");
    let all = images(&layout, 1);
    let sizes: Vec<[i32; 2]> = all
        .iter()
        .map(|[_, _, width, height]| [*width, *height])
        .collect();
    assert_eq!(sizes, [[100, 60], [40, 50], [30, 20], [483, 242]]);
    assert!((top(&document, "One") as i32) < all[0][1]);
    assert!(all[0][1] + 60 < top(&document, "Two") as i32);
    assert!((top(&document, "Three") as i32) < all[3][1]);
    let looks: Vec<(ImageRotation, [f32; 4])> = layout
        .page(1)
        .filter_map(|drawn| match drawn {
            DrawnItem::Image { rotation, crop, .. } => Some((rotation, crop)),
            _ => None,
        })
        .collect();
    let turned = ImageRotation {
        mirrored: false,
        quarters: 3,
    };
    assert_eq!(looks[1], (turned, [0.25, 0.0, 0.0, 0.5]));
    assert_eq!(looks[2], (ImageRotation::default(), [0.5, 0.0, 0.0, 0.0]));
    // The bytes are read on request, deflated or not.
    let files: Vec<Vec<u8>> = layout
        .page(1)
        .filter_map(|drawn| match drawn {
            DrawnItem::Image { image, .. } => layout.image(image),
            _ => None,
        })
        .collect();
    assert_eq!(
        files,
        [gif(320, 240), gif(10, 10), gif(320, 240), gif(320, 240)]
    );
}

#[test]
fn an_image_that_does_not_fit_moves_to_the_next_page() {
    let line = p("One more line of text that takes up room on the first page.");
    let body = format!(
        "{}<w:p>{}</w:p>{}",
        line.repeat(25),
        inline("one", 300, 300, ""),
        p("Last")
    );
    let (document, layout) = open(
        &DocxBuilder::new(&body).image("one", &gif(9, 9)).file(),
        "a.docx",
    );
    assert_eq!(layout.pages(), 2);
    assert!(images(&layout, 1).is_empty());
    assert_eq!(images(&layout, 2), [[56, 66, 300, 300]]);
    assert!(top(&document, "Last") > 366.0);
}

#[test]
fn cells_of_docx_tables_keep_their_columns_and_images() {
    let cell = |inside: &str| format!("<w:tc>{inside}</w:tc>");
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let picture = format!("<w:p>{}</w:p>", inline("one", 30, 20, ""));
    let table = format!(
        "<w:tbl>{}{}</w:tbl>",
        row(&[cell(&p("One")), cell(&picture), cell(&p("Three"))]),
        row(&[cell("<w:p/>"), cell(&p("Two")), cell("<w:p/>")]),
    );
    let (document, layout) = open(
        &DocxBuilder::new(&table).image("one", &gif(9, 9)).file(),
        "a.docx",
    );
    let [image] = images(&layout, 1)[..] else {
        panic!("one image");
    };
    let words: Vec<i32> = document
        .words()
        .iter()
        .map(|word| word.x.round() as i32)
        .collect();
    let &[one, three, two] = words.as_slice() else {
        panic!("three words: {words:?}");
    };
    assert!(one < image[0] && image[0] + 30 < three);
    assert_eq!(two, image[0]);
}

#[test]
fn missing_and_broken_images_are_boxes() {
    let body = [
        p("One"),
        format!("<w:p>{}</w:p>", inline("gone", 30, 20, "")),
        format!("<w:p>{}</w:p>", inline("other", 30, 20, "")),
    ];
    let file = DocxBuilder::new(&body.concat())
        .image("other", b"<svg/>")
        .file();
    let (document, layout) = open(&file, "a.docx");
    assert!(images(&layout, 1).is_empty());
    assert_eq!(fills(&layout, 1), 8);
    assert_eq!(
        document.warnings(),
        [ReadWarning::ImagesNotShown { images: 1 }]
    );
    let stored = document.to_bytes();
    let again = Document::from_bytes(&stored).expect("a document");
    assert_eq!(again.warnings(), document.warnings());
}
