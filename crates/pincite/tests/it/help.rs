//! Help texts, manual page and completions. `PINCITE_BLESS=1` rewrites the snapshots.

use std::fs;
use std::process::Command;

use crate::harness::{CommandOutput, PINCITE, data, pincite, run};

/// Commands by the name of the file with their help text.
const COMMANDS: [(&str, &[&str]); 32] = [
    ("pincite", &[]),
    ("verify", &["verify"]),
    ("document", &["document"]),
    ("prompt", &["prompt"]),
    ("ask", &["ask"]),
    ("ingest", &["ingest"]),
    ("search", &["search"]),
    ("reindex", &["reindex"]),
    ("evidence", &["evidence"]),
    ("serve", &["serve"]),
    ("config", &["config"]),
    ("config-show", &["config", "show"]),
    ("config-check", &["config", "check"]),
    ("config-init", &["config", "init"]),
    ("config-reference", &["config", "reference"]),
    ("config-schema", &["config", "schema"]),
    ("doctor", &["doctor"]),
    ("keys", &["keys"]),
    ("keys-create", &["keys", "create"]),
    ("keys-list", &["keys", "list"]),
    ("keys-revoke", &["keys", "revoke"]),
    ("stream", &["stream"]),
    ("stream-check", &["stream", "check"]),
    ("stream-fold", &["stream", "fold"]),
    ("stream-expand", &["stream", "expand"]),
    ("stream-compact", &["stream", "compact"]),
    ("stream-convert", &["stream", "convert"]),
    ("stream-run", &["stream", "run"]),
    ("stream-serve", &["stream", "serve"]),
    ("stream-diff", &["stream", "diff"]),
    ("completions", &["completions"]),
    ("man", &["man"]),
];

/// Runs the command on a terminal with this many columns.
fn run_with_columns(args: &[&str], columns: usize) -> CommandOutput {
    let mut command = Command::new(PINCITE);
    command.args(args).env("COLUMNS", columns.to_string());
    let ended = run(command, b"").expect(0);
    assert_eq!(ended.stderr, "");
    ended
}

/// Removes trailing spaces.
fn trim_lines(text: &str) -> String {
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[test]
fn help_texts_match_the_snapshots() {
    let bless = std::env::var_os("PINCITE_BLESS").is_some();
    for (name, words) in COMMANDS {
        let args = [words, &["--help"]].concat();
        let help = trim_lines(run_with_columns(&args, 100).text());
        let path = data(&format!("help/{name}.txt"));
        if bless {
            fs::write(&path, &help).expect("the expected text can be written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(help, expected, "{name}: PINCITE_BLESS=1 accepts it");
        // `pincite help …` prints the same.
        let args = [&["help"], words].concat();
        assert_eq!(
            trim_lines(run_with_columns(&args, 100).text()),
            help,
            "pincite {args:?}"
        );
    }
}

#[test]
fn every_help_snapshot_belongs_to_a_command() {
    let files = fs::read_dir(data("help")).expect("the expected texts are there");
    for file in files {
        let path = file.expect("a directory entry").path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned();
        assert!(
            COMMANDS.iter().any(|(command, _)| *command == name),
            "{name} is no command"
        );
    }
}

#[test]
fn help_fits_the_terminal() {
    for (name, words) in COMMANDS {
        for columns in [60, 80, 100, 200] {
            for flag in ["-h", "--help"] {
                let ended = run_with_columns(&[words, &[flag]].concat(), columns);
                // Examples are not wrapped, so that they can be copied.
                let text = ended.text();
                let upto = text.find("\nExample").unwrap_or(text.len());
                for line in text[..upto].lines() {
                    assert!(
                        line.chars().count() <= columns.min(100),
                        "{name} at {columns}: {line}"
                    );
                }
            }
        }
    }
}

#[test]
fn short_help_is_shorter_than_long_help() {
    for (name, words) in COMMANDS {
        let short = run_with_columns(&[words, &["-h"]].concat(), 100)
            .stdout
            .len();
        let long = run_with_columns(&[words, &["--help"]].concat(), 100)
            .stdout
            .len();
        assert!(
            short <= long && short < 2500,
            "{name}: {short} and {long} bytes"
        );
    }
}

#[test]
fn prints_the_version() {
    let version = format!("pincite {}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["--version", "-V"] {
        let ended = pincite(&[flag], b"").expect(0);
        assert_eq!(
            (ended.text(), ended.stderr.as_str()),
            (version.as_str(), "")
        );
    }
}

#[test]
fn completion_scripts_contain_commands_and_options() {
    let commands = [
        "stream",
        "completions",
        "check",
        "fold",
        "expand",
        "compact",
        "convert",
    ];
    let options = ["strict", "format", "from", "state", "messages", "to"];
    for (shell, mark) in [
        ("bash", "complete -F _pincite"),
        ("zsh", "#compdef pincite"),
        ("fish", "complete -c pincite"),
        ("elvish", "edit:completion"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let ended = pincite(&["completions", shell], b"").expect(0);
        assert_eq!(ended.stderr, "");
        let script = ended.text();
        for word in commands.iter().chain(&options).chain([&mark]) {
            assert!(script.contains(word), "{shell}: '{word}' is missing");
        }
    }
    pincite(&["completions"], b"").expect_usage_error(&["<SHELL>"]);
    pincite(&["completions", "csh"], b"").expect_usage_error(&["'csh'", "bash", "zsh", "fish"]);
}

#[cfg(unix)]
#[test]
fn completion_scripts_are_valid_in_their_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let script = pincite(&["completions", shell], b"").expect(0).stdout;
        let found = Command::new("sh")
            .args(["-c", &format!("command -v {shell}")])
            .output();
        if found.is_ok_and(|output| output.status.success()) {
            let mut command = Command::new(shell);
            command.arg("-n");
            let path = crate::harness::scratch(&format!("completion.{shell}"), script);
            command.arg(path);
            assert_eq!(run(command, b"").expect(0).stderr, "", "{shell}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_and_option_values() {
    if Command::new("bash").arg("-c").arg("true").status().is_err() {
        return;
    }
    let script = crate::harness::scratch(
        "completion-used.bash",
        pincite(&["completions", "bash"], b"").stdout,
    );
    let offered = |words: &str| {
        let count = words.split(' ').count() - 1;
        let mut command = Command::new("bash");
        let program = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={count}; \
             _pincite pincite \"${{COMP_WORDS[$COMP_CWORD]}}\" \"${{COMP_WORDS[$COMP_CWORD-1]}}\"; \
             echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        command.args(["-c", &program]);
        let reply = run(command, b"").expect(0);
        reply
            .text()
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(offered("pincite str"), ["stream"]);
    assert_eq!(offered("pincite stream co"), ["convert", "compact"]);
    assert_eq!(offered("pincite stream check --form"), ["--format"]);
    assert_eq!(offered("pincite stream check --format j"), ["json"]);
}

#[test]
fn manual_page_has_the_usual_sections() {
    let ended = pincite(&["man"], b"").expect(0);
    assert_eq!(ended.stderr, "");
    let page = ended.text();
    for word in [
        ".TH pincite 1",
        ".SH NAME",
        ".SH SYNOPSIS",
        "stream",
        "Exit codes",
        env!("CARGO_PKG_VERSION"),
    ] {
        assert!(page.contains(word), "'{word}' is missing");
    }
}

#[test]
fn manual_page_describes_stream_commands() {
    let page = pincite(&["man"], b"").expect(0);
    for word in ["check", "fold", "expand", "compact", "convert", "strict"] {
        assert!(page.text().contains(word), "'{word}' is missing");
    }
}
