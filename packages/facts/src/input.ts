import { z } from "zod"
import { Ref } from "./refs.ts"

/** What a person or system submits. Anything but text comes as a reference, never as bytes. */
export const InputPart = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("text"), text: z.string().min(1) }),
  z.strictObject({
    kind: z.enum(["image", "audio", "video", "document", "business"]),
    ref: Ref,
    /** Such a one is named by a capability ref only, and never read for a model. */
    sensitive: z.literal(true).optional(),
  }),
])
export type InputPart = z.infer<typeof InputPart>
