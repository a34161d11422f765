import fc from "fast-check"

const words = [
  "error: cannot find module",
  "src/toolbar/Button.tsx:14:2",
  "こんにちは、世界",
  "工具栏按钮没有响应",
  "Привет, мир",
  "مرحبا بالعالم",
  "नमस्ते दुनिया",
  "한국어 텍스트",
  "🧑🏽‍🚀👨‍👩‍👧🇩🇪",
  "e\u0301o\u0308",
  "<|endoftext|>",
  "    ",
  "\n",
  "\r\n",
  "\t",
  "{}[]();",
  "0123456789",
  "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
]

/** Well-formed text in many scripts, with signs that steer models, joined symbols and odd blanks. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: "grapheme", maxLength: 12 })), {
    maxLength: 60,
  })
  .map((parts) => parts.join(" ").toWellFormed())
