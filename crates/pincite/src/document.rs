//! `pincite document`: what was understood of a file.

use std::io::{BufWriter, Write};

use agui::json::{Map, Value};
use anstyle::Style;
use documents::{Document, FlowRole, Line, Page};

use crate::cli::{DocumentArgs, ReportForm};
use crate::failure::{Failure, shown};
use crate::verify::read_document;

const DIM: Style = Style::new().dimmed();

/// Runs the command.
pub(crate) fn run(args: &DocumentArgs) -> Result<(), Failure> {
    let document = read_document(&args.file).map_err(|(reason, hint)| {
        Failure::Stopped(format!(
            "{} cannot be used: {reason}; {hint}",
            args.file.display()
        ))
    })?;
    let pages: Vec<&Page> = match args.page {
        None => document.pages().iter().collect(),
        Some(number) => {
            let page = document.pages().iter().find(|page| page.number == number);
            vec![page.ok_or_else(|| {
                let count = document.pages().len();
                Failure::Configuration(format!(
                    "there is no page {number}; the document has {count}, counted from 1"
                ))
            })?]
        }
    };
    let mut out = BufWriter::new(anstream::stdout());
    if args.deep_text {
        let name = args.file.file_name().unwrap_or(args.file.as_os_str());
        let text = match args.page {
            None => citations::deep_text([(name.to_string_lossy().as_ref(), &document)]),
            Some(number) => page_text(&document, number),
        };
        writeln!(out, "{text}")?;
    } else {
        match args.format {
            ReportForm::Json => writeln!(out, "{}", to_value(&document, &pages).to_json())?,
            ReportForm::Text => print(&document, &pages, &mut out)?,
        }
    }
    out.flush()?;
    Ok(())
}

fn page_text(document: &Document, number: u32) -> String {
    let tag = format!("<page_number_{number}_");
    let pages = citations::deep_text_pages(document);
    pages
        .into_iter()
        .find(|page| page.starts_with(&tag))
        .unwrap_or_default()
}

fn print(document: &Document, pages: &[&Page], out: &mut impl Write) -> Result<(), Failure> {
    writeln!(
        out,
        "{} with {} and {}{}",
        document.media_type(),
        count(document.pages().len(), "page"),
        count(document.lines().len(), "line"),
        document
            .title()
            .map_or(String::new(), |title| format!(": {}", shown(title))),
    )?;
    writeln!(out, "{DIM}{}{DIM:#}", document.id())?;
    let roles = roles(document);
    for page in pages {
        let label = page
            .label
            .as_deref()
            .map_or(String::new(), |label| format!(" ({})", shown(label)));
        writeln!(out, "\n{DIM}page {}{label}{DIM:#}", page.number)?;
        for (line, role) in lines(document, page, &roles) {
            let mark = match role {
                Some(FlowRole::Body) | None => "",
                Some(FlowRole::Apart) => "apart: ",
                Some(FlowRole::Hidden) => "hidden: ",
                Some(FlowRole::Markup) => "markup: ",
            };
            writeln!(
                out,
                "{DIM}{:>5}  {mark}{DIM:#}{}",
                line.number,
                visible(&line.text)
            )?;
        }
    }
    Ok(())
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// A line without what could command a terminal; it is not cut.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\t' => visible.push_str("  "),
            char if char.is_ascii() && !char.is_ascii_control() => visible.push(char),
            char => visible.push_str(&shown(char.encode_utf8(&mut [0; 4]))),
        }
    }
    visible
}

/// The lines of a page with the first flow that each is in.
fn lines<'d>(
    document: &'d Document,
    page: &Page,
    roles: &[Option<FlowRole>],
) -> impl Iterator<Item = (&'d Line, Option<FlowRole>)> {
    let range = page.lines.start as usize..page.lines.end as usize;
    let of_page = roles.get(range.clone()).unwrap_or_default().to_vec();
    let lines = document.lines().get(range).unwrap_or_default();
    lines.iter().zip(of_page)
}

/// Where each line stands: in the body rather than apart from it.
fn roles(document: &Document) -> Vec<Option<FlowRole>> {
    let mut roles = vec![None; document.lines().len()];
    for flow in document.flows() {
        for piece in flow.index.text().pieces() {
            if let Some(role @ None) = roles.get_mut(piece.id as usize) {
                *role = Some(flow.role);
            }
        }
    }
    roles
}

fn to_value(document: &Document, pages: &[&Page]) -> Value {
    let roles = roles(document);
    let pages = pages.iter().map(|page| {
        let lines = lines(document, page, &roles).map(|(line, role)| {
            Value::from([
                ("id", (line.number as usize).into()),
                ("text", line.text.as_str().into()),
                (
                    "role",
                    match role {
                        Some(FlowRole::Body) | None => "body",
                        Some(FlowRole::Apart) => "apart",
                        Some(FlowRole::Hidden) => "hidden",
                        Some(FlowRole::Markup) => "markup",
                    }
                    .into(),
                ),
            ])
        });
        let mut map = Map::new();
        map.insert("number".to_owned(), (page.number as usize).into());
        if let Some(label) = &page.label {
            map.insert("label".to_owned(), label.as_str().into());
        }
        map.insert("lines".to_owned(), Value::Array(lines.collect()));
        Value::Object(map)
    });
    let mut map = Map::new();
    map.insert("id".to_owned(), document.id().to_string().into());
    map.insert("mediaType".to_owned(), document.media_type().into());
    if let Some(title) = document.title() {
        map.insert("title".to_owned(), title.into());
    }
    map.insert("pageCount".to_owned(), document.pages().len().into());
    map.insert("pages".to_owned(), Value::Array(pages.collect()));
    Value::Object(map)
}
