//! Properties of any file, and of any passage in it.

use std::fmt::Write as _;

use documents::{Document, ReadLimits};
use passage::Quote;
use proptest::collection::vec;
use proptest::prelude::*;

/// Generated file with the words of its body, each with the line on which it begins.
#[derive(Debug)]
struct GeneratedFile {
    file: String,
    words: Vec<(String, u32)>,
}

/// Choices of the style of a word and the gap before it.
type Choices = Vec<(u8, u8)>;

/// Returns a word that occurs once.
fn word(number: usize) -> String {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    [
        'q',
        letter(number / 676),
        letter(number / 26),
        letter(number),
        'z',
    ]
    .iter()
    .collect()
}

fn plain(blocks: &[(u8, Choices)]) -> GeneratedFile {
    let (mut file, mut words, mut line) = (String::new(), Vec::new(), 0);
    for (kind, choices) in blocks {
        for (nth, (style, gap)) in choices.iter().enumerate() {
            if nth > 0 {
                let gap = [" ", "\n", "  \t", "\r\n  "][*gap as usize % 4];
                file.push_str(gap);
                line += u32::from(gap.contains('\n'));
            }
            let word = word(words.len());
            words.push((word.clone(), line));
            if style % 4 == 0 {
                let _ = write!(file, "{}-\n{}", &word[..2], &word[2..]);
                line += 1;
            } else {
                file.push_str(&word);
            }
        }
        file.push_str(["\n", "\n\n", "\r", "\u{c}"][*kind as usize % 4]);
        line += 1;
    }
    GeneratedFile { file, words }
}

fn markdown(blocks: &[(u8, Choices)]) -> GeneratedFile {
    let (mut file, mut words, mut line) = (String::new(), Vec::new(), 0);
    for (kind, choices) in blocks {
        let (start, next) = [
            ("", ""),
            ("> ", "> "),
            ("- ", "  "),
            ("1. > ", "   > "),
            ("[^n] ", ""),
        ][*kind as usize % 5];
        file.push_str(start);
        for (nth, (style, gap)) in choices.iter().enumerate() {
            if nth > 0 && gap % 3 == 0 {
                let _ = write!(file, "\n{next}");
                line += 1;
            } else if nth > 0 {
                file.push(' ');
            }
            let word = word(words.len());
            words.push((word.clone(), line));
            let _ = match style % 10 {
                0 => write!(file, "*{word}*"),
                1 => write!(file, "**{word}**"),
                2 => write!(file, "`{word}`"),
                3 => write!(file, "[{word}](u 'title')"),
                4 => write!(file, "<b>{word}</b>"),
                5 => write!(file, "~~{word}~~"),
                6 => write!(file, "![alt](i){word}"),
                7 => write!(file, "&#{};{}", word.as_bytes()[0], &word[1..]),
                8 => {
                    line += 1;
                    write!(file, "{}-\n{next}{}", &word[..2], &word[2..])
                }
                _ => write!(file, "{word}"),
            };
        }
        file.push_str("\n\n");
        line += 1;
    }
    file.push_str("[^n]: A note.\n");
    GeneratedFile { file, words }
}

fn html(blocks: &[(u8, Choices)]) -> GeneratedFile {
    let (mut file, mut words, mut line) = (String::from("<!doctype html>"), Vec::new(), 0);
    for (kind, choices) in blocks {
        let (start, end) = [
            ("<p>", ""),
            ("<div>", "</div>"),
            ("<ul><li>", "</ul>"),
            ("<table><tr><td>", "</table>"),
            ("<h2>", "</h2>"),
        ][*kind as usize % 5];
        file.push_str(start);
        for (nth, (style, gap)) in choices.iter().enumerate() {
            if nth > 0 {
                let gap = [
                    " ",
                    "\n",
                    "&nbsp;",
                    "<br>",
                    "<!-- x --> ",
                    " <i hidden>not shown</i>",
                ][*gap as usize % 6];
                file.push_str(gap);
                line += u32::from(gap == "<br>");
            }
            let word = word(words.len());
            words.push((word.clone(), line));
            let _ = match style % 7 {
                0 => write!(file, "<b>{word}</b>"),
                1 => write!(file, "<a title=t>{}<i>{}</i></a>", &word[..2], &word[2..]),
                2 => write!(file, "{}&shy;{}", &word[..2], &word[2..]),
                3 => write!(file, "&#{};{}", word.as_bytes()[0], &word[1..]),
                4 => write!(file, "{}<wbr>{}", &word[..2], &word[2..]),
                5 => write!(file, "<img alt=a>{word}"),
                _ => write!(file, "{word}"),
            };
        }
        file.push_str(end);
        line += 1;
    }
    GeneratedFile { file, words }
}

fn blocks() -> impl Strategy<Value = Vec<(u8, Choices)>> {
    vec((any::<u8>(), vec(any::<(u8, u8)>(), 1..12)), 1..8)
}

/// Checks that words in a row are found with the location of the first.
fn check_found(
    file: &GeneratedFile,
    name: &str,
    from: usize,
    count: usize,
) -> Result<(), TestCaseError> {
    let document = Document::read(file.file.as_bytes(), name, &ReadLimits::default());
    let document = document.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let from = from % file.words.len();
    let chosen = &file.words[from..(from + count).min(file.words.len())];
    let quote: Vec<&str> = chosen.iter().map(|(word, _)| word.as_str()).collect();
    let body = &document.text_streams()[0];
    let quote = Quote::new(&quote.join(" "), body.index.text()).expect("short");
    let found = body.index.find(&quote, None);
    prop_assert!(
        found.is_some(),
        "{:?} is not in {:?}",
        quote.normalised(),
        file.file
    );
    let place = found.and_then(|found| document.locate(body, found.range));
    let line = &document.lines()[chosen[0].1 as usize];
    prop_assert_eq!(
        place.map(|place| place.first),
        Some((line.page, line.number)),
        "{:?}",
        file.file
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_passage_is_found_at_its_location(
        blocks in blocks(),
        from in any::<usize>(),
        count in 1usize..20,
    ) {
        check_found(&plain(&blocks), "a.txt", from, count)?;
        check_found(&markdown(&blocks), "a.md", from, count)?;
        check_found(&html(&blocks), "a.html", from, count)?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(data in vec(any::<u8>(), 0..400)) {
        crate::fuzz_target::check_bytes(&data);
    }

    #[test]
    fn any_sequence_of_fragments_is_read(mode in 4u8..8, choices in vec(any::<u8>(), 0..60)) {
        let mut data = vec![mode];
        data.extend(choices);
        crate::fuzz_target::check_bytes(&data);
    }

    #[test]
    fn any_text_is_read(mode in 0u8..4, text in "\\PC{0,200}") {
        let mut data = vec![mode];
        data.extend(text.into_bytes());
        crate::fuzz_target::check_bytes(&data);
    }

    #[test]
    fn encodings_of_a_text_are_the_same_document(text in "[a-zéàü \n]{1,80}") {
        let read = |bytes: &[u8]| {
            let document = Document::read(bytes, "a.txt", &ReadLimits::default()).expect("it is text");
            document.lines().to_vec()
        };
        let plain = read(text.as_bytes());
        let with_mark = |mark: &[u8], bytes: Vec<u8>| [mark, &bytes].concat();
        let wide: Vec<u16> = text.encode_utf16().collect();
        let little = wide.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big = wide.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        prop_assert_eq!(&read(&with_mark(b"\xef\xbb\xbf", text.clone().into_bytes())), &plain);
        prop_assert_eq!(&read(&with_mark(b"\xff\xfe", little)), &plain);
        prop_assert_eq!(&read(&with_mark(b"\xfe\xff", big)), &plain);
        let narrow: Vec<u8> = text.chars().map(|c| c as u8).collect();
        prop_assert_eq!(&read(&narrow), &plain);
    }
}
