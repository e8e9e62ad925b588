//! What elements and attributes mean for the text of a page.

use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use crate::figure::{DocumentImage, ImageDisplay, ImageLength, is_data};
use crate::layout::DocumentSketch;

/// What an element does to the text in it and around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HtmlEffect {
    /// Nothing.
    Inline,
    /// Lines end before and after it.
    Block,
    /// The same, and its own lines stay.
    Preformatted,
    /// A line ends.
    LineBreak,
    /// A cell of a table.
    Cell,
    /// It does not touch its neighbours.
    Separate,
    /// Its digits are raised.
    Raised,
    /// Its digits are lowered.
    Lowered,
    /// A picture, or a field of a form: no text in it, but next to it.
    Replaced,
    /// It stands beside the text.
    Apart,
    /// It is not shown.
    Hidden,
    /// The title of the page.
    Title,
    /// It is no text.
    Left,
}

/// The manner of an element.
pub(crate) fn manner(space: &Namespace, name: &LocalName) -> HtmlEffect {
    match *space {
        ns!(html) => html_manner(name),
        ns!(svg) => match &**name {
            "title" | "desc" => HtmlEffect::Hidden,
            "style" | "script" | "metadata" => HtmlEffect::Left,
            "text" => HtmlEffect::Block,
            "svg" => HtmlEffect::Separate,
            _ => HtmlEffect::Inline,
        },
        ns!(mathml) => match &**name {
            "annotation" | "annotation-xml" => HtmlEffect::Hidden,
            // Side by side, the numbers of a fraction or a power would be another number.
            "mn" | "math" => HtmlEffect::Separate,
            _ => HtmlEffect::Inline,
        },
        _ => HtmlEffect::Inline,
    }
}

/// The manner of an HTML element.
pub(crate) fn html_manner(name: &LocalName) -> HtmlEffect {
    match &**name {
        "script" | "style" | "template" | "noscript" | "iframe" | "noembed" | "noframes" => {
            HtmlEffect::Left
        }
        "title" => HtmlEffect::Title,
        "br" => HtmlEffect::LineBreak,
        "td" | "th" => HtmlEffect::Cell,
        "pre" | "listing" | "xmp" | "plaintext" | "textarea" => HtmlEffect::Preformatted,
        "sup" => HtmlEffect::Raised,
        "sub" => HtmlEffect::Lowered,
        "img" | "input" | "embed" | "area" => HtmlEffect::Replaced,
        // What was struck out is no part of the number or word beside it.
        "del" | "ins" | "s" | "strike" => HtmlEffect::Separate,
        "button" | "label" | "output" | "meter" | "progress" => HtmlEffect::Separate,
        "rt" | "rtc" => HtmlEffect::Apart,
        "rp" | "datalist" | "audio" | "video" | "canvas" | "object" => HtmlEffect::Hidden,
        "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center" | "dd"
        | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption"
        | "figure" | "footer" | "form" | "frameset" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
        | "head" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "main" | "menu"
        | "nav" | "ol" | "optgroup" | "option" | "p" | "search" | "section" | "select"
        | "summary" | "table" | "tbody" | "tfoot" | "thead" | "tr" | "ul" => HtmlEffect::Block,
        _ => HtmlEffect::Inline,
    }
}

/// Whether an HTML element has no end.
pub(crate) fn is_void(name: &LocalName) -> bool {
    matches!(
        &**name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Whether the end of an HTML element may be left out.
pub(crate) fn may_stay_open(name: &LocalName) -> bool {
    matches!(
        &**name,
        "p" | "li"
            | "dt"
            | "dd"
            | "option"
            | "optgroup"
            | "rt"
            | "rp"
            | "rtc"
            | "td"
            | "th"
            | "tr"
            | "thead"
            | "tbody"
            | "tfoot"
            | "caption"
            | "colgroup"
            | "html"
            | "body"
    )
}

/// Whether an element goes on in the next block if it is not ended.
pub(super) fn is_formatting(name: &QualName) -> bool {
    name.ns == ns!(html)
        && matches!(
            &*name.local,
            "a" | "b"
                | "big"
                | "code"
                | "em"
                | "font"
                | "i"
                | "nobr"
                | "s"
                | "small"
                | "strike"
                | "strong"
                | "tt"
                | "u"
        )
}

/// Whether an attribute of an element is looked at.
pub(super) fn matters(element: &QualName, attribute: &Attribute) -> bool {
    if &*element.local == "img" {
        match &*attribute.name.local {
            "src" => return is_data(&attribute.value),
            "width" | "height" => return true,
            _ => {}
        }
    }
    matches!(
        &*attribute.name.local,
        "alt" | "hidden" | "lang" | "open" | "style" | "title" | "type" | "value" | "xml:lang"
    )
}

/// The value of an attribute.
pub(crate) fn value<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    let found = attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| &*attribute.value)
}

/// The image that an `<img>` shows: one that is in its address, or a box with what it is called. It has at
/// most so many pixels.
pub(crate) fn figure(
    attributes: &[Attribute],
    sketch: &mut DocumentSketch,
    pixels: usize,
) -> Option<DocumentImage> {
    let label = value(attributes, "alt").unwrap_or_default().trim();
    let address = value(attributes, "src").filter(|address| is_data(address));
    if label.is_empty() && address.is_none() {
        return None;
    }
    let style = value(attributes, "style").unwrap_or_default();
    let side = |side| {
        let styled = ImageLength::in_style(style, side);
        styled.or_else(|| ImageLength::of(value(attributes, side)?))
    };
    Some(DocumentImage {
        label: label.to_owned(),
        image: address.and_then(|address| sketch.keep_address(address, pixels)),
        wish: ImageDisplay {
            width: side("width"),
            height: side("height"),
            ..ImageDisplay::default()
        },
    })
}

/// Whether an element is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementVisibility {
    /// As what is around it.
    Inherited,
    /// Though what is around it may only be invisible.
    Visible,
    /// Not, though it takes up room.
    Invisible,
    /// Not at all.
    Gone,
}

/// What an element's own attributes say about being shown.
pub(crate) fn shown(name: &LocalName, attributes: &[Attribute]) -> ElementVisibility {
    let has = |name| value(attributes, name).is_some();
    if has("hidden") || (&**name == "dialog" && !has("open")) {
        return ElementVisibility::Gone;
    }
    value(attributes, "style").map_or(ElementVisibility::Inherited, shown_by_style)
}

fn shown_by_style(style: &str) -> ElementVisibility {
    let mut gone = false;
    let mut shown = ElementVisibility::Inherited;
    for declaration in without_comments(style).split(';') {
        let Some((property, value)) = declaration.split_once(':') else {
            continue;
        };
        let value = value
            .split('!')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match property.trim().to_ascii_lowercase().as_str() {
            "display" => gone = value == "none",
            "visibility" => {
                shown = match value.as_str() {
                    "hidden" | "collapse" => ElementVisibility::Invisible,
                    "visible" => ElementVisibility::Visible,
                    _ => shown,
                };
            }
            // Nothing inside can be less transparent.
            "opacity" => gone |= value.trim_end_matches('%').parse() == Ok(0.0),
            _ => {}
        }
    }
    if gone { ElementVisibility::Gone } else { shown }
}

fn without_comments(style: &str) -> String {
    let mut kept = String::with_capacity(style.len());
    let mut rest = style;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// What a field of a form shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormField {
    /// Its value.
    Shown,
    /// Nothing, but it has a value.
    Hidden,
    /// Nothing that is text.
    Other,
}

/// What kind of field an `<input>` is.
pub(crate) fn field(attributes: &[Attribute]) -> FormField {
    let kind = value(attributes, "type")
        .unwrap_or("text")
        .to_ascii_lowercase();
    match kind.as_str() {
        "hidden" => FormField::Hidden,
        "checkbox" | "radio" | "password" | "file" | "image" | "color" | "range" => {
            FormField::Other
        }
        _ => FormField::Shown,
    }
}

/// A raised form of a digit or a sign.
pub(crate) fn raised(c: char) -> char {
    match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4'..='9' => char::from_u32('⁴' as u32 + (c as u32 - '4' as u32)).unwrap_or(c),
        '+' => '⁺',
        '-' | '−' => '⁻',
        _ => c,
    }
}

/// A lowered form of a digit.
pub(crate) fn lowered(c: char) -> char {
    match c {
        '0'..='9' => char::from_u32('₀' as u32 + (c as u32 - '0' as u32)).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide() {
        for (style, expected) in [
            ("display:none", ElementVisibility::Gone),
            (
                " color: red; DISPLAY : None !important ",
                ElementVisibility::Gone,
            ),
            ("display:/* ; */none", ElementVisibility::Gone),
            ("display:none;display:block", ElementVisibility::Inherited),
            ("visibility:hidden", ElementVisibility::Invisible),
            ("visibility: collapse;", ElementVisibility::Invisible),
            ("visibility:visible", ElementVisibility::Visible),
            ("visibility:hidden;display:none", ElementVisibility::Gone),
            ("opacity:0.0", ElementVisibility::Gone),
            ("opacity:0%", ElementVisibility::Gone),
            ("opacity:0.5", ElementVisibility::Inherited),
            ("background:display:none", ElementVisibility::Inherited),
            ("display", ElementVisibility::Inherited),
            ("/* display:none", ElementVisibility::Inherited),
            ("", ElementVisibility::Inherited),
        ] {
            assert_eq!(shown_by_style(style), expected, "{style}");
        }
    }

    #[test]
    fn digits_up_and_down() {
        assert_eq!(
            "0123456789+-x".chars().map(raised).collect::<String>(),
            "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻x"
        );
        assert_eq!(
            "0123456789+-x".chars().map(lowered).collect::<String>(),
            "₀₁₂₃₄₅₆₇₈₉+-x"
        );
    }
}
