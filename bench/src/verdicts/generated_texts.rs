//! Generated texts: the yearly report of a fictitious harbour, with many details that can be
//! misquoted.

use pincite_bench::corpus::rng::Rng;
use unicode_normalization::UnicodeNormalization;

/// Number of sentences of a text.
const SENTENCES: usize = 420;
/// Number of characters of a line.
const WIDTH: usize = 76;
/// Number of lines of a page.
const PAGE: usize = 40;
/// Sentence at the end of every few paragraphs.
const REFRAIN: &str = "This statement was not audited and must be read together with the notes.";

const PEOPLE: [&str; 12] = [
    "Adele Fournier",
    "Björn Lindqvist",
    "Clara Núñez",
    "Dmitri Volkov",
    "Élodie Marchand",
    "Femi Adeyemi",
    "Greta Haugen",
    "Hugo Brandão",
    "Ines Kovač",
    "Jonas Müller",
    "Karin Østby",
    "Lucia Ferrara",
];
const PLACES: [&str; 10] = [
    "Northquay",
    "Eastmere",
    "Port Alder",
    "Saltholm",
    "Brackwater",
    "Fenwick",
    "Marrowby",
    "Tidewell",
    "Kingsreach",
    "Ostrand",
];
const FIRMS: [&str; 8] = [
    "Calder Shipping",
    "Brightwater Lines",
    "Hollis Freight",
    "Sundgren Marine",
    "Pelagic Cargo",
    "Rowan Dredging",
    "Quayside Energy",
    "Vantage Pilots",
];
const THINGS: [&str; 16] = [
    "terminal",
    "breakwater",
    "warehouse",
    "ferry",
    "contract",
    "survey",
    "channel",
    "turbine",
    "tariff",
    "inspection",
    "pilot boat",
    "storage yard",
    "customs office",
    "deep-water berth",
    "roll-on ramp",
    "lighthouse",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const TEMPLATES: [&str; 38] = [
    "In {place} the cargo volume rose by {percent} to {big} tonnes, while the {thing} lost {percent} of its traffic.",
    "{person} said that the {thing} will not reopen before {date}.",
    "The board of {firm} may extend the {thing}, but only if {place} pays {money}.",
    "All vessels over {count} metres must report to {place} at least {count} hours before arrival.",
    "{person} and {person} signed the agreement with {firm} on {date}.",
    "The {thing} of {place} was completed in {year}, {count} months later than planned.",
    "Revenue fell from {money} in {year} to {money} in {year}.",
    "Most of the ferries to {place} were cancelled because the wind was stronger than {count} knots.",
    "The lowest water temperature was {negative} degrees, measured near {place} on {isodate}.",
    "{firm} holds {decimal} percent of the shares; {person} holds almost all of the rest.",
    "Some of the pilots were never asked about the {thing}.",
    "The new {thing} is {decimal} kilometres longer than the old one in {place}.",
    "After the storm the {thing} could not be used for {count} days.",
    "It is the largest {thing} on the coast and handles {big} containers a year.",
    "The report does not say whether {person} knew of the {thing} before {date}.",
    "{person} called the result “a modest gain” and asked for a second survey.",
    "Fees for the {thing} increased to {money} per vessel, including {percent} for maintenance.",
    "None of the tenders for the {thing} was higher than {money}.",
    "The depth of the channel is {decimal} metres at low tide and {decimal} metres at high tide.",
    "{firm} shall repair the {thing} within {count} weeks and without further payment.",
    "Fewer than {count} of the {count} berths in {place} were free in {month} {year}.",
    "The harbour master can close the {thing} whenever visibility is below {count} metres.",
    "Nearly {percent} of the grain came from {place}, which has no storage of its own.",
    "{person} didn't approve the well-known {thing} plan of {place}.",
    "The {thing} cost {money}, that is {percent} more than in {year}.",
    "Emissions decreased by {decimal} percent after the {thing} was connected to shore power.",
    "Both cranes at {place} have a limit of {count} tonnes and should be replaced by {year}.",
    "No ship of {firm} entered the {thing} between {date} and {date}.",
    "The audit covers {big} entries, of which {count} were wrong and several were missing.",
    "The first {thing} opened in {place} on {date}; the last one closed in {year}.",
    "Every licence for the {thing} expires after {count} years unless {person} renews it.",
    "The net result was {negative} million, compared with {decimal} million in {year}.",
    "Many sailors prefer {place} to {place} because the {thing} is open at night.",
    "{person} expects that {firm} might sell the {thing} to {firm}.",
    "Traffic in the first quarter was {decimal} times higher than in the last quarter of {year}.",
    "The long-term lease of the {thing} — {count} years — always begins on the first day of {month}.",
    "About {count} tonnes of ice were removed, partly by hand, from the {thing} near {place}.",
    "The council’s offer of {money} was rejected, although {person} had accepted the terms.",
];

/// Returns the generated texts with their names.
pub(crate) fn texts(seed: &str) -> Vec<(String, String)> {
    let prose = |name: &str| paragraphs(&mut Rng::new(&format!("{seed}/{name}")));
    let set = |name: &str, pages: bool, fine: bool| {
        let text = set(&prose(name), pages, fine);
        (format!("generated: {name}"), text)
    };
    vec![
        set("one page", false, false),
        set("pages", true, false),
        set("typeset pages", true, true),
    ]
}

fn paragraphs(rng: &mut Rng) -> Vec<String> {
    let mut paragraphs = Vec::new();
    let mut written = 0;
    while written < SENTENCES {
        let count = rng.within(3, 7);
        let mut sentences: Vec<String> = (0..count).map(|_| sentence(rng)).collect();
        if rng.below(5) == 0 {
            sentences.push(REFRAIN.to_owned());
        }
        written += sentences.len();
        paragraphs.push(sentences.join(" "));
    }
    paragraphs
}

fn sentence(rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut rest = rng.pick(&TEMPLATES);
    while let Some((before, slot_on)) = rest.split_once('{') {
        let (slot, after) = slot_on.split_once('}').unwrap_or((slot_on, ""));
        out.push_str(before);
        out.push_str(&fill(rng, slot));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn fill(rng: &mut Rng, slot: &str) -> String {
    match slot {
        "person" => rng.pick(&PEOPLE).to_owned(),
        "place" => rng.pick(&PLACES).to_owned(),
        "firm" => rng.pick(&FIRMS).to_owned(),
        "thing" => rng.pick(&THINGS).to_owned(),
        "month" => rng.pick(&MONTHS).to_owned(),
        "year" => rng.within(1962, 2024).to_string(),
        "count" => rng.within(11, 980).to_string(),
        "decimal" => format!("{}.{}", rng.within(2, 48), rng.within(1, 99)),
        "percent" => match rng.below(2) {
            0 => format!("{}%", rng.within(3, 60)),
            _ => format!("{}.{} %", rng.within(1, 40), rng.within(1, 9)),
        },
        "negative" => format!("-{}.{}", rng.within(2, 30), rng.within(1, 9)),
        "big" => format!(
            "{},{:03},{:03}",
            rng.within(1, 96),
            rng.below(1000),
            rng.below(1000)
        ),
        "money" => match rng.below(3) {
            0 => format!("${}.{} million", rng.within(2, 80), rng.within(1, 9)),
            1 => format!(
                "€{},{:03},{:03}",
                rng.within(1, 40),
                rng.below(1000),
                rng.below(1000)
            ),
            _ => format!("{} million euros", rng.within(3, 700)),
        },
        "date" => match rng.below(2) {
            0 => format!(
                "{} {} {}",
                rng.within(1, 28),
                rng.pick(&MONTHS),
                rng.within(1990, 2024)
            ),
            _ => format!(
                "{} {}, {}",
                rng.pick(&MONTHS),
                rng.within(1, 28),
                rng.within(1990, 2024)
            ),
        },
        _ => format!(
            "{}-{:02}-{:02}",
            rng.within(1990, 2024),
            rng.within(1, 12),
            rng.within(1, 28)
        ),
    }
}

/// Breaks paragraphs into lines and pages. Fine typesetting hyphenates words and uses ligatures.
fn set(paragraphs: &[String], pages: bool, fine: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in paragraphs {
        let text = if fine {
            finer(paragraph)
        } else {
            paragraph.clone()
        };
        let mut line = String::new();
        for word in text.split(' ') {
            let room = WIDTH.saturating_sub(line.chars().count());
            if word.chars().count() < room {
                line.push_str(if line.is_empty() { "" } else { " " });
                line.push_str(word);
                continue;
            }
            let plain = word.len() > 7 && word.bytes().all(|byte| byte.is_ascii_lowercase());
            let cut = (fine && plain && room > 5).then(|| (room - 2).min(word.len() - 3));
            let (head, tail) = word.split_at(cut.unwrap_or(0));
            if cut.is_some() {
                line.push(' ');
                line.push_str(head);
                line.push('-');
            }
            lines.push(std::mem::replace(&mut line, tail.to_owned()));
        }
        lines.extend([line, String::new()]);
    }
    let page = if pages { PAGE } else { lines.len().max(1) };
    let pages: Vec<String> = lines.chunks(page).map(|lines| lines.join("\n")).collect();
    pages.join("\n\u{c}")
}

/// Adds ligatures, curly apostrophes and decomposed accents.
fn finer(text: &str) -> String {
    let text: String = text.nfd().collect();
    text.replace("fi", "ﬁ")
        .replace("fl", "ﬂ")
        .replace('\'', "’")
}
