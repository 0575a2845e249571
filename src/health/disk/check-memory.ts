/** The checks of the memory: whose it is, which version wrote it, memory.md, facts, notes and background calls. */

import path from 'node:path'
import { withoutMark } from '../../knowledge/disk/knowledge.ts'
import { parseFacts } from '../../knowledge/fact.ts'
import type { Store } from '../../memory/disk/store.ts'
import { isEarlier } from '../../migrate/disk/migrate-files.ts'
import { readHealth, usedToday } from '../../model/disk/model-calls.ts'
import { modelNoticedAt } from '../../model/disk/way.ts'
import { missingNotes } from '../../notes/disk/note-list.ts'
import { withSection } from '../../pages/claude-md.ts'
import { whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { isWritable, readOwnText, readPart, realPath, statOf } from '../../platform/disk/files.ts'
import { FACTS_FILE, HOST_INSTRUCTIONS, MEMORY_FILE, OWNER_FILE } from '../../platform/layout.ts'
import { count } from '../../text/figures.ts'
import { textOnOneLine } from '../../text/memory-words.ts'
import { broughtByGit } from '../../trust/disk/git-brought.ts'
import { isOnlyGits } from '../../trust/disk/trust.ts'
import { bad, type CheckRow, type Found, few, ok, warn } from './check.ts'

const MAX_CLAUDE_MD_BYTES = 4_000_000

export const MEMORY_CHECKS: readonly CheckRow[] = [
  ['memory', ({ store }) => checkOwnership(store)],
  ['memory.md', ({ store }) => checkMemory(store)],
  [
    // By the watermarks: the vault may have lost a note, too.
    'notes',
    ({ store }) => {
      const missing = missingNotes(store).map(({ id8, from, to }) => `${id8} (entries ${from} to ${to - 1})`)
      if (missing.length === 0) return ok('every session that is told has its notes')
      return warn(
        `told in memory.md by the state, and in no file: session ${few(missing)}`,
        'memory-keeper restore brings the notes back, or has the newest of a session written again; memory-keeper restore --accept if they are meant to be gone',
      )
    },
  ],
  ['facts', ({ store }) => checkFacts(store)],
  ['background notes', ({ store, now }) => checkBackground(store, now)],
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
      return warn(whyNotSynced(store), 'mend it, or switch it off: memory-keeper config set claudeMdSync false')
    },
  ],
]

function checkOwnership(store: Store): Found {
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

function checkMemory(store: Store): Found {
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

function checkFacts(store: Store): Found {
  const file = path.join(store.dir, FACTS_FILE)
  const text = readOwnText(file)
  if (text === null || parseFacts(withoutMark(text)) !== null) return ok('readable')
  return bad(
    `${file} is no valid JSON; what can be read of it is used, with your copy in the vault`,
    `mend it there by hand; or write anew what is kept, with the broken file beside it as ${FACTS_FILE}.broken-…: memory-keeper compress`,
  )
}

/** Whether the background call works. What a command finds on its own PATH says nothing about what a hook finds. */
function checkBackground(store: Store, now: string): Found {
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
  const { modelCallsPerDay, modelTokensPerDay } = store.config
  const { calls, tokens } = usedToday(keeperDir, now)
  if (calls > 0 && (calls >= modelCallsPerDay || tokens >= modelTokensPerDay))
    return warn(
      `the daily cap is reached (${calls} of ${count(modelCallsPerDay, 'model call')}, ${tokens.toLocaleString('en-US')} of ${count(modelTokensPerDay, 'token')}); code writes the notes until midnight UTC`,
      'memory-keeper config set modelCallsPerDay or modelTokensPerDay, if you want more',
    )
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
