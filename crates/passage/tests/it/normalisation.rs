//! Texts that normalisation makes equal, and texts that stay different.

use passage::{CommaMeaning, NormalisedText, PassageTextIndex, Quote};

fn found_with(text: &str, quote: &str, comma: Option<CommaMeaning>) -> Option<String> {
    let text = match comma {
        Some(comma) => NormalisedText::with_comma(text, comma),
        None => NormalisedText::new(text),
    };
    let index = PassageTextIndex::new(text.expect("short"));
    let quote = Quote::new(quote, index.text()).expect("short");
    let found = index.find(&quote, None)?;
    Some(index.text().source()[found.range].to_owned())
}

fn found(text: &str, quote: &str) -> Option<String> {
    found_with(text, quote, None)
}

/// Asserts that each text is found in the other.
fn same(one: &str, other: &str) {
    assert!(found(one, other).is_some(), "{other:?} in {one:?}");
    assert!(found(other, one).is_some(), "{one:?} in {other:?}");
}

/// Asserts that neither text is found in the other.
fn different(one: &str, other: &str) {
    assert_eq!(found(one, other), None, "{other:?} in {one:?}");
    assert_eq!(found(other, one), None, "{one:?} in {other:?}");
}

#[test]
fn ignores_appearance() {
    for (one, other) in [
        ("The  Quick\n\tfox", "the quick fox"),
        ("“don’t” said", "'don't' said"),
        ("«mot» juste", "„mot“ juste"),
        ("``word'' here", "“word” here"),
        ("a – b, c — d", "a - b, c - d"),
        ("word -- word (x) -- y", "word — word (x) — y"),
        ("eﬃcient ﬂow", "efficient flow"),
        ("caf\u{e9} na\u{ef}ve", "cafe\u{301} nai\u{308}ve"),
        ("ze\u{200b}ro wi\u{ad}dth\u{200f}", "zero width"),
        ("\u{202e}bidi\u{202c} text", "bidi text"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ！ｏｋ", "full width!ok"),
        ("ｶﾞｷﾞｸﾞ", "ガギグ"),
        ("well known", "wellknown"),
        ("well-known", "well known"),
        ("co-\noperation", "cooperation"),
        ("co-\noperation", "co-operation"),
        ("zum Abschluß kam", "zum Abschluss kam"),
        ("STRASSE", "Straße"),
        ("كتاب علي", "کتاب علی"),
        ("ﻛﺘﺎﺏ ﻋﻠﻲ", "کتاب علی"),
        ("مُحَمَّد قال", "محمد قال"),
        ("بـــاب", "باب"),
        ("שָׁלוֹם", "שלום"),
        ("½ cup", "1/2 cup"),
        ("3½ cups", "3 1/2 cups"),
        ("3 ½ cups", "3 1/2 cups"),
        ("cost €120 in", "cost EUR 120 in"),
        ("cost 120 € in", "cost 120 EUR in"),
        ("cost EUR120 in", "cost €120 in"),
        ("is it so?", "is it so"),
        ("it is so!", "it is so."),
        ("page ２０２４", "page 2024"),
        ("page ٢٠٢٤", "page 2024"),
        ("CO₂ and H₂O", "CO2 and H2O"),
        ("12 km", "12km"),
        ("−5 °C", "-5°C"),
        ("dogs ... cats", "dogs … cats"),
        ("한글", "한글"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("1⁄2 cup", "1/2 cup"),
        ("5 – 6 apples", "5-6 apples"),
        ("x =\u{338} y", "x ≠ y"),
        ("p < .05", "p<.05"),
        ("אלפא־ביתא", "אלפא-ביתא"),
        ("العربية ﻻ", "العربية لا"),
        ("STRAẞE", "Straße"),
        ("x\u{0}y\u{7}z", "xyz"),
        ("\u{fffd}\u{fffd} lost", "\u{fffd}\u{fffd}lost"),
    ] {
        same(one, other);
    }
}

#[test]
fn distinguishes_content() {
    for (one, other) in [
        ("in 12 34", "in 1234"),
        ("in 5-6", "in 56"),
        ("at -5", "at 5"),
        ("at −5", "at 5"),
        ("at (-5)", "at (5)"),
        ("loss of -$5", "loss of $5"),
        ("by ±5", "by 5"),
        ("x² here", "x2 here"),
        ("10² here", "102 here"),
        ("5½ here", "51/2 here"),
        ("at 12.5", "at 125"),
        ("at 12. 5", "at 12.5"),
        ("at 12 .5", "at 12. 5"),
        ("at 12 , 5", "at 12,5"),
        ("more .5 of", "more. 5 of"),
        ("at 12: 45", "at 12:45"),
        ("at 1.234", "at 1,234"),
        ("at 1.234", "at 1234"),
        ("at 1.234.567", "at 1234567"),
        ("5' tall", "5\" tall"),
        ("café", "cafe"),
        ("to re-sign it", "to resign it"),
        ("an un-ionized atom", "an unionized atom"),
        ("1 1/2 cups", "11/2 cups"),
        ("cost €120 in", "cost USD 120 in"),
        ("the EUR rules", "the € rules"),
        ("five", "5"),
        ("x ≠ y", "x = y"),
        ("x ≤ 5", "x < 5"),
        ("12:30 pm", "12.30 pm"),
        ("growth¹ was", "growth was"),
        ("45 %", "45"),
        ("$5", "€5"),
        ("a, b", "a b"),
        ("is not so", "is so"),
        ("③ here", "3 here"),
        ("Ⅳ here", "IV here"),
        ("5--6 here", "5-6 here"),
        ("5 -6 here", "5-6 here"),
    ] {
        let whole = |text: &str| format!("{text} end");
        different(&whole(one), &whole(other));
    }
}

#[test]
fn a_question_is_not_a_statement() {
    different("Is the plan safe?", "is the plan safe.");
    different("(Is the plan safe?)", "“Is the plan safe.”");
    different("Ist das so? Ja", "Ist das so.");
    same("Is the plan safe?", "is the plan safe?");
    assert!(found("It is so, then", "it is so.").is_some());
    same("The plan is safe ...?", "the plan is safe ...");
}

#[test]
fn a_fraction_belongs_to_the_whole_number_before_it() {
    assert_eq!(found("it took 3 1/2 hours", "1/2 hours"), None);
    assert_eq!(found("it took 3½ hours", "1/2 hours"), None);
    assert_eq!(
        found("it took 3½ hours", "3 1/2 hours").as_deref(),
        Some("3½ hours")
    );
    assert_eq!(
        found("in 2019 1/2 of it", "1/2 of it").as_deref(),
        Some("1/2 of it")
    );
}

#[test]
fn ignores_separators_of_digit_groups() {
    for (one, other) in [
        ("1,234,567 x", "1234567 x"),
        ("1'234'567 x", "1234567 x"),
        ("1’234 x", "1234 x"),
        ("1\u{2009}234 x", "1234 x"),
        ("1\u{a0}234\u{a0}567,5 x", "1234567,5 x"),
        ("the 1,234 x", "the 1234 x"),
        ("1,234,567.89 x", "1'234'567.89 x"),
    ] {
        same(one, other);
    }
    for (one, other) in [
        ("1,23 x", "123 x"),
        ("1,234 x", "1234 x"),
        ("0,123,456 x", "0123456 x"),
        ("1,23,456 x", "123456 x"),
        ("1 234 x", "1234 x"),
        ("2019\u{a0}123 x", "2019123 x"),
        ("12 345 x", "12345 x"),
    ] {
        different(one, other);
    }
}

#[test]
fn accepts_any_space_between_digit_groups() {
    same("paid 1\u{a0}234\u{a0}567 x", "paid 1 234 567 x");
    same("paid 1\u{202f}234 x", "paid 1\n234 x");
    // Spaces in a longer row of numbers do not separate digit groups.
    assert!(found("1\u{a0}234\u{a0}56 x", "1\u{a0}234").is_some());
    assert!(found("2019\u{a0}123\u{a0}456 x", "123\u{a0}456").is_some());
    different("paid 1 234 567 x", "paid 1234567 x");
}

#[test]
fn language_decides_the_meaning_of_a_comma() {
    let text = "Es waren 1,234 Meter.";
    assert_eq!(
        found_with(text, "1234 Meter", Some(CommaMeaning::Decimal)),
        None
    );
    assert_eq!(found_with(text, "1234 Meter", None), None);
    assert!(found_with(text, "1,234 Meter", Some(CommaMeaning::Decimal)).is_some());
    let text = "There were 1,234 metres.";
    assert!(found_with(text, "1234 metres", Some(CommaMeaning::of_language("en"))).is_some());
}

#[test]
fn dates_of_the_same_day_are_equal() {
    let forms = [
        "3 March 2024",
        "March 3, 2024",
        "March 3 2024",
        "2024-03-03",
        "3rd March 2024",
        "3rd of March, 2024",
        "Mar. 3, 2024",
        "3. März 2024",
        "3 de marzo de 2024",
        "2024年3月3日",
    ];
    for one in forms {
        for other in forms {
            let text = format!("It began on {one} in Rome and ended on 4 May 2025.");
            let quote = format!("began on {other} in Rome and ended on May 4, 2025");
            let expected = format!("began on {one} in Rome and ended on 4 May 2025");
            assert_eq!(found(&text, &quote), Some(expected), "{one} {other}");
            assert_eq!(found(one, other), Some(one.to_owned()));
        }
        let text = format!("It began on {one} in Rome.");
        for other in [
            "4 March 2024",
            "3 March 2023",
            "2024-04-03",
            "03/03/2024",
            "3.3.2024",
        ] {
            assert_eq!(
                found(&text, &format!("on {other} in")),
                None,
                "{one} {other}"
            );
        }
    }
    different("on 03/04/2024 x", "on 3 April 2024 x");
    different("on 03/04/2024 x", "on March 4, 2024 x");
    different("on 30 February 2024 x", "on 2024-02-30 x");
    // A part of a date is only found in the same form.
    assert!(found("on 3 March 2024", "March 2024").is_some());
}

#[test]
fn matches_begin_and_end_at_token_boundaries() {
    for (text, quote) in [
        ("cats and dogs", "cat"),
        ("cats and dogs", "ats"),
        ("123", "12"),
        ("1.2", "12"),
        ("12.5", "12"),
        ("12.5", "5"),
        ("1,200", "1"),
        ("1,200", "200"),
        ("12:04", "12"),
        ("3/4", "3"),
        (".5", "5"),
        ("can't", "can"),
        ("can’t", "t"),
        ("snake_case", "snake"),
        ("12km", "12"),
        ("10²", "10"),
        ("5 m²", "5 m"),
        ("5 metre²", "5 metre"),
        ("s⁻¹", "s"),
        ("5½", "5"),
        ("ope-\nration", "ration"),
        ("-5", "5"),
        ("3-5", "-5"),
        ("−5–−3", "3"),
        ("p < .05", "05"),
        ("$1.5bn", "$1.5"),
    ] {
        assert_eq!(found(text, quote), None, "{quote:?} in {text:?}");
    }
    for (text, quote, expected) in [
        ("cats and dogs", "and", "and"),
        ("word² follows", "word", "word"),
        ("well-known fact", "known fact", "known fact"),
        ("the 5-6 range", "6 range", "6 range"),
        ("東京都に住む", "京都", "京都"),
        ("ภาษาไทย", "ไทย", "ไทย"),
        ("2024年", "2024", "2024"),
        ("a - 5 b", "5 b", "5 b"),
        ("word—5 b", "5 b", "5 b"),
        ("No.5 b", "5 b", "5 b"),
        ("(see p. 5)", "p. 5", "p. 5"),
        ("−5–−3", "-3", "−3"),
        ("1–3 March", "3 March", "3 March"),
        ("5 − 3 = 2", "3 = 2", "3 = 2"),
    ] {
        assert_eq!(found(text, quote).as_deref(), Some(expected), "{quote:?}");
    }
}

#[test]
fn punctuation_at_the_edges_of_a_quote_is_optional() {
    for quote in [
        "“the end.”",
        "...the end",
        "(the end)",
        "— the end —",
        "**the end**",
    ] {
        assert_eq!(
            found("It was the end of it.", quote).as_deref(),
            Some("the end")
        );
    }
    assert_eq!(found("by 45 people", "by 45%"), None);
    assert_eq!(found("paid 45 people", "$45 people"), None);
    assert_eq!(found("about 5 dogs", "-5 dogs"), None);
    assert!(found("by 45 %, then", "by 45%").is_some());
}

#[test]
fn an_empty_quote_has_no_match() {
    for quote in ["", " ", "...", "“”", "\u{200b}", "—", "\n\n"] {
        assert_eq!(found("Some text ... “” — here", quote), None, "{quote:?}");
    }
    assert_eq!(found("", "x"), None);
}
