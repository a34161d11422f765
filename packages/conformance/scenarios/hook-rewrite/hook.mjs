// Puts the greeting that it was given into small letters, so that the rewrite shows.
let text = ""
process.stdin.on("data", (bytes) => (text += bytes))
process.stdin.on("end", () => {
  const { input } = JSON.parse(text)
  console.log(JSON.stringify({ verdict: "none", rewrite: { ...input, to: String(input.to).toLowerCase() } }))
})
