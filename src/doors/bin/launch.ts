/** Starts a program from the compiled code that V8 cached at an earlier start. */
import path from 'node:path'
import { openPrograms, type Programs } from '../../kernel/platform/disk/compiled.ts'
import { findSurroundings } from '../../kernel/platform/disk/locate.ts'

declare const __BUILT__: string

/** This build: programs and servers of another one are not used. */
export const BUILT = __BUILT__

/** The exports of a program file. */
export interface Program {
  main(programs: Programs): void
}

export function ourPrograms(): Programs {
  return openPrograms({
    from: path.dirname(__filename),
    cacheDir: findSurroundings(process.env, process.platform)?.cacheDir ?? '',
    built: BUILT,
    node: `${process.version}-${process.arch}`,
    now: Date.now,
  })
}

/** As `ourPrograms`; what was compiled is kept when the process ends. */
export function programsToKeep(): Programs {
  const programs = ourPrograms()
  process.once('exit', programs.keep)
  return programs
}

export function launch(name: string): void {
  const programs = programsToKeep()
  ;(programs.load(name) as Program).main(programs)
}
