-- The ontology: groups, people, things, connections, events, knowledge. Everything belongs to a principal
-- and within it to a group; ids are unique within the principal. Rows of the run log are not in it.

CREATE TABLE groups (
    principal   INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    slug        TEXT NOT NULL,
    name        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    parent      TEXT,
    description TEXT,
    metadata    TEXT NOT NULL,
    settings    TEXT NOT NULL,
    status      TEXT NOT NULL,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    PRIMARY KEY (principal, id),
    UNIQUE (principal, slug)
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_by_kind ON groups (principal, kind);
CREATE INDEX groups_by_parent ON groups (principal, parent);
CREATE INDEX groups_by_status ON groups (principal, status);
CREATE INDEX groups_by_time ON groups (principal, created);

CREATE TABLE people (
    principal   INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    grp         TEXT NOT NULL,
    email       TEXT,
    username    TEXT,
    name        TEXT NOT NULL,
    role        TEXT NOT NULL,
    permissions TEXT NOT NULL,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    PRIMARY KEY (principal, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_of_group ON people (principal, grp, role);

CREATE TABLE things (
    principal      INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id             TEXT NOT NULL,
    grp            TEXT NOT NULL,
    kind           TEXT NOT NULL,
    name           TEXT NOT NULL,
    within         TEXT,                      -- the thing that it is a part of, a message's thread
    properties     TEXT NOT NULL,
    status         TEXT NOT NULL,
    schema_version INTEGER,
    created        INTEGER NOT NULL,
    updated        INTEGER NOT NULL,
    deleted        INTEGER,
    changed        INTEGER NOT NULL,          -- counts up with every change of any thing
    PRIMARY KEY (principal, id)
) STRICT;
CREATE INDEX things_by_kind ON things (principal, kind, created DESC, id DESC);
CREATE INDEX things_by_status ON things (principal, status, created DESC, id DESC);
CREATE INDEX things_by_time ON things (principal, created DESC, id DESC);
CREATE INDEX things_by_update ON things (principal, updated);
CREATE INDEX things_of_group ON things (principal, grp, created DESC, id DESC);
CREATE INDEX things_of_group_by_kind ON things (principal, grp, kind, created DESC, id DESC);
CREATE INDEX things_of_group_by_status ON things (principal, grp, status, created DESC, id DESC);
CREATE INDEX things_of_group_by_update ON things (principal, grp, updated);
CREATE INDEX things_within ON things (principal, within, created DESC, id DESC);
CREATE INDEX things_by_change ON things (principal, changed);
CREATE INDEX things_by_kind_and_change ON things (principal, kind, changed);
CREATE INDEX things_within_by_change ON things (principal, within, changed);

-- How often any thing was changed.
CREATE TABLE change_count (
    count INTEGER NOT NULL
) STRICT;
INSERT INTO change_count VALUES (0);

CREATE TABLE connections (
    principal  INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    grp        TEXT NOT NULL,
    source     TEXT NOT NULL,
    target     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    metadata   TEXT,
    strength   REAL,
    valid_from INTEGER,
    valid_to   INTEGER,
    created    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    deleted    INTEGER,
    PRIMARY KEY (principal, id)
) STRICT;
CREATE INDEX connections_by_time ON connections (principal, created DESC, id DESC);
CREATE INDEX connections_from ON connections (principal, source, created DESC, id DESC);
CREATE INDEX connections_from_by_kind ON connections (principal, source, kind, created DESC, id DESC);
CREATE INDEX connections_to ON connections (principal, target, created DESC, id DESC);
CREATE INDEX connections_to_by_kind ON connections (principal, target, kind, created DESC, id DESC);
CREATE INDEX connections_between ON connections (principal, source, target, kind);
CREATE INDEX connections_of_group ON connections (principal, grp, created DESC, id DESC);
CREATE INDEX connections_of_group_by_kind ON connections (principal, grp, kind, created DESC, id DESC);
CREATE INDEX connections_of_group_from ON connections (principal, grp, source);
CREATE INDEX connections_of_group_to ON connections (principal, grp, target);
CREATE INDEX connections_of_group_valid ON connections (principal, grp, valid_from, valid_to);

CREATE TABLE events (
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id        TEXT NOT NULL,
    grp       TEXT NOT NULL,
    kind      TEXT NOT NULL,
    actor     TEXT NOT NULL,
    target    TEXT,
    at        INTEGER NOT NULL,
    metadata  TEXT,
    archived  INTEGER NOT NULL,
    PRIMARY KEY (principal, id)
) STRICT;
CREATE INDEX events_by_kind ON events (principal, kind, at DESC, id DESC);
CREATE INDEX events_by_actor ON events (principal, actor, at DESC, id DESC);
CREATE INDEX events_by_target ON events (principal, target, at DESC, id DESC);
CREATE INDEX events_by_time ON events (principal, at DESC, id DESC);
CREATE INDEX events_by_actor_and_kind ON events (principal, actor, kind, at DESC, id DESC);
CREATE INDEX events_by_target_and_kind ON events (principal, target, kind, at DESC, id DESC);
CREATE INDEX events_of_group ON events (principal, grp, at DESC, id DESC);
CREATE INDEX events_of_group_by_kind ON events (principal, grp, kind, at DESC, id DESC);

CREATE TABLE knowledge (
    principal       INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id              TEXT NOT NULL,
    grp             TEXT NOT NULL,
    kind            TEXT NOT NULL,
    text            TEXT,
    embedding       BLOB,
    embedding_model TEXT,
    source          TEXT,
    source_field    TEXT,
    chunk           TEXT,
    labels          TEXT NOT NULL,
    metadata        TEXT,
    created         INTEGER NOT NULL,
    updated         INTEGER NOT NULL,
    deleted         INTEGER,
    PRIMARY KEY (principal, id)
) STRICT;
CREATE INDEX knowledge_by_kind ON knowledge (principal, kind, created DESC, id DESC);
CREATE INDEX knowledge_by_source ON knowledge (principal, source, created DESC, id DESC);
CREATE INDEX knowledge_by_time ON knowledge (principal, created DESC, id DESC);
CREATE INDEX knowledge_by_update ON knowledge (principal, updated);
CREATE INDEX knowledge_of_group_by_kind ON knowledge (principal, grp, kind, created DESC, id DESC);
CREATE INDEX knowledge_of_group_by_source ON knowledge (principal, grp, source);

CREATE TABLE thing_knowledge (
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    thing     TEXT NOT NULL,
    knowledge TEXT NOT NULL,
    role      TEXT NOT NULL,
    metadata  TEXT,
    PRIMARY KEY (principal, thing, knowledge, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX thing_knowledge_by_knowledge ON thing_knowledge (principal, knowledge);
