//! `pincite keys`: who may use a server.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use json::{Map, Value};
use server::access::NewKey;
use store::{AccessStore, ApiKey, OpenOptions, Principal, SqliteStore, Timestamp};

use crate::cli::{
    DataArgs, KeysCommand, KeysCreateArgs, KeysListArgs, KeysRevokeArgs, ReportFormat,
};
use crate::data::named;
use crate::failure::{CommandError, note, shown};

/// Makes, lists and revokes keys, also beside a running server.
pub(crate) fn run(command: &KeysCommand) -> Result<(), CommandError> {
    match command {
        KeysCommand::Create(args) => create(args),
        KeysCommand::List(args) => list(args),
        KeysCommand::Revoke(args) => revoke(args),
    }
}

fn open(data: &DataArgs) -> Result<SqliteStore, CommandError> {
    open_beside(&named(data)?)
}

/// Opens a data directory that a server may be using.
pub(crate) fn open_beside(data: &Path) -> Result<SqliteStore, CommandError> {
    SqliteStore::open(&OpenOptions::new(data)).map_err(|error| unusable(data, &error))
}

/// Why a data directory cannot be used, and what to do.
pub(crate) fn unusable(data: &Path, error: &store::StoreError) -> CommandError {
    let (is_file, data) = (data.is_file(), data.display());
    CommandError::Configuration(match is_file {
        true => {
            format!("{data} is a file; name a directory with --data, it is made if it is not there")
        }
        false => format!(
            "the data directory {data} cannot be used: {error}; {}",
            error.hint()
        ),
    })
}

fn stored(error: &store::StoreError) -> CommandError {
    CommandError::Configuration(format!("{error}; {}", error.hint()))
}

fn create(args: &KeysCreateArgs) -> Result<(), CommandError> {
    let principal = args.principal.as_deref().unwrap_or(&args.name);
    let principal = Principal::new(principal).map_err(|error| stored(&error))?;
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
    let store = open(&args.data)?;
    store
        .add_key(new.key.clone(), new.hash())
        .wait()
        .map_err(|error| stored(&error))?;
    match args.format {
        ReportFormat::Json => {
            let mut described = described(&new.key, now);
            described.insert("secret".to_owned(), new.secret.as_str().into());
            print(&Value::Object(described).to_json())?;
        }
        ReportFormat::Text => {
            note(&format!(
                "key {} for principal '{}' ({}), {}; the secret is shown this once:",
                new.key.id,
                shown(new.key.principal.as_str()),
                new.key.scopes.join(", "),
                new.key.expires.map_or_else(
                    || "does not expire".to_owned(),
                    |at| format!("expires {}", moment(at))
                ),
            ));
            print(&new.secret)?;
            note(
                "use it as 'Authorization: Bearer …'; from now on the server asks everybody for a key",
            );
        }
    }
    Ok(())
}

fn list(args: &KeysListArgs) -> Result<(), CommandError> {
    let store = open(&args.data)?;
    let keys = store.keys().wait().map_err(|error| stored(&error))?;
    let now = now();
    match args.format {
        ReportFormat::Json => {
            let items = keys
                .iter()
                .map(|key| Value::Object(described(key, now)))
                .collect();
            print(&Value::from([("items", Value::Array(items))]).to_json())
        }
        ReportFormat::Text if keys.is_empty() => {
            note("there are no keys; make one with pincite keys create NAME");
            Ok(())
        }
        ReportFormat::Text => {
            let rows = keys.iter().map(|key| {
                [
                    key.id.clone(),
                    shown(&key.name),
                    shown(key.principal.as_str()),
                    key.scopes.join(","),
                    state(key, now).to_owned(),
                    key.used.map_or_else(|| "never".to_owned(), moment),
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
    let store = open(&args.data)?;
    let keys = store.keys().wait().map_err(|error| stored(&error))?;
    let now = now();
    // An id is one key's, a name may be that of several.
    let open = |key: &&ApiKey| key.revoked.is_none();
    let named = keys.iter().filter(|key| key.name == args.key);
    let mut meant: Vec<&ApiKey> = match keys.iter().find(|key| key.id == args.key) {
        Some(key) => vec![key],
        None => named.collect(),
    };
    meant.retain(open);
    let key = match meant.as_slice() {
        [key] => *key,
        [] => {
            return Err(CommandError::Stopped(format!(
                "there is no key {} that could be revoked; see pincite keys list",
                args.key
            )));
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|key| key.id.as_str()).collect();
            return Err(CommandError::Stopped(format!(
                "{} keys are called {}; name one by its id: {}",
                several.len(),
                args.key,
                ids.join(", ")
            )));
        }
    };
    store
        .revoke_key(&key.id, now)
        .wait()
        .map_err(|error| stored(&error))?;
    note(&format!(
        "key {} ({}) opens nothing any more",
        shown(&key.id),
        shown(&key.name)
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

fn described(key: &ApiKey, now: Timestamp) -> Map {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| drop(map.insert(name.to_owned(), value));
    let at = |at: Option<Timestamp>| at.map_or(Value::Null, |at| moment(at).into());
    put("id", key.id.as_str().into());
    put("name", key.name.as_str().into());
    put("principal", key.principal.as_str().into());
    let scopes = key.scopes.iter().map(|scope| scope.as_str().into());
    put("scopes", Value::Array(scopes.collect()));
    put("state", state(key, now).into());
    put("createdAt", moment(key.created).into());
    put("expiresAt", at(key.expires));
    put("revokedAt", at(key.revoked));
    put("usedAt", at(key.used));
    map
}

/// Columns under each other.
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

/// A moment for people.
fn moment(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0)
        .map_or_else(|_| "never".to_owned(), |at| format!("{at:.0}"))
}

/// Milliseconds since 1970.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}

fn print(text: &str) -> Result<(), CommandError> {
    writeln!(anstream::stdout(), "{text}")?;
    Ok(())
}

/// What links are signed with: a file in the data directory, made when it is first needed.
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
                reason: "delete it: a new one is made, and links that were signed stop working"
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
