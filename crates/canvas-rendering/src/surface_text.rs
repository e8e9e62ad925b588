//! Surfaces as text with Markdown marks.

use a2ui::Surface;

use crate::surface_tree::{SurfacePart, media_text, surface_parts};

pub(crate) fn to_text(surface: &Surface) -> String {
    let mut text = String::new();
    for line in lines(&surface_parts(surface)) {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The lines of parts below each other.
fn lines(parts: &[SurfacePart]) -> Vec<String> {
    parts.iter().flat_map(part_lines).collect()
}

fn part_lines(part: &SurfacePart) -> Vec<String> {
    match part {
        SurfacePart::Text { text, level: 0 } | SurfacePart::Caption(text) => split(text),
        SurfacePart::Text { text, level } => {
            vec![format!(
                "{} {}",
                "#".repeat(usize::from(*level)),
                text.replace('\n', " ")
            )]
        }
        SurfacePart::Row(parts) => row_lines(parts),
        SurfacePart::Column(parts) => lines(parts),
        SurfacePart::List(parts) => parts
            .iter()
            .flat_map(|part| item_lines(&part_lines(part)))
            .collect(),
        SurfacePart::Card(parts) => lines(parts)
            .into_iter()
            .map(|line| format!("  {line}"))
            .collect(),
        SurfacePart::Sections(sections) => sections.iter().flat_map(section_lines).collect(),
        SurfacePart::Divider => vec!["---".to_owned()],
        SurfacePart::Button(label) => vec![format!("[ {label} ]")],
        SurfacePart::Field { label, value } => vec![format!("{label}: {value}")],
        SurfacePart::Check { label, checked } => vec![check_line(label, *checked)],
        SurfacePart::Choices { label, options } => {
            let title = (!label.is_empty()).then(|| format!("{label}:"));
            let options = options
                .iter()
                .map(|(label, chosen)| check_line(label, *chosen));
            title.into_iter().chain(options).collect()
        }
        SurfacePart::Media {
            kind,
            description,
            address,
        } => {
            vec![media_text(kind, description, address)]
        }
        SurfacePart::Note(note) => vec![format!("({note})")],
    }
}

fn split(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Parts of one line each share a line; others follow each other.
fn row_lines(parts: &[SurfacePart]) -> Vec<String> {
    let columns: Vec<Vec<String>> = parts.iter().map(part_lines).collect();
    if columns.iter().all(|column| column.len() <= 1) {
        let line = columns.concat().join("  ");
        if line.is_empty() {
            Vec::new()
        } else {
            vec![line]
        }
    } else {
        columns.concat()
    }
}

fn item_lines(lines: &[String]) -> Vec<String> {
    let mark = |index| if index == 0 { "- " } else { "  " };
    lines
        .iter()
        .enumerate()
        .map(|(index, line)| format!("{}{line}", mark(index)))
        .collect()
}

fn section_lines((title, parts): &(String, Vec<SurfacePart>)) -> Vec<String> {
    let content = lines(parts).into_iter().map(|line| format!("  {line}"));
    std::iter::once(format!("[ {title} ]"))
        .chain(content)
        .collect()
}

fn check_line(label: &str, checked: bool) -> String {
    format!("[{}] {label}", if checked { "x" } else { " " })
}
