export type BoardKey =
  | { does: "pick" | "drop" | "put_back" | "assign" }
  | { does: "carry"; by: 1 | -1 }
  | { does: "walk"; dx: number; dy: number }

const walking: Readonly<Record<string, BoardKey>> = {
  " ": { does: "pick" },
  m: { does: "pick" },
  a: { does: "assign" },
  ArrowUp: { does: "walk", dx: 0, dy: -1 },
  k: { does: "walk", dx: 0, dy: -1 },
  ArrowDown: { does: "walk", dx: 0, dy: 1 },
  j: { does: "walk", dx: 0, dy: 1 },
  ArrowLeft: { does: "walk", dx: -1, dy: 0 },
  ArrowRight: { does: "walk", dx: 1, dy: 0 },
}
const carrying: Readonly<Record<string, BoardKey>> = {
  ArrowLeft: { does: "carry", by: -1 },
  ArrowRight: { does: "carry", by: 1 },
  Enter: { does: "drop" },
  " ": { does: "drop" },
  Escape: { does: "put_back" },
}

/** What a key means on a card, and what it means while a card is carried. */
export const readKey = (key: string, isCarrying: boolean): BoardKey | undefined => {
  const keys = isCarrying ? carrying : walking
  return Object.hasOwn(keys, key) ? keys[key] : undefined
}
