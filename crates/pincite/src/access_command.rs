//! `pincite access`: shows and switches off the need for keys.

use std::io::Write;

use store::AccessStore;

use crate::cli::{AccessCommand, DataArgs};
use crate::command_error::{CommandError, note};
use crate::data_commands::existing_directory;
use crate::keys::{open_store, store_error};

/// Runs the command. It works while a server uses the data directory.
pub(crate) fn run(command: &AccessCommand) -> Result<(), CommandError> {
    match command {
        AccessCommand::Show(data) => show(data),
        AccessCommand::Off(data) => switch_off(data),
    }
}

fn show(data: &DataArgs) -> Result<(), CommandError> {
    let store = open_store(&existing_directory(data)?)?;
    let is_required = store.is_key_required().wait();
    let word = match is_required.map_err(|error| store_error(&error))? {
        true => "on: requests need a key or token",
        false => {
            "off: requests on this machine need no key; `pincite keys create NAME` switches access on"
        }
    };
    writeln!(anstream::stdout(), "{word}")?;
    Ok(())
}

fn switch_off(data: &DataArgs) -> Result<(), CommandError> {
    let data = existing_directory(data)?;
    let store = open_store(&data)?;
    store
        .set_key_required(false)
        .wait()
        .map_err(|error| store_error(&error))?;
    note(&format!(
        "requests to a server with the data in {} need no key; every program on this machine can read and change all \
         data of the principal `local`. A server with a public address or token issuers still needs one. \
         `pincite keys create NAME` switches access on again",
        data.display()
    ));
    Ok(())
}
