import { expect, it } from "vitest"
import { characterTokens, manualClock } from "../../src/harness/index.ts"

it("the manual clock calls back in the order of times, at those times, and only once", () => {
  const clock = manualClock(100)
  const seen: [string, number][] = []
  const at = (name: string, ms: number) => clock.after(ms, () => seen.push([name, clock.now()]))
  at("late", 30)
  at("early", 10)
  const takeBack = at("never", 20)
  at("exact", 25)
  takeBack()
  expect([clock.now(), seen]).toEqual([100, []])
  clock.advance(9)
  expect([clock.now(), seen]).toEqual([109, []])
  clock.advance(16)
  expect([clock.now(), seen]).toEqual([
    125,
    [
      ["early", 110],
      ["exact", 125],
    ],
  ])
  clock.advance(100)
  expect([clock.now(), seen.slice(2)]).toEqual([225, [["late", 130]]])
})

it("the manual clock stands at zero at first, and a callback may ask for another", () => {
  const clock = manualClock()
  const seen: number[] = []
  const again = () => {
    seen.push(clock.now())
    clock.after(4, again)
  }
  clock.after(4, again)
  clock.advance(10)
  expect([seen, clock.now()]).toEqual([[4, 8], 10])
})

it("a token is a character, both ways", () => {
  expect(characterTokens.count("a🙂b")).toBe(3)
  expect(characterTokens.encode("a🙂")).toEqual([97, 128578])
  expect(characterTokens.decode([97, 128578])).toBe("a🙂")
})
