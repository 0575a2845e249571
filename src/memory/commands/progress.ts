/** Progress of work that usually takes no time: shown only when it does. */
import type { CliWorld } from './context.ts'
import type { Output } from './output.ts'

/** Nobody waits for less. */
const LATE_MS = 700
/** How often a line is printed where none can be written over. */
const LINE_MS = 4_000
const MEGABYTE = 1_000_000

/** For bytes. A terminal gets a bar, anybody else a line now and then if `inLines`. */
export function showLate(
  world: CliWorld,
  out: Output,
  what: string,
  { inLines = false } = {},
): (done: number, all: number) => void {
  const began = Date.parse(world.now())
  let last = began
  let isShown = false
  return (done, all) => {
    const now = Date.parse(world.now())
    if (!isShown && now - began < LATE_MS) return
    const isDone = done >= all
    if (isDone && !isShown) return
    isShown = true
    const [ready, whole] = [Math.ceil(done / MEGABYTE), Math.ceil(all / MEGABYTE)]
    if (world.streams.isErrTerminal) out.progress(isDone ? whole : Math.min(ready, whole - 1), whole, `MB ${what}`)
    else if (inLines && (now - last >= LINE_MS || isDone)) {
      last = now
      out.warn(`${ready} of ${whole} MB ${what}`)
    }
  }
}
