/** How our programs are started: a few lines that nobody waits for, and the program itself as it was compiled before. */
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
    node: `${process.version}-${process.arch}`,
    now: Date.now,
  })
  process.once('exit', programs.keep)
  ;(programs.load(name) as Program).main(programs)
}
