//! Whatever is done, every store answers alike.

use std::collections::HashMap;

use proptest::prelude::*;
use store::{
    BeginRun, Checkpoint, ConnectionQuery, EventQuery, MemoryStore, NewAttachment, OpenRun,
    PageRequest, RunStatus, Store, StoredMessage, StoredRunEnd, ThingQuery, ThreadChange,
    Timestamp,
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

/// Does it, and says what the store answered.
fn perform(
    store: &dyn Store,
    action: &Action,
    now: i64,
    opened: &mut HashMap<u8, OpenRun>,
) -> String {
    let who = |who: &u8| principal(WHO[usize::from(*who)]);
    let name = |name: &u8| NAMES[usize::from(*name)];
    match action {
        Action::Attach {
            who: owner,
            name: id,
            bytes,
            lives,
        } => {
            let new = NewAttachment {
                expires: lives.map(|lives| Timestamp(now + i64::from(lives))),
                ..file(name(id), FILES[usize::from(*bytes)], now)
            };
            format!("{:?}", store.attach(&who(owner), new).wait())
        }
        Action::Extend {
            who: owner,
            name: id,
        } => {
            let expires = Some(Timestamp(now + 9));
            let id = attachment(name(id));
            format!(
                "{:?}",
                store
                    .extend(&who(owner), &id, expires, Timestamp(now))
                    .wait()
            )
        }
        Action::Detach {
            who: owner,
            name: id,
        } => {
            format!(
                "{:?}",
                store.detach(&who(owner), &attachment(name(id))).wait()
            )
        }
        Action::Expire => format!("{:?}", store.expire(Timestamp(now)).wait()),
        Action::Begin {
            who: owner,
            thread,
            run,
            messages: count,
        } => {
            let texts: Vec<String> = messages(*count)
                .iter()
                .map(|message| String::from_utf8_lossy(&message.json).into_owned())
                .collect();
            let input = format!(r#"{{"messages":[{}]}}"#, texts.join(","));
            let new = new_run(name(thread), name(run), &input, now);
            match store.begin_run(&who(owner), new).wait() {
                Ok(BeginRun::New(open, _)) => {
                    let number = u8::try_from(opened.len() % 4).expect("below 4");
                    opened.insert(number, open);
                    format!("new after {}", open.after)
                }
                other => format!("{other:?}"),
            }
        }
        Action::Append { open, count } => match opened.get(open) {
            Some(open) => {
                let events: Vec<&str> = FILES.into_iter().take(usize::from(*count)).collect();
                format!("{:?}", store.append(*open, batch(&events)).wait())
            }
            None => String::new(),
        },
        Action::End {
            open,
            messages: count,
        } => match opened.get(open) {
            Some(open) => {
                let checkpoint = Checkpoint {
                    through: open.after,
                    state: format!("{count}").into(),
                    record: None,
                    messages: messages(*count),
                };
                let at = Timestamp(now);
                let ended = store.end_run(
                    *open,
                    StoredRunEnd::new(RunStatus::Finished, at, Some(checkpoint)),
                );
                format!("{:?}", ended.wait())
            }
            None => String::new(),
        },
        Action::Title {
            who: owner,
            thread: id,
            title,
        } => {
            let title = Some(name(title).to_owned());
            let change = ThreadChange {
                title,
                archived: None,
            };
            let id = thread(name(id));
            format!(
                "{:?}",
                store
                    .change_thread(&who(owner), &id, change, Timestamp(now))
                    .wait()
            )
        }
        Action::Delete {
            who: owner,
            thread: id,
        } => {
            format!(
                "{:?}",
                store.delete_thread(&who(owner), &thread(name(id))).wait()
            )
        }
    }
}

/// Everything that can be seen.
fn view(store: &dyn Store, now: i64) -> Vec<String> {
    let mut seen = Vec::new();
    let now = Timestamp(now);
    for who in WHO.map(principal) {
        seen.push(format!(
            "{:?}",
            store.attachments(&who, &PageRequest::first(9), now).wait()
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
    fn stores_agree(actions in proptest::collection::vec(action(), 1..40)) {
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
