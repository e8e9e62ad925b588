//! Helpers of the tests: processes, event streams, scratch files.

mod command;
mod differences;
mod docx;
mod events;
mod files;
pub(crate) mod gateway;
mod responses;
mod server_process;
pub(crate) mod upstream;

pub(crate) use command::*;
pub(crate) use differences::*;
pub(crate) use docx::*;
pub(crate) use events::*;
pub(crate) use files::*;
pub(crate) use responses::*;
pub(crate) use server_process::*;
