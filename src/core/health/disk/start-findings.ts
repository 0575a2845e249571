/** What a start looks at besides doctor and status: whose memory it is, what was lost, settings, other plugins. It is loaded with every start. */

import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { list, readOwnText, refused, statOf } from '../../../kernel/platform/disk/files.ts'
import { FACTS_FILE, id8OfFile, isSetAside, OWNER_FILE, SESSIONS_DIR } from '../../../kernel/platform/layout.ts'
import { count } from '../../../kernel/text/figures.ts'
import { visibleLine } from '../../../kernel/text/memory-words.ts'
import { once } from '../../../kernel/text/once.ts'
import { lastBrought } from '../../../kernel/trust/disk/git-brought.ts'
import { renderShadow, shadowsIn } from '../../../kernel/trust/disk/shadows.ts'
import { isOnlyGits } from '../../../kernel/trust/disk/trust.ts'
import { extras } from '../../extra.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { isLive } from '../../knowledge/item.ts'
import { byKind } from '../../knowledge/items.ts'
import { untrustedPeople } from '../../others/disk/shared.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { renderLoss, topLosses } from '../../vault/disk/vault.ts'
import {
  asks,
  type Check,
  few,
  lookAt,
  type MendableFinding,
  news,
  ok,
  problem,
  type SeenAtStart,
  type StartRow,
  warn,
} from './check.ts'
import { isNamedAsOurs, readHost, removalOf, renderInstalled, THEIR_SCRIPTS } from './host-files.ts'

export const START_ROWS: readonly StartRow[] = [
  ['memory', ({ store }) => whoseMemory(store), 'start'],
  ['teammates', ({ store }) => teammates(store), 'start'],
  ['saved at home', ({ store }) => savedAtHome(store), 'start'],
  [
    'vault',
    ({ store, losses }) => {
      const { inProject } = store.places
      if (store.dir !== inProject) return ok('not needed, memory is stored at home')
      const lost = losses().map(renderLoss)
      if (lost.length === 0) return ok('nothing that it has was lost')
      return problem(
        `${few(lost)}. The vault has the earlier version`,
        'memory-keeper restore restores it; to accept the loss: memory-keeper restore --accept',
        'restore',
      )
    },
    'start',
  ],
  ['encoding', ({ store }) => undecoded(store), 'start'],
  [
    'config',
    ({ store: { configWarnings } }) => {
      if (configWarnings.length === 0) return ok('valid')
      return configWarnings.map((text) => warn(text, 'memory-keeper config list shows the effective settings'))
    },
    'start',
  ],
  ['same name', namesakes, 'start'],
  [
    'skills',
    ({ store }) => {
      const taken = shadowsIn(store.places).map(renderShadow)
      if (taken.length === 0) return ok('yours to type: no other command has their names')
      return problem(
        `${few(taken)}. What you type there is no order any more, and Claude may call it`,
        'delete or rename that file; git log -- <file> shows who brought it',
      )
    },
    'every start',
  ],
  ['learned rules', ({ store }) => activeRules(store), 'start'],
]

/** With what the extras of this program look at. */
export function startFindings(store: Store, now: string): Check[] {
  const seen: SeenAtStart = { ...lookedAtOnce(store), store, now }
  const ofExtras = extras().flatMap(({ findings = [] }) => findings.filter(([, , at]) => isAtStart(at)))
  return lookAt([...START_ROWS, ...ofExtras], seen)
}

export function lookedAtOnce(store: Store): Omit<SeenAtStart, 'store' | 'now'> {
  return {
    host: once(() => readHost(store.places)),
    hooks: once(() => readHookTimes(store.dir)),
    losses: once(() => topLosses(store)),
  }
}

function isAtStart(at: StartRow[2]): boolean {
  return at === 'start' || at === 'every start'
}

function whoseMemory({ dir, ownership, places }: Store): MendableFinding {
  if (ownership !== 'foreign') return ok(`${dir} (${statOf(dir) === null ? 'not begun yet' : 'yours'})`)
  const record = `trust/${path.basename(places.trustRecord)}`
  if (!isOnlyGits(places))
    return warn(
      `this project's memory is not trusted, and nothing of it is read: .claude/memory/${OWNER_FILE} and ${record} differ (it came with the repository, an earlier version of Memory Keeper created it, or you untrusted it). Your sessions are saved in your home directory`,
      'memory-keeper trust shows it',
    )
  const { tracked, left } = lastBrought(places)
  const files = [...tracked, ...left]
  return {
    ...warn(
      `git brought ${count(files.length, 'file')} into this project's memory (.claude/memory). Until you accept them, nothing of it is read, and your sessions are saved in your home directory`,
      'memory-keeper trust shows them, and keeps them or your own files',
    ),
    about: `git ${files.map(({ path: name, id }) => `${id} ${name}`).join('\n')}`,
  }
}

function teammates({ ownership, places }: Store): MendableFinding {
  const waiting = ownership === 'foreign' ? [] : untrustedPeople(places).filter(({ isUnfit }) => !isUnfit)
  if (waiting.length === 0) return ok('nothing of theirs waits to be looked at')
  const names = few(waiting.map(({ who }) => who))
  return {
    ...asks(
      `${names} share${waiting.length === 1 ? 's' : ''} memory in this repository that you have not seen yet. Nothing of it is read`,
      'memory-keeper trust shows it',
    ),
    about: `shared ${waiting.map((one) => `${one.who} ${one.files.join()} ${one.sizes}`).join('\n')}`,
  }
}

/** After git removed the files it had brought, the memory is read again; sessions captured meanwhile are at home. */
function savedAtHome(store: Store): MendableFinding {
  const { atHome, inProject } = store.places
  const nothing = ok('nothing that belongs here')
  if (store.ownership === 'foreign' || store.dir !== inProject || statOf(atHome) === null) return nothing
  const known = once(() => new Set(allSessions(store.readState()).map(([, { file }]) => file)))
  const isJoined = (name: string): boolean =>
    statOf(path.join(inProject, SESSIONS_DIR, name)) !== null || known().has(name)
  const missing = list(path.join(atHome, SESSIONS_DIR)).filter((name) => id8OfFile(name) !== null && !isJoined(name))
  if (missing.length === 0) return nothing
  return asks(
    `${count(missing.length, 'session')} saved in your home directory while this project's memory was not read`,
    'memory-keeper trust joins them with it',
  )
}

/** Files that a person may edit, kept as they were because some of their bytes were no text. */
export function undecodedAside({ dir, places }: Store): string[] {
  const files = [dir, places.homeDir].flatMap((place) => list(place).map((name) => path.join(place, name)))
  return files.filter((file) => {
    const isEdited = isSetAside(file) && /(?:\.md|[/\\]config\.json)\.broken-/.test(file)
    return isEdited && readOwnText(file) !== null && refused.undecoded.has(file)
  })
}

function undecoded(store: Store): MendableFinding | MendableFinding[] {
  const aside = undecodedAside(store)
  if (aside.length === 0) return ok('every text that you edited is UTF-8')
  return aside.map((file) =>
    warn(
      `${path.basename(file).replace(/\.broken-.*/, '')} was not saved in UTF-8 and could not be read completely. It is kept as it was: ${file}`,
      'open that in its own encoding, copy what is missing, then delete it',
    ),
  )
}

const DAY_MS = 24 * 60 * 60_000
const LATELY_MS = 7 * DAY_MS

/** The host registers the hooks of the first enabled plugin of a name only; one given with --plugin-dir takes the place of all installed ones. */
function namesakes({ host, hooks, now }: SeenAtStart): MendableFinding {
  const { ours, namesakes: found, copiedHooks, enabled } = host()
  if (found.length > 0) {
    const loaded = [...enabled].find(isNamedAsOurs)
    const last = hooks().at(-1)
    const isLate = last === undefined || Date.parse(now) - Date.parse(last.at) >= LATELY_MS
    const isGiven = !ours.some(({ id }) => enabled.has(id)) && !isLate
    const isTheirs = !isGiven && found.some(({ id }) => id === loaded)
    const whose = isGiven
      ? 'Its hooks run in sessions without --plugin-dir'
      : isTheirs
        ? 'Claude Code runs its hooks and not ours: nothing is captured'
        : 'Claude Code runs our hooks and not its own, as long as ours comes first in the settings'
    return {
      ...(isTheirs ? problem : warn)(
        `another plugin of our name is enabled: ${few(found.map(renderInstalled))}. ${whose}`,
        found.map(removalOf).join(' && '),
      ),
      about: `namesakes ${found.map(({ id }) => id).join(' ')}`,
    }
  }
  if (copiedHooks.length === 0) return ok('no other plugin of this name is enabled')
  return warn(
    `hooks of an earlier Memory Keeper are in ${few(copiedHooks)}: they run beside ours`,
    `take out the hooks that call ${few(THEIR_SCRIPTS)}`,
  )
}

/** Rules that became active without the user's approval, by the user's own words in several sessions. */
function activeRules(store: Store): MendableFinding[] {
  if (!store.isPrepared() || readOwnText(path.join(store.dir, FACTS_FILE))?.includes('"active"') !== true) return []
  const items = byKind(readFacts(store)).rules.filter((rule) => isLive(rule) && rule.judged?.by === 'code')
  return items.map(({ id, text }) => ({
    ...news(
      `"${visibleLine(text)}" is a rule now, since you said it in several sessions`,
      `to end it: memory-keeper reject ${id}`,
    ),
    about: `rule ${id}`,
  }))
}
