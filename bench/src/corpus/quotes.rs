//! Generated texts and quotes with known positions, the input of the rows about passages.

use std::fmt::Write as _;
use std::path::Path;

use super::rng::Rng;
use super::{quoted, save};

const SYLLABLES: [&str; 40] = [
    "al", "ba", "ber", "cor", "da", "del", "en", "fa", "fi", "flo", "ga", "gri", "ha", "in", "jo",
    "ka", "lan", "le", "mi", "mon", "na", "ner", "off", "os", "pa", "pri", "qua", "ra", "ren",
    "sa", "ste", "ta", "ter", "tion", "ul", "va", "ver", "wen", "ya", "zu",
];
const WORDS: usize = 6_000;
/// Characters of a quote before it is edited.
const QUOTE: usize = 200;
/// Quotes per kind.
const QUOTES: usize = 30;
/// Share of a quote's characters that is edited, in percent: each for a third of the quotes.
const EDITS: [usize; 3] = [2, 5, 10];
const SIZES: [(&str, usize); 3] = [("100KB", 100_000), ("1MB", 1_000_000), ("10MB", 10_000_000)];

/// Writes the texts, their quotes and one typeset text.
pub(super) fn write(dir: &Path) -> Result<(), String> {
    for (size, bytes) in SIZES {
        let mut rng = Rng::new(size);
        let text = prose(&mut rng, bytes);
        save(dir, &format!("text-{size}.txt"), &text)?;
        let edited = quotes(&mut rng, &text, size, |rng, index, quote| {
            edited(rng, quote, EDITS[index % EDITS.len()])
        });
        save(dir, &format!("edited-{size}.json"), &edited)?;
        let exact = quotes(&mut rng, &text, size, |_, _, quote| quote.to_owned());
        save(dir, &format!("exact-{size}.json"), &exact)?;
        if size == "10MB" {
            save(dir, "typeset-10MB.txt", &typeset(&mut rng, &text))?;
        }
    }
    Ok(())
}

/// Generates ASCII prose of invented words, few of them common, with numbers and punctuation.
pub(super) fn prose(rng: &mut Rng, bytes: usize) -> String {
    let words: Vec<String> = (0..WORDS)
        .map(|_| {
            let syllables = rng.within(1, 4);
            (0..syllables).map(|_| rng.pick(&SYLLABLES)).collect()
        })
        .collect();
    let mut text = String::with_capacity(bytes + 300);
    while text.len() < bytes {
        let length = rng.within(8, 22);
        for place in 0..length {
            // The cube of a uniform choice prefers the first words.
            let choice = rng.decimal(1, 6).powi(3);
            let word = &words[(choice * WORDS as f64) as usize];
            match place {
                0 => {
                    text.push_str(&word[..1].to_uppercase());
                    text.push_str(&word[1..]);
                }
                3 if rng.below(5) == 0 => {
                    let _ = write!(text, "\"{word}\"");
                }
                6 if rng.below(7) == 0 => {
                    let _ = write!(text, "{}", rng.within(1, 9_999));
                }
                _ => text.push_str(word),
            }
            if place == 5 && rng.below(3) == 0 {
                text.push(',');
            }
            text.push_str(if place + 1 == length { ". " } else { " " });
        }
        if rng.below(8) == 0 {
            text.push_str("\n\n");
        }
    }
    text.truncate(bytes);
    text
}

/// Returns the quotes of a text as JSON: edited text, position in the source, source file.
fn quotes(
    rng: &mut Rng,
    text: &str,
    size: &str,
    mut change: impl FnMut(&mut Rng, usize, &str) -> String,
) -> String {
    let quotes = super::joined((0..QUOTES).map(|index| {
        // A quote consists of whole words.
        let near = rng.below(text.len() - QUOTE - 100);
        let after_space = |at: usize| text[at..].find(' ').map_or(at, |space| at + space);
        let (start, end) = (after_space(near) + 1, after_space(near + QUOTE));
        let quote = quoted(&change(rng, index, &text[start..end]));
        format!(r#"{{"quote":{quote},"start":{start},"end":{end}}}"#)
    }));
    format!(r#"{{"text":"text-{size}.txt","quotes":[{quotes}]}}"#)
}

/// Replaces, adds or drops a percentage of the characters of a quote.
fn edited(rng: &mut Rng, quote: &str, percent: usize) -> String {
    let mut chars: Vec<char> = quote.chars().collect();
    for _ in 0..(chars.len() * percent / 100).max(1) {
        let at = rng.below(chars.len());
        let letter = char::from(b'a' + rng.below(26) as u8);
        match rng.below(4) {
            0 | 1 => chars[at] = letter,
            2 => chars.insert(at, letter),
            _ => {
                chars.remove(at);
            }
        }
    }
    chars.into_iter().collect()
}

/// Typesets a text: lines, hyphenated words, ligatures, curly quotation marks.
fn typeset(rng: &mut Rng, text: &str) -> String {
    const LIGATURES: [(&str, char); 2] = [("fi", 'ﬁ'), ("fl", 'ﬂ')];
    let mut out = String::with_capacity(text.len() * 11 / 10);
    let (mut at, mut column) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let found = LIGATURES.iter().find(|(plain, _)| rest.starts_with(plain));
        if let Some((plain, ligature)) = found.filter(|_| rng.below(10) < 7) {
            out.push(*ligature);
            (at, column) = (at + plain.len(), column + 1);
            continue;
        }
        (at, column) = (at + c.len_utf8(), column + 1);
        let letter_next = rest[c.len_utf8()..].starts_with(|next: char| next.is_ascii_lowercase());
        match c {
            '"' => out.push(['“', '”'][rng.below(2)]),
            ' ' if column > 72 => {
                out.push('\n');
                column = 0;
            }
            ' ' if rng.below(33) == 0 => out.push_str("  "),
            c if c.is_ascii_lowercase() && letter_next && column > 76 => {
                out.push(c);
                out.push_str("-\n");
                column = 0;
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Rng, prose, quotes, typeset};

    #[test]
    fn quotes_are_at_their_recorded_positions() {
        let text = prose(&mut Rng::new("test"), 20_000);
        let json = quotes(&mut Rng::new("places"), &text, "X", |_, _, q| q.to_owned());
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let quotes = json["quotes"].as_array().expect("a list");
        assert_eq!(quotes.len(), super::QUOTES);
        for quote in quotes {
            let place = |key: &str| quote[key].as_u64().expect("a place") as usize;
            assert_eq!(quote["quote"], text[place("start")..place("end")]);
            assert!((190..300).contains(&(place("end") - place("start"))));
        }
    }

    #[test]
    fn typesetting_keeps_the_letters() {
        let text = prose(&mut Rng::new("test"), 20_000);
        let set = typeset(&mut Rng::new("set"), &text);
        assert!(set.contains("-\n") && set.contains('ﬁ') && set.contains('“'));
        let letters = |text: &str| -> String {
            let plain = text.replace('ﬁ', "fi").replace('ﬂ', "fl");
            plain.chars().filter(char::is_ascii_alphanumeric).collect()
        };
        assert_eq!(letters(&set), letters(&text));
    }
}
