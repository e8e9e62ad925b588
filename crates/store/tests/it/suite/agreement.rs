//! Random actions: all implementations return the same results.

use std::collections::HashMap;

use proptest::prelude::*;
use store::{
    BeginRun, Checkpoint, ConnectionQuery, DocumentDescription, DocumentStatus, EventQuery,
    MemoryStore, NewAttachment, OpenRun, PageRequest, Principal, RunStatus, Store, StoreError,
    StoredMessage, StoredRunEnd, ThingQuery, ThreadChange, Timestamp,
};

use crate::suite::{attachment, batch, file, new_run, principal, run, thread, with_sqlite};

#[derive(Debug, Clone)]
enum Action {
    Attach {
        who: u8,
        name: u8,
        bytes: u8,
        lives: Option<u8>,
    },
    Extend {
        who: u8,
        name: u8,
    },
    Detach {
        who: u8,
        name: u8,
    },
    Describe {
        bytes: u8,
    },
    Expire,
    Begin {
        who: u8,
        thread: u8,
        run: u8,
        messages: u8,
    },
    Append {
        open: u8,
        count: u8,
    },
    End {
        open: u8,
        messages: u8,
    },
    Title {
        who: u8,
        thread: u8,
        title: u8,
    },
    Delete {
        who: u8,
        thread: u8,
    },
}

fn action() -> impl Strategy<Value = Action> {
    let who = || 0u8..2;
    let few = || 0u8..3;
    prop_oneof![
        (who(), few(), few(), proptest::option::of(0u8..9)).prop_map(
            |(who, name, bytes, lives)| {
                Action::Attach {
                    who,
                    name,
                    bytes,
                    lives,
                }
            }
        ),
        (who(), few()).prop_map(|(who, name)| Action::Extend { who, name }),
        (who(), few()).prop_map(|(who, name)| Action::Detach { who, name }),
        few().prop_map(|bytes| Action::Describe { bytes }),
        Just(Action::Expire),
        (who(), few(), few(), 0u8..5).prop_map(|(who, thread, run, messages)| {
            Action::Begin {
                who,
                thread,
                run,
                messages,
            }
        }),
        (0u8..4, 1u8..4).prop_map(|(open, count)| Action::Append { open, count }),
        (0u8..4, 0u8..5).prop_map(|(open, messages)| Action::End { open, messages }),
        (who(), few(), few()).prop_map(|(who, thread, title)| Action::Title { who, thread, title }),
        (who(), few()).prop_map(|(who, thread)| Action::Delete { who, thread }),
    ]
}

const WHO: [&str; 2] = ["ann", "bob"];
const NAMES: [&str; 3] = ["a", "b", "c"];
const FILES: [&str; 3] = ["one", "two", "three"];

fn messages(count: u8) -> Vec<StoredMessage> {
    let message = |number: u8| StoredMessage {
        id: format!("m{number}"),
        role: "user".to_owned(),
        json: format!(r#"{{"id":"m{number}","of":{}}}"#, count % 2).into(),
    };
    (0..count).map(message).collect()
}

fn owner(number: u8) -> Principal {
    principal(WHO[usize::from(number)])
}

fn name(number: u8) -> &'static str {
    NAMES[usize::from(number)]
}

/// Performs an action. Returns the result as text.
fn perform(
    store: &dyn Store,
    action: &Action,
    now: i64,
    opened: &mut HashMap<u8, OpenRun>,
) -> String {
    match *action {
        Action::Begin {
            who,
            thread,
            run,
            messages,
        } => {
            let new = new_run(name(thread), name(run), &input(messages), now);
            match store.begin_run(&owner(who), new).wait() {
                Ok(BeginRun::New(open, _)) => {
                    let number = u8::try_from(opened.len() % 4).expect("below 4");
                    opened.insert(number, open);
                    format!("new after {}", open.after)
                }
                other => format!("{other:?}"),
            }
        }
        Action::Append { open, count } => match opened.get(&open) {
            Some(open) => {
                let events: Vec<&str> = FILES.into_iter().take(usize::from(count)).collect();
                format!("{:?}", store.append(*open, batch(&events)).wait())
            }
            None => String::new(),
        },
        Action::End { open, messages } => match opened.get(&open) {
            Some(open) => format!("{:?}", end(store, *open, messages, now)),
            None => String::new(),
        },
        Action::Title {
            who,
            thread: id,
            title,
        } => {
            let change = ThreadChange {
                title: Some(name(title).to_owned()),
                archived: None,
            };
            let id = thread(name(id));
            let changed = store.change_thread(&owner(who), &id, change, Timestamp(now));
            format!("{:?}", changed.wait())
        }
        Action::Delete { who, thread: id } => {
            let deleted = store.delete_thread(&owner(who), &thread(name(id)));
            format!("{:?}", deleted.wait())
        }
        _ => perform_on_documents(store, action, now),
    }
}

fn input(messages_count: u8) -> String {
    let texts: Vec<String> = messages(messages_count)
        .iter()
        .map(|message| String::from_utf8_lossy(&message.json).into_owned())
        .collect();
    format!(r#"{{"messages":[{}]}}"#, texts.join(","))
}

fn end(store: &dyn Store, open: OpenRun, count: u8, now: i64) -> Result<(), StoreError> {
    let checkpoint = Checkpoint {
        through: open.after,
        state: format!("{count}").into(),
        record: None,
        messages: messages(count),
    };
    let end = StoredRunEnd::new(RunStatus::Finished, Timestamp(now), Some(checkpoint));
    store.end_run(open, end).wait()
}

fn perform_on_documents(store: &dyn Store, action: &Action, now: i64) -> String {
    match *action {
        Action::Attach {
            who,
            name: id,
            bytes,
            lives,
        } => {
            let new = NewAttachment {
                expires: lives.map(|lives| Timestamp(now + i64::from(lives))),
                ..file(name(id), FILES[usize::from(bytes)], now)
            };
            format!("{:?}", store.attach(&owner(who), new).wait())
        }
        Action::Extend { who, name: id } => {
            let expires = Some(Timestamp(now + 9));
            let id = attachment(name(id));
            let extended = store.extend(&owner(who), &id, expires, Timestamp(now));
            format!("{:?}", extended.wait())
        }
        Action::Detach { who, name: id } => {
            let detached = store.detach(&owner(who), &attachment(name(id)));
            format!("{:?}", detached.wait())
        }
        Action::Describe { bytes } => {
            let description = DocumentDescription {
                media_type: None,
                pages: Some(3),
                title: Some(format!("title {now}")),
                status: DocumentStatus::Ready,
            };
            let id = documents::ContentId::of(FILES[usize::from(bytes)].as_bytes());
            format!("{:?}", store.describe_document(id, description).wait())
        }
        Action::Expire => format!("{:?}", store.expire(Timestamp(now)).wait()),
        _ => unreachable!("an action on threads"),
    }
}

/// Returns everything that can be read, as text.
fn view(store: &dyn Store, now: i64) -> Vec<String> {
    let mut seen = Vec::new();
    let now = Timestamp(now);
    for who in WHO.map(principal) {
        seen.push(format!(
            "{:?}",
            store.attachments(&who, &PageRequest::first(9), now).wait()
        ));
        seen.push(format!(
            "{:?}",
            store.library_changes(&who, 0, 99, now).wait()
        ));
        for bytes in FILES {
            let id = documents::ContentId::of(bytes.as_bytes());
            seen.push(format!("{:?}", store.document(&who, id, now).wait()));
            seen.push(format!(
                "{:?}",
                store.part(&who, id, store::ORIGINAL, now).wait()
            ));
        }
        seen.push(format!(
            "{:?}",
            store.threads(&who, &PageRequest::first(9)).wait()
        ));
        let all = PageRequest::first(1_000);
        seen.push(format!("{:?}", store.groups(&who).wait()));
        seen.push(format!("{:?}", store.people(&who, who.as_str()).wait()));
        for kind in ["conversation", "message", "document", "agent"] {
            let query = ThingQuery {
                kind: Some(kind.to_owned()),
                ..ThingQuery::default()
            };
            seen.push(format!("{:?}", store.things(&who, &query, &all).wait()));
            for after in [0, 5] {
                let changes = store.changes(&who, &query, after, 7).wait();
                seen.push(format!("{changes:?}"));
            }
        }
        let every = ConnectionQuery::default();
        let connections = store.connections(&who, &every, &all).wait();
        seen.push(format!("{connections:?}"));
        let every = EventQuery::default();
        seen.push(format!(
            "{:?}",
            store.ontology_events(&who, &every, &all).wait()
        ));
        for id in NAMES.map(thread) {
            let events = store.events(&who, &id, 1, 5).wait();
            let events = events.map(|events| {
                let owned = |(at, event): (u64, &[u8])| (at, event.to_vec());
                events.iter().map(owned).collect::<Vec<_>>()
            });
            seen.push(format!("{events:?}"));
            seen.push(format!("{:?}", store.state(&who, &id).wait()));
            seen.push(format!("{:?}", store.messages(&who, &id, None, 3).wait()));
            let runs = store.runs(&who, &id, &PageRequest::first(9)).wait();
            seen.push(format!("{:?}", runs.map(|runs| runs.items)));
            for name in NAMES.map(run) {
                seen.push(format!("{:?}", store.input(&who, &id, &name).wait()));
            }
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn all_implementations_agree(actions in proptest::collection::vec(action(), 1..40)) {
        let memory = MemoryStore::new();
        with_sqlite(|sqlite| {
            let (mut first, mut second) = (HashMap::new(), HashMap::new());
            for (now, action) in (0i64..).zip(&actions) {
                assert_eq!(
                    perform(&memory, action, now, &mut first),
                    perform(sqlite, action, now, &mut second),
                    "{action:?}"
                );
            }
            let now = i64::try_from(actions.len()).expect("few");
            assert_eq!(view(&memory, now), view(sqlite, now));
        });
    }
}
