//! How files become documents: in a process of their own, within limits.

mod address;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use documents::Document;
use net::Fetcher;
use sandbox::{OcrProgram, SandboxLimits, SandboxReader};

use crate::failure::CommandError;
use crate::progress::ProgressLine;

/// The hidden command that a [`SandboxReader`] starts.
pub(crate) const CHILD: &str = "read-document";

/// How files are read.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The password of an encrypted file, or of the one that is called ID
    #[arg(long = "password", value_name = "[ID=]TEXT")]
    passwords: Vec<String>,
    /// A host to fetch documents from
    ///
    /// May be given several times, as HOST, HOST:PORT, *.HOST for those below it, or `*` for any public one.
    /// Nothing is fetched without. A redirect to another host needs that one, too.
    #[arg(long, value_name = "HOST")]
    allow_fetch: Vec<String>,
    /// The program that reads pictures
    ///
    /// Pictures and scanned pages have no text; tesseract recognises their words, if it is installed. A quote
    /// over a word that was hardly recognised is at most partly found. `none` leaves pictures unread.
    #[arg(long, value_name = "PROGRAM", default_value = "tesseract")]
    ocr: String,
    /// Languages of pictures, as in deu+eng
    ///
    /// Without, up to three of those that are installed are expected, English first.
    #[arg(long, value_name = "LANGUAGES", value_parser = languages)]
    ocr_languages: Option<String>,
    /// What a file may cost, as in pages=500
    ///
    /// May be given several times. There are bytes, pages, words-per-page, lines, objects, elements, nesting,
    /// decompressed, pixels, seconds and memory; sizes are in bytes. A file that is over a limit is not read,
    /// and the message says which limit it was.
    #[arg(long = "limit", value_name = "NAME=NUMBER")]
    limits: Vec<String>,
}

fn languages(text: &str) -> Result<String, String> {
    let known = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '/' | '+');
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(known) {
        true => Ok(text.to_owned()),
        false => Err("languages are written like deu+eng".to_owned()),
    }
}

/// A file that cannot be used.
#[derive(Debug, Clone)]
pub(crate) struct UnusableFile {
    /// Why.
    pub(crate) reason: String,
    /// What can be done.
    pub(crate) hint: String,
}

/// What is the same for all files.
pub(crate) struct OpenContext {
    allowance: SandboxLimits,
    passwords: Vec<String>,
    ocr: OcrProgram,
    fetcher: Fetcher,
}

impl OpenContext {
    /// As it was typed.
    pub(crate) fn new(args: &OpenArgs) -> Result<Self, CommandError> {
        let mut allowance = SandboxLimits::default();
        for limit in &args.limits {
            allowance.set(limit).map_err(|error| {
                CommandError::Configuration(format!("--limit {limit}: {error}"))
            })?;
        }
        let program = match args.ocr.as_str() {
            "none" => String::new(),
            program => program.to_owned(),
        };
        Ok(Self {
            allowance,
            passwords: args.passwords.clone(),
            ocr: OcrProgram {
                program,
                languages: args.ocr_languages.clone().unwrap_or_default(),
            },
            fetcher: address::fetcher(&args.allow_fetch, &allowance)?,
        })
    }

    /// What a file may cost.
    pub(crate) fn allowance(&self) -> &SandboxLimits {
        &self.allowance
    }

    /// The password of a file; `others` are names of the other files.
    pub(crate) fn password_of(&self, path: &Path, id: Option<&str>, others: &[&str]) -> &str {
        let (name, whole) = (file_name(path), path.to_string_lossy());
        let names: Vec<&str> = id.into_iter().chain([name.as_str(), &whole]).collect();
        self.password(&names, others)
    }

    /// The password of a file that goes by these names; `others` are names of the other files.
    fn password(&self, names: &[&str], others: &[&str]) -> &str {
        let named = |password: &&String| {
            let id = password.split_once('=').map(|(id, _)| id);
            id.is_some_and(|id| others.contains(&id))
        };
        let own = self.passwords.iter().find_map(|password| {
            let (id, text) = password.split_once('=')?;
            names.contains(&id).then_some(text)
        });
        let general = || self.passwords.iter().find(|password| !named(password));
        own.or_else(|| general().map(String::as_str))
            .unwrap_or_default()
    }
}

/// Opens files, one at a time.
pub(crate) struct FileOpener<'o> {
    opening: &'o OpenContext,
    reader: SandboxReader,
}

impl<'o> FileOpener<'o> {
    /// With a process of its own.
    pub(crate) fn new(opening: &'o OpenContext) -> Self {
        Self {
            opening,
            reader: SandboxReader::new(this_program(), [CHILD]).with_ocr(opening.ocr.clone()),
        }
    }

    /// Reads a document, or says why not and what to do. With what was fetched, if it is no file.
    pub(crate) fn open(
        &mut self,
        path: &Path,
        id: Option<&str>,
        others: &[&str],
        progress: impl FnMut(&str),
    ) -> Result<(Document, Option<Vec<u8>>), UnusableFile> {
        let bytes = self.bytes(path)?;
        let password = self.opening.password_of(path, id, others);
        let document = self.read(&bytes, &file_name(path), password, progress)?;
        Ok((document, address::address(path).map(|_| bytes)))
    }

    fn read(
        &mut self,
        bytes: &[u8],
        name: &str,
        password: &str,
        mut progress: impl FnMut(&str),
    ) -> Result<Document, UnusableFile> {
        let start = Instant::now();
        let told = |done: u32, of: u32| {
            let rate = f64::from(done) / start.elapsed().as_secs_f64().max(1e-6);
            progress(&format!(
                "{name}: {done} of {of} pages, {rate:.0} per second"
            ));
        };
        self.reader
            .read(bytes, name, password, &self.opening.allowance, told)
            .map_err(|unread| {
                let mut hint = unread.hint().to_owned();
                if matches!(&unread, sandbox::SandboxError::Refused { reason, .. } if reason.contains("protected by a password"))
                {
                    hint = "Give it with --password TEXT, or save a copy without one.".to_owned();
                } else if hint.contains("raise the limit") || hint.contains("Allow more") {
                    hint.push_str(" See --limit.");
                }
                UnusableFile {
                    reason: unread.to_string(),
                    hint,
                }
            })
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, UnusableFile> {
        if let Some(address) = address::address(path) {
            return Ok(address::get(&self.opening.fetcher, address)?.bytes);
        }
        let plain = |error: std::io::Error| UnusableFile {
            reason: error.to_string(),
            hint: "check the path and the permissions".to_owned(),
        };
        let found = fs::metadata(path).map_err(plain)?;
        let limit = self.opening.allowance.limits.bytes;
        if found.len() > limit as u64 {
            return Err(UnusableFile {
                reason: format!("it has {} bytes, {limit} are the most", found.len()),
                hint: "split it into smaller files, or raise the limit with --limit bytes=…"
                    .to_owned(),
            });
        }
        fs::read(path).map_err(plain)
    }
}

/// A name for people.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// A file and what it says.
pub(crate) struct OpenedFile {
    pub(crate) document: Document,
    pub(crate) bytes: Vec<u8>,
    pub(crate) name: String,
    pub(crate) password: String,
    pub(crate) allowance: SandboxLimits,
}

/// Reads one file and shows how far it is.
pub(crate) fn open_one(path: &Path, args: &OpenArgs) -> Result<OpenedFile, CommandError> {
    let opening = OpenContext::new(args)?;
    let mut progress = ProgressLine::new("documents read", 1);
    let mut opener = FileOpener::new(&opening);
    let unusable = |UnusableFile { reason, hint }| {
        CommandError::Stopped(format!(
            "{} cannot be used: {reason}; {hint}",
            path.display()
        ))
    };
    let name = file_name(path);
    let bytes = opener.bytes(path).map_err(unusable)?;
    let password = opening.password(&[&name], &[]);
    let document = opener
        .read(&bytes, &name, password, |said| progress.say(said))
        .map_err(unusable)?;
    Ok(OpenedFile {
        document,
        bytes,
        password: password.to_owned(),
        allowance: opening.allowance,
        name,
    })
}

/// This program, also after its file was replaced.
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
    fn a_password_goes_to_the_file_it_names() {
        let opening = OpenContext {
            allowance: SandboxLimits::default(),
            passwords: ["law=one", "a=b", "two"].map(str::to_owned).to_vec(),
            ocr: OcrProgram::default(),
            fetcher: Fetcher::new(net::FetchPolicy::off()),
        };
        assert_eq!(opening.password(&["law", "law.pdf"], &["x.pdf"]), "one");
        // A password may hold the sign itself.
        assert_eq!(opening.password(&["x.pdf"], &["law"]), "a=b");
        assert_eq!(opening.password(&["x.pdf"], &["law", "a"]), "two");
    }
}
