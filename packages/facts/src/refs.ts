import { z } from "zod"

/** A stable reference to bytes or facts that another owner keeps. */
export const Ref = z.object({
  uri: z.string().min(1).max(2048),
  kind: z.enum(["blob", "output", "artifact", "evidence", "context", "provider", "snapshot", "record"]),
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .optional(),
  bytes: z.int().min(0).optional(),
  media_type: z.string().max(200).optional(),
  title: z.string().max(500).optional(),
})
export type Ref = z.infer<typeof Ref>

/** A short, safe view of something larger; `whole` says whether anything was left out. */
export const Preview = z.object({ text: z.string().max(8192), whole: z.boolean() })
export type Preview = z.infer<typeof Preview>
