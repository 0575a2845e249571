/** `init` creates the memory directory with templates for its pages, and prints the next steps; `config` shows and changes settings. */
import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, underLock } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, table, warning } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS, openStore, type Store } from '../../../kernel/memory/disk/store.ts'
import {
  goneSetting,
  isHomeOnly,
  isSettingName,
  parseSetting,
  SETTINGS,
  type SettingName,
} from '../../../kernel/platform/config.ts'
import { disk, list, readText, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { CONFIG_FILE, id8OfFile, PAGE_SUFFIX, SESSIONS_DIR, STATE_FILE } from '../../../kernel/platform/layout.ts'
import { createRedactor } from '../../../kernel/redact/redact.ts'
import { transcriptsBehind } from '../../../kernel/sessions/disk/verify.ts'
import { meantBy } from '../../../kernel/text/typo.ts'
import { agentCost } from '../../model/agent-cost.ts'
import { noteNoticed } from '../../model/disk/model-call.ts'
import { syncClaudeMd } from '../../pages/disk/claude-md.ts'
import { missingTemplates, NEW_PAGES, readPages, writeTemplates } from '../../pages/disk/pages.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { isUntouchedTemplate, PAGE_TEMPLATES } from '../../pages/page.ts'

function runInit(context: Context, options: { force?: boolean }): number {
  const { store, out, isDryRun } = context
  checkPlace(context, options.force === true)
  const wasThere = store.isPrepared()
  const written = isDryRun
    ? missingTemplates(store)
    : underLock(store, COMMAND_WAIT_MS, () => {
        const names = missingTemplates(store)
        writeTemplates(store, names)
        return names
      })
  const kept = Object.keys(PAGE_TEMPLATES).filter((name) => !written.includes(name))
  const earlier = transcriptsBehind(store).length
  out.json({ dir: store.dir, isNew: !wasThere, written, kept, earlierSessions: earlier })
  const named = (what: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${what}: ${names.map((name) => `${name}${PAGE_SUFFIX}`).join(', ')}`]
  out.say(
    `${bold(store.dir)} ${wasThere ? 'already exists.' : 'created.'}`,
    ...named('Templates written', written),
    ...named('Left as they are', kept),
    ...byHand(context),
    ...nextSteps(store, earlier),
  )
  return 0
}

function checkPlace({ store, world }: Context, isForced: boolean): void {
  const { root } = store.places.project
  if (store.ownership === 'foreign') {
    throw new KeeperError(
      'foreign',
      `${store.places.inProject} is not trusted. Trust or remove it first: memory-keeper trust`,
    )
  }
  if (isForced || (root !== world.around.home && path.dirname(root) !== root)) return
  throw new KeeperError(
    'no-project',
    `${root} is not a project. Change to one, or name it with --project DIR; to create a memory here anyway: memory-keeper init --force`,
  )
}

/** A plugin cannot set the host's status line: the user must do it. */
function byHand({ world, store }: Context): string[] {
  const { programs } = world
  const command =
    programs === undefined ? 'memory-keeper statusline' : `node "${path.join(programs, 'statusline.cjs')}"`
  return [
    '',
    bold('If you like:'),
    `  a line about the memory under your prompt, in ${path.join(store.places.hostDir, 'settings.json')}:`,
    `    "statusLine": ${JSON.stringify({ type: 'command', command })}`,
  ]
}

function nextSteps(store: Store, earlier: number): string[] {
  const isDescribed = readPages(store).some(({ name, text }) => name === 'project' && !isUntouchedTemplate(name, text))
  const rows = [
    ['import', `import ${count(earlier, 'earlier session')} of this project now; the next start does it too`],
    ['page set project --text "…"', 'describe this project'],
    ['config list', 'see what can be changed'],
    ['doctor', 'see that all is well'],
    ['uninstall', 'see what it would remove, and what stays'],
  ]
  const shown = rows.filter((_, i) => (i === 0 ? earlier > 0 : i === 1 ? !isDescribed : true))
  return ['', bold('Next:'), ...table(shown.map(([next, about = '']) => [`  memory-keeper ${next}`, dim(about)]))]
}

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
  const file = path.join(atHome ? store.places.homeDir : store.dir, CONFIG_FILE)
  const next = { ...readOwn(file), [setting]: parsed.value }
  // A setting for all projects makes no memory here.
  const isHere = setting === 'templates' && parsed.value === true && (options.home !== true || store.isPrepared())
  const pages = isHere ? missingTemplates(store, NEW_PAGES) : []
  if (!context.isDryRun) {
    underLock(store, COMMAND_WAIT_MS, () => {
      disk.replace(file, `${JSON.stringify(next, null, 2)}\n`)
      if (setting === 'claudeMdSync' || setting === 'builtinRules') syncNow(context)
      writeTemplates(store, pages)
    })
  }
  const cost = context.isDryRun ? null : newCost(context)
  const left = setting === 'storage' ? leftBehind(store, parsed.value === 'home') : null
  out.json({ name, value: parsed.value, file, ...(left === null ? {} : { left }) })
  const written = `${context.isDryRun ? 'Would be written' : 'Written'} to ${file}.`
  out.say(`${name} = ${JSON.stringify(parsed.value)}`, `${written} ${whereItCounts(context, setting, atHome)}`)
  if (pages.length > 0)
    out.say(
      `${context.isDryRun ? 'Templates that would be written here' : 'Templates written here'}: ${pages.map((name) => `${name}${PAGE_SUFFIX}`).join(', ')}`,
    )
  if (cost !== null) out.say(cost)
  if (left !== null)
    out.warn(warning(`The memory in ${left} is not read with this setting, which is for all projects.`))
  return 0
}

/** Null: Claude is not asked for the notes, or was before, too. No session needs to tell it again. */
function newCost({ store, world }: Context): string | null {
  const cost = agentCost(store.config) === null ? agentCost(openStore(store.places, { now: world.now }).config) : null
  if (cost !== null) noteNoticed(store.places.homeDir, 'agent', world.now())
  return cost
}

/** A project's own value wins over the one at home. */
function whereItCounts({ store }: Context, setting: SettingName, atHome: boolean): string {
  if (!atHome) return 'It counts for this project only; with --home it is set for all projects.'
  if (isHomeOnly(setting)) return 'It counts for all projects.'
  const own = readOwn(path.join(store.dir, CONFIG_FILE))[setting]
  const here = own === undefined ? '' : ` This project has its own: ${JSON.stringify(own)}.`
  return `It counts for all projects that have no value of their own.${here}`
}

/** A memory with sessions that is no longer read under the new setting; null: there is none. */
function leftBehind({ places, ownership }: Store, toHome: boolean): string | null {
  const dir = toHome ? places.inProject : places.atHome
  // The next hook copies a memory from home into a project that has none.
  const isJoined = !toHome && statOf(path.join(places.inProject, STATE_FILE)) === null
  if (isJoined || ownership === 'foreign' || (toHome && ownership !== 'ours')) return null
  return list(path.join(dir, SESSIONS_DIR)).some((name) => id8OfFile(name) !== null) ? dir : null
}

/** Uses the new settings. */
function syncNow({ store, world }: Context): void {
  const now = openStore(store.places, { now: world.now })
  syncClaudeMd(now, readRules(now))
}

/** An ignored pattern would give a false sense of protection. */
function checkPatterns(patterns: readonly string[]): void {
  const { badPatterns } = createRedactor({ enabled: true, extraPatterns: patterns })
  if (badPatterns.length === 0) return
  throw new KeeperError(
    'usage',
    `${badPatterns.map((pattern) => JSON.stringify(pattern)).join(', ')} cannot be used: not a regular expression, or one that matches the empty text. Give one pattern, or a JSON list like '["acme-[0-9]+"]'.`,
  )
}

function known(name: string): SettingName {
  if (isSettingName(name)) return name
  const gone = goneSetting(name)
  if (gone !== null) throw new KeeperError('usage', `${gone}.`)
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
    throw new KeeperError('broken-config', `${file} is not valid JSON. Fix or delete it, then try again.`, { cause })
  }
}

export const SETUP_COMMANDS: readonly Command[] = [
  {
    usage: 'init',
    about: 'create the memory directory; with templates for its pages',
    options: [{ flags: '--force', about: 'even in the home directory, which is usually not a project' }],
    writes: true,
    example: 'memory-keeper init',
    also: ['memory-keeper init --dry-run'],
    run: inProject(runInit),
  },
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
    stdin: 'words',
    about: "change a setting in the project's config, or at home",
    options: [{ flags: '--home', about: 'for all projects' }],
    writes: true,
    example: 'memory-keeper config set toolOutputChars 500',
    run: inProject((context, options, [name = '', value = '']) => runConfigSet(context, name, value, options)),
  },
]
