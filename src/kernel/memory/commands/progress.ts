/** Shows the progress of work that is usually fast, only if it takes long. */
import type { CliWorld } from './context.ts'
import type { Output } from './output.ts'

/** Progress is shown only after this time. */
const LATE_MS = 700
/** The interval between lines on a stream that is not a terminal. */
const LINE_MS = 4_000
const MEGABYTE = 1_000_000

/** For bytes. A terminal gets a bar; other streams get a line now and then if `inLines`. */
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
