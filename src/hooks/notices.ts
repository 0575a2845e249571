/** What a user must be told once: a stranger's memory, files brought back, settings that were not understood, what waits for a yes. */
import path from 'node:path'
import { untrustedPeople } from '../copies/disk/shared.ts'
import { renderLoss, topLosses } from '../copies/disk/vault.ts'
import { readFacts, writeFacts } from '../knowledge/disk/knowledge.ts'
import {
  changePermanent,
  earlierRulesNotice,
  type PermanentItem,
  proposedIn,
  renderQuestion,
} from '../knowledge/permanent.ts'
import { HOOK_WAIT_MS, type Store } from '../memory/disk/store.ts'
import { allSessions } from '../memory/state.ts'
import { waitsForMigration } from '../migrate/disk/migrate-files.ts'
import type { Way } from '../model/way.ts'
import { list, readOwnText, statOf } from '../platform/disk/files.ts'
import { FACTS_FILE, id8OfFile, NOTICES_FILE, SESSIONS_DIR } from '../platform/layout.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { once } from '../text/once.ts'
import { lastBrought } from '../trust/disk/git-brought.ts'
import { isOnlyGits } from '../trust/disk/trust.ts'

/** The lines nobody has seen yet. They count as seen only when somebody sits there. */
export function takeNotices(store: Store, restored: string | null, isAttended: boolean): string[] {
  // Bringing files back is news every time it happens.
  const news = restored === null ? [] : [restored]
  return [...news, ...(isAttended ? takeFresh(store, standingNotices(store)) : [])]
}

/** One line that is told once. */
export function takeOnce(store: Store, notice: Notice): string[] {
  return takeFresh(store, [notice])
}

function takeFresh(store: Store, notices: readonly Notice[]): string[] {
  if (notices.length === 0) return []
  const told = parseTold(readOwnText(path.join(store.dir, NOTICES_FILE)))
  const fresh = notices.filter(({ about }) => !told.includes(fingerprint(about)))
  const add = fresh.map(({ about }) => fingerprint(about))
  if (add.length > 0) {
    store.perform([
      { do: 'write', path: NOTICES_FILE, text: `${JSON.stringify({ version: 1, told: [...told, ...add] })}\n` },
    ])
  }
  return fresh.map(({ text }) => text)
}

interface Notice {
  text: string
  /** Told again when this changes. */
  about: string
}

function plain(text: string): Notice {
  return { text, about: text }
}

const DAY_MS = 24 * 60 * 60_000
const MAX_NAMES = 5
/** As it stands in facts.json. */
const PROPOSED = '"status":"proposed"'

/**
 * One line for the user where something waits for their yes: one proposal at a start, each of them once. Nobody is asked in the
 * middle of a session, and not before it is written down that they were.
 */
export function askForYes(
  store: Store,
  { source, isAttended, way, now }: { source: string; isAttended: boolean; way: Way; now: string },
): string[] {
  if (!isAttended || source === 'compact' || !store.isPrepared()) return []
  // Nearly always nothing waits: then nothing is parsed.
  if (readOwnText(path.join(store.dir, FACTS_FILE))?.includes(PROPOSED) !== true) return []
  const asked = store.whileLocked(HOOK_WAIT_MS, () => {
    const facts = readFacts(store)
    const isByCode = way === 'extractive' || store.config.summarizer === 'extractive'
    // Where a model judges, it does so first; what it did not come to in a day is asked all the same.
    const isRipe = ({ judged, at }: PermanentItem): boolean =>
      isByCode || judged !== undefined || Date.parse(now) - Date.parse(at) > DAY_MS
    const item = proposedIn(facts).find((one) => one.askedAt === undefined && isRipe(one))
    if (item !== undefined) writeFacts(store, facts, changePermanent(facts, item.id, { askedAt: now }), now)
    return item
  })?.value
  return asked === undefined ? [] : [renderQuestion(asked)]
}

function standingNotices(store: Store): Notice[] {
  const foreign =
    store.ownership === 'foreign' ? [foreignNotice(store)] : [...teammateNotices(store), ...joinNotices(store)]
  const waiting = waitsForMigration(store)
  return [
    ...foreign,
    ...lossNotices(store),
    ...store.configWarnings.map((warning) => plain(`Memory Keeper: ${warning}.`)),
    ...(waiting === null ? [] : [plain(waiting)]),
    ...earlierRules(store),
    ...activeRules(store),
  ]
}

/** Told once, however many are answered meanwhile. */
function earlierRules(store: Store): Notice[] {
  if (!store.isPrepared() || readOwnText(path.join(store.dir, FACTS_FILE))?.includes(PROPOSED) !== true) return []
  const text = earlierRulesNotice(readFacts(store))
  return text === null ? [] : [{ text: `Memory Keeper: ${text}`, about: 'rules of 0.5' }]
}

/** Rules that became active without a yes, by the user's own words in several sessions: each is told once. */
function activeRules(store: Store): Notice[] {
  if (!store.isPrepared() || readOwnText(path.join(store.dir, FACTS_FILE))?.includes('"active"') !== true) return []
  const items = readFacts(store).permanent.rules.filter(
    ({ status, judged }) => status === 'active' && judged?.by === 'code',
  )
  return items.map(({ id, text }) => ({
    text: `Memory Keeper: "${textOnOneLine(text)}" is a rule now, since you said it in several sessions. To end it, type: /memory-keeper:run rules remove ${id}`,
    about: `rule ${id}`,
  }))
}

/** What files lost since they were copied, and the two ways to go on. */
function lossNotices(store: Store): Notice[] {
  const losses = topLosses(store).map(renderLoss)
  if (losses.length === 0) return []
  const more = losses.length > MAX_NAMES ? ` and ${losses.length - MAX_NAMES} more` : ''
  return [
    plain(
      `Memory Keeper: ${losses.slice(0, MAX_NAMES).join(', ')}${more}. The vault has it as it was. To bring it back, type: /memory-keeper:run restore (if it is meant to be gone: /memory-keeper:run restore --accept)`,
    ),
  ]
}

function foreignNotice({ places }: Store): Notice {
  if (!isOnlyGits(places))
    return plain(
      'Memory Keeper: this project contains a memory that is not trusted (.claude/memory): it came with the repository, an earlier version of Memory Keeper made it, or you said so. Nothing of it is read. ' +
        'Your own sessions are kept in your home directory. To look at it and use it, type: /memory-keeper:run trust',
    )
  const { tracked, left } = lastBrought(places)
  const files = [...tracked, ...left]
  const what = files.length === 1 ? 'a file' : `${files.length} files`
  return {
    text: `Memory Keeper: git brought ${what} into this project's memory (.claude/memory). Until you say whose they are, nothing of this memory is read, and your sessions are kept in your home directory. To see what came, and to keep it or your own files, type: /memory-keeper:run trust`,
    about: `git ${files.map(({ path: name, id }) => `${id} ${name}`).join('\n')}`,
  }
}

function teammateNotices({ places }: Store): Notice[] {
  const waiting = untrustedPeople(places).filter(({ isUnfit }) => !isUnfit)
  if (waiting.length === 0) return []
  const names = waiting.map(({ who }) => who).slice(0, MAX_NAMES)
  const more = waiting.length - names.length
  const who = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return [
    {
      text: `Memory Keeper: ${who} share${waiting.length === 1 ? 's' : ''} memory in this repository that you have not seen yet. Nothing of it is read. To look at it, type: /memory-keeper:run trust`,
      about: `shared ${waiting.map((one) => `${one.who} ${one.files.join()} ${one.sizes}`).join('\n')}`,
    },
  ]
}

/** After git took back what it had brought, the memory is read again; what was kept meanwhile lies at home. */
function joinNotices(store: Store): Notice[] {
  const { atHome, inProject } = store.places
  if (store.dir !== inProject || statOf(atHome) === null) return []
  const known = once(() => new Set(allSessions(store.readState()).map(([, { file }]) => file)))
  const isJoined = (name: string): boolean =>
    statOf(path.join(inProject, SESSIONS_DIR, name)) !== null || known().has(name)
  const missing = list(path.join(atHome, SESSIONS_DIR)).filter((name) => id8OfFile(name) !== null && !isJoined(name))
  if (missing.length === 0) return []
  const text =
    "Memory Keeper: sessions were kept in your home directory while this project's memory was not read. To join them to it, type: /memory-keeper:run trust"
  return [{ text, about: `${text} ${missing.length}` }]
}

function parseTold(text: string | null): string[] {
  if (text === null) return []
  try {
    const { told } = JSON.parse(text) as { told?: unknown }
    return Array.isArray(told) ? told.filter((mark) => typeof mark === 'string') : []
  } catch {
    return []
  }
}
