//! What elements and attributes mean for the text of a page.

use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use crate::figure::{Figure, Length, Wish, is_data};
use crate::layout::Sketch;

/// What an element does to the text in it and around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
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
pub(crate) fn manner(space: &Namespace, name: &LocalName) -> Manner {
    match *space {
        ns!(html) => html_manner(name),
        ns!(svg) => match &**name {
            "title" | "desc" => Manner::Hidden,
            "style" | "script" | "metadata" => Manner::Left,
            "text" => Manner::Block,
            "svg" => Manner::Separate,
            _ => Manner::Inline,
        },
        ns!(mathml) => match &**name {
            "annotation" | "annotation-xml" => Manner::Hidden,
            // Side by side, the numbers of a fraction or a power would be another number.
            "mn" | "math" => Manner::Separate,
            _ => Manner::Inline,
        },
        _ => Manner::Inline,
    }
}

/// The manner of an HTML element.
pub(crate) fn html_manner(name: &LocalName) -> Manner {
    match &**name {
        "script" | "style" | "template" | "noscript" | "iframe" | "noembed" | "noframes" => {
            Manner::Left
        }
        "title" => Manner::Title,
        "br" => Manner::LineBreak,
        "td" | "th" => Manner::Cell,
        "pre" | "listing" | "xmp" | "plaintext" | "textarea" => Manner::Preformatted,
        "sup" => Manner::Raised,
        "sub" => Manner::Lowered,
        "img" | "input" | "embed" | "area" => Manner::Replaced,
        // What was struck out is no part of the number or word beside it.
        "del" | "ins" | "s" | "strike" => Manner::Separate,
        "button" | "label" | "output" | "meter" | "progress" => Manner::Separate,
        "rt" | "rtc" => Manner::Apart,
        "rp" | "datalist" | "audio" | "video" | "canvas" | "object" => Manner::Hidden,
        "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center" | "dd"
        | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption"
        | "figure" | "footer" | "form" | "frameset" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
        | "head" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "main" | "menu"
        | "nav" | "ol" | "optgroup" | "option" | "p" | "search" | "section" | "select"
        | "summary" | "table" | "tbody" | "tfoot" | "thead" | "tr" | "ul" => Manner::Block,
        _ => Manner::Inline,
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
    sketch: &mut Sketch,
    pixels: usize,
) -> Option<Figure> {
    let label = value(attributes, "alt").unwrap_or_default().trim();
    let address = value(attributes, "src").filter(|address| is_data(address));
    if label.is_empty() && address.is_none() {
        return None;
    }
    let style = value(attributes, "style").unwrap_or_default();
    let side = |side| {
        let styled = Length::in_style(style, side);
        styled.or_else(|| Length::of(value(attributes, side)?))
    };
    Some(Figure {
        label: label.to_owned(),
        image: address.and_then(|address| sketch.keep_address(address, pixels)),
        wish: Wish {
            width: side("width"),
            height: side("height"),
            ..Wish::default()
        },
    })
}

/// Whether an element is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
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
pub(crate) fn shown(name: &LocalName, attributes: &[Attribute]) -> Shown {
    let has = |name| value(attributes, name).is_some();
    if has("hidden") || (&**name == "dialog" && !has("open")) {
        return Shown::Gone;
    }
    value(attributes, "style").map_or(Shown::Inherited, shown_by_style)
}

fn shown_by_style(style: &str) -> Shown {
    let mut gone = false;
    let mut shown = Shown::Inherited;
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
                    "hidden" | "collapse" => Shown::Invisible,
                    "visible" => Shown::Visible,
                    _ => shown,
                };
            }
            // Nothing inside can be less transparent.
            "opacity" => gone |= value.trim_end_matches('%').parse() == Ok(0.0),
            _ => {}
        }
    }
    if gone { Shown::Gone } else { shown }
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
pub(crate) enum Field {
    /// Its value.
    Shown,
    /// Nothing, but it has a value.
    Hidden,
    /// Nothing that is text.
    Other,
}

/// What kind of field an `<input>` is.
pub(crate) fn field(attributes: &[Attribute]) -> Field {
    let kind = value(attributes, "type")
        .unwrap_or("text")
        .to_ascii_lowercase();
    match kind.as_str() {
        "hidden" => Field::Hidden,
        "checkbox" | "radio" | "password" | "file" | "image" | "color" | "range" => Field::Other,
        _ => Field::Shown,
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
            ("display:none", Shown::Gone),
            (" color: red; DISPLAY : None !important ", Shown::Gone),
            ("display:/* ; */none", Shown::Gone),
            ("display:none;display:block", Shown::Inherited),
            ("visibility:hidden", Shown::Invisible),
            ("visibility: collapse;", Shown::Invisible),
            ("visibility:visible", Shown::Visible),
            ("visibility:hidden;display:none", Shown::Gone),
            ("opacity:0.0", Shown::Gone),
            ("opacity:0%", Shown::Gone),
            ("opacity:0.5", Shown::Inherited),
            ("background:display:none", Shown::Inherited),
            ("display", Shown::Inherited),
            ("/* display:none", Shown::Inherited),
            ("", Shown::Inherited),
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
