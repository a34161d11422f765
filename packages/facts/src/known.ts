import { z } from "zod"

/** A number that nobody reported reads "unknown"; zero means that someone counted zero. */
export const Count = z.union([z.int().min(0), z.literal("unknown")])
export type Count = z.infer<typeof Count>

export const Amount = z.union([z.number().min(0), z.literal("unknown")])
export type Amount = z.infer<typeof Amount>

export const Time = z.iso.datetime()
export const KnownTime = z.union([Time, z.literal("unknown")])
export type KnownTime = z.infer<typeof KnownTime>

/** A closed range of sequences. */
export const SequenceRange = z.object({ from: z.int().min(1), to: z.int().min(1) })
export type SequenceRange = z.infer<typeof SequenceRange>

export const Text = z.string().min(1)
export const Names = z.array(z.string())
export const Details = z.record(z.string(), z.unknown())
