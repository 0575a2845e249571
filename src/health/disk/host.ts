/** What the host's own files say: which plugins are installed and enabled, how long transcripts are kept, which status line is set. */
import path from 'node:path'
import { readBelow, readText } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { isObject, parseObject } from '../../platform/json.ts'

/** One installation of our plugin; there may be several, by scope and by marketplace. */
interface Installed {
  /** `name@marketplace`. */
  id: string
  scope: string
  version: string
}

export interface Host {
  /** Our plugin, as installed for this project. */
  ours: Installed[]
  /** `name@marketplace` of every plugin that is enabled here. */
  enabled: ReadonlySet<string>
  keptDays: number
  statusLine: string
  /** Settings files that are no valid JSON. */
  broken: string[]
}

/** The host deletes transcripts that were not written to for this long, unless its settings say otherwise. */
const KEPT_DAYS = 30
const PLUGIN_NAME = 'memory-keeper'
/** From the weaker to the stronger. */
const PROJECT_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json']
const MOST_BYTES = 4 * 1024 * 1024

export function readHost({ hostDir, project }: Places): Host {
  const user = path.join(hostDir, 'settings.json')
  const read = [
    { file: user, text: readText(user) },
    ...PROJECT_SETTINGS.map((name) => ({
      file: path.join(project.root, ...name.split('/')),
      text: readBelow(project.root, name, MOST_BYTES),
    })),
  ].map(({ file, text }) => ({ file, text, settings: parse(text) }))
  const all = read.flatMap(({ settings }) => (settings === null ? [] : [settings]))
  const plugins = all.flatMap(({ enabledPlugins }) => Object.entries(fieldsOf(enabledPlugins)))
  const installed = parse(readText(path.join(hostDir, 'plugins', 'installed_plugins.json')))
  return {
    ours: installedIn(fieldsOf(installed?.plugins), project.root),
    enabled: new Set([...new Map(plugins)].flatMap(([id, value]) => (value === false ? [] : [id]))),
    keptDays: all.reduce(
      (days, { cleanupPeriodDays: own }) => (typeof own === 'number' && own >= 0 ? own : days),
      KEPT_DAYS,
    ),
    statusLine: all.reduce((line, { statusLine }) => textOf(fieldsOf(statusLine).command) || line, ''),
    broken: read.filter(({ text, settings }) => text !== null && settings === null).map(({ file }) => file),
  }
}

function installedIn(plugins: Record<string, unknown>, root: string): Installed[] {
  return Object.entries(plugins)
    .filter(([id]) => id.replace(/@[^@]*$/, '') === PLUGIN_NAME)
    .flatMap(([id, all]) => (Array.isArray(all) ? all : [all]).map((one) => ({ id, one: fieldsOf(one) })))
    .filter(({ one }) => ['', root].includes(textOf(one.projectPath)))
    .map(({ id, one }) => ({ id, scope: textOf(one.scope), version: textOf(one.version) }))
}

function parse(text: string | null): Record<string, unknown> | null {
  return text === null ? null : parseObject(text.replace(/^\uFEFF/, ''))
}

function fieldsOf(raw: unknown): Record<string, unknown> {
  return isObject(raw) ? raw : {}
}

function textOf(raw: unknown): string {
  return typeof raw === 'string' ? raw : ''
}
