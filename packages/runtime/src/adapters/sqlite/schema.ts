/** "FACT": says that a SQLite file is ours. */
export const APPLICATION_ID = 0x46414354
export const FORMAT_VERSION = 1

/** Positions come in eras, so that the order of streams moves an index now and then and not at every append. */
export const eraOf = (position: number) => Math.floor(position / 4096)

/** How many facts a stream may have. With it, 67 million streams fit into the integers that are exact. */
export const SPAN = 2 ** 27

/**
 * Facts of one stream lie side by side. One number and not two columns: a table with a key of its own kind
 * would move every text of more than a quarter of a page to a page of its own.
 */
export const factId = (stream: number, sequence: number) => stream * SPAN + sequence

// Ids have a table of their own, so that they stay unique after their facts were pruned.
export const SCHEMA = `
  create table meta (key text primary key, value text not null) without rowid;
  create table streams (
    id integer primary key, name text not null unique,
    sequence integer not null, position integer not null, updated_at integer not null,
    era integer not null, owing integer not null
  );
  create index streams_owing on streams (owing) where owing = 1;
  create index streams_by_era on streams (era);
  create table facts (
    id integer primary key, position integer not null, prunable integer not null, text text not null
  );
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
