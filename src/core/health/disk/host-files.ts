/** What the host's own files say: its settings, and the installed plugins of our name, which are ours or those of the earlier Memory Keeper. */
import path from 'node:path'
import { readBelow, readText, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { isObject, parseObject } from '../../../kernel/platform/json.ts'
import type { Host, Installed } from './check.ts'

/** By default the host deletes transcripts that were not written for this long. */
const KEPT_DAYS = 30
const PLUGIN_NAME = 'memory-keeper'
/** The hooks of the earlier plugin call these. */
export const THEIR_SCRIPTS: readonly string[] = ['counter.js', 'load-memory.js', 'inject-rules.js']
/** In ascending order of precedence. */
const PROJECT_SETTINGS = [
  { scope: 'project', name: '.claude/settings.json' },
  { scope: 'local', name: '.claude/settings.local.json' },
]
const MOST_BYTES = 4 * 1024 * 1024

interface Settings {
  scope: string
  file: string
  text: string | null
  settings: Record<string, unknown> | null
}

export function readHost(places: Places): Host {
  const read = readSettings(places)
  const all = read.flatMap(({ settings }) => (settings === null ? [] : [settings]))
  const plugins = all.flatMap(({ enabledPlugins }) => Object.entries(fieldsOf(enabledPlugins)))
  const enabled = new Set([...new Map(plugins)].flatMap(([id, value]) => (value === false ? [] : [id])))
  const installed = installedIn(places)
  const unlisted = [...enabled].filter((id) => isNamedAsOurs(id) && installed.every((one) => one.id !== id))
  const others = [
    ...installed.filter(({ id }) => enabled.has(id)),
    ...unlisted.map((id) => ({ id, scope: scopeOf(read, id), version: '', root: rootInMarketplace(places, id) })),
  ].filter(({ root }) => isAnothers(root))
  return {
    ours: installed.filter(({ root }) => !isAnothers(root)).map(withoutRoot),
    namesakes: others.map((one) => ({ ...withoutRoot(one), isInstalled: !unlisted.includes(one.id) })),
    copiedHooks: read.flatMap(({ file, settings }) => (hasTheirHooks(settings?.hooks) ? [file] : [])),
    enabled,
    keptDays: all.reduce(
      (days, { cleanupPeriodDays: own }) => (typeof own === 'number' && own >= 0 ? own : days),
      KEPT_DAYS,
    ),
    statusLine: all.reduce((line, { statusLine }) => textOf(fieldsOf(statusLine).command) || line, ''),
    broken: read.filter(({ text, settings }) => text !== null && settings === null).map(({ file }) => file),
  }
}

function readSettings({ hostDir, project }: Places): Settings[] {
  const user = path.join(hostDir, 'settings.json')
  return [
    { scope: 'user', file: user, text: readText(user) },
    ...PROJECT_SETTINGS.map(({ scope, name }) => ({
      scope,
      file: path.join(project.root, ...name.split('/')),
      text: readBelow(project.root, name, MOST_BYTES),
    })),
  ].map((one) => ({ ...one, settings: parse(one.text) }))
}

export function isNamedAsOurs(id: string): boolean {
  return id.slice(0, id.lastIndexOf('@')) === PLUGIN_NAME
}

type Placed = Installed & { root: string }

function installedIn({ hostDir, project }: Places): Placed[] {
  const list = parse(readText(path.join(hostDir, 'plugins', 'installed_plugins.json')))
  return Object.entries(fieldsOf(list?.plugins))
    .filter(([id]) => isNamedAsOurs(id))
    .flatMap(([id, all]) => (Array.isArray(all) ? all : [all]).map((one) => ({ id, one: fieldsOf(one) })))
    .filter(({ one }) => ['', project.root].includes(textOf(one.projectPath)))
    .map(({ id, one }) => ({
      id,
      scope: textOf(one.scope),
      version: textOf(one.version),
      root: textOf(one.installPath),
    }))
}

/** A plugin that settings switch on is loaded from a known marketplace, though nobody installed it. Empty: none is known. */
function rootInMarketplace({ hostDir }: Places, id: string): string {
  const known = fieldsOf(parse(readText(path.join(hostDir, 'plugins', 'known_marketplaces.json'))))
  const dir = textOf(fieldsOf(known[id.slice(id.lastIndexOf('@') + 1)]).installLocation)
  const plugins = parse(readText(path.join(dir, '.claude-plugin', 'marketplace.json')))?.plugins
  const listed = (Array.isArray(plugins) ? plugins : []).map(fieldsOf).find(({ name }) => name === PLUGIN_NAME)
  const source = textOf(listed?.source)
  return dir === '' || source === '' ? '' : path.join(dir, source)
}

/** Whether a plugin is there, and not ours: no version of ours is without this program. */
function isAnothers(root: string): boolean {
  const isFile = (...names: string[]): boolean => statOf(path.join(root, ...names))?.kind === 'file'
  return root !== '' && isFile('.claude-plugin', 'plugin.json') && !isFile('dist', 'hook.cjs')
}

/** The scope of the settings that switch it on. */
function scopeOf(read: readonly Settings[], id: string): string {
  return read.findLast(({ settings }) => id in fieldsOf(settings?.enabledPlugins))?.scope ?? ''
}

/** Two of its names: one alone may be a script of the project. */
function hasTheirHooks(hooks: unknown): boolean {
  const text = JSON.stringify(hooks ?? '')
  return THEIR_SCRIPTS.filter((name) => text.includes(name)).length > 1
}

/** The command that ends it. The host looks for a plugin in the user's scope only, unless it is named. */
export function removalOf({ id, scope, isInstalled }: Host['namesakes'][number]): string {
  const where = scope === '' || (isInstalled && scope === 'user') ? '' : ` --scope ${scope}`
  return `claude plugin ${isInstalled ? 'uninstall' : 'disable'} ${id}${where}`
}

export function renderInstalled({ id, version }: Installed): string {
  return version === '' ? id : `${id} ${version}`
}

function withoutRoot({ id, scope, version }: Placed): Installed {
  return { id, scope, version }
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
