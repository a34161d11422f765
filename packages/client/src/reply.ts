import type { Refusal as HostRefusal } from "@factum/facts"

/** Nothing answered: whether the command was done is not known, so it may be sent again under its id. */
export const unreachable = "unreachable"
const unavailable = "unavailable"

export type Refusal = Omit<HostRefusal, "code"> & { code: HostRefusal["code"] | typeof unreachable }
export type Reply<R> = { ok: true; result: R } | { ok: false; refusal: Refusal }

/** What the host refused, in its words, and its name for the words of a page. */
export type Problem = { code: string; message: string }

export const problemOf = ({ code, message, fix }: Refusal): Problem => ({
  code,
  message: fix === undefined ? message : `${message} ${fix}`,
})

/** Nobody answered. */
export const isAway = ({ code }: { code: string }): boolean => code === unreachable

/** Nobody answered, or a host did that is closing: nothing speaks against asking the same again later. */
export const mayPass = (refusal: { code: string }): boolean => isAway(refusal) || refusal.code === unavailable
