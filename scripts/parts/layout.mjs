/** Where slices and their tests are: `src/<slice>`, or `src/<ring>/<slice>` in the house of four rings; an agent is `src/extras/agents/<name>`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const RINGS = ['kernel', 'core', 'extras', 'doors']
/** The slices of these rings where there are no folders for them. */
const KERNEL = ['text', 'platform', 'redact', 'transcript', 'trust', 'memory', 'sessions']
const CORE = [
  ...['receipts', 'model', 'pages', 'grounding', 'knowledge', 'notes', 'others', 'search', 'recall', 'briefing'],
  ...['forget', 'edit', 'vault', 'health'],
]
/** `src/core/edit/disk/undo.ts` → `core/edit`: the path of its slice below `src` or `test`; empty for other files. */
export function sliceOf(file) {
  const [top, ...below] = file.split('/')
  const folders = below.slice(0, -1)
  if ((top !== 'src' && top !== 'test') || folders.length === 0) return ''
  const isRing = RINGS.includes(folders[0]) && folders.length > 1
  return folders.slice(0, !isRing ? 1 : folders[1] === 'agents' ? 3 : 2).join('/')
}

/** Its folder below `src` or `test`; null: there is none. `slice`: a name, with or without its ring. */
export function findSlice(root, top, slice) {
  const below = ['', ...RINGS.map((ring) => `${ring}/`), 'extras/agents/'].map((ring) => `${top}/${ring}${slice}`)
  return below.find((folder) => existsSync(join(root, folder))) ?? null
}

/** The folders of the tests of kernel and core. */
export function coreTests(root) {
  const rings = ['kernel', 'core'].map((ring) => `test/${ring}`).filter((folder) => existsSync(join(root, folder)))
  if (rings.length > 0) return rings
  return [...KERNEL, ...CORE].map((slice) => findSlice(root, 'test', slice)).filter((folder) => folder !== null)
}

/** What `npm test` runs: as in vitest.config.ts. */
export function isUnitTest(file) {
  if (!/^test\/.*\.test\.ts$/.test(file) || /^test\/(?:host|windows)\//.test(file)) return false
  return !file.startsWith('test/page/') || /\/(?:pure|short)\.test\.ts$/.test(file)
}
