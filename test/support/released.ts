/** A memory as a released version wrote it, in a temporary project: test/fixtures/make-released.mjs says how it was made. */
import fs from 'node:fs'
import path from 'node:path'
import { hostSlug } from '../../src/kernel/platform/layout.ts'
import { makeProject, type TestProject, tempDir } from './project.ts'

type Kept = string | { base64: string } | { same: string }

interface Released {
  base: string
  /** Names the project below home. */
  key: string
  files: Record<string, Kept>
}

const FIXTURES = path.join(import.meta.dirname, '..', 'fixtures')
/** After its last session. */
export const RELEASED_NOW = '2026-11-17T09:00:00.000Z'

/** Its sessions: `a1000001` to `a5000005`; of 0.6.1 also `a6000006`, whose note waits. */
export function releasedProject(version: '0.5.1' | '0.6.1' = '0.5.1'): TestProject {
  const { base, key, files }: Released = JSON.parse(
    fs.readFileSync(path.join(FIXTURES, version, 'memory.json'), 'utf8'),
  )
  const temp = tempDir()
  // Of the same length: transcripts contain the path, and the state contains byte offsets into transcripts.
  const project = makeProject('app', path.join(temp, 'b'.repeat(base.length - temp.length - 1)))
  const here = (text: string): string =>
    text
      .replaceAll(base, project.base)
      .replaceAll(hostSlug(base), hostSlug(project.base))
      .replaceAll(key, project.places.project.key)
  const bytesOf = (kept: Kept): Buffer => {
    if (typeof kept === 'string') return Buffer.from(here(kept))
    return 'base64' in kept ? Buffer.from(kept.base64, 'base64') : bytesOf(files[kept.same] ?? '')
  }
  for (const [name, kept] of Object.entries(files)) {
    const file = path.join(project.base, here(name))
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    fs.writeFileSync(file, bytesOf(kept), { mode: 0o600 })
  }
  return project
}
