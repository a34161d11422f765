import { describe, expect, test } from "vitest"
import { addressOf, placeOf } from "../src/layout/address.ts"
import { nameOf } from "../src/layout/hotkeys.ts"
import { find } from "../src/layout/Palette.tsx"

describe("addresses", () => {
  test.each([
    [{}, "#/"],
    [{ session: "ses_1" }, "#/s/ses_1"],
    [{ session: "ses_1", pane: "timeline" as const }, "#/s/ses_1/timeline"],
    [{ session: "ses_1", at: "trn_1" }, "#/s/ses_1/at/trn_1"],
    [{ session: "ses_1", pane: "artifact" as const, item: "art/ä 1" }, "#/s/ses_1/artifact/art%2F%C3%A4%201"],
  ])("%o is %s and back", (place, address) => {
    expect(addressOf(place)).toBe(address)
    expect(placeOf(address)).toEqual(place)
  })

  test.each(["", "#", "#/x", "#/s/", "#token=abc"])("%s is no session", (hash) => {
    expect(placeOf(hash)).toEqual({})
  })

  test("a pane that does not exist is told, and a broken encoding is taken as it is", () => {
    expect(placeOf("#/s/ses_1/nothing/x")).toEqual({ session: "ses_1", lost: "nothing" })
    expect(placeOf("#/s/ses_1/artifact/%zz")).toEqual({ session: "ses_1", pane: "artifact", item: "%zz" })
  })
})

describe("keys", () => {
  const press = (key: string, with_: Partial<KeyboardEvent> = {}) =>
    nameOf({ key, metaKey: false, ctrlKey: false, altKey: false, shiftKey: false, ...with_ })

  test("are named by what they mean", () => {
    expect(press("K", { ctrlKey: true, shiftKey: true })).toBe("mod+k")
    expect(press("Enter", { altKey: true })).toBe("alt+enter")
    expect(press("?", { shiftKey: true })).toBe("?")
    expect(press("Tab", { shiftKey: true })).toBe("shift+Tab")
  })
})

describe("the palette", () => {
  const command = (label: string, also?: string) => ({
    id: label,
    label,
    group: "g",
    run: () => {},
    ...(also === undefined ? {} : { also }),
  })
  const all = [command("Open timeline"), command("Toggle theme"), command("Work board", "kanban tasks")]

  test("finds letters in their order, those together first", () => {
    expect(find(all, "ti").map(({ label }) => label)).toEqual(["Open timeline"])
    expect(find(all, "te").map(({ label }) => label)).toEqual(["Open timeline", "Toggle theme"])
    expect(find(all, "kanban").map(({ label }) => label)).toEqual(["Work board"])
    expect(find(all, "xyz")).toEqual([])
    expect(find(all, " ")).toBe(all)
  })
})
