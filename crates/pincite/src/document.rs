//! `pincite document`: the text of a document as pages and lines.

use std::io::{BufWriter, Write};

use anstyle::Style;
use documents::{Document, Line, LineRole, Page, TextStreamRole, Word};
use json::{Map, Number, Value};

use crate::cli::{DocumentArgs, ReportFormat};
use crate::command_error::{CommandError, printable, warn};
use crate::document_reader::read_one;

const DIM: Style = Style::new().dimmed();
/// Limit on the warnings printed to stderr.
const MAX_WARNINGS: usize = 20;

/// Runs the command.
pub(crate) fn run(args: &DocumentArgs) -> Result<(), CommandError> {
    let document = read_one(&args.file, &args.reader)?.document;
    for warning in document.warnings().iter().take(MAX_WARNINGS) {
        warn(&warning.to_string());
    }
    if let Some(more @ 1..) = document.warnings().len().checked_sub(MAX_WARNINGS) {
        warn(&format!(
            "… and {more} more warnings; --format json lists all"
        ));
    }
    let pages: Vec<&Page> = match args.page {
        None => document.pages().iter().collect(),
        Some(number) => {
            let page = document.pages().iter().find(|page| page.number == number);
            vec![page.ok_or_else(|| {
                let count = document.pages().len();
                CommandError::Configuration(format!(
                    "the document has no page {number}; its pages are 1 to {count}"
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
            ReportFormat::Json => writeln!(out, "{}", to_value(&document, &pages).to_json())?,
            ReportFormat::Text => print(&document, &pages, &mut out)?,
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

fn print(document: &Document, pages: &[&Page], out: &mut impl Write) -> Result<(), CommandError> {
    writeln!(
        out,
        "{} with {} and {}{}{}",
        document.media_type(),
        count(document.pages().len(), "page"),
        count(document.lines().len(), "line"),
        match document.rendered_page_word() {
            "sheet" => format!(
                ", drawn on {}",
                count(document.rendered_page_count() as usize, "sheet")
            ),
            _ => String::new(),
        },
        document
            .title()
            .map_or(String::new(), |title| format!(": {}", printable(title))),
    )?;
    writeln!(out, "{DIM}{}{DIM:#}", document.id())?;
    let about = document.metadata();
    let dates = [("created", about.created), ("modified", about.modified)];
    let texts = [
        ("author", about.author.as_deref()),
        ("subject", about.subject.as_deref()),
        ("keywords", about.keywords.as_deref()),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            writeln!(out, "{DIM}{name}: {}{DIM:#}", printable(text))?;
        }
    }
    for (name, date) in dates {
        if let Some(date) = date {
            writeln!(out, "{DIM}{name}: {date}{DIM:#}")?;
        }
    }
    let roles = roles(document);
    for page in pages {
        let label = page
            .label
            .as_deref()
            .map_or(String::new(), |label| format!(" ({})", printable(label)));
        writeln!(out, "\n{DIM}page {}{label}{DIM:#}", page.number)?;
        for (line, role) in lines(document, page, &roles) {
            let mark = match (line.role, role) {
                (LineRole::Text, Some(TextStreamRole::Body) | None) => String::new(),
                (LineRole::Text, Some(role)) => format!("{}: ", stream_name(role)),
                (role, _) => format!("{}: ", role_name(role)),
            };
            writeln!(
                out,
                "{DIM}{:>5}  {mark}{DIM:#}{}",
                line.number,
                escape_line(&line.text)
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

/// Returns a line of any length with control characters escaped.
fn escape_line(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\t' => escaped.push_str("  "),
            char if char.is_ascii() && !char.is_ascii_control() => escaped.push(char),
            char => escaped.push_str(&printable(char.encode_utf8(&mut [0; 4]))),
        }
    }
    escaped
}

/// Returns the lines of a page, each with the role of the first text stream that contains it.
fn lines<'d>(
    document: &'d Document,
    page: &Page,
    roles: &[Option<TextStreamRole>],
) -> impl Iterator<Item = (&'d Line, Option<TextStreamRole>)> {
    let range = page.lines.start as usize..page.lines.end as usize;
    let of_page = roles.get(range.clone()).unwrap_or_default().to_vec();
    let lines = document.lines().get(range).unwrap_or_default();
    lines.iter().zip(of_page)
}

/// Returns the role of the first text stream that contains each line.
fn roles(document: &Document) -> Vec<Option<TextStreamRole>> {
    let mut roles = vec![None; document.lines().len()];
    for flow in document.text_streams() {
        for piece in flow.index.text().pieces() {
            if let Some(role @ None) = roles.get_mut(piece.id as usize) {
                *role = Some(flow.role);
            }
        }
    }
    roles
}

fn stream_name(role: TextStreamRole) -> &'static str {
    match role {
        TextStreamRole::Body => "body",
        TextStreamRole::Apart => "apart",
        TextStreamRole::Hidden => "hidden",
        TextStreamRole::Markup => "markup",
        TextStreamRole::Alternative => "alternative",
    }
}

fn role_name(role: LineRole) -> &'static str {
    match role {
        LineRole::Heading => "heading",
        LineRole::Running => "running head or foot",
        LineRole::PageNumber => "page number",
        LineRole::LineNumber => "line number",
        LineRole::Footnote => "footnote",
        LineRole::Caption => "caption",
        _ => "text",
    }
}

fn to_value(document: &Document, pages: &[&Page]) -> Value {
    let roles = roles(document);
    let page_value = |page: &&Page| {
        let lines = lines(document, page, &roles);
        let mut map = Map::new();
        map.insert("number".to_owned(), (page.number as usize).into());
        if let Some(label) = &page.label {
            map.insert("label".to_owned(), label.as_str().into());
        }
        if let Some(size) = page.size {
            map.insert("width".to_owned(), length(size.width));
            map.insert("height".to_owned(), length(size.height));
        }
        let lines = lines.map(|(line, role)| line_value(document, line, role));
        map.insert("lines".to_owned(), Value::Array(lines.collect()));
        Value::Object(map)
    };
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", document.id().to_string().into());
    put("mediaType", document.media_type().into());
    if let Some(title) = document.title() {
        put("title", title.into());
    }
    let about = document.metadata();
    for (key, text) in [
        ("author", &about.author),
        ("subject", &about.subject),
        ("keywords", &about.keywords),
    ] {
        if let Some(text) = text {
            put(key, text.as_str().into());
        }
    }
    for (key, date) in [("created", about.created), ("modified", about.modified)] {
        if let Some(date) = date {
            put(key, date.to_string().into());
        }
    }
    put("pageCount", document.pages().len().into());
    put(
        "sheetCount",
        (document.rendered_page_count() as usize).into(),
    );
    if !document.outline().is_empty() {
        let outline = document.outline().iter().map(|heading| {
            let mut map = Map::new();
            map.insert("title".to_owned(), heading.title.as_str().into());
            map.insert("depth".to_owned(), (heading.depth as usize).into());
            if let Some(page) = heading.page {
                map.insert("page".to_owned(), (page as usize).into());
            }
            Value::Object(map)
        });
        put("outline", Value::Array(outline.collect()));
    }
    if !document.warnings().is_empty() {
        let warnings = document.warnings().iter();
        let warnings = warnings.map(|warning| warning.to_string().into());
        put("warnings", Value::Array(warnings.collect()));
    }
    put(
        "pages",
        Value::Array(pages.iter().map(page_value).collect()),
    );
    Value::Object(map)
}

fn line_value(document: &Document, line: &Line, role: Option<TextStreamRole>) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", (line.number as usize).into());
    put("text", line.text.as_str().into());
    put(
        "role",
        stream_name(role.unwrap_or(TextStreamRole::Body)).into(),
    );
    if line.role != LineRole::Text {
        put("kind", role_name(line.role).into());
    }
    let words = document.words_of(line);
    if !words.is_empty() {
        let word = |word: &Word| {
            let range = word.range.start as usize..word.range.end as usize;
            Value::from([
                ("text", line.text.get(range).unwrap_or_default().into()),
                ("sheet", (word.rendered_page as usize).into()),
                ("x", length(word.x)),
                ("y", length(word.y)),
                ("width", length(word.width)),
                ("height", length(word.height)),
            ])
        };
        put("words", Value::Array(words.iter().map(word).collect()));
    }
    Value::Object(map)
}

/// Returns a length in points, rounded to thousandths.
fn length(points: f32) -> Value {
    Value::Number(Number::from((f64::from(points) * 1000.0).round() / 1000.0))
}
