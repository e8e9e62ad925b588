//! `pincite keys`: creates, lists and revokes API keys.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use json::{Map, Value};
use server::access::NewKey;
use store::{AccessStore, ApiKey, OpenOptions, Principal, SqliteStore, Timestamp};

use crate::cli::{
    DataArgs, KeysCommand, KeysCreateArgs, KeysListArgs, KeysRevokeArgs, ReportFormat,
};
use crate::command_error::{CommandError, note, printable};
use crate::data_commands::{data_directory, existing_directory};

/// Runs the command. It works while a server uses the data directory.
pub(crate) fn run(command: &KeysCommand) -> Result<(), CommandError> {
    match command {
        KeysCommand::Create(args) => create(args),
        KeysCommand::List(args) => list(args),
        KeysCommand::Revoke(args) => revoke(args),
    }
}

fn open_existing(data: &DataArgs) -> Result<SqliteStore, CommandError> {
    open_store(&existing_directory(data)?)
}

/// Opens a data directory that a server may use at the same time.
pub(crate) fn open_store(data: &Path) -> Result<SqliteStore, CommandError> {
    SqliteStore::open(&OpenOptions::new(data)).map_err(|error| open_error(data, &error))
}

/// Returns the message for a data directory that cannot be opened.
pub(crate) fn open_error(data: &Path, error: &store::StoreError) -> CommandError {
    let (is_file, data) = (data.is_file(), data.display());
    CommandError::Configuration(match is_file {
        true => {
            format!(
                "{data} is a file; name a directory with --data, it is created if it does not exist"
            )
        }
        false => format!(
            "cannot use the data directory {data}: {error}; {}",
            error.hint()
        ),
    })
}

pub(crate) fn store_error(error: &store::StoreError) -> CommandError {
    CommandError::Configuration(format!("{error}; {}", error.hint()))
}

fn create(args: &KeysCreateArgs) -> Result<(), CommandError> {
    let principal = args.principal.as_deref().unwrap_or(&args.name);
    let principal = Principal::new(principal).map_err(|error| store_error(&error))?;
    let now = now();
    let expires = args.expires.map(|span| {
        Timestamp(
            now.0
                .saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    });
    let random = || uuid::Uuid::new_v4().into_bytes();
    let new = NewKey::new(
        (random(), random(), random()),
        principal,
        &args.name,
        &args.scopes,
        now,
        expires,
    );
    let store = open_store(&data_directory(&args.data)?)?;
    store
        .add_key(new.key.clone(), new.hash())
        .wait()
        .map_err(|error| store_error(&error))?;
    match args.format {
        ReportFormat::Json => {
            let mut json = key_json(&new.key, now);
            json.insert("secret".to_owned(), new.secret.as_str().into());
            print(&Value::Object(json).to_json())?;
        }
        ReportFormat::Text => {
            note(&format!(
                "created key {} for principal '{}' ({}), {}; the secret is shown only once:",
                new.key.id,
                printable(new.key.principal.as_str()),
                new.key.scopes.join(", "),
                new.key.expires.map_or_else(
                    || "does not expire".to_owned(),
                    |at| format!("expires {}", format_time(at))
                ),
            ));
            print(&new.secret)?;
            note("send it as 'Authorization: Bearer …'; every request needs a key from here on");
        }
    }
    Ok(())
}

fn list(args: &KeysListArgs) -> Result<(), CommandError> {
    let store = open_existing(&args.data)?;
    let keys = store.keys().wait().map_err(|error| store_error(&error))?;
    let now = now();
    match args.format {
        ReportFormat::Json => {
            let items = keys
                .iter()
                .map(|key| Value::Object(key_json(key, now)))
                .collect();
            print(&Value::from([("items", Value::Array(items))]).to_json())
        }
        ReportFormat::Text if keys.is_empty() => {
            note("no keys; create one with `pincite keys create NAME`");
            Ok(())
        }
        ReportFormat::Text => {
            let rows = keys.iter().map(|key| {
                [
                    key.id.clone(),
                    printable(&key.name),
                    printable(key.principal.as_str()),
                    key.scopes.join(","),
                    state(key, now).to_owned(),
                    key.used.map_or_else(|| "never".to_owned(), format_time),
                ]
            });
            let head = ["KEY", "NAME", "PRINCIPAL", "SCOPES", "STATE", "LAST USED"];
            print(&table(
                &std::iter::once(head.map(str::to_owned))
                    .chain(rows)
                    .collect::<Vec<_>>(),
            ))
        }
    }
}

fn revoke(args: &KeysRevokeArgs) -> Result<(), CommandError> {
    let store = open_existing(&args.data)?;
    let keys = store.keys().wait().map_err(|error| store_error(&error))?;
    let now = now();
    // Ids are unique, names are not.
    let is_active = |key: &&ApiKey| key.revoked.is_none();
    let named = keys.iter().filter(|key| key.name == args.key);
    let mut matching: Vec<&ApiKey> = match keys.iter().find(|key| key.id == args.key) {
        Some(key) => vec![key],
        None => named.collect(),
    };
    matching.retain(is_active);
    let key = match matching.as_slice() {
        [key] => *key,
        [] => {
            return Err(CommandError::Stopped(format!(
                "no active key {}; `pincite keys list` shows all keys",
                args.key
            )));
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|key| key.id.as_str()).collect();
            return Err(CommandError::Stopped(format!(
                "{} keys have the name {}; name one by its id: {}",
                several.len(),
                args.key,
                ids.join(", ")
            )));
        }
    };
    store
        .revoke_key(&key.id, now)
        .wait()
        .map_err(|error| store_error(&error))?;
    note(&format!(
        "revoked key {} ({})",
        printable(&key.id),
        printable(&key.name)
    ));
    Ok(())
}

fn state(key: &ApiKey, now: Timestamp) -> &'static str {
    match (key.revoked, key.is_valid(now)) {
        (Some(_), _) => "revoked",
        (None, true) => "valid",
        (None, false) => "expired",
    }
}

fn key_json(key: &ApiKey, now: Timestamp) -> Map {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| drop(map.insert(name.to_owned(), value));
    let at = |at: Option<Timestamp>| at.map_or(Value::Null, |at| format_time(at).into());
    put("id", key.id.as_str().into());
    put("name", key.name.as_str().into());
    put("principal", key.principal.as_str().into());
    let scopes = key.scopes.iter().map(|scope| scope.as_str().into());
    put("scopes", Value::Array(scopes.collect()));
    put("state", state(key, now).into());
    put("createdAt", format_time(key.created).into());
    put("expiresAt", at(key.expires));
    put("revokedAt", at(key.revoked));
    put("usedAt", at(key.used));
    map
}

/// Aligns the columns of a table.
fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let lines = rows.iter().map(|row| {
        let cells = row.iter().enumerate();
        let line: String = cells
            .map(|(column, cell)| format!("{cell:<0$}", width(column) + 2))
            .collect();
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a time as RFC 3339 in UTC.
fn format_time(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0)
        .map_or_else(|_| "never".to_owned(), |at| format!("{at:.0}"))
}

/// Returns the current time.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}

fn print(text: &str) -> Result<(), CommandError> {
    writeln!(anstream::stdout(), "{text}")?;
    Ok(())
}

/// Returns the key that signs links. It is a file in the data directory, created on first use.
pub(crate) fn link_key(data: Option<&Path>) -> Result<[u8; 32], CommandError> {
    let random = || {
        let mut key = [0; 32];
        key[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        key[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        key
    };
    let Some(data) = data else {
        return Ok(random());
    };
    let path = data.join("link.key");
    let unwritable = |path: &PathBuf, error| CommandError::Unwritable {
        path: path.clone(),
        error,
    };
    match std::fs::read(&path) {
        Ok(bytes) => bytes
            .as_slice()
            .try_into()
            .map_err(|_| CommandError::WrongContent {
                path: path.clone(),
                expected: "a key of 32 bytes",
                reason:
                    "delete the file; a new key is created and existing signed links stop working"
                        .to_owned(),
            }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let key = random();
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options
                .open(&path)
                .and_then(|mut file| file.write_all(&key))
                .map_err(|error| unwritable(&path, error))?;
            Ok(key)
        }
        Err(error) => Err(CommandError::Unreadable { path, error }),
    }
}
