/** The checks of the memory: ownership, version, memory.md, facts, notes and background calls. */

import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { isWritable, readOwnText, readPart, realPath, statOf } from '../../../kernel/platform/disk/files.ts'
import { FACTS_FILE, HOST_INSTRUCTIONS, MEMORY_FILE, summaryFileOf } from '../../../kernel/platform/layout.ts'
import { utcDay, zonedMinute } from '../../../kernel/platform/time.ts'
import { count } from '../../../kernel/text/figures.ts'
import { visibleLine } from '../../../kernel/text/memory-words.ts'
import { readFacts, withoutMark } from '../../knowledge/disk/knowledge.ts'
import { parseItems } from '../../knowledge/facts-file.ts'
import { proposedIn } from '../../knowledge/permanent.ts'
import { modelNoticedAt } from '../../model/disk/model-call.ts'
import { readHealth, usedToday } from '../../model/disk/model-calls.ts'
import { noteFiles } from '../../notes/disk/memory.ts'
import { missingNotes } from '../../notes/disk/note-list.ts'
import { brokenSummaries } from '../../notes/disk/summaries.ts'
import { awaitingAudit, awaitingLine } from '../../notes/disk/unaudited.ts'
import { countDoubles } from '../../notes/doubles.ts'
import { withSection } from '../../pages/claude-md.ts'
import { whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { asks, type CheckRow, few, type MendableFinding, ok, problem, warn } from './check.ts'

const MAX_CLAUDE_MD_BYTES = 4_000_000

export const MEMORY_CHECKS: readonly CheckRow[] = [
  ['memory.md', ({ store }) => checkMemory(store)],
  [
    // Decided by the watermarks: the vault may have lost a note, too.
    'notes',
    ({ store }) => {
      const missing = missingNotes(store).map(({ id8, from, to }) => `${id8} (entries ${from} to ${to - 1})`)
      if (missing.length === 0) return ok('every noted session has its notes')
      return warn(
        `noted according to the state, but no file has the note: session ${few(missing)}`,
        'memory-keeper restore restores the notes, or writes the newest of a session again; memory-keeper restore --accept accepts the loss',
      )
    },
  ],
  [
    'note ids',
    ({ store }) => {
      const doubles = countDoubles(noteFiles(store))
      if (doubles === 0) return ok('every note exists once')
      return warn(
        `${count(doubles, 'note')} of memory.md and its archives ${doubles === 1 ? 'exists' : 'exist'} twice`,
        'memory-keeper doctor --fix; the end of the next session does the same',
        'doubles',
      )
    },
  ],
  [
    'archive summaries',
    ({ store }) => {
      const broken = brokenSummaries(store).map(summaryFileOf)
      if (broken.length === 0) return ok('readable')
      return problem(
        `cannot be read: ${few(broken)}`,
        'memory-keeper doctor --fix takes it from the vault, or writes it by code, and sets the broken file aside',
        'summaries',
      )
    },
  ],
  ['facts', ({ store }) => checkFacts(store)],
  [
    'proposed rules',
    ({ store }) => {
      const proposed = proposedIn(readFacts(store)).length
      if (proposed === 0) return ok('none waits for your yes')
      return asks(`${count(proposed, 'proposed rule')} to accept or decline`, 'memory-keeper rules')
    },
    'status',
  ],
  ['background notes', ({ store, now }) => checkBackground(store, now), 'status'],
  [
    'audit',
    ({ store, now }) => {
      const waiting = awaitingAudit(store, now)
      if (waiting === null) return ok('nothing waits for it')
      if (waiting.canCome) return ok(awaitingLine(waiting))
      return warn(awaitingLine(waiting), 'until an audit can come, they are told with the mark (not audited)')
    },
  ],
  [
    'CLAUDE.md',
    ({ store }) => {
      const { root } = store.places.project
      if (!store.config.claudeMdSync) return ok('left alone')
      if (statOf(path.join(root, HOST_INSTRUCTIONS)) === null) return ok('written when the next session starts')
      const target = realPath(path.join(root, HOST_INSTRUCTIONS))
      const isInside = target.startsWith(realPath(root) + path.sep)
      const bytes = statOf(target)?.kind === 'file' ? readPart(target, 0, MAX_CLAUDE_MD_BYTES) : null
      const isSound = bytes !== null && withSection(bytes, readRules(store)).is === 'fine'
      if (isInside && isSound && isWritable(target)) return ok('the rules have their place')
      return warn(whyNotSynced(store), 'fix it, or switch it off: memory-keeper config set claudeMdSync false')
    },
  ],
]

function checkMemory(store: Store): MendableFinding {
  const file = path.join(store.dir, MEMORY_FILE)
  const kind = statOf(file)?.kind ?? null
  if (kind === null) return checkMissing(store)
  if (kind !== 'file') {
    return problem(
      `${file} is ${kind === 'link' ? 'a link' : 'no file'}: it is neither read nor written`,
      `put a plain file in its place, or delete it: a new one is then created`,
    )
  }
  if (isWritable(file) && isWritable(store.dir)) return ok('a file that can be written')
  return problem(
    `${file} cannot be written: no note can be added`,
    'make it and its directory writable for you; pending notes are then written',
  )
}

function checkMissing(store: Store): MendableFinding {
  const { lastMemoryUpdateTs, rotatedFiles } = store.readState()
  if (lastMemoryUpdateTs === null && rotatedFiles.length === 0) return ok('no notes yet')
  const isInVault = statOf(path.join(store.places.vault, MEMORY_FILE))?.kind === 'file'
  return problem(
    'it is gone, although notes were written',
    isInVault
      ? 'memory-keeper restore'
      : 'there is no copy in the vault: restore it yourself, or the next note creates a new one',
    isInVault ? 'restore' : undefined,
  )
}

function checkFacts(store: Store): MendableFinding {
  const file = path.join(store.dir, FACTS_FILE)
  const text = readOwnText(file)
  if (text === null || parseItems(withoutMark(text)) !== null) return ok('readable')
  return problem(
    `${file} is not valid JSON; the readable part is used, with the copy in the vault`,
    `correct it by hand; or rebuild it from the readable part, and keep the broken file as ${FACTS_FILE}.broken-…: memory-keeper compress`,
  )
}

const DAY_MS = 24 * 60 * 60_000

/** Whether the background call works. The PATH of a command says nothing about the PATH of a hook. */
function checkBackground(store: Store, now: string): MendableFinding {
  const { summarizer } = store.config
  if (summarizer !== 'auto' && summarizer !== 'headless') return ok('not wanted')
  const { homeDir } = store.places
  const { pausedUntil, last } = readHealth(homeDir)
  const isPaused = pausedUntil !== null && now < pausedUntil
  if (last !== null) {
    const until = isPaused
      ? `paused until ${zonedMinute(pausedUntil, store.config.timezone)}: `
      : 'the last call failed: '
    return warn(
      `${until}${last.why === 'not-found' ? 'claude was not found on the PATH of a hook' : `${last.why}: ${visibleLine(last.message)}`}`,
      FIXES[last.why] ?? 'try claude -p hello in a terminal; until then notes are written otherwise',
    )
  }
  const { modelCallsPerDay, modelTokensPerDay } = store.config
  const { calls, tokens } = usedToday(homeDir, now)
  // The caps count days of UTC.
  const nextDay = new Date(Date.parse(utcDay(now)) + DAY_MS).toISOString()
  if (calls > 0 && (calls >= modelCallsPerDay || tokens >= modelTokensPerDay))
    return warn(
      `the daily cap is reached (${calls} of ${count(modelCallsPerDay, 'model call')}, ${tokens.toLocaleString('en-US')} of ${count(modelTokensPerDay, 'token')}); code writes the notes until ${zonedMinute(nextDay, store.config.timezone)}`,
      'memory-keeper config set modelCallsPerDay or modelTokensPerDay, if you want more',
    )
  if (modelNoticedAt(homeDir) !== null) return ok('allowed')
  return ok(
    'not started: code writes the notes until an attended session has shown what a call costs',
    'start claude in a terminal once; without a model: memory-keeper config set summarizer extractive',
  )
}

const FIXES: Partial<Record<string, string>> = {
  'not-found': 'put claude on your PATH; without a model: memory-keeper config set summarizer extractive',
  login: 'log in: start claude and type /login; until then notes are written otherwise',
  overloaded: 'nothing to do: it is tried again after the pause',
  timeout: 'nothing to do: it is tried again after the pause',
}
