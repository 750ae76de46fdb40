CREATE TABLE base_models (
    number INTEGER PRIMARY KEY,
    made INTEGER NOT NULL,          -- ms since 1970
    label_seq INTEGER NOT NULL,     -- labels up to this one are in the model
    event_seq INTEGER NOT NULL,     -- events up to this one were decided before it
    learnt INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,      -- of code and machine: decisions are bit-identical on the same
    cause TEXT NOT NULL CHECK (cause IN ('start', 'upgrade', 'compaction')),
    name TEXT NOT NULL,
    model BLOB,                     -- NULL where a compaction has taken its records
    checksum INTEGER NOT NULL
);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    received INTEGER NOT NULL,      -- ms since 1970, never less than that of the event before
    time TEXT,                      -- as it was given, JSON
    hour INTEGER NOT NULL,          -- of the event, since 1970
    features BLOB NOT NULL,         -- JSON, the keys in their order
    given TEXT,                     -- the four costs that came with it, JSON
    fn_cost REAL NOT NULL, fp_cost REAL NOT NULL, tp_cost REAL NOT NULL, tn_cost REAL NOT NULL,
    own INTEGER NOT NULL,           -- whether these are its own costs
    flag INTEGER NOT NULL,
    score REAL NOT NULL,
    probability REAL NOT NULL,
    learnt INTEGER NOT NULL,        -- labels that the model had learnt
    base_model INTEGER NOT NULL,
    label_seq INTEGER NOT NULL,     -- labels up to this one were in the model
    reasons BLOB,                   -- JSON
    left_out INTEGER NOT NULL,      -- features that came with it whose names were not taken
    warnings BLOB,                  -- what does not fit about it, JSON; NULL where all fits
    checksum INTEGER NOT NULL
);
CREATE INDEX flags ON events (seq) WHERE flag;
CREATE TABLE pending (event INTEGER PRIMARY KEY);
CREATE TABLE labels (
    seq INTEGER PRIMARY KEY,
    event INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('label', 'deferred', 'due', 'expiry', 'revision')),
    positive INTEGER NOT NULL,
    label TEXT,                     -- as it was given, JSON
    received INTEGER NOT NULL,
    time TEXT,
    checksum INTEGER NOT NULL
);
CREATE UNIQUE INDEX learnt_once ON labels (event, iif(kind IN ('deferred', 'revision'), seq, 0));
CREATE INDEX deferred ON labels (event) WHERE kind = 'deferred';
CREATE TABLE rejected (label INTEGER PRIMARY KEY, why TEXT NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE unmatched (
    id TEXT PRIMARY KEY,
    positive INTEGER NOT NULL,
    label TEXT NOT NULL,
    received INTEGER NOT NULL,
    time TEXT,
    checksum INTEGER NOT NULL
);
CREATE INDEX unmatched_since ON unmatched (received);
CREATE TABLE names (                -- of features that events have brought
    name TEXT PRIMARY KEY,
    checksum INTEGER NOT NULL
);
CREATE TABLE hourly_costs (
    hour INTEGER PRIMARY KEY,
    events INTEGER NOT NULL, flags INTEGER NOT NULL, positives INTEGER NOT NULL,
    negatives INTEGER NOT NULL, missed INTEGER NOT NULL, false_alarms INTEGER NOT NULL,
    expired INTEGER NOT NULL, cost REAL NOT NULL, flag_nothing REAL NOT NULL, flag_all REAL NOT NULL,
    perfect REAL NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE hourly_costs_removed ( -- of removed events; they are in hourly_costs as well
    hour INTEGER PRIMARY KEY,
    events INTEGER NOT NULL, flags INTEGER NOT NULL, positives INTEGER NOT NULL,
    negatives INTEGER NOT NULL, missed INTEGER NOT NULL, false_alarms INTEGER NOT NULL,
    expired INTEGER NOT NULL, cost REAL NOT NULL, flag_nothing REAL NOT NULL, flag_all REAL NOT NULL,
    perfect REAL NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE operations (           -- what was decided about the service itself
    seq INTEGER PRIMARY KEY,
    received INTEGER NOT NULL,
    kind TEXT NOT NULL,             -- see OPERATIONS
    detail TEXT NOT NULL,           -- JSON
    checksum INTEGER NOT NULL       -- of what follows seq, whose numbers have no gaps
);
-- format 4
-- what was said of an event, numbers of 8 bytes each, by which the model is judged later
ALTER TABLE events ADD COLUMN forecast BLOB;
