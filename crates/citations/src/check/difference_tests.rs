//! Assessments of differences between a quote and a passage.

use passage::{NormalisedText, PassageTextIndex, Quote};

use super::differences::{DiffAssessment, QuoteDifference, assess};

#[track_caller]
fn judge(quote: &str, source: &str) -> DiffAssessment {
    let index = PassageTextIndex::new(NormalisedText::new(source).expect("short"));
    let quote = Quote::new(quote, index.text()).expect("short");
    let diff = quote.diff(index.text(), 0..source.len());
    assess(&diff, &quote, &index)
}

/// Asserts the assessment of a source with one part replaced, in both directions.
#[track_caller]
fn assert_exchange(source: &str, from: &str, to: &str, expected: DiffAssessment) {
    let quote = source.replacen(from, to, 1);
    assert_ne!(quote, source, "{from}");
    assert_eq!(judge(&quote, source), expected, "{quote}");
    assert_eq!(judge(source, &quote), expected, "of {quote}");
}

#[test]
fn a_changed_number_changes_the_meaning() {
    for (source, from, to) in [
        (
            "It was 97.5 of the total that they had on the day",
            "97.5",
            "9.75",
        ),
        (
            "It was 8.0 of the total that they had on the day",
            "8.0",
            "80",
        ),
        (
            "The air was at −5 degrees in the whole valley then",
            "−5",
            "5",
        ),
        (
            "It took 3-4 workers to lift the bell from the tower",
            "3-4",
            "34",
        ),
        (
            "It took 3-4 workers to lift the bell from the tower",
            "3-4",
            "3 4",
        ),
        (
            "The ship will leave the harbour at 5 a.m. on a Sunday",
            "a.m.",
            "p.m.",
        ),
        (
            "The ship will leave the harbour at 5 am on a Sunday",
            "am",
            "pm",
        ),
        (
            "The ship will leave the harbour at 5am on a Sunday",
            "am",
            "pm",
        ),
        (
            "The rule is in Chapter IV of the old book of rules",
            "IV",
            "VI",
        ),
        (
            "He drank ½ of the whole bottle before it was noon",
            "½",
            "¼",
        ),
        (
            "He drank 1/2 of the whole bottle before it was noon",
            "1/2",
            "1/3",
        ),
        (
            "It was the area in x² of the whole map of the town",
            "x²",
            "x³",
        ),
        (
            "There were seven ships in the harbour on that night",
            "seven",
            "eight",
        ),
        (
            "In 2024 the harbour was closed for the whole winter",
            "2024",
            "2023",
        ),
        (
            "The share was 45 % of all the goods in the harbour",
            " %",
            "",
        ),
    ] {
        assert_exchange(
            source,
            from,
            to,
            DiffAssessment::ChangesMeaning(QuoteDifference::Number),
        );
    }
    assert_eq!(
        judge(
            "signed on 4 March 2024 in the old town",
            "signed on 3 March 2024 in the old town"
        ),
        DiffAssessment::ChangesMeaning(QuoteDifference::Number)
    );
}

#[test]
fn a_changed_unit_changes_the_meaning() {
    for (source, from, to) in [
        (
            "The dose was 5 mg for a patient on the first day",
            "mg",
            "µg",
        ),
        (
            "The dose was 5mg for a patient on the first day",
            "mg",
            "µg",
        ),
        (
            "The disk has 20 MB of space for the log of the day",
            "MB",
            "GB",
        ),
        (
            "It made 30 MWh of power over the whole winter then",
            "MWh",
            "kWh",
        ),
        (
            "The hall has 40 m² of floor and a roof of red tiles",
            "m²",
            "m³",
        ),
        (
            "It takes 40 ms to write the log of the whole day",
            "ms",
            "s",
        ),
        (
            "The answer took 12 hours and a half of the team",
            "hours",
            "days",
        ),
        (
            "It cost 12 euros to send the box to the island",
            "euros",
            "dollars",
        ),
        ("It cost €12 to send the box to the old island", "€", "$"),
        ("The plant gives 5 MW to the town in the winter", "MW", "mW"),
    ] {
        assert_exchange(
            source,
            from,
            to,
            DiffAssessment::ChangesMeaning(QuoteDifference::Unit),
        );
    }
}

#[test]
fn exchanged_words_change_the_meaning() {
    let english = "The committee has said that the legal price did increase with the same top goods, \
        which it includes and which are dependent on the board of the town of Bergen.";
    for (from, to, difference) in [
        ("increase", "decrease", QuoteDifference::WordExchanged),
        ("legal", "illegal", QuoteDifference::WordExchanged),
        ("includes", "excludes", QuoteDifference::WordExchanged),
        ("same", "different", QuoteDifference::WordExchanged),
        ("top", "bottom", QuoteDifference::WordExchanged),
        ("dependent", "independent", QuoteDifference::WordExchanged),
        ("with", "without", QuoteDifference::Negation),
        ("has said", "may have said", QuoteDifference::WordsAdded),
        ("Bergen", "Hamburg", QuoteDifference::Name),
        (
            "did increase",
            "did not increase",
            QuoteDifference::Negation,
        ),
        ("goods", "ships", QuoteDifference::WordExchanged),
    ] {
        let quote = english.replacen(from, to, 1);
        let expected = DiffAssessment::ChangesMeaning(difference);
        assert_eq!(judge(&quote, english), expected, "{quote}");
    }
    let german = "Der Preis ist nach der Prüfung durch das Amt gestiegen, und der Vertrag ist wirksam geworden.";
    for (from, to) in [
        ("gestiegen", "gesunken"),
        ("wirksam", "unwirksam"),
        ("Vertrag", "Gewinn"),
    ] {
        let expected = DiffAssessment::ChangesMeaning(QuoteDifference::WordExchanged);
        assert_exchange(german, from, to, expected);
    }
    let persian = "این کتاب در شهر تهران منتشر شد و مردم آن را با علاقه خواندند";
    for (from, to) in [
        ("تهران", "شیراز"),
        ("کتاب", "شعر"),
        ("مردم", "زنان"),
        ("علاقه", "نفرت"),
    ] {
        let expected = DiffAssessment::ChangesMeaning(QuoteDifference::WordExchanged);
        assert_exchange(persian, from, to, expected);
    }
    assert_eq!(
        judge(
            "این کتاب در تهران منتشر نمی‌شود و مردم",
            "این کتاب در تهران منتشر می‌شود و مردم"
        ),
        DiffAssessment::ChangesMeaning(QuoteDifference::WordExchanged)
    );
}

#[test]
fn the_order_of_words_matters() {
    assert_eq!(
        judge(
            "the river flows past the mill and the tower",
            "the mill flows past the river and the tower"
        ),
        DiffAssessment::ChangesMeaning(QuoteDifference::Order)
    );
}

#[test]
fn slips_forms_and_function_words_are_harmless() {
    let source = "The committee opened the annual budget of the harbour on a rainy day in autumn.";
    for (from, to, difference) in [
        ("committee", "comittee", QuoteDifference::Spelling),
        ("opened", "opend", QuoteDifference::Spelling),
        ("the annual", "teh annual", QuoteDifference::Spelling),
        ("opened", "opens", QuoteDifference::WordForm),
        ("the annual", "an annual", QuoteDifference::WordExchanged),
        (
            "the annual budget",
            "annual budget",
            QuoteDifference::WordsMissing,
        ),
        (
            "rainy day",
            "rainy and cold day",
            QuoteDifference::WordsAdded,
        ),
        (
            "the annual budget",
            "the, annual budget",
            QuoteDifference::Punctuation,
        ),
        ("the harbour", "the har-bour", QuoteDifference::Spelling),
    ] {
        let quote = source.replacen(from, to, 1);
        assert_eq!(
            judge(&quote, source),
            DiffAssessment::Harmless(difference),
            "{quote}"
        );
    }
}

#[test]
fn footnote_marks_may_be_left_out() {
    let quote = "The treaty of the two towns was signed by the EU in 2019 and it holds.";
    for (from, to) in [
        ("treaty", "treaty¹"),
        ("towns", "towns [12]"),
        ("towns", "towns[12][13]"),
        ("towns", "towns*"),
        ("EU", "EU³"),
        ("2019", "2019¹"),
        ("towns", "towns[a]"),
    ] {
        let source = quote.replacen(from, to, 1);
        assert_eq!(
            judge(quote, &source),
            DiffAssessment::SameWithoutMarks,
            "{source}"
        );
        // A mark that only the quote has is no mark of the source; an asterisk may be emphasis.
        let reversed = judge(&source, quote) == DiffAssessment::SameWithoutMarks;
        assert_eq!(reversed, to.ends_with('*'), "{source}");
    }
    for (from, to) in [
        ("2019", "2019 and 12"),
        ("treaty", "treaty 12"),
        ("towns", "10² towns"),
    ] {
        let source = quote.replacen(from, to, 1);
        assert_ne!(
            judge(quote, &source),
            DiffAssessment::SameWithoutMarks,
            "{source}"
        );
    }
}

#[test]
fn footnote_marks_may_be_plain_digits() {
    let quote = "It uses a hash function2 of the town. Then it holds for the year.";
    let source = "It uses a hash function² of the town. Then it holds for the year.";
    assert_eq!(judge(quote, source), DiffAssessment::SameWithoutMarks);
    let plain = "It uses a hash function of the town. Then it holds for the year.";
    let attached = "It uses a hash function of the town.11 Then it holds for the year.";
    assert_eq!(judge(plain, attached), DiffAssessment::SameWithoutMarks);
    for (quote, source) in [
        (
            "The page size is 215 in the new file",
            "The page size is 2¹⁵ in the new file",
        ),
        (
            "It is part of the rule ASN. in the list",
            "It is part of the rule ASN.1 in the list",
        ),
        (
            "It is the function3 of the old town",
            "It is the function² of the old town",
        ),
    ] {
        assert_ne!(
            judge(quote, source),
            DiffAssessment::SameWithoutMarks,
            "{quote}"
        );
    }
}

#[test]
fn emphasis_of_markdown_may_be_left_out_or_added() {
    let plain = "The treaty of the two towns was signed in winter and it holds.";
    let marked = plain.replacen("two towns", "**two towns**", 1);
    assert_eq!(judge(plain, &marked), DiffAssessment::SameWithoutMarks);
    assert_eq!(judge(&marked, plain), DiffAssessment::SameWithoutMarks);
    for (marked, plain) in [
        (
            "there were *2682* boats in the bay",
            "there were 2682 boats in the bay",
        ),
        (
            "in 2757 *which* was a good year",
            "in 2757 which was a good year",
        ),
    ] {
        assert_eq!(
            judge(marked, plain),
            DiffAssessment::SameWithoutMarks,
            "{marked}"
        );
    }
    for (product, other) in [
        (
            "the area is 2 * 3 of the field",
            "the area is 2 3 of the field",
        ),
        (
            "the area is 2 *3 of the field",
            "the area is 2 3 of the field",
        ),
        (
            "the area is 2 * x of the field",
            "the area is 2 x of the field",
        ),
    ] {
        assert_ne!(
            judge(product, other),
            DiffAssessment::SameWithoutMarks,
            "{product}"
        );
    }
}

#[test]
fn a_word_for_several_is_an_exchange() {
    assert_eq!(
        judge(
            "the legal limit is different in both towns",
            "the legal limit is the same in both towns"
        ),
        DiffAssessment::ChangesMeaning(QuoteDifference::WordExchanged)
    );
}

#[test]
fn another_sentence_is_not_the_quote() {
    let other = judge(
        "no sailor knows where those ships went",
        "the committee approved the annual budget",
    );
    assert_eq!(other, DiffAssessment::Other(None));
}

#[test]
fn a_misspelling_that_is_a_known_word_counts() {
    let source = "it is now closed and was not closed then";
    assert_eq!(
        judge("it is not closed and was not closed then", source),
        DiffAssessment::ChangesMeaning(QuoteDifference::Negation)
    );
}
