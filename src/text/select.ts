/** Lines within a budget: whole ones, the most important first, told in their own order. */

interface Options<T> {
  /** What a line costs; characters and a line break unless given. */
  cost?: (text: string) => number
  /** The lowest first; without it lines are taken in their order. */
  rank?: (line: T) => number
}

/** A line that does not fit is left out, and shorter ones behind it are tried. */
export function select<T extends { text: string }>(lines: readonly T[], budget: number, options: Options<T> = {}): T[] {
  const { cost = ({ length }: string): number => length + 1, rank } = options
  const ranked = rank === undefined ? lines : lines.toSorted((a, b) => rank(a) - rank(b))
  const taken = new Set<T>()
  let room = budget
  for (const line of ranked) {
    const price = cost(line.text)
    if (price > room) continue
    room -= price
    taken.add(line)
  }
  return lines.filter((line) => taken.has(line))
}
