/** Starts the command line program; where Node can keep it compiled, it is: compiling takes longer than most commands. */
import module from 'node:module'
import path from 'node:path'
import { makeDir } from '../store/files.ts'
import { findSurroundings } from '../store/locate.ts'

const PROGRAM = 'main.cjs'
/** Below the user's cache; `uninstall` knows it. */
const COMPILED_DIR = 'compiled'

/** Node 22.8 and later. */
interface CompileCache {
  enableCompileCache?: (dir: string) => unknown
}

keepCompiled(findSurroundings(process.env, process.platform)?.cacheDir ?? '')
module.createRequire(__filename)(path.join(path.dirname(__filename), PROGRAM))

/** Without it everything works as well, only slower. */
function keepCompiled(cacheDir: string): void {
  const node: CompileCache = module as CompileCache
  if (node.enableCompileCache === undefined || cacheDir === '') return
  const dir = path.join(cacheDir, COMPILED_DIR)
  try {
    makeDir(dir)
    node.enableCompileCache(dir)
  } catch {
    // A full or read-only disk: nothing is kept.
  }
}
