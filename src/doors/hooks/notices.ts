/** Notices that a user must see once: a foreign memory, restored files, invalid settings, proposals. */

import path from 'node:path'
import { extras, type Notice } from '../../core/extra.ts'
import { readHost, removalOf, renderInstalled } from '../../core/health/disk/host-files.ts'
import { readFacts, writeFacts } from '../../core/knowledge/disk/knowledge.ts'
import { isLive, type PermanentItem } from '../../core/knowledge/item.ts'
import { byKind } from '../../core/knowledge/items.ts'
import { arrivedRulesNotice, changePermanent, proposedIn } from '../../core/knowledge/permanent.ts'
import { renderQuestion } from '../../core/knowledge/permanent-question.ts'
import type { Way } from '../../core/model/headless.ts'
import { untrustedPeople } from '../../core/others/disk/shared.ts'
import { renderLoss, topLosses } from '../../core/vault/disk/vault.ts'
import { HOOK_WAIT_MS, type Store } from '../../kernel/memory/disk/store.ts'
import { allSessions } from '../../kernel/memory/state.ts'
import { list, readOwnText, refused, statOf } from '../../kernel/platform/disk/files.ts'
import { FACTS_FILE, id8OfFile, isSetAside, NOTICES_FILE, SESSIONS_DIR } from '../../kernel/platform/layout.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { visibleLine } from '../../kernel/text/memory-words.ts'
import { once } from '../../kernel/text/once.ts'
import { lastBrought } from '../../kernel/trust/disk/git-brought.ts'
import { isOnlyGits } from '../../kernel/trust/disk/trust.ts'

/** The lines that were not shown yet. They count as shown only if a person attends the session. */
export function takeNotices(store: Store, restored: string | null, isAttended: boolean): string[] {
  // A restore is reported every time.
  const news = restored === null ? [] : [restored]
  return [...news, ...(isAttended ? takeFresh(store, standingNotices(store)) : [])]
}

/** One line that is shown once. */
export function takeOnce(store: Store, notice: Notice): string[] {
  return takeFresh(store, [notice])
}

/** Whether a start at which somebody sits has a line that is told once, or will have one when its time comes. */
export function hasNotices(store: Store): boolean {
  const isToAsk = proposals(store).some(({ askedAt }) => askedAt === undefined)
  return isToAsk || freshOf(store, [...standingNotices(store), ...arrivedRules(store)]).length > 0
}

/** Whether this line waits to be told. */
export function isFresh(store: Store, notice: Notice): boolean {
  return freshOf(store, [notice]).length > 0
}

function freshOf(store: Store, notices: readonly Notice[]): readonly Notice[] {
  if (notices.length === 0) return []
  const shown = parseShown(readOwnText(path.join(store.dir, NOTICES_FILE)))
  return notices.filter(({ about }) => !shown.includes(fingerprint(about)))
}

function takeFresh(store: Store, notices: readonly Notice[]): string[] {
  const fresh = freshOf(store, notices)
  const shown = parseShown(readOwnText(path.join(store.dir, NOTICES_FILE)))
  const add = fresh.map(({ about }) => fingerprint(about))
  if (add.length > 0) {
    store.perform([
      { do: 'write', path: NOTICES_FILE, text: `${JSON.stringify({ version: 1, told: [...shown, ...add] })}\n` },
    ])
  }
  return fresh.map(({ text }) => text)
}

function plain(text: string): Notice {
  return { text, about: text }
}

const DAY_MS = 24 * 60 * 60_000
const MAX_NAMES = 5
/** As written in facts.json. */
const PROPOSED = '"status":"proposed"'

/**
 * A question for the user, without our name, if something waits for their approval: one proposal per start, each once. The user is not asked in the
 * middle of a session, and not before it is recorded that they were asked.
 */
export function askForYes(
  store: Store,
  { source, isAttended, way, now }: { source: string; isAttended: boolean; way: Way; now: string },
): string[] {
  if (!isAttended || source === 'compact' || !store.isPrepared()) return []
  if (!hasProposals(store)) return []
  const asked = store.whileLocked(HOOK_WAIT_MS, () => {
    const facts = readFacts(store)
    const isByCode = way === 'extractive' || store.config.summarizer === 'extractive'
    // If a model judges proposals, it does so first; after a day the user is asked anyway.
    const isRipe = ({ judged, at }: PermanentItem): boolean =>
      isByCode || judged !== undefined || Date.parse(now) - Date.parse(at) > DAY_MS
    const item = proposedIn(facts).find((one) => one.askedAt === undefined && isRipe(one))
    if (item !== undefined) writeFacts(store, facts, changePermanent(facts, item.id, { askedAt: now }), now)
    return item
  })?.value
  return asked === undefined ? [] : [renderQuestion(asked)]
}

/** All that waits for the user's approval. */
export function proposals(store: Store): PermanentItem[] {
  return hasProposals(store) ? proposedIn(readFacts(store)) : []
}

/** Nearly always nothing waits: then nothing is parsed. */
function hasProposals(store: Store): boolean {
  return readOwnText(path.join(store.dir, FACTS_FILE))?.includes(PROPOSED) === true
}

function standingNotices(store: Store): Notice[] {
  const foreign =
    store.ownership === 'foreign' ? [foreignNotice(store)] : [...teammateNotices(store), ...joinNotices(store)]
  return [
    ...foreign,
    ...lossNotices(store),
    ...asideNotices(store),
    ...store.configWarnings.map((warning) => plain(`Memory Keeper: ${warning}.`)),
    ...extras().flatMap(({ notices }) => notices?.(store) ?? []),
    ...namesakeNotices(store),
    ...activeRules(store),
  ]
}

/** Without our name: it stands behind the number of rules to accept. */
export function takeArrivedRules(store: Store): string[] {
  return takeFresh(store, arrivedRules(store))
}

/** Rules of an earlier version or of another machine: shown once, however many are answered meanwhile. The mark is that of 0.6. */
function arrivedRules(store: Store): Notice[] {
  if (!store.isPrepared() || !hasProposals(store)) return []
  const text = arrivedRulesNotice(readFacts(store))
  return text === null ? [] : [{ text, about: 'rules of 0.5' }]
}

/** Rules that became active without the user's approval, by the user's own words in several sessions: each is shown once. */
function activeRules(store: Store): Notice[] {
  if (!store.isPrepared() || readOwnText(path.join(store.dir, FACTS_FILE))?.includes('"active"') !== true) return []
  const items = byKind(readFacts(store)).rules.filter((rule) => isLive(rule) && rule.judged?.by === 'code')
  return items.map(({ id, text }) => ({
    text: `Memory Keeper: "${visibleLine(text)}" is a rule now, since you said it in several sessions. To end it, type: /memory-keeper:run rules remove ${id}`,
    about: `rule ${id}`,
  }))
}

/** The earlier Memory Keeper is enabled, too. */
function namesakeNotices({ places }: Store): Notice[] {
  const { namesakes } = readHost(places)
  if (namesakes.length === 0) return []
  const text = `Memory Keeper: another plugin has the same name and is enabled: ${namesakes.map(renderInstalled).join(', ')}. Claude Code runs the hooks of only one of them, so that sessions may not be captured. To remove the other one: ${namesakes.map(removalOf).join(' && ')}`
  return [{ text, about: `namesakes ${namesakes.map(({ id }) => id).join(' ')}` }]
}

/** What files lost since they were copied, and the two ways to continue. */
function lossNotices(store: Store): Notice[] {
  const losses = topLosses(store).map(renderLoss)
  if (losses.length === 0) return []
  const more = losses.length > MAX_NAMES ? ` and ${losses.length - MAX_NAMES} more` : ''
  return [
    plain(
      `Memory Keeper: ${losses.slice(0, MAX_NAMES).join(', ')}${more}. The vault has the earlier version. To restore it, type: /memory-keeper:run restore (to accept the loss: /memory-keeper:run restore --accept)`,
    ),
  ]
}

/** Files that a person may edit, kept as they were because some of their bytes were no text. */
function asideNotices({ dir, places }: Store): Notice[] {
  const files = [dir, places.homeDir].flatMap((place) => list(place).map((name) => path.join(place, name)))
  const aside = files.filter((file) => {
    const isEdited = isSetAside(file) && /(?:\.md|[/\\]config\.json)\.broken-/.test(file)
    return isEdited && readOwnText(file) !== null && refused.undecoded.has(file)
  })
  return aside.map((file) =>
    plain(
      `Memory Keeper: ${path.basename(file).replace(/\.broken-.*/, '')} was not saved in UTF-8 and could not be read completely. It is kept as it was: ${file}. Open that in its own encoding, copy what is missing, then delete it.`,
    ),
  )
}

function foreignNotice({ places }: Store): Notice {
  if (!isOnlyGits(places))
    return plain(
      'Memory Keeper: this project contains a memory that is not trusted (.claude/memory): it came with the repository, an earlier version of Memory Keeper created it, or you untrusted it. Nothing of it is read. ' +
        'Your own sessions are saved in your home directory. To look at it and use it, type: /memory-keeper:run trust',
    )
  const { tracked, left } = lastBrought(places)
  const files = [...tracked, ...left]
  const what = files.length === 1 ? 'a file' : `${files.length} files`
  return {
    text: `Memory Keeper: git brought ${what} into this project's memory (.claude/memory). Until you accept them, nothing of this memory is read, and your sessions are saved in your home directory. To see them, and to keep them or your own files, type: /memory-keeper:run trust`,
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

/** After git removed the files it had brought, the memory is read again; sessions captured meanwhile are at home. */
function joinNotices(store: Store): Notice[] {
  const { atHome, inProject } = store.places
  if (store.dir !== inProject || statOf(atHome) === null) return []
  const known = once(() => new Set(allSessions(store.readState()).map(([, { file }]) => file)))
  const isJoined = (name: string): boolean =>
    statOf(path.join(inProject, SESSIONS_DIR, name)) !== null || known().has(name)
  const missing = list(path.join(atHome, SESSIONS_DIR)).filter((name) => id8OfFile(name) !== null && !isJoined(name))
  if (missing.length === 0) return []
  const text =
    "Memory Keeper: sessions were saved in your home directory while this project's memory was not read. To merge them, type: /memory-keeper:run trust"
  return [{ text, about: `${text} ${missing.length}` }]
}

function parseShown(text: string | null): string[] {
  if (text === null) return []
  try {
    const { told: shown } = JSON.parse(text) as { told?: unknown }
    return Array.isArray(shown) ? shown.filter((mark) => typeof mark === 'string') : []
  } catch {
    return []
  }
}
