/** `config`: what is set, where, and what it means. */
import path from 'node:path'
import { isHomeOnly, isSettingName, parseSetting, SETTINGS, type SettingName } from '../core/config.ts'
import { KeeperError } from '../core/error.ts'
import { CONFIG_FILE } from '../core/layout.ts'
import { createRedactor } from '../core/redact.ts'
import { syncClaudeMd } from '../store/claude-md.ts'
import { disk, readText } from '../store/files.ts'
import { readRules } from '../store/rules.ts'
import { COMMAND_WAIT_MS, openStore } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { bold, dim, table } from './output.ts'

/** The others belong to parts that are not built yet. */
export const IN_EFFECT: readonly SettingName[] = [
  'saveInterval',
  'summarizer',
  'enforcement',
  'quietStop',
  'rules',
  'rulesInjectionFrequency',
  'rulesIndicator',
  'briefingChars',
  'rotationThresholdTokens',
  'rotationSafetyMargin',
  'carryoverTokens',
  'deltaMaxTokens',
  'firstRunMaxEntries',
  'toolOutputChars',
  'summaryMaxTokens',
  'maxFactsPerSession',
  'rawBackup',
  'claudeMdSync',
  'autoMemory',
  'storage',
  'redaction',
  'redactPatterns',
  'modelCallsPerDay',
  'modelTokensPerDay',
  'timezone',
]

export function runConfigList({ store, out }: Context): number {
  out.json({ config: store.config, warnings: store.configWarnings, inEffect: IN_EFFECT })
  const names = Object.keys(SETTINGS) as SettingName[]
  out.say(
    ...table(
      names.map((name) => {
        const value = JSON.stringify(store.config[name])
        const isDefault = value === JSON.stringify(SETTINGS[name].value)
        return [
          name,
          isDefault ? value : bold(value),
          dim(`${SETTINGS[name].about}${isHomeOnly(name) ? ' (home only)' : ''}`),
        ]
      }),
    ),
  )
  const later = names.filter((name) => !IN_EFFECT.includes(name))
  out.say('', `Not in effect yet, kept for parts that come next: ${later.join(', ')}.`)
  for (const warning of store.configWarnings) out.warn(warning)
  return 0
}

export function runConfigGet({ store, out }: Context, name: string): number {
  const setting = known(name)
  const value = store.config[setting]
  out.json({ name, value })
  out.say(typeof value === 'string' ? value : JSON.stringify(value))
  return 0
}

export function runConfigSet(context: Context, name: string, text: string, options: { home?: boolean }): number {
  const { store, out } = context
  const setting = known(name)
  const parsed = parseSetting(setting, text)
  if ('error' in parsed) throw new KeeperError('usage', `${parsed.error}.`)
  if (setting === 'redactPatterns') checkPatterns(parsed.value as readonly string[])
  const atHome = options.home === true || isHomeOnly(setting)
  const file = path.join(atHome ? store.places.keeperDir : store.dir, CONFIG_FILE)
  const next = { ...readOwn(file), [setting]: parsed.value }
  if (!context.isDryRun) {
    underLock(store, COMMAND_WAIT_MS, () => {
      disk.replace(file, `${JSON.stringify(next, null, 2)}\n`)
      if (setting === 'claudeMdSync') syncNow(context)
    })
  }
  out.json({ name, value: parsed.value, file, dryRun: context.isDryRun })
  out.say(`${name} = ${JSON.stringify(parsed.value)}  ${dim(context.isDryRun ? `would be written to ${file}` : file)}`)
  if (!IN_EFFECT.includes(setting)) out.say(dim('Kept for later: no part of this version reads it yet.'))
  return 0
}

/** With the settings as they are from now on. */
function syncNow({ store, world }: Context): void {
  const now = openStore(store.places, { now: world.now })
  syncClaudeMd(now, readRules(now))
}

/** A pattern that is ignored would look like protection. */
function checkPatterns(patterns: readonly string[]): void {
  const { badPatterns } = createRedactor({ enabled: true, extraPatterns: patterns })
  if (badPatterns.length === 0) return
  throw new KeeperError(
    'usage',
    `${badPatterns.map((pattern) => JSON.stringify(pattern)).join(', ')} cannot be used: no regular expression, or one that matches the empty text. Give one pattern, or a JSON list like '["acme-[0-9]+"]'.`,
  )
}

function known(name: string): SettingName {
  if (isSettingName(name)) return name
  const near = Object.keys(SETTINGS).find((other) => other.toLowerCase().includes(name.toLowerCase()))
  throw new KeeperError(
    'usage',
    `There is no setting "${name}".${near ? ` Did you mean ${near}?` : ' memory-keeper config list shows all.'}`,
  )
}

function readOwn(file: string): Record<string, unknown> {
  const text = readText(file)
  if (text === null) return {}
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (cause) {
    throw new KeeperError('broken-config', `${file} is no valid JSON. Mend or delete it, then try again.`, { cause })
  }
}
