//! Effects of elements and attributes on the text of a page.

use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use crate::embedded_image::{DocumentImage, ImageDisplay, ImageLength, is_data};
use crate::layout::DocumentSketch;

/// Effect of an element on the text in it and around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HtmlEffect {
    /// No effect.
    Inline,
    /// Block: lines end before and after it.
    Block,
    /// Block that keeps its line ends and white space.
    Preformatted,
    /// Line break.
    LineBreak,
    /// Cell of a table.
    Cell,
    /// Text that is separated from its neighbours.
    Separate,
    /// Raised digits.
    Raised,
    /// Lowered digits.
    Lowered,
    /// Image or form field, which contains no text but separates text.
    Replaced,
    /// Text beside the body.
    Apart,
    /// Hidden text.
    Hidden,
    /// Title of the page.
    Title,
    /// Content that is no text.
    Ignored,
}

/// Returns the effect of an element.
pub(crate) fn effect(space: &Namespace, name: &LocalName) -> HtmlEffect {
    match *space {
        ns!(html) => html_effect(name),
        ns!(svg) => match &**name {
            "title" | "desc" => HtmlEffect::Hidden,
            "style" | "script" | "metadata" => HtmlEffect::Ignored,
            "text" => HtmlEffect::Block,
            "svg" => HtmlEffect::Separate,
            _ => HtmlEffect::Inline,
        },
        ns!(mathml) => match &**name {
            "annotation" | "annotation-xml" => HtmlEffect::Hidden,
            // Without a gap, the numbers of a fraction or a power would make another number.
            "mn" | "math" => HtmlEffect::Separate,
            _ => HtmlEffect::Inline,
        },
        _ => HtmlEffect::Inline,
    }
}

/// Returns the effect of an HTML element.
pub(crate) fn html_effect(name: &LocalName) -> HtmlEffect {
    match &**name {
        "script" | "style" | "template" | "noscript" | "iframe" | "noembed" | "noframes" => {
            HtmlEffect::Ignored
        }
        "title" => HtmlEffect::Title,
        "br" => HtmlEffect::LineBreak,
        "td" | "th" => HtmlEffect::Cell,
        "pre" | "listing" | "xmp" | "plaintext" | "textarea" => HtmlEffect::Preformatted,
        "sup" => HtmlEffect::Raised,
        "sub" => HtmlEffect::Lowered,
        "img" | "input" | "embed" | "area" => HtmlEffect::Replaced,
        // Deleted text is no part of the number or word beside it.
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

/// Returns true if an HTML element has no end tag.
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

/// Returns true if the end tag of an HTML element is optional.
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

/// Returns true if an element that is not closed continues in the next block.
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

/// Returns true if an attribute of an element is used.
pub(super) fn is_used(element: &QualName, attribute: &Attribute) -> bool {
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

/// Returns the value of an attribute.
pub(crate) fn value<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    let found = attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| &*attribute.value)
}

/// Returns the image of an `<img>` element: the one in its `data:` address, or a box with its alternative text.
/// An image may have at most `pixels` pixels.
pub(crate) fn image(
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
        image: address.and_then(|address| sketch.keep_data_image(address, pixels)),
        display: ImageDisplay {
            width: side("width"),
            height: side("height"),
            ..ImageDisplay::default()
        },
    })
}

/// Visibility of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementVisibility {
    /// Same as the parent.
    Inherited,
    /// Visible, even in an invisible parent.
    Visible,
    /// Invisible, but takes up space.
    Invisible,
    /// Removed with everything in it.
    Removed,
}

/// Returns the visibility that the attributes of an element state.
pub(crate) fn visibility(name: &LocalName, attributes: &[Attribute]) -> ElementVisibility {
    let has = |name| value(attributes, name).is_some();
    if has("hidden") || (&**name == "dialog" && !has("open")) {
        return ElementVisibility::Removed;
    }
    value(attributes, "style").map_or(ElementVisibility::Inherited, visibility_in_style)
}

fn visibility_in_style(style: &str) -> ElementVisibility {
    let mut is_removed = false;
    let mut visibility = ElementVisibility::Inherited;
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
            "display" => is_removed = value == "none",
            "visibility" => {
                visibility = match value.as_str() {
                    "hidden" | "collapse" => ElementVisibility::Invisible,
                    "visible" => ElementVisibility::Visible,
                    _ => visibility,
                };
            }
            // Content cannot be less transparent than its parent.
            "opacity" => is_removed |= value.trim_end_matches('%').parse() == Ok(0.0),
            _ => {}
        }
    }
    if is_removed {
        ElementVisibility::Removed
    } else {
        visibility
    }
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

/// Display of a form field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormField {
    /// Value is shown.
    Shown,
    /// Value is hidden.
    Hidden,
    /// Value is no text.
    Other,
}

/// Returns the display of an `<input>` element.
pub(crate) fn form_field(attributes: &[Attribute]) -> FormField {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_decide_the_visibility() {
        for (style, expected) in [
            ("display:none", ElementVisibility::Removed),
            (
                " color: red; DISPLAY : None !important ",
                ElementVisibility::Removed,
            ),
            ("display:/* ; */none", ElementVisibility::Removed),
            ("display:none;display:block", ElementVisibility::Inherited),
            ("visibility:hidden", ElementVisibility::Invisible),
            ("visibility: collapse;", ElementVisibility::Invisible),
            ("visibility:visible", ElementVisibility::Visible),
            ("visibility:hidden;display:none", ElementVisibility::Removed),
            ("opacity:0.0", ElementVisibility::Removed),
            ("opacity:0%", ElementVisibility::Removed),
            ("opacity:0.5", ElementVisibility::Inherited),
            ("background:display:none", ElementVisibility::Inherited),
            ("display", ElementVisibility::Inherited),
            ("/* display:none", ElementVisibility::Inherited),
            ("", ElementVisibility::Inherited),
        ] {
            assert_eq!(visibility_in_style(style), expected, "{style}");
        }
    }
}
