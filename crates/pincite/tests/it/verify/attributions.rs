//! Sources as people name them, beside a quotation.

use std::path::Path;

use json::Value;

use super::{path_text, verify};
use crate::harness::{scratch, unused_path};
use testkit::pdf_builder::{PdfBuilder, lines};

const LOG: &str = "The first quay was built in 1911.\n\nHigh tide is at noon on Sunday.\n";
const REPORT: &str = "The second quay cost a million kroner.\n";

/// Returns the folder with the sources `log.txt` and `report.txt`.
fn library(name: &str) -> std::path::PathBuf {
    let folder = unused_path(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("log.txt"), LOG).expect("a file");
    std::fs::write(folder.join("report.txt"), REPORT).expect("a file");
    folder
}

/// Returns status and problem of each citation of an answer.
#[track_caller]
fn statuses(folder: &Path, answer: &str, options: &[&str]) -> Vec<String> {
    let args = [
        &["-", "--source", path_text(folder), "--format", "json"],
        options,
    ]
    .concat();
    let report = verify(&args, answer).json();
    let entries = report["verifications"].as_object().expect("entries");
    let status = |entry: &Value| {
        let problem = entry["problem"].as_str();
        let status = entry["status"].as_str().unwrap_or_default();
        problem.map_or(status.to_owned(), |problem| format!("{status} {problem}"))
    };
    entries.iter().map(|(_, entry)| status(entry)).collect()
}

#[test]
fn a_quotation_is_checked_in_the_source_it_names() {
    let folder = library("named");
    for (answer, expected) in [
        ("“High tide is at noon” (log.txt, p. 1).", "found"),
        ("“High tide is at noon” (log)", "found"),
        ("“High tide is at noon” — log.txt, p. 1", "found"),
        ("„High tide is at noon“ (vgl. log.txt, S. 1)", "found"),
        ("‘High tide is at noon’ (log.txt, p. 1)", "found"),
        ("«High tide is at noon» (log.txt, p. 1)", "found"),
        ("> High tide is at noon\n> — log.txt, p. 1\n", "found"),
        (
            "“High tide is at noon”[^1]\n\n[^1]: log.txt, p. 1\n",
            "found",
        ),
        // The words are in another source.
        ("“High tide is at noon” (report.txt, p. 1)", "not_found"),
        (
            "“High tide is at noon” (nowhere.txt, p. 1)",
            "not_found source_missing",
        ),
        (
            "“High tide is at noon” (Larsen 2015)",
            "not_found source_missing",
        ),
        (
            "“High tide is at noon” (log.txt, p. 7)",
            "found_on_other_page page_outside",
        ),
    ] {
        assert_eq!(statuses(&folder, answer, &[]), [expected], "{answer}");
    }
    // A text in brackets that is no reference makes no citation.
    let none: Vec<String> = Vec::new();
    assert_eq!(
        statuses(&folder, "“High tide is at noon” (early)", &[]),
        none
    );
    assert_eq!(
        statuses(&folder, "`“High tide” (log.txt, p. 1)`", &[]),
        none
    );
}

#[test]
fn sentences_lists_and_several_sources_are_attributions() {
    let folder = library("narrative");
    let aliases = scratch(
        "narrative.toml",
        "\"Larsen 2015\" = \"log.txt\"\n\"Berg 2001\" = \"report.txt\"\n",
    );
    let options = ["--aliases", path_text(&aliases)];
    let list = "\n\nReferences\n\n[1] report.txt\n[3] Larsen, The Harbour Log, log.txt\n";
    for (answer, expected) in [
        (
            "Larsen (2015, p. 1) writes: “High tide is at noon”.".to_owned(),
            "found",
        ),
        (
            "Berg (2001, p. 1) writes: “High tide is at noon”.".to_owned(),
            "not_found",
        ),
        (
            "“High tide is at noon”, writes Larsen (2015, p. 7).".to_owned(),
            "found_on_other_page page_outside",
        ),
        (
            "According to log.txt (p. 1), “High tide is at noon”.".to_owned(),
            "found",
        ),
        (format!("“High tide is at noon” [3, p. 1].{list}"), "found"),
        (format!("“High tide is at noon” [1].{list}"), "not_found"),
        (
            format!("“High tide is at noon” [3, p. 7].{list}"),
            "found_on_other_page page_outside",
        ),
        (
            "“High tide is at noon” (Berg 2001, p. 1; Larsen 2015, p. 1)".to_owned(),
            "found",
        ),
        (
            "“High tide is at one” (Berg 2001, p. 1; Larsen 2015, p. 1)".to_owned(),
            "not_found",
        ),
        (
            "“High tide is at noon” (Olsen 1999; Larsen 2015, p. 1)".to_owned(),
            "found",
        ),
        (
            "“High tide is at noon” (Olsen 1999; Berg 1998)".to_owned(),
            "not_found source_missing",
        ),
    ] {
        assert_eq!(statuses(&folder, &answer, &options), [expected], "{answer}");
    }
}

#[test]
fn endnotes_of_a_pdf_may_have_roman_marks() {
    let folder = library("endnotes");
    let mut pdf = PdfBuilder::new();
    pdf.page(&lines(
        72.0,
        700.0,
        &[
            "The log says: \"High tide is at noon on Sunday.\"i It also says that",
            "\"The second quay cost a million kroner\"ii and the village grew.",
        ],
    ));
    pdf.page(&lines(
        72.0,
        700.0,
        &["i log.txt, p. 1.", "ii log.txt, p. 1."],
    ));
    let answer = scratch("endnotes.pdf", pdf.file());
    let args = [
        path_text(&answer),
        "--source",
        path_text(&folder),
        "--format",
        "json",
    ];
    let report = verify(&args, "").json();
    let entries = report["verifications"].as_object().expect("entries");
    let found: Vec<Option<&str>> = entries
        .iter()
        .map(|(_, one)| one["status"].as_str())
        .collect();
    // The words of the second quotation are in the other source.
    assert_eq!(found, [Some("found"), Some("not_found")]);
}

#[test]
fn passages_over_two_pages_name_both() {
    let mut pdf = PdfBuilder::new();
    pdf.page(&lines(
        72.0,
        100.0,
        &["The second quay was built of oak and"],
    ));
    pdf.page(&lines(
        72.0,
        700.0,
        &["granite, and it cost a million kroner."],
    ));
    let file = scratch("two-pages.pdf", pdf.file());
    let args = ["-", "--source", path_text(&file)];
    let answer = "“built of oak and granite, and it cost” (two-pages.pdf, p. 1)";
    let text = verify(&args, answer).expect(0);
    assert!(text.text().contains("to page 2"), "{}", text.text());
    let report = verify(&[&args[..], &["--format", "json"]].concat(), answer).json();
    let entries = report["verifications"].as_object().expect("entries");
    let (_, entry) = entries.iter().next().expect("an entry");
    let document = &entry["document"];
    assert_eq!(document["verifiedPageNumber"], Value::from(1_usize));
    assert_eq!(document["verifiedEndPageNumber"], Value::from(2_usize));
    // The nearest passage of a quote that is not found names both, too.
    let wrong = "“built of elm and granite, and it cost” (two-pages.pdf, p. 1)";
    let report = verify(&[&args[..], &["--format", "json"]].concat(), wrong).json();
    let entries = report["verifications"].as_object().expect("entries");
    let (_, entry) = entries.iter().next().expect("an entry");
    assert_eq!(entry["nearest"]["pageNumber"], Value::from(1_usize));
    assert_eq!(entry["nearest"]["endPageNumber"], Value::from(2_usize));
}

#[test]
fn tags_may_name_a_page_by_its_number() {
    let mut pdf = PdfBuilder::new();
    pdf.page(&lines(
        72.0,
        700.0,
        &["The first quay was built in winter."],
    ));
    pdf.page(&lines(72.0, 700.0, &["High tide is at noon on Sunday."]));
    let file = scratch("tags.pdf", pdf.file());
    for (page, expected) in [
        ("page_number='2'", "found"),
        ("page_number='1'", "found_on_other_page"),
        ("page_number='9'", "found_on_other_page page_outside"),
        ("", "found"),
    ] {
        let answer = format!(
            "So.<cite attachment_id='tags.pdf' {page} full_phrase='High tide is at noon' />"
        );
        assert_eq!(statuses(&file, &answer, &[]), [expected], "{answer}");
    }
}

#[test]
fn quotes_option_uses_attributions() {
    let folder = library("quotes");
    let answer = "“High tide is at noon on Sunday” (report.txt). “High tide is at noon on Sunday”.";
    assert_eq!(statuses(&folder, answer, &["--quotes"]), ["not_found"]);
    let answer = "“High tide is at noon on Sunday” he said. “The second quay cost a million” (report.txt, p. 1).";
    assert_eq!(statuses(&folder, answer, &["--quotes"]), ["found", "found"]);
}

#[test]
fn aliases_name_the_file_of_a_source() {
    let folder = library("aliases");
    let aliases = scratch(
        "aliases.toml",
        "\"Larsen 2015\" = \"log.txt\"\n\"Berg 2001\" = \"report.txt\"\n\"Old\" = \"old.pdf\"\n",
    );
    let options = ["--aliases", path_text(&aliases)];
    for (answer, expected) in [
        ("“High tide is at noon” (Larsen 2015, p. 1)", "found"),
        ("“High tide is at noon” (see Larsen, 2015: 1)", "found"),
        (
            "“High tide is at noon”.[^1]\n\n[^1]: Larsen, History of the Log (Oslo, 2015), p. 1.\n",
            "found",
        ),
        ("“High tide is at noon” (Berg 2001, p. 1)", "not_found"),
        (
            "It is at noon [1].<<<CITATION_DATA>>>[{\"id\":1,\"attachment_id\":\"Larsen 2015\",\"full_phrase\":\"High tide is at noon\"}]<<<END_CITATION_DATA>>>",
            "found",
        ),
    ] {
        assert_eq!(statuses(&folder, answer, &options), [expected], "{answer}");
    }
    let args = [
        "-",
        "--source",
        path_text(&folder),
        "--aliases",
        path_text(&aliases),
    ];
    let ended = verify(&args, "“High tide” (Old, p. 1)").expect(1);
    assert!(
        ended.stderr.contains("'Old' means old.pdf"),
        "{}",
        ended.stderr
    );
    for (name, content) in [
        ("broken.toml", "a = "),
        ("number.toml", "\"Larsen 2015\" = 3"),
    ] {
        let wrong = scratch(name, content);
        let args = [
            "-",
            "--source",
            path_text(&folder),
            "--aliases",
            path_text(&wrong),
        ];
        verify(&args, "").expect_usage_error(&[name, "TOML"]);
    }
    let args = [
        "-",
        "--source",
        path_text(&folder),
        "--aliases",
        "/nowhere.toml",
    ];
    verify(&args, "").expect_usage_error(&["/nowhere.toml"]);
}

#[test]
fn printed_and_roman_pages_are_used() {
    let mut pdf = PdfBuilder::new();
    pdf.page(&lines(
        72.0,
        700.0,
        &["This preface was written in winter."],
    ));
    pdf.page(&lines(72.0, 700.0, &["High tide is at noon on Sunday."]));
    pdf.catalog("/PageLabels<</Nums[0<</S/r/St 14>>1<</S/D/St 101>>]>>");
    let file = scratch("labels.pdf", pdf.file());
    let folder = file.as_path();
    for (answer, expected) in [
        ("“This preface was written” (labels, p. xiv)", "found"),
        ("“High tide is at noon” (labels, p. 101)", "found"),
        (
            "“High tide is at noon” (labels, p. xiv)",
            "found_on_other_page",
        ),
    ] {
        assert_eq!(statuses(folder, answer, &[]), [expected], "{answer}");
    }
}

#[test]
fn right_to_left_and_chinese_quotations_are_read() {
    let folder = unused_path("scripts");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join("fa.txt"),
        "نخستین اسکله در سال ۱۹۱۱ ساخته شد و هنوز پابرجاست.\n",
    )
    .expect("a file");
    std::fs::write(
        folder.join("zh.txt"),
        "第一座码头建于一九一一年，至今仍在使用。\n",
    )
    .expect("a file");
    for (answer, options, expected) in [
        (
            "او نوشت: «نخستین اسکله در سال ۱۹۱۱ ساخته شد» (fa.txt، ص ۱)",
            vec![],
            "found",
        ),
        (
            "他写道：“第一座码头建于一九一一年”（zh.txt，第1页）。",
            vec![],
            "found",
        ),
        (
            "他写道：「第一座码头建于一九一一年」。",
            vec!["--quotes"],
            "found",
        ),
        (
            "«نخستین اسکله در سال ۱۹۱۲ ساخته شد» (fa.txt، ص ۱)",
            vec![],
            "not_found",
        ),
    ] {
        assert_eq!(statuses(&folder, answer, &options), [expected], "{answer}");
    }
}
