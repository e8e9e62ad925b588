//! Reading of documents in a sandbox process, within limits.

mod fetch;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use documents::Document;
use net::Fetcher;
use sandbox::{OcrProgram, SandboxLimits, SandboxReader};

use crate::command_error::CommandError;
use crate::progress::ProgressLine;

/// Hidden command that a [`SandboxReader`] starts as its worker process.
pub(crate) const WORKER_COMMAND: &str = "read-document";

/// Options that all commands that read documents share.
#[derive(Debug, Args)]
pub(crate) struct ReaderArgs {
    /// Password of an encrypted file, or of the file named ID; repeatable
    #[arg(long = "password", value_name = "[ID=]TEXT")]
    passwords: Vec<String>,
    /// Host that documents may be fetched from; repeatable
    ///
    /// Forms: HOST, HOST:PORT, *.HOST for its subdomains, `*` for any public host. Nothing is fetched without
    /// this option. The host that a redirect leads to must be allowed, too.
    #[arg(long, value_name = "HOST")]
    allow_fetch: Vec<String>,
    /// OCR program for images and scanned pages; `none` turns OCR off
    ///
    /// Needs an installed tesseract. A quote that contains a poorly recognised word is at most partly found.
    #[arg(long, value_name = "PROGRAM", default_value = "tesseract")]
    ocr: String,
    /// OCR languages, such as deu+eng
    ///
    /// By default up to three of the installed languages, English first.
    #[arg(long, value_name = "LANGUAGES", value_parser = languages)]
    ocr_languages: Option<String>,
    /// Limit on a document, such as pages=500; repeatable
    ///
    /// Names: bytes, pages, words-per-page, lines, objects, elements, nesting, decompressed, pixels, seconds,
    /// memory. Sizes are in bytes. A file that exceeds a limit is not read; the message names the limit.
    #[arg(long = "limit", value_name = "NAME=NUMBER")]
    limits: Vec<String>,
}

fn languages(text: &str) -> Result<String, String> {
    let is_allowed =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '/' | '+');
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_allowed) {
        true => Ok(text.to_owned()),
        false => Err("expected languages such as deu+eng".to_owned()),
    }
}

/// Reason why a file cannot be used, with a hint.
#[derive(Debug, Clone)]
pub(crate) struct UnusableFile {
    pub(crate) reason: String,
    pub(crate) hint: String,
}

/// Options of the command line in the form that the reader needs.
pub(crate) struct ReaderContext {
    limits: SandboxLimits,
    passwords: Vec<String>,
    ocr: OcrProgram,
    fetcher: Fetcher,
}

impl ReaderContext {
    /// Checks the options.
    pub(crate) fn new(args: &ReaderArgs) -> Result<Self, CommandError> {
        let mut limits = SandboxLimits::default();
        for limit in &args.limits {
            limits.set(limit).map_err(|error| {
                CommandError::Configuration(format!("--limit {limit}: {error}"))
            })?;
        }
        let program = match args.ocr.as_str() {
            "none" => String::new(),
            program => program.to_owned(),
        };
        Ok(Self {
            limits,
            passwords: args.passwords.clone(),
            ocr: OcrProgram {
                program,
                languages: args.ocr_languages.clone().unwrap_or_default(),
            },
            fetcher: fetch::fetcher(&args.allow_fetch, &limits)?,
        })
    }

    pub(crate) fn limits(&self) -> &SandboxLimits {
        &self.limits
    }

    /// Returns the password of a file. `others` are the ids of the other files.
    pub(crate) fn password_of(&self, path: &Path, id: Option<&str>, others: &[&str]) -> &str {
        let (name, whole) = (file_name(path), path.to_string_lossy());
        let names: Vec<&str> = id.into_iter().chain([name.as_str(), &whole]).collect();
        self.password(&names, others)
    }

    /// Returns the password of a file with these names. A password with the id of another file is not used,
    /// but one whose text merely contains `=` is.
    fn password(&self, names: &[&str], others: &[&str]) -> &str {
        let is_for_other = |password: &&String| {
            let id = password.split_once('=').map(|(id, _)| id);
            id.is_some_and(|id| others.contains(&id))
        };
        let own = self.passwords.iter().find_map(|password| {
            let (id, text) = password.split_once('=')?;
            names.contains(&id).then_some(text)
        });
        let general = || {
            self.passwords
                .iter()
                .find(|password| !is_for_other(password))
        };
        own.or_else(|| general().map(String::as_str))
            .unwrap_or_default()
    }
}

/// Reader of one document at a time, with its own worker process.
pub(crate) struct DocumentReader<'c> {
    context: &'c ReaderContext,
    sandbox: SandboxReader,
}

impl<'c> DocumentReader<'c> {
    pub(crate) fn new(context: &'c ReaderContext) -> Self {
        Self {
            context,
            sandbox: SandboxReader::new(this_program(), [WORKER_COMMAND])
                .with_ocr(context.ocr.clone()),
        }
    }

    /// Reads a file or a URL. Returns the fetched bytes of a URL, too.
    pub(crate) fn open(
        &mut self,
        path: &Path,
        id: Option<&str>,
        others: &[&str],
        progress: impl FnMut(&str),
    ) -> Result<(Document, Option<Vec<u8>>), UnusableFile> {
        let bytes = self.bytes(path)?;
        let password = self.context.password_of(path, id, others);
        let document = self.read(&bytes, &file_name(path), password, progress)?;
        Ok((document, fetch::url(path).map(|_| bytes)))
    }

    /// Reads bytes as a document. The path decides its kind and its password.
    pub(crate) fn read_bytes(
        &mut self,
        bytes: &[u8],
        path: &Path,
    ) -> Result<Document, UnusableFile> {
        let password = self.context.password_of(path, None, &[]);
        self.read(bytes, &file_name(path), password, |_| {})
    }

    fn read(
        &mut self,
        bytes: &[u8],
        name: &str,
        password: &str,
        mut progress: impl FnMut(&str),
    ) -> Result<Document, UnusableFile> {
        let start = Instant::now();
        let on_page = |done: u32, total: u32| {
            let rate = f64::from(done) / start.elapsed().as_secs_f64().max(1e-6);
            progress(&format!(
                "{name}: {done} of {total} pages, {rate:.0} per second"
            ));
        };
        self.sandbox
            .read(bytes, name, password, &self.context.limits, on_page)
            .map_err(|error| {
                let mut hint = error.hint().to_owned();
                if matches!(&error, sandbox::SandboxError::Refused { reason, .. } if reason.contains("protected by a password"))
                {
                    hint = "Pass the password with --password TEXT, or save a copy without a password."
                        .to_owned();
                } else if hint.contains("raise the limit") || hint.contains("Allow more") {
                    hint.push_str(" See --limit.");
                }
                UnusableFile {
                    reason: error.to_string(),
                    hint,
                }
            })
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, UnusableFile> {
        if let Some(url) = fetch::url(path) {
            return Ok(fetch::get(&self.context.fetcher, url)?.bytes);
        }
        let unreadable = |error: std::io::Error| UnusableFile {
            reason: error.to_string(),
            hint: "check the path and its permissions".to_owned(),
        };
        let found = fs::metadata(path).map_err(unreadable)?;
        let limit = self.context.limits.limits.bytes;
        if found.len() > limit as u64 {
            return Err(UnusableFile {
                reason: format!("it has {} bytes; the limit is {limit}", found.len()),
                hint: "split it into smaller files, or raise the limit with --limit bytes=…"
                    .to_owned(),
            });
        }
        fs::read(path).map_err(unreadable)
    }
}

/// Returns true if a path is the URL of a document.
pub(crate) fn is_url(path: &Path) -> bool {
    fetch::url(path).is_some()
}

/// Returns the last part of the path, for messages.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// A file with its content as a document.
pub(crate) struct ReadFile {
    pub(crate) document: Document,
    pub(crate) bytes: Vec<u8>,
    pub(crate) name: String,
    pub(crate) password: String,
    pub(crate) limits: SandboxLimits,
}

/// Reads one file or URL and shows a progress line.
pub(crate) fn read_one(path: &Path, args: &ReaderArgs) -> Result<ReadFile, CommandError> {
    let context = ReaderContext::new(args)?;
    let mut progress = ProgressLine::new("documents read", 1);
    let mut reader = DocumentReader::new(&context);
    let unusable = |UnusableFile { reason, hint }| {
        CommandError::Stopped(format!("cannot read {}: {reason}; {hint}", path.display()))
    };
    let name = file_name(path);
    let bytes = reader.bytes(path).map_err(unusable)?;
    let password = context.password(&[&name], &[]);
    let document = reader
        .read(&bytes, &name, password, |detail| {
            progress.set_detail(detail);
        })
        .map_err(unusable)?;
    Ok(ReadFile {
        document,
        bytes,
        password: password.to_owned(),
        limits: context.limits,
        name,
    })
}

/// Returns the path of this program. On Linux it stays valid after the file was replaced.
pub(crate) fn this_program() -> PathBuf {
    let running = Path::new("/proc/self/exe");
    if running.exists() {
        return running.to_owned();
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("pincite"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_with_an_id_are_used_for_that_file_only() {
        let context = ReaderContext {
            limits: SandboxLimits::default(),
            passwords: ["law=one", "a=b", "two"].map(str::to_owned).to_vec(),
            ocr: OcrProgram::default(),
            fetcher: Fetcher::new(net::FetchPolicy::off()),
        };
        assert_eq!(context.password(&["law", "law.pdf"], &["x.pdf"]), "one");
        // A password may contain `=`.
        assert_eq!(context.password(&["x.pdf"], &["law"]), "a=b");
        assert_eq!(context.password(&["x.pdf"], &["law", "a"]), "two");
    }
}
