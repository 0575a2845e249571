/** The settings: their defaults, their allowed values, and whether a project may set them. */
import { isTimezone } from './time.ts'

/** What a value may be. `shown`: for people. */
type Kind = { shown: string; isRight: (value: unknown) => boolean } & (
  | { is: 'whole'; min: number; max: number }
  | { is: 'choice'; of: readonly string[] }
  | { is: 'text'; max: number }
  | { is: 'share' | 'switch' | 'timezone' | 'texts' | 'place' }
)

interface Setting<V extends Value = Value> {
  kind: Kind
  /** The default. Its type is the type of the setting wherever it is used. */
  value: V
  about: string
  /** The setting concerns secrets, money or the network: only the home config may set it. */
  homeOnly?: true
  /** Returns the stricter of two values. A project may make such a setting of the home config stricter. */
  stricter?(home: V, project: V): V
}

export type Value = number | boolean | string | readonly string[]

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && value >= min && value <= max

const whole = (value: number, min: number, max: number, about: string): Setting<number> => {
  const isRight = (given: unknown): boolean => Number.isInteger(given) && isNumber(given, min, max)
  return { kind: { is: 'whole', min, max, shown: `a whole number from ${min} to ${max}`, isRight }, value, about }
}
const onOff = (value: boolean, about: string): Setting<boolean> => {
  const isRight = (given: unknown): boolean => typeof given === 'boolean'
  return { kind: { is: 'switch', shown: 'true or false', isRight }, value, about }
}
const choice = <const V extends string>(value: NoInfer<V>, of: readonly V[], about: string): Setting<V> => {
  const isRight = (given: unknown): boolean => of.some((one) => one === given)
  return { kind: { is: 'choice', of, shown: `one of ${of.join(', ')}`, isRight }, value, about }
}
const share = (value: number, about: string): Setting<number> => {
  const isRight = (given: unknown): boolean => isNumber(given, 0, 1)
  return { kind: { is: 'share', shown: 'a number from 0 to 1', isRight }, value, about }
}
const texts = (about: string): Setting<readonly string[]> => {
  const isRight = (given: unknown): boolean => Array.isArray(given) && given.every(isText)
  return { kind: { is: 'texts', shown: 'a list of texts', isRight }, value: [], about }
}
const text = (kind: Kind, about: string): Setting<string> => ({ kind, value: '', about })

const PLACE: Kind = {
  is: 'place',
  shown: 'empty, an https URL without a password in it, or an http URL of this machine',
  isRight: (value) => isText(value) && isEmbedderPlace(value),
}
const LINE: Kind = {
  is: 'text',
  max: 200,
  shown: 'one line of at most 200 characters',
  isRight: (value) => isText(value) && value.length <= 200 && !/[\x00-\x1f]/.test(value),
}
const TIMEZONE: Kind = {
  is: 'timezone',
  shown: "the name of a time zone like Europe/Berlin, or empty for the system's",
  isRight: (value) => isText(value) && (value === '' || isTimezone(value)),
}

export const SETTINGS = {
  saveInterval: whole(25, 1, 10_000, 'tool uses after which a note is due'),
  summarizer: {
    ...choice('auto', ['auto', 'headless', 'agent', 'extractive'], 'who writes the notes; extractive uses no model'),
    homeOnly: true,
    stricter: (home, project) => (project === 'extractive' ? project : home),
  },
  enforcement: choice('remind', ['off', 'remind', 'stop', 'block'], 'how pending work is asked for'),
  quietStop: onOff(true, 'keep the screen silent when a turn ends'),
  rules: onOff(true, 'inject the rules with every prompt'),
  builtinRules: choice(
    'prompt',
    ['full', 'prompt', 'start', 'off'],
    'the built-in rules: in full at the start of a session, and as one line with every prompt (full: in full, too); or at the start only',
  ),
  rulesInjectionFrequency: whole(1, 1, 1000, 'rules with every Nth prompt'),
  rulesIndicator: choice('off', ['off', 'line'], 'line: [rules injected] under each prompt with rules'),
  recall: onOff(true, 'inject what is remembered about a prompt'),
  recallMaxTokens: whole(300, 0, 5000, 'most tokens of one recall with its frame'),
  agentHints: onOff(false, 'before an agent starts, name an earlier report on the same code'),
  briefingChars: whole(6000, 500, 9900, 'most characters of the briefing with its rules; the host cuts at 10,000'),
  rotationThresholdTokens: whole(25_000, 1000, 1_000_000, 'size at which memory.md rotates'),
  rotationSafetyMargin: share(0.05, 'share kept free below the rotation threshold and of the carryover'),
  carryoverTokens: whole(2500, 0, 100_000, 'tokens that stay in memory.md after a rotation'),
  firstRunMaxEntries: whole(50, 0, 100_000, 'entries of old history noted on the first run'),
  toolOutputChars: whole(
    300,
    0,
    20_000,
    'most characters of tool output kept; of a failure a third from its beginning, five thirds from its end; 0: none',
  ),
  summaryMaxTokens: whole(500, 50, 20_000, 'size of a session summary'),
  maxFactsPerSession: whole(10, 0, 1000, 'most facts stored per session'),
  conceptSimilarity: share(0.7, 'similarity from which two concepts are one'),
  promoteAfterSessions: whole(3, 2, 1000, 'sessions in which something recurs before it may become permanent'),
  permanentUnusedDays: whole(90, 1, 10_000, 'days without use after which a permanent memory is reviewed'),
  weeklyAfterDays: whole(7, 1, 10_000, 'age at which session summaries are combined by week'),
  monthlyAfterDays: whole(30, 1, 10_000, 'age at which they are combined by month'),
  rawBackup: onOff(false, 'also save the whole transcript, redacted and compressed'),
  fileMemory: onOff(
    true,
    'what you refused in a file is told to Claude with that file, by a rule in .claude/rules/memory-keeper',
  ),
  claudeMdSync: onOff(false, 'keep the rules between markers in CLAUDE.md'),
  templates: onOff(false, 'a new memory begins with empty pages workflow and lessons, to be filled in'),
  autoMemory: choice('read', ['read', 'off'], "index the host's own MEMORY.md; it is never written"),
  storage: { ...choice('project', ['project', 'home'], 'where memory is stored'), homeOnly: true },
  redaction: {
    ...onOff(true, 'replace secrets before anything is written'),
    homeOnly: true,
    stricter: (home: boolean, project: boolean) => home || project,
  },
  redactPatterns: {
    ...texts('additional regular expressions to redact'),
    homeOnly: true,
    stricter: (home: readonly string[], project: readonly string[]) => [...new Set([...home, ...project])],
  },
  modelCallsPerDay: {
    ...whole(50, 0, 100_000, 'most model calls a day by the headless summarizer'),
    homeOnly: true,
    stricter: Math.min,
  },
  modelTokensPerDay: {
    ...whole(400_000, 0, 1_000_000_000, 'most tokens a day by the headless summarizer'),
    homeOnly: true,
    stricter: Math.min,
  },
  embedder: {
    ...text(PLACE, 'an OpenAI-compatible endpoint that orders the first hits of a search by meaning; empty: off'),
    homeOnly: true,
  },
  embedderModel: {
    ...text(LINE, "the endpoint's model; a key comes from MEMORY_KEEPER_EMBEDDER_KEY only"),
    homeOnly: true,
  },
  syncSessions: {
    ...onOff(false, 'sync also sends whole sessions to your other machines, not only notes, facts, pages and rules'),
    homeOnly: true,
    stricter: (home: boolean, project: boolean) => home && project,
  },
  timezone: text(TIMEZONE, "time zone of screens and of days; empty: the system's"),
} satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
export type Config = { [Name in SettingName]: (typeof SETTINGS)[Name]['value'] }
/** Settings while they are read: checked by their `kind`, not by their type. */
type Values = Partial<Record<SettingName, Value>>

/** Names from earlier versions. */
const RENAMED: Readonly<Record<string, SettingName>> = { summaryMaxLength: 'summaryMaxTokens' }

/** Settings that are gone, with what applies in their place. */
const GONE: Readonly<Record<string, string>> = { deltaMaxTokens: '190,000 tokens apply' }

/** Null: it never was a setting, or still is one. */
export function goneSetting(name: string, where = ''): string | null {
  return Object.hasOwn(GONE, name) ? `${name}${where} is not a setting any more; ${GONE[name]}` : null
}

export interface ReadConfig {
  config: Config
  /** One sentence per problem; the default is used instead. */
  warnings: string[]
}

/** The project's config overrides the home config, which overrides the defaults. Null: the file does not exist. Settings of a broken file are ignored. */
export function readConfig(home: string | null, project: string | null): ReadConfig {
  const fromHome = parseConfig(home, 'the home config (~/.claude/memory-keeper/config.json)')
  const fromProject = parseConfig(project, "the project's config.json")
  const warnings = [...fromHome.warnings, ...fromProject.warnings]
  const values: Values = {}
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const setting: Setting = SETTINGS[name]
    const own = fromHome.values[name] ?? setting.value
    const wish = fromProject.values[name]
    if (wish === undefined) values[name] = own
    else if (setting.homeOnly === undefined) values[name] = wish
    else {
      const used = setting.stricter?.(own, wish) ?? own
      values[name] = used
      if (!isGranted(used, wish) && !sameValue(own, wish)) {
        warnings.push(
          `${name} of the project's config.json is not used: it is set at home only, a project may only make it stricter`,
        )
      }
    }
  }
  // Every value was checked against its setting's kind, and no name is missing.
  return { config: values as Config, warnings }
}

/** Parses the value typed after `config set`; an error names the allowed values. */
export function parseSetting(name: string, text: string): { value: Value } | { error: string } {
  if (!isSettingName(name)) return { error: goneSetting(name) ?? `there is no setting "${name}"` }
  const setting: Setting = SETTINGS[name]
  const value = fromText(setting.kind, text)
  const isFine = value !== null && setting.kind.isRight(value)
  return isFine ? { value } : { error: `${name} must be ${setting.kind.shown}` }
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

export function isHomeOnly(name: SettingName): boolean {
  return (SETTINGS[name] as Setting).homeOnly !== undefined
}

interface Parsed {
  values: Values
  warnings: string[]
}

/** The broken file may have forbidden calls of a model: none is called until it can be read again. */
function broken(why: string): Parsed {
  return { values: { summarizer: 'extractive' }, warnings: [`${why}; defaults are used, and no model is called`] }
}

function parseConfig(text: string | null, where: string): Parsed {
  const parsed: Parsed = { values: {}, warnings: [] }
  if (text === null) return parsed
  let raw: unknown
  try {
    raw = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return broken(text === '' ? `${where} is empty or cannot be read` : `${where} is not valid JSON`)
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return broken(`${where} is not a JSON object`)
  for (const [key, value] of Object.entries(raw)) {
    const name = Object.hasOwn(RENAMED, key) ? (RENAMED[key] ?? key) : key
    if (name === 'version' || name.startsWith('$')) continue
    const gone = goneSetting(name, ` in ${where}`)
    if (gone !== null) parsed.warnings.push(`${gone}. Remove it`)
    else if (!isSettingName(name)) parsed.warnings.push(`${where} has an unknown setting "${key}"`)
    else if (!SETTINGS[name].kind.isRight(value)) {
      parsed.warnings.push(
        `${key} in ${where} must be ${SETTINGS[name].kind.shown}; ${JSON.stringify(SETTINGS[name].value)} is used`,
      )
    } else parsed.values[name] = value as Value
  }
  return parsed
}

function fromText(kind: Kind, text: string): Value | null {
  if (kind.is === 'whole' || kind.is === 'share') return text.trim() === '' ? null : Number(text)
  if (kind.is === 'switch') {
    if (['true', 'on', 'yes', '1'].includes(text.toLowerCase())) return true
    return ['false', 'off', 'no', '0'].includes(text.toLowerCase()) ? false : null
  }
  if (kind.is !== 'texts') return text
  try {
    return JSON.parse(text) as Value
  } catch {
    return text === '' ? [] : [text]
  }
}

/** A list is granted when the effective list contains all its items. */
function isGranted(used: Value, wish: Value): boolean {
  return Array.isArray(used) && Array.isArray(wish) ? wish.every((item) => used.includes(item)) : sameValue(used, wish)
}

function sameValue(a: Value, b: Value): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/**
 * Empty (off), or the URL of an endpoint. Plain http is allowed only on this machine, since anyone on the network could
 * read it. A password is refused, because it would be stored in a file.
 */
export function isEmbedderPlace(text: string): boolean {
  if (text === '') return true
  if (/[\x00-\x1f]/.test(text) || !/^https?:/i.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)
}
