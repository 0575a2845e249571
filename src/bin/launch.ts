/** Starts a program from the code that V8 compiled at an earlier start. */
import path from 'node:path'
import { openPrograms, type Programs } from '../platform/disk/compiled.ts'
import { findSurroundings } from '../platform/disk/locate.ts'

declare const __BUILT__: string

/** Which build this is: programs and servers of another one are not asked. */
export const BUILT = __BUILT__

/** What a program file exports. */
export interface Program {
  main(programs: Programs): void
}

export function ourPrograms(): Programs {
  const programs = openPrograms({
    from: path.dirname(__filename),
    cacheDir: findSurroundings(process.env, process.platform)?.cacheDir ?? '',
    built: BUILT,
    // The server runs with other options of V8 than the hooks, and both load keeper.cjs: V8 refuses code of other options.
    node: `${process.version}-${process.arch}${process.execArgv.includes('--expose-gc') ? '-gc' : ''}`,
    now: Date.now,
  })
  process.once('exit', programs.keep)
  return programs
}

export function launch(name: string): void {
  const programs = ourPrograms()
  ;(programs.load(name) as Program).main(programs)
}
