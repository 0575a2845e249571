/** Starts a program from the code that V8 compiled at an earlier start. */
import path from 'node:path'
import { openPrograms, type Programs } from '../platform/disk/compiled.ts'
import { findSurroundings } from '../platform/disk/locate.ts'

declare const __BUILT__: string

/** What a program file exports. */
export interface Program {
  main(programs: Programs): void
}

export function launch(name: string): void {
  const programs = openPrograms({
    from: path.dirname(__filename),
    cacheDir: findSurroundings(process.env, process.platform)?.cacheDir ?? '',
    built: __BUILT__,
    // The server runs with other options of V8 than the hooks, and both load keeper.cjs: V8 refuses code of other options.
    node: `${process.version}-${process.arch}${process.execArgv.includes('--expose-gc') ? '-gc' : ''}`,
    now: Date.now,
  })
  process.once('exit', programs.keep)
  ;(programs.load(name) as Program).main(programs)
}
