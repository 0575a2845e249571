/** Where slices and their tests are: `src/<ring>/<slice>`; an agent is `src/extras/agents/<name>`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const RINGS = ['kernel', 'core', 'extras', 'doors']

/** `src/core/edit/disk/undo.ts` → `core/edit`: the path of its slice below `src` or `test`; empty for other files. */
export function sliceOf(file) {
  const [top, ring, ...below] = file.split('/').slice(0, -1)
  if ((top !== 'src' && top !== 'test') || !RINGS.includes(ring) || below.length === 0) return ''
  return [ring, ...below.slice(0, below[0] === 'agents' ? 2 : 1)].join('/')
}

/** Its folder below `src` or `test`; null: there is none. `slice`: a name, with or without its ring. */
export function findSlice(root, top, slice) {
  const folders = ['', ...RINGS.map((ring) => `${ring}/`), 'extras/agents/'].map((ring) => `${top}/${ring}${slice}`)
  return folders.find((folder) => existsSync(join(root, folder))) ?? null
}

/** What `npm test` runs: as in vitest.config.ts. */
export function isUnitTest(file) {
  if (!/^test\/.*\.test\.ts$/.test(file) || /^test\/(?:host|windows)\//.test(file)) return false
  return !file.startsWith('test/extras/page/browser/') || /\/(?:pure|short)\.test\.ts$/.test(file)
}
