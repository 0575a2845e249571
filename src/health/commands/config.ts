/** `config`: what is set, where, and what it means. */

import path from 'node:path'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { bold, dim, table, warning } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, openStore, type Store } from '../../memory/disk/store.ts'
import { syncClaudeMd } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { isHomeOnly, isSettingName, parseSetting, SETTINGS, type SettingName } from '../../platform/config.ts'
import { disk, list, readText, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { CONFIG_FILE, id8OfFile, SESSIONS_DIR, STATE_FILE } from '../../platform/layout.ts'
import { createRedactor } from '../../redact/redact.ts'
import { meantBy } from '../../text/typo.ts'

function runConfigList({ store, out }: Context): number {
  out.json({ config: store.config, warnings: store.configWarnings })
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
  for (const warning of store.configWarnings) out.warn(warning)
  return 0
}

function runConfigGet({ store, out }: Context, name: string): number {
  const setting = known(name)
  const value = store.config[setting]
  out.json({ name, value })
  out.say(typeof value === 'string' ? value : JSON.stringify(value))
  return 0
}

function runConfigSet(context: Context, name: string, text: string, options: { home?: boolean }): number {
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
  const left = setting === 'storage' ? leftBehind(store, parsed.value === 'home') : null
  out.json({ name, value: parsed.value, file, dryRun: context.isDryRun, ...(left === null ? {} : { left }) })
  out.say(`${name} = ${JSON.stringify(parsed.value)}  ${dim(context.isDryRun ? `would be written to ${file}` : file)}`)
  if (left !== null)
    out.warn(warning(`The memory in ${left} is not read with this setting, which is for all projects.`))
  return 0
}

/** A memory that the new setting no longer reads, with its sessions; null: there is none. */
function leftBehind({ places, ownership }: Store, toHome: boolean): string | null {
  const dir = toHome ? places.inProject : places.atHome
  // The next hook copies a memory from home into a project that has none.
  const isJoined = !toHome && statOf(path.join(places.inProject, STATE_FILE)) === null
  if (isJoined || ownership === 'foreign' || (toHome && ownership !== 'ours')) return null
  return list(path.join(dir, SESSIONS_DIR)).some((name) => id8OfFile(name) !== null) ? dir : null
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
  const near = meantBy(name, Object.keys(SETTINGS))
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

export const CONFIG_COMMANDS: readonly Command[] = [
  {
    usage: 'config list',
    about: 'all settings and what they mean',
    example: 'memory-keeper config list',
    run: inProject(runConfigList),
  },
  {
    usage: 'config get <name>',
    isVerbatim: true,
    about: 'one setting',
    example: 'memory-keeper config get saveInterval',
    run: inProject((context, _, [name = '']) => runConfigGet(context, name)),
  },
  {
    usage: 'config set <name> <value>',
    about: "change a setting in the project's config, or at home",
    options: [{ flags: '--home', about: 'for all projects' }],
    writes: true,
    example: 'memory-keeper config set toolOutputChars 500',
    run: inProject((context, options, [name = '', value = '']) => runConfigSet(context, name, value, options)),
  },
]
