/** Charts made of characters: a sparkline for a series, a bar for a value. */

const LEVELS = '▁▂▃▄▅▆▇█'
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
const NONE = '·'

/** One character for each value; zero is a dot, the least of anything is seen. Negative values count as zero. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(0, ...values)
  return values
    .map((value) => (value <= 0 ? NONE : (LEVELS[Math.ceil((value / most) * LEVELS.length) - 1] ?? LEVELS[0])))
    .join('')
}

/** As many values as there is room for: neighbours are joined, all of them equally many but the first. */
export function squeezed(values: readonly number[], room: number, join: (some: readonly number[]) => number): number[] {
  if (values.length <= room) return [...values]
  const each = Math.ceil(values.length / room)
  const groups: number[] = []
  // From the end: the newest days are whole.
  for (let to = values.length; to > 0; to -= each) groups.unshift(join(values.slice(Math.max(0, to - each), to)))
  return groups
}

/** At most `room` columns, for the share of `most`; anything above zero is seen. */
export function bar(value: number, most: number, room: number): string {
  if (value <= 0 || most <= 0 || room <= 0) return ''
  const eighths = Math.max(1, Math.round((Math.min(value, most) / most) * room * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}
