/** A project in a temporary directory with a private home: sessions lie there as capture leaves them, and are searched as users search. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openStore, type Store } from '../../src/kernel/memory/disk/store.ts'
import { locate } from '../../src/kernel/platform/disk/locate.ts'
import { SESSIONS_DIR, sessionFile } from '../../src/kernel/platform/layout.ts'
import { formatEntry } from '../../src/kernel/transcript/session.ts'

/** One thing said in a dialogue; those of a session stand together, in their order. */
export interface Said {
  id: string
  session: string
  role: 'user' | 'assistant'
  at: string
  text: string
}

export interface Place {
  root: string
  project: string
  home: string
  cacheDir: string
  store: Store
  remove(): void
}

/** After everything that happened in any of the data. */
export const NOW = '2026-12-01T00:00:00.000Z'
export const now = (): string => NOW

export function makePlace(): Place {
  const root = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
  const [project, home] = [path.join(root, 'project'), path.join(root, 'home')]
  mkdirSync(project)
  mkdirSync(home)
  const cacheDir = path.join(home, '.cache', 'memory-keeper')
  const store = openStore(locate(project, { home, configDir: undefined, cacheDir }), { now })
  store.prepare()
  return { root, project, home, cacheDir, store, remove: () => rmSync(root, { recursive: true, force: true }) }
}

export interface Dialogue {
  place: Place
  /** What was said in this entry; undefined for none of ours. */
  saidAt(session: string | null, entry: number | null): Said | undefined
}

/** A memory that holds this dialogue, a session file for each of its sessions. */
export function writeDialogue(all: readonly Said[]): Dialogue {
  const place = makePlace()
  const sessions = new Map<string, Said[]>()
  for (const said of all) sessions.set(said.session, [...(sessions.get(said.session) ?? []), said])
  const found = new Map<string, Said>()
  let number = 0
  for (const said of sessions.values()) {
    const id8 = (0x10000000 + number++).toString(16)
    const text = said.map(({ role, at, text: words }) => formatEntry({ role, ts: at, text: words })).join('')
    const file = path.join(SESSIONS_DIR, sessionFile(said[0]?.at ?? NOW, id8))
    place.store.perform([{ do: 'write', path: file, text }])
    said.forEach((one, n) => {
      found.set(`${id8}#${n}`, one)
    })
  }
  return { place, saidAt: (session, entry) => found.get(`${session}#${entry}`) }
}
