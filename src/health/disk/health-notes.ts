/** The checks of what writes and holds notes: memory.md, facts, what waits, and background calls. */
import path from 'node:path'
import { readFacts, withoutMark } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Facts, parseFacts } from '../../knowledge/fact.ts'
import { allPermanent } from '../../knowledge/permanent.ts'
import { salvageFacts } from '../../knowledge/salvage.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readHealth, usedToday } from '../../model/disk/model-calls.ts'
import { modelNoticedAt } from '../../model/disk/way.ts'
import { listWaiting } from '../../notes/disk/note-list.ts'
import { faultOf } from '../../outgoing/json-fault.ts'
import { withSection } from '../../pages/claude-md.ts'
import { whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { isWritable, list, readOwnText, readPart, realPath, statOf } from '../../platform/disk/files.ts'
import { FACTS_FILE, HOST_INSTRUCTIONS, MEMORY_FILE, MODEL_CALLS_FILE } from '../../platform/layout.ts'
import { count } from '../../text/figures.ts'
import { textOnOneLine } from '../../text/memory-words.ts'
import type { Check } from './check.ts'

const DAY_MS = 24 * 60 * 60_000
const MAX_CLAUDE_MD_BYTES = 4_000_000

export function checkMemory(store: Store): Check {
  const name = MEMORY_FILE
  const file = path.join(store.dir, MEMORY_FILE)
  const kind = statOf(file)?.kind ?? null
  if (kind === null) return checkMissing(store)
  if (kind !== 'file') {
    return {
      name,
      verdict: 'problem',
      finding: `${file} is ${kind === 'link' ? 'a link' : 'no file'}: it is neither read nor written`,
      fix: `put a plain file in its place, or remove it: memory-keeper then begins a new one`,
    }
  }
  if (isWritable(file) && isWritable(store.dir)) return { name, verdict: 'ok', finding: 'a file that can be written' }
  return {
    name,
    verdict: 'problem',
    finding: `${file} cannot be written: no note can be added`,
    fix: 'make it and its directory writable for you; what waits is noted then',
  }
}

function checkMissing(store: Store): Check {
  const name = MEMORY_FILE
  const { lastMemoryUpdateTs, rotatedFiles } = store.readState()
  if (lastMemoryUpdateTs === null && rotatedFiles.length === 0) return { name, verdict: 'ok', finding: 'no notes yet' }
  const isInVault = statOf(path.join(store.places.vault, MEMORY_FILE))?.kind === 'file'
  return {
    name,
    verdict: 'problem',
    finding: 'it is gone, although notes were written',
    fix: isInVault
      ? 'memory-keeper restore'
      : 'there is no copy in the vault: bring it back yourself, or a new one begins with the next note',
    ...(isInVault ? { mend: 'restore' as const } : {}),
  }
}

export function examineFacts(store: Store): Check {
  const name = 'facts'
  const text = readOwnText(path.join(store.dir, FACTS_FILE))
  if (text !== null && parseFacts(withoutMark(text)) === null) return brokenFacts(store, withoutMark(text))
  const broken = list(store.dir).filter((file) => file.startsWith(`${FACTS_FILE}.broken-`))
  if (broken.length === 0) return { name, verdict: 'ok', finding: 'readable' }
  return {
    name,
    verdict: 'warning',
    finding: `${FACTS_FILE} was broken and is set aside: ${broken.join(', ')}`,
    fix: `take what you miss from there into ${FACTS_FILE}, then delete it`,
  }
}

/** What is wrong, where, what is known all the same, and how it becomes whole again. */
function brokenFacts(store: Store, text: string): Check {
  const fault = faultOf(text)
  const where = fault === null ? 'it holds no object' : `line ${fault.line}, column ${fault.column}: ${fault.what}`
  const left = knownIn(salvageFacts(text))
  const all = knownIn(readFacts(store))
  const copied = all > left ? `, ${count(all - left, 'other')} from your copy in the vault` : ''
  const kept = all === 0 ? 'nothing of it can be read' : `kept and told: ${left} of it${copied}`
  return {
    name: 'facts',
    verdict: 'problem',
    finding: `${path.join(store.dir, FACTS_FILE)} is no valid JSON (${where}); ${kept}`,
    fix: `mend it there by hand; or write anew what is kept, with the broken file beside it as ${FACTS_FILE}.broken-…: memory-keeper update-concepts`,
  }
}

function knownIn(facts: Facts): number {
  return allFacts(facts).length + allPermanent(facts.permanent).length
}

/** What waits for so long is waiting for somebody who does not come. */
export function checkWaiting(store: Store, now: string): Check {
  const name = 'waiting notes'
  const waiting = listWaiting(store, store.readState(), 1)
  const late = waiting.filter(({ since }) => Date.parse(now) - Date.parse(since) > DAY_MS)
  if (late.length === 0) {
    const finding = waiting.length === 0 ? 'none' : `${count(waiting.length, 'session')}, not for long`
    return { name, verdict: 'ok', finding }
  }
  return {
    name,
    verdict: 'warning',
    finding: `${late.map(({ session }) => session).join(', ')} waits for more than a day`,
    fix: 'memory-keeper final notes it by code; the next session start does it too',
  }
}

/** Whether the background call works. What a command finds on its own PATH says nothing about what a hook finds. */
export function checkBackground(store: Store, now: string): Check {
  const name = 'background notes'
  const { summarizer } = store.config
  if (summarizer !== 'auto' && summarizer !== 'headless') return { name, verdict: 'ok', finding: 'not wanted' }
  const { keeperDir } = store.places
  const { pausedUntil, last } = readHealth(keeperDir)
  const isPaused = pausedUntil !== null && now < pausedUntil
  if (last !== null && (isPaused || last.why === 'not-found')) {
    const until = isPaused ? `paused until ${pausedUntil.slice(0, 16).replace('T', ' ')} UTC: ` : ''
    return {
      name,
      verdict: 'warning',
      finding: `${until}${last.why === 'not-found' ? 'claude was not found on the PATH of a hook' : `${last.why}: ${textOnOneLine(last.message)}`}`,
      fix: FIXES[last.why] ?? 'try claude -p hello in a terminal; until then notes are written otherwise',
    }
  }
  if (modelNoticedAt(keeperDir) !== null) return { name, verdict: 'ok', finding: 'allowed' }
  return {
    name,
    verdict: 'ok',
    finding: 'not begun: notes are made by code until a session that somebody watches has said what a call costs',
    fix: 'start claude in a terminal once; without a model: memory-keeper config set summarizer extractive',
  }
}

const FIXES: Partial<Record<string, string>> = {
  'not-found': 'put claude on your PATH; without a model: memory-keeper config set summarizer extractive',
  login: 'log in: start claude and type /login; until then notes are written otherwise',
  overloaded: 'nothing to do: it is tried again after the pause',
  timeout: 'nothing to do: it is tried again after the pause',
}

export function checkCap(store: Store, now: string): Check {
  const name = 'daily cap'
  const { calls: made, tokens, lost } = usedToday(store.places.keeperDir, now)
  const calls = { made, of: store.config.modelCallsPerDay }
  const isReached = calls.made > 0 && (calls.made >= calls.of || tokens >= store.config.modelTokensPerDay)
  const finding = `${calls.made} of ${count(calls.of, 'model call')}, ${tokens.toLocaleString('en-US')} of ${count(store.config.modelTokensPerDay, 'token')} today${lost === 0 ? '' : ` (${lost} no longer in ${MODEL_CALLS_FILE})`}`
  if (!isReached) return { name, verdict: 'ok', finding }
  return {
    name,
    verdict: 'warning',
    finding: `reached: ${finding}; code writes the notes until midnight UTC`,
    fix: 'memory-keeper config set modelCallsPerDay or modelTokensPerDay, if you want more',
  }
}

export function checkClaudeMd(store: Store): Check {
  const name = HOST_INSTRUCTIONS
  if (!store.config.claudeMdSync) return { name, verdict: 'ok', finding: 'left alone' }
  const file = path.join(store.places.project.root, HOST_INSTRUCTIONS)
  if (statOf(file) === null) return { name, verdict: 'ok', finding: 'written when the next session starts' }
  const target = realPath(file)
  const isInside = target.startsWith(realPath(store.places.project.root) + path.sep)
  const bytes = statOf(target)?.kind === 'file' ? readPart(target, 0, MAX_CLAUDE_MD_BYTES) : null
  const isSound = bytes !== null && withSection(bytes, readRules(store)).is === 'fine'
  if (isInside && isSound && isWritable(target)) return { name, verdict: 'ok', finding: 'the rules have their place' }
  return {
    name,
    verdict: 'warning',
    finding: whyNotSynced(store),
    fix: 'mend it, or switch it off: memory-keeper config set claudeMdSync false',
  }
}
