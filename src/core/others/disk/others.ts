/** Memory of others on disk: `~/.claude/memory-keeper/others/<project>/<origin>/<name>.jsonl`. Only our own programs write there. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { disk, list, makeDir, readOwnText, readPart, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { parseObject, textOr } from '../../../kernel/platform/json.ts'
import { id8OfFile, OTHERS_DIR, SESSIONS_DIR } from '../../../kernel/platform/layout.ts'
import { compareText } from '../../../kernel/text/memory-words.ts'
import { SHARED_FACTS } from '../../../kernel/trust/share-files.ts'
import {
  injectedOfOthers,
  isOthersFile,
  MOST_OTHERS_BYTES,
  ORIGINS,
  type OtherRow,
  type OthersOrigin,
  parseOther,
  parseOthers,
  STANDS_ID,
  type Teammate,
} from '../others.ts'
import { parseSharedFacts } from '../share.ts'
import { sharedText, trustedPeople } from './shared.ts'

const MOST_FILES = 400
/** The briefing is made of the newest files: a session waits for it. */
const MOST_BRIEFING_BYTES = 8 * 1024 * 1024

interface OthersFile {
  /** As the index names it: with slashes, below the directory that holds `others`. */
  path: string
  file: string
  size: number
  mtimeMs: number
}

/** Links and larger files are left out. */
export function othersFiles({ others }: Pick<Places, 'others'>, origin: OthersOrigin): OthersFile[] {
  const dir = path.join(others, origin)
  return list(dir)
    .filter(isOthersFile)
    .slice(0, MOST_FILES)
    .flatMap((name) => {
      const file = path.join(dir, name)
      const stat = statOf(file)
      if (stat?.kind !== 'file' || stat.size > MOST_OTHERS_BYTES) return []
      return [{ path: `${OTHERS_DIR}/${origin}/${name}`, file, size: stat.size, mtimeMs: stat.mtimeMs }]
    })
}

/** Whether anybody else remembers anything of this project. */
export function hasOthers(places: Pick<Places, 'others'>): boolean {
  return ORIGINS.some((origin) => othersFiles(places, origin).length > 0)
}

/** `most`: so many bytes at most, of the files that changed last. */
export function readOthers(
  places: Pick<Places, 'others'>,
  origin: OthersOrigin,
  most = Number.POSITIVE_INFINITY,
): OtherRow[] {
  let read = 0
  return othersFiles(places, origin)
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
    .flatMap(({ file, size }) => {
      read += size
      return read > most ? [] : parseOthers(readPart(file, 0, MOST_OTHERS_BYTES)?.toString('utf8') ?? '')
    })
}

/** The whole file; null deletes it. */
export function writeOthers(
  { others }: Pick<Places, 'others'>,
  origin: OthersOrigin,
  name: string,
  text: string | null,
): void {
  const file = path.join(others, origin, `${name}.jsonl`)
  if (!isOthersFile(path.basename(file)) || path.basename(file) !== `${name}.jsonl`)
    throw new KeeperError('outside', `${name} cannot be the name of a file of others.`)
  if (text === null) return disk.remove(file)
  makeDir(path.dirname(file))
  disk.replace(file, text)
}

interface StandsRequest {
  who: string
  clean: (text: string) => string
  /** Of a session that nobody has noted yet its goal. */
  isGoalToo: boolean
}

/** Where each session of this machine stands, as rows for others; the newest first. One without work has nothing to say, unless a model said it. */
export function standsRows(store: Store, { who, clean, isGoalToo }: StandsRequest): OtherRow[] {
  return allSessions(store.readState())
    .filter(([, { tools, stands }]) => tools > 0 || (stands !== undefined && stands.by !== 'extractive'))
    .flatMap(([, { file, stands, goal = '', refine, entries }]) => {
      const id8 = id8OfFile(file)
      const { text, to } = stands ?? { text: isGoalToo ? goal : '', to: entries }
      const about = to > 0 ? { about: `${id8}#0-${to - 1}` } : {}
      const row = { who, id: `${STANDS_ID}${id8}`, type: 'stands', at: refine.ts, text: clean(text), ...about }
      return id8 === null ? [] : (parseOther(row) ?? [])
    })
    .sort((a, b) => compareText(b.at, a.at))
}

/** Beside the sessions that other machines sent: the machine's name by the file's name. */
const SENDERS_FILE = 'machines.json'

/** The machine that sent a session; empty: nobody knows. */
export function senderOf({ others }: Pick<Places, 'others'>, sessionFile: string): string {
  const senders = parseObject(readOwnText(path.join(others, SESSIONS_DIR, SENDERS_FILE)) ?? '')
  return textOr(senders?.[sessionFile], '')
}

/** Of all sessions that are kept. */
export function keepSenders({ others }: Pick<Places, 'others'>, senders: ReadonlyMap<string, string>): void {
  const file = path.join(others, SESSIONS_DIR, SENDERS_FILE)
  const text = `${JSON.stringify(Object.fromEntries(senders))}\n`
  if (senders.size === 0) disk.remove(file)
  else if (readOwnText(file) !== text) disk.replace(file, text)
}

/** What the briefing tells of others: the user's own machines, and teammates (on a server, or in `shared/` of the project). */
export function readForeign(store: Pick<Store, 'places' | 'ownership'>): Record<'machines' | 'teammates', Teammate[]> {
  const [machines, team] = ORIGINS.map((origin) => readOthers(store.places, origin, MOST_BRIEFING_BYTES))
  const shared = trustedPeople(store).flatMap(({ who, dir }) =>
    parseSharedFacts(sharedText(dir, SHARED_FACTS)).map((fact) => ({ ...fact, who })),
  )
  return injectedOfOthers(machines ?? [], [...shared, ...(team ?? [])])
}
