/** What the host's own files say: which plugins are installed and switched on, how long transcripts are kept, whose status line it shows. */
import { isObject, parseObject } from '../platform/json.ts'

/** One installation; the same plugin may have several, by scope and by marketplace. */
export interface InstalledPlugin {
  /** `name@marketplace`. */
  id: string
  name: string
  scope: string
  version: string
  /** The host's own copy. */
  path: string
  /** For whom it is installed; empty: for all projects. */
  project: string
}

export interface HostSettings {
  /** Switched on or off here; a plugin that is not named is neither. */
  plugins: ReadonlyMap<string, boolean>
  keptDays: number | null
  statusLine: string | null
}

/** The host deletes transcripts that nobody wrote to for so long, unless its settings say otherwise. */
export const KEPT_DAYS = 30

/** `plugins/installed_plugins.json`; what is not understood is left out. */
export function parseInstalled(text: string | null): InstalledPlugin[] {
  return Object.entries(fieldsOf(fieldsOf(parse(text)).plugins)).flatMap(([id, all]) =>
    (Array.isArray(all) ? all : [all]).map((raw) => {
      const one = fieldsOf(raw)
      return {
        id,
        name: settingName(id),
        scope: textOf(one.scope),
        version: textOf(one.version),
        path: textOf(one.installPath),
        project: textOf(one.projectPath),
      }
    }),
  )
}

/** `plugins/known_marketplaces.json`: the directories that plugins are read from in place. */
export function parseMarketplaces(text: string | null): string[] {
  return Object.values(fieldsOf(parse(text))).flatMap((raw) => textOf(fieldsOf(raw).installLocation) || [])
}

/** Null: no JSON object. */
export function parseSettings(text: string): HostSettings | null {
  const raw = parse(text)
  if (raw === null) return null
  const { enabledPlugins, cleanupPeriodDays, statusLine } = raw
  return {
    plugins: new Map(Object.entries(fieldsOf(enabledPlugins)).map(([id, value]) => [id, value !== false])),
    keptDays: typeof cleanupPeriodDays === 'number' && cleanupPeriodDays >= 0 ? cleanupPeriodDays : null,
    statusLine: textOf(fieldsOf(statusLine).command) || null,
  }
}

/** All of them together; the later one counts: the user's, the project's, the local ones. */
export function joinSettings(all: readonly HostSettings[]): HostSettings {
  return {
    plugins: new Map(all.flatMap(({ plugins }) => [...plugins])),
    keptDays: all.reduce<number | null>((days, { keptDays }) => keptDays ?? days, null),
    statusLine: all.reduce<string | null>((line, { statusLine }) => statusLine ?? line, null),
  }
}

export function settingName(id: string): string {
  return id.replace(/@[^@]*$/, '')
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
