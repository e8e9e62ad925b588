//! Reads and draws documents in a process of its own, which can be stopped.
//!
//! Files are hostile until they are read: one may send a parser into a loop, overrun its stack or fill the
//! memory. So a [`Reader`] hands the bytes of a file to a child process that runs [`serve`], with a limit
//! of its own memory and a time after which it is killed. Whatever happens there, it is an error on that
//! file ([`Unread`]) and nothing else. A child reads one file after the other and is replaced when it dies.
//! Pictures of pages are made there, too: [`Reader::draw`].
//!
//! ```no_run
//! use intake::{Allowance, Reader};
//!
//! let mut reader = Reader::new("/usr/bin/pincite", ["read-document"]);
//! let file = std::fs::read("report.pdf")?;
//! match reader.read(&file, "report.pdf", "", &Allowance::default(), |_, _| {}) {
//!     Ok(document) => println!("{} pages", document.pages().len()),
//!     Err(unread) => println!("{unread}; {}", unread.hint()),
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

mod allowance;
mod child;
mod error;
mod frame;
mod ocr;
mod picture;
mod reader;
mod recognising;

pub use allowance::{Allowance, BadLimit};
pub use child::serve;
pub use error::Unread;
pub use ocr::Ocr;
pub use picture::{Picture, Shown, Wanted};
pub use reader::Reader;
