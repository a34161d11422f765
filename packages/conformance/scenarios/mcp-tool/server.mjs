// A server of one tool, in the words of the protocol itself.
import { createInterface } from "node:readline"

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "adder", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [
      {
        name: "add",
        description: "Adds two numbers.",
        inputSchema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
        annotations: { readOnlyHint: true },
      },
    ],
  }),
  "tools/call": ({ arguments: { a, b } }) => ({ content: [{ type: "text", text: String(a + b) }] }),
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = answers[method]
  if (id !== undefined && answer) {
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answer(params ?? {}) }))
  }
})
