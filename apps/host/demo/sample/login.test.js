import assert from "node:assert/strict"
import { test } from "node:test"
import { mayLogIn } from "./login.js"

const users = new Map([
  ["ada", { password: "correct horse", locked: false }],
  ["bob", { password: "battery staple", locked: true }],
])

test("lets in who has the password, however the name is written", () => {
  assert.equal(mayLogIn(users, " Ada ", "correct horse"), true)
})

test("keeps out who is locked or not known", () => {
  assert.equal(mayLogIn(users, "bob", "battery staple"), false)
  assert.equal(mayLogIn(users, "eve", "correct horse"), false)
})

test("keeps out a password that only begins like the right one", () => {
  assert.equal(mayLogIn(users, "ada", "correct horse and more"), false)
})
