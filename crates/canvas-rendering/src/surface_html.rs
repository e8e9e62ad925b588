//! Surfaces as HTML without scripts.

use a2ui::Surface;

use crate::markdown::{escape, to_html as markdown_html};
use crate::surface_tree::{SurfacePart, media_text, surface_parts};

pub(crate) fn to_html(surface: &Surface) -> String {
    let mut html = String::new();
    element(&mut html, "section", "", |html| {
        write_parts(html, &surface_parts(surface));
    });
    html
}

fn write_parts(html: &mut String, parts: &[SurfacePart]) {
    for part in parts {
        write_part(html, part);
    }
}

fn write_part(html: &mut String, part: &SurfacePart) {
    match part {
        SurfacePart::Text { text, level: 0 } => html.push_str(&markdown_html(text)),
        SurfacePart::Text { text, level } => {
            let level = format!("h{level}");
            element(html, &level, "", |html| html.push_str(&escape(text)));
        }
        SurfacePart::Caption(text) => {
            element(html, "p", "caption", |html| html.push_str(&escape(text)));
        }
        SurfacePart::Row(parts) => element(html, "div", "row", |html| write_parts(html, parts)),
        SurfacePart::Column(parts) => element(html, "div", "", |html| write_parts(html, parts)),
        SurfacePart::List(parts) => element(html, "ul", "", |html| {
            for part in parts {
                element(html, "li", "", |html| write_part(html, part));
            }
        }),
        SurfacePart::Card(parts) => element(html, "div", "card", |html| write_parts(html, parts)),
        SurfacePart::Sections(sections) => {
            for (title, parts) in sections {
                element(html, "section", "", |html| {
                    element(html, "b", "", |html| html.push_str(&escape(title)));
                    write_parts(html, parts);
                });
            }
        }
        SurfacePart::Divider => html.push_str("<hr>\n"),
        SurfacePart::Button(label) => {
            element(html, "span", "button", |html| html.push_str(&escape(label)));
        }
        SurfacePart::Field { label, value } => element(html, "div", "field", |html| {
            element(html, "b", "", |html| html.push_str(&escape(label)));
            html.push_str(&escape(value));
        }),
        SurfacePart::Check { label, checked } => write_check(html, label, *checked),
        SurfacePart::Choices { label, options } => element(html, "div", "field", |html| {
            element(html, "b", "", |html| html.push_str(&escape(label)));
            for (label, chosen) in options {
                write_check(html, label, *chosen);
            }
        }),
        SurfacePart::Media {
            kind,
            description,
            address,
        } => {
            let text = media_text(kind, description, address);
            element(html, "p", "caption", |html| html.push_str(&escape(&text)));
        }
        SurfacePart::Note(note) => {
            element(html, "p", "caption", |html| html.push_str(&escape(note)));
        }
    }
}

fn write_check(html: &mut String, label: &str, checked: bool) {
    let mark = if checked { "☑" } else { "☐" };
    element(html, "p", "", |html| {
        html.push_str(&escape(&format!("{mark} {label}")));
    });
}

/// Writes an element. Names and classes are constants of this module.
fn element(html: &mut String, name: &str, class: &str, content: impl FnOnce(&mut String)) {
    if class.is_empty() {
        html.push_str(&format!("<{name}>"));
    } else {
        html.push_str(&format!("<{name} class=\"{class}\">"));
    }
    content(html);
    html.push_str(&format!("</{name}>\n"));
}
