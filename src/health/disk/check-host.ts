/** The checks of the host and of capture: is the plugin there, switched on and alone, do hooks run, is every transcript captured. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { readBelow, readText, realPath, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import type { HookTime } from '../../receipts/disk/journal.ts'
import { COVERED, damagedFiles, hasTranscripts, NO_TRANSCRIPTS, workedSince } from '../../sessions/disk/coverage.ts'
import { count } from '../../text/figures.ts'
import {
  type HostSettings,
  type InstalledPlugin,
  joinSettings,
  KEPT_DAYS,
  parseInstalled,
  parseMarketplaces,
  parseSettings,
} from '../host-settings.ts'
import { bad, type Found, type HealthWorld, ok, warn } from './check.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const LATELY_DAYS = 7

/** Other plugins that remember sessions, and what is done twice beside them. */
const OTHER_MEMORIES: Readonly<Record<string, string>> = {
  'claude-mem': 'it captures sessions and tells Claude of them at the start too, and calls a model for it',
  'episodic-memory': 'it keeps and searches conversations too',
  'claude-remember': 'it keeps notes of sessions and tells them at the start too',
  remember: 'it keeps notes of sessions and tells them at the start too',
  'memory-store': 'it keeps memories and tells them too',
  'claude-memory': 'it keeps memories and tells them too',
  mem0: 'it keeps memories and tells them too',
  supermemory: 'it keeps memories elsewhere and tells them too',
  'claude-supermemory': 'it keeps memories elsewhere and tells them too',
}

/** `lastHookAt`: when a hook of ours ran last in this project. */
export function checkPlugin(host: Host, lastHookAt: string | null, now: string): Found {
  const ours = host.installed.filter((one) => one.name === PLUGIN_NAME)
  const enabled = ours.filter(({ id }) => host.settings.plugins.get(id) === true)
  const [first] = enabled
  if (host.broken.length > 0) {
    return bad(
      `${host.broken.join(', ')} is no valid JSON: Claude Code cannot read it`,
      'mend the file by hand; it is yours, nothing of ours writes it',
    )
  }
  if (first !== undefined) {
    return ok(`${first.id} ${first.version}, installed and switched on`)
  }
  const isUsed = lastHookAt !== null && Date.parse(now) - Date.parse(lastHookAt) < LATELY_DAYS * DAY_MS
  if (ours.length > 0) {
    return (isUsed ? warn : bad)(
      `${ours[0]?.id} is installed but switched off here: nothing is captured while you work`,
      `claude plugin enable ${ours[0]?.id}`,
    )
  }
  if (isUsed) return ok('not installed, but its hooks run: loaded with --plugin-dir')
  return warn(
    'not installed in Claude Code: nothing is captured while you work',
    'claude plugin marketplace add <where you have it>, then: claude plugin install memory-keeper@memory-keeper',
  )
}

/** The host loads one of several: which one, and of which version, is left to chance. */
export function checkDuplicates(host: Host, { programs, version }: HealthWorld): Found {
  const ours = host.installed.filter((one) => one.name === PLUGIN_NAME)
  const ids = [...new Set(ours.map(({ id }) => id))].filter((id) => host.settings.plugins.get(id) === true)
  if (ids.length > 1) {
    return warn(
      `installed from ${count(ids.length, 'marketplace')}: ${ids.join(', ')}; Claude Code loads only one of them`,
      `keep one: claude plugin uninstall ${ids.at(-1)}`,
    )
  }
  const versions = [...new Set(ours.map((one) => one.version))]
  if (versions.length > 1) {
    const scopes = ours.map((one) => `${one.version} (${one.scope})`).join(', ')
    return warn(
      `installed in several scopes with different versions: ${scopes}`,
      `claude plugin uninstall ${ours[0]?.id} --scope ${ours.at(-1)?.scope}, or update both: claude plugin update ${ours[0]?.id}`,
    )
  }
  const homes = [...ours.map((one) => one.path), ...host.marketplaces].filter((dir) => dir !== '').map(realPath)
  const isElsewhere = programs !== null && homes.length > 0 && !homes.some((dir) => isBelow(realPath(programs), dir))
  if (ours.length > 0 && isElsewhere && versions[0] !== version) {
    return warn(
      `this command is version ${version} in ${programs}, Claude Code uses ${versions[0]} in ${ours[0]?.path}`,
      `use one of them: claude plugin update ${ours[0]?.id}, or start claude without --plugin-dir`,
    )
  }
  return ok(ours.length === 0 ? 'none through a marketplace' : 'yes')
}

function isBelow(file: string, dir: string): boolean {
  return file === dir || file.startsWith(dir + path.sep)
}

export function checkConflicts({ settings }: Host): Found {
  const enabled = [...settings.plugins].filter(([, isOn]) => isOn).map(([id]) => id)
  const others = enabled.flatMap((id) => {
    const plugin = id.replace(/@[^@]*$/, '')
    const what = Object.hasOwn(OTHER_MEMORIES, plugin) ? OTHER_MEMORIES[plugin] : undefined
    return what === undefined ? [] : [{ id, what }]
  })
  const [first] = others
  if (first === undefined) return ok('no other plugin remembers sessions')
  return warn(
    `switched on at the same time: ${others.map(({ id, what }) => `${id} (${what})`).join('; ')}. Both work, but you pay for both with every session`,
    `if one is enough: claude plugin disable ${first.id}; memory-keeper import --neighbours takes over what is understood`,
  )
}

/** Whether the status line in the host's settings is ours. */
export function isOurHookLine(command: string): boolean {
  return /\bstatusline\.cjs\b/.test(command) || /\b(?:memory-keeper|cli\.cjs)\b.*\bstatusline\b/.test(command)
}

/** A line that names a program which is gone leaves the user without one, silently. */
export function checkStatusline({ settings }: Host): Found {
  const command = settings.statusLine
  if (command === null) return ok('not used; memory-keeper init shows how')
  if (!isOurHookLine(command)) return ok('yours, not ours')
  const program =
    /"([^"]+(?:\.cjs|memory-keeper))"|'([^']+(?:\.cjs|memory-keeper))'|(\S+(?:\.cjs|\/memory-keeper))(?=\s|$)/.exec(
      command,
    )
  const file = program?.[1] ?? program?.[2] ?? program?.[3] ?? ''
  if (file === '' || !path.isAbsolute(file) || statOf(file) !== null) return ok('shows this memory')
  return warn(`names ${file}, which is gone`, 'memory-keeper init prints the line for your settings.json as it is now')
}

export interface Host {
  /** Those that count for this project. */
  installed: InstalledPlugin[]
  /** Directories that plugins are read from in place. */
  marketplaces: string[]
  settings: HostSettings
  /** Settings that are there and no valid JSON. */
  broken: string[]
}

/** What the host calls this plugin. */
export const PLUGIN_NAME = 'memory-keeper'

const SETTINGS = 'settings.json'
/** From the weaker to the stronger. */
const PROJECT_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json']
const MOST_BYTES = 4 * 1024 * 1024

export function readHost({ hostDir, project }: Places): Host {
  const plugins = path.join(hostDir, 'plugins')
  const read = [
    { file: path.join(hostDir, SETTINGS), text: readText(path.join(hostDir, SETTINGS)) },
    ...PROJECT_SETTINGS.map((name) => ({
      file: path.join(project.root, ...name.split('/')),
      text: readBelow(project.root, name, MOST_BYTES),
    })),
  ]
  const parsed = read.map(({ file, text }) => ({ file, text, settings: text === null ? null : parseSettings(text) }))
  return {
    installed: parseInstalled(readText(path.join(plugins, 'installed_plugins.json'))).filter(
      (one) => one.project === '' || one.project === project.root,
    ),
    marketplaces: parseMarketplaces(readText(path.join(plugins, 'known_marketplaces.json'))),
    settings: joinSettings(parsed.flatMap(({ settings }) => settings ?? [])),
    broken: parsed.filter(({ text, settings }) => text !== null && settings === null).map(({ file }) => file),
  }
}

/** So long before the host deletes a transcript somebody should know. */
const NOTICE_DAYS = 7

export function checkHooks(store: Store, last: HookTime | undefined, now: string): Found {
  if (!last) return warn('none has run in this project yet', 'is the plugin enabled? claude plugin list')
  const days = Math.floor((Date.parse(now) - Date.parse(last.at)) / DAY_MS)
  const ago = days <= 0 ? 'today' : `${count(days, 'day')} ago`
  if (workedSince(store, Date.parse(last.at) + HOUR_MS)) {
    return warn(
      `last ${last.event} ${ago}, but Claude Code was used here since`,
      'is the plugin enabled? claude plugin list; then memory-keeper import takes in what was missed',
    )
  }
  return ok(`last ${last.event} ${ago}`)
}

export function checkCoverage(store: Store, behind: readonly string[]): Found {
  if (behind.length === 0) return ok(hasTranscripts(store) ? COVERED : NO_TRANSCRIPTS)
  return warn(`${count(behind.length, 'transcript')} to catch up`, 'memory-keeper import', 'import')
}

/** What is captured may be deleted; what is not is lost with the transcript. */
export function checkDeletion(behind: readonly string[], host: Host, now: string): Found {
  const keptDays = host.settings.keptDays ?? KEPT_DAYS
  const from = Date.parse(now) - Math.max(0, keptDays - NOTICE_DAYS) * DAY_MS
  const soon = behind.filter((file) => (statOf(file)?.mtimeMs ?? Number.POSITIVE_INFINITY) < from)
  if (soon.length === 0) {
    const finding = `nothing that is not captured (Claude Code deletes transcripts after ${count(keptDays, 'day')})`
    return ok(finding)
  }
  return bad(
    `${count(soon.length, 'transcript')} not captured and deleted by Claude Code within ${count(NOTICE_DAYS, 'day')} (cleanupPeriodDays ${keptDays})`,
    'memory-keeper import',
    'import',
  )
}

export function checkFiles(store: Store): Found {
  const damaged = damagedFiles(store)
  if (damaged.length === 0) return ok('whole')
  const places = damaged.map((file) => path.join(store.dir, sessionPath(file)))
  const odd = places.filter((file) => (statOf(file)?.kind ?? 'file') !== 'file')
  if (odd.length > 0) return bad(`not a file: ${odd.join(', ')}`, 'remove it, then memory-keeper import')
  return warn(
    `gone or changed since written: ${damaged.join(', ')}`,
    'memory-keeper restore brings back what is gone, memory-keeper import mends; memory-keeper verify tells what is missing',
    'import',
  )
}

export function checkBadLines(store: Store): Found {
  const lines = allSessions(store.readState()).reduce((sum, [, session]) => sum + session.badLines, 0)
  if (lines === 0) return ok('0 skipped')
  return warn(`${lines} skipped`, 'nothing to do: they were damaged in the transcript already, all others are captured')
}
