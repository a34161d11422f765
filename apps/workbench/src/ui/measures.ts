/** < 0.1 s, 0.4 s, 12 s, 3 min 5 s; `whole` for a count that goes on. */
export function duration(seconds: number, units: { s: string; min: string }, whole = false): string {
  const known = Math.max(0, seconds)
  if (known < 0.05 && !whole) return `< 0.1 ${units.s}`
  if (known < 10 && !whole) return `${known.toFixed(1)} ${units.s}`
  if (known < 60) return `${Math.floor(known)} ${units.s}`
  return `${Math.floor(known / 60)} ${units.min} ${Math.floor(known % 60)} ${units.s}`
}

/** 950, 1.2k, 38k */
export function count(value: number): string {
  if (value < 1000) return String(value)
  return value < 9950 ? `${(value / 1000).toFixed(1)}k` : `${Math.round(value / 1000)}k`
}

/** 950 B, 1.2 kB, 3.4 MB */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`
  if (value < 999_950) return `${(value / 1000).toFixed(1)} kB`
  return `${(value / 1_000_000).toFixed(1)} MB`
}

/** The time of today, and the date of any other day, in figures that every language reads. */
export function moment(time: string, now = new Date()): string {
  const then = new Date(time)
  if (Number.isNaN(then.getTime())) return ""
  if (then.toDateString() === now.toDateString()) return clock(time)
  const [month, day] = [then.getMonth() + 1, then.getDate()].map((figure) => String(figure).padStart(2, "0"))
  return `${then.getFullYear()}-${month}-${day}`
}

export const clock = (time: string): string =>
  new Date(time).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false })

/** 14:02, and with the date on any other day. */
export function instant(time: string, now = new Date()): string {
  const [day, at] = [moment(time, now), clock(time)]
  return day === at ? at : `${day} ${at}`
}

/** In the currency that it was reported in; without one, a bare figure. */
export function money(amount: number, currency = ""): string {
  const digits = amount !== 0 && amount < 0.1 ? 4 : 2
  try {
    return new Intl.NumberFormat(undefined, {
      style: "currency",
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(amount)
  } catch {
    return `${amount.toFixed(digits)} ${currency}`.trim()
  }
}
