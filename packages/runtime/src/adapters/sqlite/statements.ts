import type { DatabaseSync } from "node:sqlite"

/** Prepared once: compiling a statement costs as much as running it. */
export function statements(db: DatabaseSync) {
  return {
    begin: db.prepare("begin immediate"),
    commit: db.prepare("commit"),
    rollback: db.prepare("rollback"),
    find: db.prepare("select id, sequence, position, owing from streams where name = ?"),
    known: db.prepare("select sequence from event_ids where event_id = ?"),
    place: db.prepare(
      `insert into streams (id, name, sequence, position, updated_at, owing) values (?, ?, ?, ?, ?, ?)
       on conflict (id) do update set
         sequence = excluded.sequence, position = excluded.position, updated_at = excluded.updated_at,
         owing = excluded.owing`,
    ),
    fact: db.prepare("insert into facts (stream, sequence, position, prunable, text) values (?, ?, ?, ?, ?)"),
    eventId: db.prepare("insert into event_ids (event_id, stream, sequence) values (?, ?, ?)"),
    claimed: db.prepare("select value from claims where key = ?"),
    claim: db.prepare("insert into claims (key, value) values (?, ?)"),
    supersede: db.prepare(
      "insert or ignore into superseded (stream, first, last, position) values (?, ?, ?, ?)",
    ),
    ranges: db.prepare("select stream, first, last, position from superseded"),
    dropRange: db.prepare("delete from superseded where stream = ? and first = ? and last = ?"),
    prune: db.prepare(
      `delete from facts where stream = ? and sequence in (
         select sequence from facts
         where stream = ? and sequence between ? and ? and prunable = 1 and position < ? limit ?)`,
    ),
    saveState: db.prepare(
      "insert or replace into states (stream, sequence, text, digest) values (?, ?, ?, ?)",
    ),
  }
}
