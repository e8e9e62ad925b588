//! Evidence of the surroundings of two credits.

use std::collections::BTreeSet;

use super::Evidence;
use super::pair::ComparedContext;
use crate::names::{PersonName, search_words};

/// Names that say nothing about the people around a credit.
const PLACEHOLDERS: [&str; 6] = [
    "various",
    "unknown artist",
    "various artists",
    "no artist",
    "traditional",
    "unknown",
];

/// Returns the evidence of the surroundings. `own_names` are the compared names, which are no evidence themselves.
pub(super) fn compare(
    one: &ComparedContext,
    other: &ComparedContext,
    own_names: &[&str],
) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    evidence.extend(compare_release(one, other));
    evidence.extend(compare_circles(one, other, own_names));
    evidence.extend(compare_labels(one, other));
    evidence.extend(compare_styles(one, other));
    evidence.extend(compare_country(one, other));
    evidence.extend(compare_years(one, other));
    evidence.extend(compare_roles(one, other));
    evidence
}

fn folded(text: &str) -> String {
    search_words(text).join(" ")
}

fn folded_set(texts: &[String]) -> BTreeSet<String> {
    texts
        .iter()
        .map(|text| folded(text))
        .filter(|text| !text.is_empty())
        .collect()
}

fn compare_release(one: &ComparedContext, other: &ComparedContext) -> Option<Evidence> {
    let (a, b) = (
        folded(one.release.as_deref()?),
        folded(other.release.as_deref()?),
    );
    if a != b || a.is_empty() {
        return None;
    }
    let is_same_artist =
        !folded_set(&one.release_artist).is_disjoint(&folded_set(&other.release_artist));
    let is_same_label = !folded_set(&one.labels).is_disjoint(&folded_set(&other.labels));
    let title = one.release.as_deref().unwrap_or_default();
    match is_same_artist || is_same_label {
        true => Some(Evidence::new(1.6, format!("same release: {title}"))),
        false => Some(Evidence::new(
            0.3,
            format!("releases of the same title: {title}"),
        )),
    }
}

/// Returns the people around a credit by a key that most forms of a name share.
fn circle(context: &ComparedContext, own_names: &BTreeSet<String>) -> BTreeSet<String> {
    let names = context.with.iter().chain(&context.release_artist);
    names
        .filter(|name| !PLACEHOLDERS.contains(&folded(name).as_str()))
        .map(|name| PersonName::parse(name).blocking_key())
        .filter(|key| key.len() > 1 && !own_names.contains(key))
        .collect()
}

fn compare_circles(
    one: &ComparedContext,
    other: &ComparedContext,
    own_names: &[&str],
) -> Option<Evidence> {
    let own: BTreeSet<String> = own_names
        .iter()
        .map(|name| PersonName::parse(name).blocking_key())
        .collect();
    let (a, b) = (circle(one, &own), circle(other, &own));
    let shared: Vec<&String> = a.intersection(&b).collect();
    let smaller = a.len().min(b.len());
    if smaller == 0 {
        return None;
    }
    match shared.len() {
        0 if smaller >= 4 => Some(Evidence::new(-0.5, "no co-credited name in common")),
        0 => Some(Evidence::new(-0.3, "no co-credited name in common")),
        count => {
            let bonus = if 2 * count >= smaller { 0.4 } else { 0.0 };
            let weight = 1.0 + 0.6 * (count.min(4) as f64) + bonus;
            let first = a
                .intersection(&b)
                .next()
                .map(String::as_str)
                .unwrap_or_default();
            Some(Evidence::new(
                weight,
                format!("{count} co-credited names in common, such as “{first}”"),
            ))
        }
    }
}

fn compare_labels(one: &ComparedContext, other: &ComparedContext) -> Option<Evidence> {
    let (a, b) = (folded_set(&one.labels), folded_set(&other.labels));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    match a.intersection(&b).next() {
        Some(label) if label.starts_with("not on label") => None,
        Some(label) => Some(Evidence::new(1.3, format!("same label: {label}"))),
        None => Some(Evidence::new(-0.2, "different labels")),
    }
}

fn compare_styles(one: &ComparedContext, other: &ComparedContext) -> Option<Evidence> {
    let styles = (folded_set(&one.styles), folded_set(&other.styles));
    let genres = (folded_set(&one.genres), folded_set(&other.genres));
    if let Some(style) = styles.0.intersection(&styles.1).next() {
        let shared = styles.0.intersection(&styles.1).count();
        let weight = if shared > 1 { 1.0 } else { 0.7 };
        return Some(Evidence::new(weight, format!("same style: {style}")));
    }
    if genres.0.is_empty() || genres.1.is_empty() {
        return None;
    }
    match genres.0.intersection(&genres.1).next() {
        Some(genre) if styles.0.is_empty() || styles.1.is_empty() => {
            Some(Evidence::new(0.3, format!("same genre: {genre}")))
        }
        Some(genre) => Some(Evidence::new(
            -0.2,
            format!("same genre, other styles: {genre}"),
        )),
        None => Some(Evidence::new(-1.3, "different genres")),
    }
}

fn compare_country(one: &ComparedContext, other: &ComparedContext) -> Option<Evidence> {
    let (a, b) = (
        folded(one.country.as_deref()?),
        folded(other.country.as_deref()?),
    );
    let is_region = |country: &str| {
        matches!(
            country,
            "europe" | "unknown" | "worldwide" | "uk europe" | "uk us" | "usa europe"
        )
    };
    if a.is_empty() || b.is_empty() || is_region(&a) || is_region(&b) {
        return None;
    }
    let is_large = matches!(a.as_str(), "us" | "uk" | "germany");
    match a == b {
        true if is_large => Some(Evidence::new(0.3, "same country")),
        true => Some(Evidence::new(0.7, "same country")),
        false => Some(Evidence::new(-0.5, "different countries")),
    }
}

fn compare_years(one: &ComparedContext, other: &ComparedContext) -> Option<Evidence> {
    let years = one.year?.abs_diff(other.year?);
    let weight = match years {
        0..=2 => 0.4,
        3..=6 => 0.2,
        7..=14 => -0.2,
        15..=25 => -0.7,
        26..=40 => -1.2,
        _ => -1.8,
    };
    let reason = match years {
        0 => "same year".to_owned(),
        years => format!("{years} years apart"),
    };
    Some(Evidence::new(weight, reason))
}

/// Trade of a role: people often have several roles of one trade and seldom roles of two.
fn trade(role: &str) -> Option<&'static str> {
    let role = role.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| role.contains(word));
    if has(&[
        "written",
        "composed",
        "lyrics",
        "words",
        "music by",
        "songwriter",
        "composer",
        "lyricist",
        "author",
    ]) {
        Some("writing")
    } else if has(&["produc", "remix", "mix", "program", "arrang"]) {
        Some("production")
    } else if has(&[
        "engineer",
        "master",
        "record",
        "lacquer",
        "edited",
        "technician",
    ]) {
        Some("engineering")
    } else if has(&[
        "photo",
        "design",
        "art",
        "layout",
        "illustration",
        "cover",
        "sleeve",
        "liner",
        "management",
        "executive",
        "a&r",
        "coordinator",
    ]) {
        Some("design and business")
    } else if has(&[
        "vocal",
        "voice",
        "guitar",
        "bass",
        "drum",
        "piano",
        "keyboard",
        "sax",
        "trumpet",
        "violin",
        "performer",
        "featuring",
        "percussion",
        "flute",
        "cello",
        "organ",
        "synth",
        "conductor",
        "trombone",
        "accordion",
    ]) {
        Some("performance")
    } else {
        None
    }
}

fn compare_roles(one: &ComparedContext, other: &ComparedContext) -> Option<Evidence> {
    let (a, b) = (trade(one.role.as_deref()?)?, trade(other.role.as_deref()?)?);
    if a == b {
        return Some(Evidence::new(0.4, format!("same trade: {a}")));
    }
    let is_other_world = (a == "design and business") != (b == "design and business");
    Some(match is_other_world {
        true => Evidence::new(-0.9, format!("different trades: {a} and {b}")),
        false => Evidence::new(-0.1, format!("different trades: {a} and {b}")),
    })
}
