/** The checks of the memory: whose it is, which version wrote it, its index, memory.md, facts, pending notes and background calls. */

import path from 'node:path'
import { peopleIn, untrustedPeople } from '../../copies/disk/shared.ts'
import { readFacts, withoutMark } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Facts, parseFacts } from '../../knowledge/fact.ts'
import { allPermanent } from '../../knowledge/permanent.ts'
import { salvageFacts } from '../../knowledge/salvage.ts'
import type { Store } from '../../memory/disk/store.ts'
import { waitingMemory } from '../../migrate/disk/migrate.ts'
import { isEarlier } from '../../migrate/disk/migrate-files.ts'
import { readHealth, usedToday } from '../../model/disk/model-calls.ts'
import { modelNoticedAt } from '../../model/disk/way.ts'
import { listWaiting } from '../../notes/disk/note-list.ts'
import { withSection } from '../../pages/claude-md.ts'
import { whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { isWritable, list, readOwnText, readPart, realPath, statOf } from '../../platform/disk/files.ts'
import { FACTS_FILE, HOST_INSTRUCTIONS, MEMORY_FILE, MODEL_CALLS_FILE, OWNER_FILE } from '../../platform/layout.ts'
import { problemOfEmbedder } from '../../search/disk/embedder.ts'
import { type IndexLook, lookAtIndex } from '../../search/disk/index/look.ts'
import { bytes, count } from '../../text/figures.ts'
import { textOnOneLine } from '../../text/memory-words.ts'
import { broughtByGit } from '../../trust/disk/git-brought.ts'
import { isOnlyGits } from '../../trust/disk/trust.ts'
import { bad, type Found, ok, warn } from './check.ts'

export function checkStanding(store: Store): Found {
  const { inProject } = store.places
  if (store.ownership !== 'foreign')
    return ok(`${store.dir} (${statOf(store.dir) === null ? 'not begun yet' : 'yours'})`)
  if (isOnlyGits(store.places)) {
    const { tracked, left, isUnknown } = broughtByGit(store.places)
    const files = [...tracked, ...left].length
    return warn(
      `git brought ${count(files, 'file')} into ${inProject}${isUnknown ? " (git's index cannot be read just now)" : ''}, so it is not trusted and not read; sessions go to ${store.dir}`,
      'memory-keeper trust shows them; if you know them: memory-keeper trust --yes',
    )
  }
  const isOld = statOf(inProject)?.kind === 'dir' && isEarlier(inProject)
  return warn(
    `${inProject} is not trusted and not read (${isOld ? 'an earlier version of Memory Keeper made it' : `its ${OWNER_FILE} and ${store.places.trustRecord} do not hold the same token`}); sessions go to ${store.dir}`,
    isOld
      ? 'memory-keeper trust shows it; if it is yours: memory-keeper trust --yes, then memory-keeper migrate'
      : 'memory-keeper trust, if you know where it comes from',
  )
}

/** What teammates share is read only after a yes to these very contents. */
export function checkShared({ places }: Store): Found {
  const waiting = untrustedPeople(places)
  const [first] = waiting
  if (first === undefined) {
    const people = peopleIn(places).length
    return ok(people === 0 ? 'nobody shares anything' : `of ${count(people, 'teammate')}`)
  }
  const who = waiting.map((one) => `${one.who}${one.isChanged ? ' (changed)' : ''}`).join(', ')
  return warn(
    `what ${who} ${waiting.length === 1 ? 'shares' : 'share'} is not read yet`,
    'memory-keeper trust shows it, memory-keeper trust --yes reads it',
  )
}

export function checkMigration(store: Store, now: string): Found {
  const waiting = waitingMemory(store, now)
  if (waiting === null) return ok('nothing waits to be taken over')
  return warn(
    `its memory in ${waiting} is not taken over yet`,
    'memory-keeper migrate --dry-run shows what would be, memory-keeper migrate does it (a backup first)',
  )
}

export function checkIndex(store: Store): Found {
  const look = lookAtIndex(store)
  const { is, dir } = look
  if (is === 'unreadable')
    return warn(
      `${dir} cannot be read, so each search makes its own in memory`,
      'make the directory readable and writable for you, or delete it',
    )
  if (is === 'damaged' || is === 'newer')
    return warn(
      is === 'damaged' ? `damaged: ${dir}` : `made by a newer version, so each search makes its own: ${dir}`,
      'memory-keeper reindex makes it anew',
      'index',
    )
  return ok(findingOf(look))
}

function findingOf({ is, dir, documents, bytes: size }: IndexLook): string {
  if (is === 'nowhere') return 'made in memory for each search: there is no cache directory'
  if (is === 'missing') return `made with the first search, in ${dir}`
  if (is === 'older') return `made by an earlier version, made anew with the next search: ${dir}`
  return `readable: ${count(documents, 'document')}, ${bytes(size)} in ${dir}`
}

/** Nothing is sent anywhere: whether an endpoint answers is seen with the first search. */
export function checkEmbedder(store: Store): Found {
  const place = store.config.embedder
  if (place === '') return ok('none: hits are ordered by their words')
  const problem = problemOfEmbedder(place, store.config.embedderModel)
  if (problem === null) return ok(place)
  return warn(
    `${problem}; until then hits are ordered by their words`,
    'memory-keeper config set embedder with the right place, or "" for none',
  )
}

const DAY_MS = 24 * 60 * 60_000
const MAX_CLAUDE_MD_BYTES = 4_000_000

export function checkMemory(store: Store): Found {
  const file = path.join(store.dir, MEMORY_FILE)
  const kind = statOf(file)?.kind ?? null
  if (kind === null) return checkMissing(store)
  if (kind !== 'file') {
    return bad(
      `${file} is ${kind === 'link' ? 'a link' : 'no file'}: it is neither read nor written`,
      `put a plain file in its place, or remove it: memory-keeper then begins a new one`,
    )
  }
  if (isWritable(file) && isWritable(store.dir)) return ok('a file that can be written')
  return bad(
    `${file} cannot be written: no note can be added`,
    'make it and its directory writable for you; what waits is noted then',
  )
}

function checkMissing(store: Store): Found {
  const { lastMemoryUpdateTs, rotatedFiles } = store.readState()
  if (lastMemoryUpdateTs === null && rotatedFiles.length === 0) return ok('no notes yet')
  const isInVault = statOf(path.join(store.places.vault, MEMORY_FILE))?.kind === 'file'
  return bad(
    'it is gone, although notes were written',
    isInVault
      ? 'memory-keeper restore'
      : 'there is no copy in the vault: bring it back yourself, or a new one begins with the next note',
    isInVault ? 'restore' : undefined,
  )
}

export function examineFacts(store: Store): Found {
  const text = readOwnText(path.join(store.dir, FACTS_FILE))
  if (text !== null && parseFacts(withoutMark(text)) === null) return brokenFacts(store, withoutMark(text))
  const broken = list(store.dir).filter((file) => file.startsWith(`${FACTS_FILE}.broken-`))
  if (broken.length === 0) return ok('readable')
  return warn(
    `${FACTS_FILE} was broken and is set aside: ${broken.join(', ')}`,
    `take what you miss from there into ${FACTS_FILE}, then delete it`,
  )
}

/** What is wrong, what is known all the same, and how it becomes whole again. */
function brokenFacts(store: Store, text: string): Found {
  const left = knownIn(salvageFacts(text))
  const all = knownIn(readFacts(store))
  const copied = all > left ? `, ${count(all - left, 'other')} from your copy in the vault` : ''
  const kept = all === 0 ? 'nothing of it can be read' : `kept and told: ${left} of it${copied}`
  return bad(
    `${path.join(store.dir, FACTS_FILE)} is no valid JSON; ${kept}`,
    `mend it there by hand; or write anew what is kept, with the broken file beside it as ${FACTS_FILE}.broken-…: memory-keeper update-concepts`,
  )
}

function knownIn(facts: Facts): number {
  return allFacts(facts).length + allPermanent(facts.permanent).length
}

/** What waits for so long is waiting for somebody who does not come. */
export function checkWaiting(store: Store, now: string): Found {
  const waiting = listWaiting(store, store.readState(), 1)
  const late = waiting.filter(({ since }) => Date.parse(now) - Date.parse(since) > DAY_MS)
  if (late.length === 0) {
    const finding = waiting.length === 0 ? 'none' : `${count(waiting.length, 'session')}, not for long`
    return ok(finding)
  }
  return warn(
    `${late.map(({ session }) => session).join(', ')} waits for more than a day`,
    'memory-keeper final notes it by code; the next session start does it too',
  )
}

/** Whether the background call works. What a command finds on its own PATH says nothing about what a hook finds. */
export function checkBackground(store: Store, now: string): Found {
  const { summarizer } = store.config
  if (summarizer !== 'auto' && summarizer !== 'headless') return ok('not wanted')
  const { keeperDir } = store.places
  const { pausedUntil, last } = readHealth(keeperDir)
  const isPaused = pausedUntil !== null && now < pausedUntil
  if (last !== null && (isPaused || last.why === 'not-found')) {
    const until = isPaused ? `paused until ${pausedUntil.slice(0, 16).replace('T', ' ')} UTC: ` : ''
    return warn(
      `${until}${last.why === 'not-found' ? 'claude was not found on the PATH of a hook' : `${last.why}: ${textOnOneLine(last.message)}`}`,
      FIXES[last.why] ?? 'try claude -p hello in a terminal; until then notes are written otherwise',
    )
  }
  if (modelNoticedAt(keeperDir) !== null) return ok('allowed')
  return ok(
    'not begun: notes are made by code until a session that somebody watches has said what a call costs',
    'start claude in a terminal once; without a model: memory-keeper config set summarizer extractive',
  )
}

const FIXES: Partial<Record<string, string>> = {
  'not-found': 'put claude on your PATH; without a model: memory-keeper config set summarizer extractive',
  login: 'log in: start claude and type /login; until then notes are written otherwise',
  overloaded: 'nothing to do: it is tried again after the pause',
  timeout: 'nothing to do: it is tried again after the pause',
}

export function checkCap(store: Store, now: string): Found {
  const { calls: made, tokens, lost } = usedToday(store.places.keeperDir, now)
  const calls = { made, of: store.config.modelCallsPerDay }
  const isReached = calls.made > 0 && (calls.made >= calls.of || tokens >= store.config.modelTokensPerDay)
  const finding = `${calls.made} of ${count(calls.of, 'model call')}, ${tokens.toLocaleString('en-US')} of ${count(store.config.modelTokensPerDay, 'token')} today${lost === 0 ? '' : ` (${lost} no longer in ${MODEL_CALLS_FILE})`}`
  if (!isReached) return ok(finding)
  return warn(
    `reached: ${finding}; code writes the notes until midnight UTC`,
    'memory-keeper config set modelCallsPerDay or modelTokensPerDay, if you want more',
  )
}

export function checkClaudeMd(store: Store): Found {
  if (!store.config.claudeMdSync) return ok('left alone')
  const file = path.join(store.places.project.root, HOST_INSTRUCTIONS)
  if (statOf(file) === null) return ok('written when the next session starts')
  const target = realPath(file)
  const isInside = target.startsWith(realPath(store.places.project.root) + path.sep)
  const bytes = statOf(target)?.kind === 'file' ? readPart(target, 0, MAX_CLAUDE_MD_BYTES) : null
  const isSound = bytes !== null && withSection(bytes, readRules(store)).is === 'fine'
  if (isInside && isSound && isWritable(target)) return ok('the rules have their place')
  return warn(whyNotSynced(store), 'mend it, or switch it off: memory-keeper config set claudeMdSync false')
}
