/** "FART": says that a SQLite file holds artifacts of ours. */
export const APPLICATION_ID = 0x46415254
export const FORMAT_VERSION = 2

// Content is not here: a version names the digest of its bytes in the blob store.
export const SCHEMA = `
  create table artifacts (
    artifact_id text primary key, session_id text not null, kind text not null, head integer not null,
    removed integer not null, changes integer not null, position integer not null,
    created_at text not null, updated_at text not null
  ) without rowid;
  create unique index artifacts_by_position on artifacts (position);
  create table versions (
    artifact_id text not null, version integer not null, change text not null, from_version integer,
    author text not null, title text not null, media_type text not null, digest text not null,
    bytes integer not null, preview text not null, whole integer not null, diff_digest text, diff_bytes integer,
    created_at text not null, actor text, primary key (artifact_id, version)
  ) without rowid;
  create table followers (artifact_id text not null, session_id text not null, primary key (artifact_id, session_id)) without rowid;
  create index followed on followers (session_id);
  create table keys (key text primary key, request text not null, answer text not null) without rowid;
  create table untold (id integer primary key, claim text not null, change text not null);
  pragma application_id = ${APPLICATION_ID};
  pragma user_version = ${FORMAT_VERSION};
`

/** Since version 2 a version tells who made it. */
export const FROM_1 = `alter table versions add column actor text; pragma user_version = 2;`
