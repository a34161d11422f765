import type { DatabaseSync } from "node:sqlite"
import { SPAN } from "./schema.ts"

/** Prepared once: compiling a statement costs as much as running it. */
export function statements(db: DatabaseSync) {
  return {
    begin: db.prepare("begin immediate"),
    commit: db.prepare("commit"),
    rollback: db.prepare("rollback"),
    savepoint: db.prepare("savepoint one"),
    undo: db.prepare("rollback to one"),
    release: db.prepare("release one"),
    find: db.prepare("select id, sequence, position, updated_at, owing from streams where name = ?"),
    known: db.prepare("select sequence from event_ids where event_id = ?"),
    place: db.prepare(
      `insert into streams (id, name, sequence, position, updated_at, era, owing) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set
         sequence = excluded.sequence, position = excluded.position, updated_at = excluded.updated_at,
         era = excluded.era, owing = excluded.owing`,
    ),
    // Naming an indexed column would rewrite a page of its index, also when the value stays the same.
    move: db.prepare("update streams set sequence = ?, position = ?, updated_at = ? where id = ?"),
    fact: db.prepare("insert into facts (id, position, prunable, text) values (?, ?, ?, ?)"),
    eventId: db.prepare("insert into event_ids (event_id, stream, sequence) values (?, ?, ?)"),
    claimed: db.prepare("select value from claims where key = ?"),
    claim: db.prepare("insert into claims (key, value) values (?, ?)"),
    supersede: db.prepare("insert into superseded (stream, first, last, position) values (?, ?, ?, ?)"),
    // Positions rise within a stream: when the first fact of a range is too new, the others are as well.
    ranges: db.prepare(
      `select id, stream, first, last, position from superseded as range where id > ? and (position < ? or
         (select facts.position from facts
          where facts.id between range.stream * ${SPAN} + first and range.stream * ${SPAN} + last
          order by facts.id limit 1) < ?) order by id limit ?`,
    ),
    dropRange: db.prepare("delete from superseded where id = ?"),
    prune: db.prepare(
      `delete from facts where id in (
         select id from facts where id between ? and ? and prunable = 1 and position < ? limit ?)`,
    ),
    // An older state never replaces a newer one, unless that one is ahead of its stream and so cannot be true.
    saveState: db.prepare(
      `insert into states (stream, sequence, text, digest) values (?, ?, ?, ?)
       on conflict (stream) do update set sequence = excluded.sequence, text = excluded.text, digest = excluded.digest
       where excluded.sequence >= states.sequence
         or states.sequence > (select sequence from streams where name = states.stream)`,
    ),
  }
}
