//! Worker process that reads and renders untrusted files.
//!
//! A hostile file may send a parser into a loop, overflow its stack or fill the memory. A [`SandboxReader`]
//! therefore sends the bytes of a file to a worker process that runs [`serve`], with a memory limit and a timeout
//! after which it is killed. Whatever happens there is an error of that file ([`SandboxError`]). A worker
//! reads one file after the other and is replaced when it dies. Pages are rendered there as well:
//! [`SandboxReader::draw`].
//!
//! ```no_run
//! use sandbox::{SandboxLimits, SandboxReader};
//!
//! let mut reader = SandboxReader::new("/usr/bin/pincite", ["read-document"]);
//! let file = std::fs::read("report.pdf")?;
//! match reader.read(&file, "report.pdf", "", &SandboxLimits::default(), |_, _| {}) {
//!     Ok(document) => println!("{} pages", document.pages().len()),
//!     Err(error) => println!("{error}; {}", error.hint()),
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

mod client;
mod error;
mod image_request;
mod limits;
mod ocr;
mod page_recognition;
mod protocol;
mod worker;

pub use client::SandboxReader;
pub use error::SandboxError;
pub use image_request::{ImageRequest, PageImageFile, RequestedView};
pub use limits::{InvalidLimit, SandboxLimits};
pub use ocr::OcrProgram;
pub use worker::serve;
