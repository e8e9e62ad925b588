//! Text recognition through an external program.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use documents::{PageSize, RecognisedLines, RecognisedWord};
use rendering::Image;
use serde::{Deserialize, Serialize};

/// Program that recognises words on pages without text: `tesseract` or a compatible one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OcrProgram {
    /// Name or path of the program; empty to switch recognition off.
    pub program: String,
    /// Languages to expect, such as `deu+eng`; if empty, the installed ones.
    pub languages: String,
}

impl Default for OcrProgram {
    fn default() -> Self {
        Self {
            program: "tesseract".to_owned(),
            languages: String::new(),
        }
    }
}

/// Failure of text recognition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OcrError {
    /// The program is not installed.
    Missing,
    /// The program fails or does not end.
    Failed,
}

/// Timeout for one page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(60);
/// Limit on the output of the program for one page, in bytes.
const MAX_OUTPUT: u64 = 64 << 20;
/// Time that the program may take to exit after its last output.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
/// Limit on the number of languages: more take longer and recognise worse.
const MAX_LANGUAGES: usize = 3;

impl OcrProgram {
    /// Returns the languages to expect.
    pub(crate) fn languages(&self, deadline: Instant) -> Result<String, OcrError> {
        if !self.languages.is_empty() {
            return Ok(self.languages.clone());
        }
        let output = run(&self.program, &["--list-langs"], Vec::new(), deadline)?;
        choose_languages(&String::from_utf8_lossy(&output)).ok_or(OcrError::Failed)
    }

    /// Returns the words on a picture of a page of that size.
    pub(crate) fn recognise(
        &self,
        languages: &str,
        image: &Image,
        page: PageSize,
        deadline: Instant,
    ) -> Result<RecognisedLines, OcrError> {
        let dpi = (image.width() as f32 * 72.0 / page.width.max(1.0)).round();
        let dpi = format!("{}", dpi.clamp(70.0, 2400.0));
        let arguments = [
            "stdin", "stdout", "-l", languages, "--dpi", &dpi, "--psm", "3", "tsv",
        ];
        let deadline = deadline.min(Instant::now() + PAGE_TIMEOUT);
        let output = run(&self.program, &arguments, encode_grey(image), deadline)?;
        let scale = (
            page.width / image.width().max(1) as f32,
            page.height / image.height().max(1) as f32,
        );
        parse_words(&String::from_utf8_lossy(&output), scale).ok_or(OcrError::Failed)
    }
}

/// Chooses languages: English first, then others in the order of the list.
fn choose_languages(listed: &str) -> Option<String> {
    let is_language = |name: &&str| {
        let known = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '/');
        !name.is_empty() && *name != "osd" && *name != "equ" && name.chars().all(known)
    };
    let mut names: Vec<&str> = listed.lines().map(str::trim).filter(is_language).collect();
    names.sort_by_key(|name| *name != "eng");
    names.truncate(MAX_LANGUAGES);
    (!names.is_empty()).then(|| names.join("+"))
}

/// Encodes a picture as a grey PGM file, which needs no decoder.
fn encode_grey(image: &Image) -> Vec<u8> {
    let mut file = format!("P5\n{} {}\n255\n", image.width(), image.height()).into_bytes();
    let pixels = image.pixels().as_chunks::<4>().0.iter();
    file.extend(pixels.map(|[red, green, blue, _]| {
        let sum = u32::from(*red) * 77 + u32::from(*green) * 150 + u32::from(*blue) * 29;
        (sum >> 8) as u8
    }));
    file
}

/// Runs a program with this input. Returns its output if it succeeds in time.
fn run(
    program: &str,
    arguments: &[&str],
    input: Vec<u8>,
    deadline: Instant,
) -> Result<Vec<u8>, OcrError> {
    // The program stays in our process group, so that it is killed with us.
    let child = Command::new(program)
        .args(arguments)
        // Pages are recognised in parallel already; more threads per page would compete.
        .env("OMP_THREAD_LIMIT", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => OcrError::Missing,
        _ => OcrError::Failed,
    })?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    // The threads are not joined: children of the program may keep the pipes open.
    thread::spawn(move || {
        // A program that does not read all input reports that in its output.
        stdin.map(|mut stdin| stdin.write_all(&input))
    });
    let (send, outputs) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.map(|stdout| stdout.take(MAX_OUTPUT + 1).read_to_end(&mut bytes));
        // The receiver may have given up.
        let _ = send.send(read.and_then(Result::ok).map(|_| bytes));
    });
    let left = deadline.saturating_duration_since(Instant::now());
    let output = outputs.recv_timeout(left).ok().flatten();
    let succeeded = output.is_some() && {
        let until = Instant::now() + EXIT_TIMEOUT;
        loop {
            match child.try_wait() {
                Ok(Some(status)) => break status.success(),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(2)),
                _ => break false,
            }
        }
    };
    // The program may have ended by itself just now.
    let _ = child.kill();
    let _ = child.wait();
    let output = output.filter(|output| succeeded && output.len() as u64 <= MAX_OUTPUT);
    output.ok_or(OcrError::Failed)
}

/// Parses a table with one row per word: level, page, block, paragraph, line, word, left, top, width, height,
/// confidence, text.
fn parse_words(table: &str, scale: (f32, f32)) -> Option<RecognisedLines> {
    let mut rows = table.lines();
    rows.next().filter(|head| head.starts_with("level\t"))?;
    let mut lines: RecognisedLines = Vec::new();
    let mut last = None;
    for row in rows {
        let cells: Vec<&str> = row.splitn(12, '\t').collect();
        let [
            level,
            page,
            block,
            paragraph,
            line,
            _,
            left,
            top,
            width,
            height,
            confidence,
            text,
        ] = cells.as_slice()
        else {
            continue;
        };
        if *level != "5" || text.trim().is_empty() {
            continue;
        }
        let length = |cell: &str| cell.parse::<f32>().ok().filter(|length| length.is_finite());
        let (Some(left), Some(top), Some(width), Some(height), Some(confidence)) = (
            length(left),
            length(top),
            length(width),
            length(height),
            length(confidence),
        ) else {
            continue;
        };
        let place = (*page, *block, *paragraph, *line);
        if last != Some(place) {
            lines.push(Vec::new());
            last = Some(place);
        }
        let text = text.chars().map(|char| match char.is_control() {
            true => ' ',
            false => char,
        });
        if let Some(line) = lines.last_mut() {
            line.push(RecognisedWord {
                text: text.collect(),
                x: left * scale.0,
                y: top * scale.1,
                width: width * scale.0,
                height: height * scale.1,
                confidence: confidence.clamp(0.0, 100.0) as u8,
            });
        }
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n";

    #[test]
    fn parses_words_in_lines() {
        let table = format!(
            "{HEAD}4\t1\t1\t1\t1\t0\t10\t20\t300\t40\t-1\t\n\
             5\t1\t1\t1\t1\t1\t10\t20\t30\t40\t96.5\tHigh\n\
             5\t1\t1\t1\t1\t2\t50\t20\t30\t40\t12\tt\u{1}ide\n\
             5\t1\t1\t1\t2\t1\t10\t70\t30\t40\t300\tcame\n\
             5\t1\t1\t1\t2\t1\tNaN\t70\t30\t40\t30\tlost\nnonsense\n"
        );
        let lines = parse_words(&table, (0.5, 0.25)).expect("a table");
        let texts: Vec<Vec<(&str, u8)>> = lines
            .iter()
            .map(|line| {
                let word = |word: &'_ RecognisedWord| word.confidence;
                line.iter()
                    .map(|one| (one.text.as_str(), word(one)))
                    .collect()
            })
            .collect();
        assert_eq!(
            texts,
            [vec![("High", 96), ("t ide", 12)], vec![("came", 100)]]
        );
        let first = &lines[0][0];
        assert_eq!(
            (first.x, first.y, first.width, first.height),
            (5.0, 5.0, 15.0, 10.0)
        );
        assert_eq!(parse_words("something else", (1.0, 1.0)), None);
    }

    #[test]
    fn chooses_among_the_installed_languages() {
        let listed =
            "List of available languages in \"/usr/share/\" (4):\ndeu\neng\nosd\nfra\nita\n";
        assert_eq!(choose_languages(listed).as_deref(), Some("eng+deu+fra"));
        assert_eq!(choose_languages("List of none:\nosd\n"), None);
    }

    #[cfg(unix)]
    mod programs {
        use super::super::*;

        fn run_script(script: &str, input: usize, wait: Duration) -> Result<Vec<u8>, OcrError> {
            let deadline = Instant::now() + wait;
            run("/bin/sh", &["-c", script], vec![b'x'; input], deadline)
        }

        #[test]
        fn stops_a_program_that_hangs() {
            let start = Instant::now();
            let soon = Duration::from_millis(200);
            // Includes programs that read nothing or leave a child behind.
            for script in [
                "sleep 600",
                "cat > /dev/null; sleep 600",
                "sleep 600 & exec sleep 600",
            ] {
                assert_eq!(
                    run_script(script, 1 << 20, soon),
                    Err(OcrError::Failed),
                    "{script}"
                );
            }
            assert!(start.elapsed() < Duration::from_secs(60));
        }

        #[test]
        fn ignores_the_output_of_a_program_that_fails() {
            let minute = Duration::from_secs(60);
            assert_eq!(
                run_script("echo words; exit 3", 9, minute),
                Err(OcrError::Failed)
            );
            assert_eq!(
                run_script("exec >&-; sleep 600", 9, minute),
                Err(OcrError::Failed)
            );
            assert_eq!(run_script("cat", 3, minute), Ok(b"xxx".to_vec()));
            // The input is larger than a pipe and is not read.
            assert_eq!(
                run_script("echo enough", 1 << 22, minute),
                Ok(b"enough\n".to_vec())
            );
            let none = run(
                "/nowhere/tesseract",
                &[],
                Vec::new(),
                Instant::now() + minute,
            );
            assert_eq!(none, Err(OcrError::Missing));
        }
    }
}
