/** "FACT": says that a SQLite file is ours. */
export const APPLICATION_ID = 0x46414354
export const FORMAT_VERSION = 1

// Ids have a table of their own, so that they stay unique after their facts were pruned.
export const SCHEMA = `
  create table meta (key text primary key, value text not null) without rowid;
  create table streams (
    id integer primary key, name text not null unique,
    sequence integer not null, position integer not null, updated_at integer not null,
    owing integer not null
  );
  create index streams_owing on streams (owing) where owing = 1;
  create index streams_by_recency on streams (position);
  create table facts (
    stream integer not null, sequence integer not null, position integer not null,
    prunable integer not null, text text not null,
    primary key (stream, sequence)
  ) without rowid;
  create table event_ids (event_id text primary key, stream integer not null, sequence integer not null) without rowid;
  create table claims (key text primary key, value text not null) without rowid;
  create table superseded (
    id integer primary key, stream integer not null,
    first integer not null, last integer not null, position integer not null
  );
  create table states (
    stream text primary key, sequence integer not null, text text not null, digest text not null
  ) without rowid;
  pragma application_id = ${APPLICATION_ID};
  pragma user_version = ${FORMAT_VERSION};
`
