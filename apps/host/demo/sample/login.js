/** Whether this password lets this user in. */
export function mayLogIn(users, name, password) {
  const user = users.get(name.trim().toLowerCase())
  if (user === undefined || user.locked) return false
  return password.startsWith(user.password)
}
