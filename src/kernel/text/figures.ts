/** Formats figures for people: counts, sizes, durations. */

export function count(n: number, one: string, many = `${one}s`): string {
  return `${withCommas(n)} ${n === 1 ? one : many}`
}

/** 1,234,567, of a whole number. `toLocaleString` would load Intl: 6 ms of CPU in every process. */
function withCommas(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',')
}

const UNITS = ['kB', 'MB', 'GB'] as const

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`
  let value = size / 1000
  let unit = 0
  // 999.6 kB would be shown as 1000 kB.
  while (Math.round(value) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit]}`
}

/** For example 12 ms, 940 ms, 1 s, 1.4 s, 38 s. */
export function ms(time: number): string {
  const whole = Math.round(time)
  if (whole < 1000) return `${whole} ms`
  const seconds = time / 1000
  return `${seconds < 9.95 ? seconds.toFixed(1).replace(/\.0$/, '') : withCommas(Math.round(seconds))} s`
}

/** Short form: 7, 940, 1.2k, 38k, 1.4M. */
export function short(n: number): string {
  if (n < 1000) return String(Math.round(n))
  const [value, unit] = Math.round(n / 1000) >= 1000 ? [n / 1_000_000, 'M'] : [n / 1000, 'k']
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0)}${unit}`
}

/** The value below which this share of the values lies; 0 for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function total<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0)
}

/** Groups appear in the order of their first element. */
export function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group === undefined) groups.set(keyOf(one), [one])
    else group.push(one)
  }
  return groups
}
