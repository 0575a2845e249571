/**
 * Every command at its door: one row of arguments, exit and JSON keys each, on one memory. What a command does is tested in its slice;
 * here: that it is reached by these words, ends as its callers expect, and gives programs these keys.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/doors/cli/commands.ts'
import { nameOf } from '../../../src/kernel/memory/commands/command.ts'
import { parseCommandLine } from '../../../src/kernel/platform/command-line.ts'
import { type Furnished, furnish, keepWhole } from '../../support/furnished.ts'
import { type Json, type Ran, runCommand, runLater } from '../../support/process.ts'
import { append, linesFor, makeProject, sessionId, type TestProject, treeOf, turns } from '../../support/project.ts'

interface Row {
  /** Behind the name of the command; several lines: each gives the same. */
  args?: string | readonly string[]
  stdin?: string
  /** 0 unless given. */
  exit?: 0 | 1 | 2
  /** All keys of the JSON object in any order, or the code of its error. */
  json: string | { error: string }
}

const CHANGED_FACT = 'is fact redactions'
const CHANGED_RULES = 'rule rules file claudeMd redactions'
const RULE = 'id text at status by facts evidence concept usedAt askedAt judged kind redactions'
const BRIEFING = 'text chars maxChars tokens lines'
const STATUS =
  'project memory standing paused sessions entries bytes lastSession toolUsesSinceLastNote saveInterval notes memoryTokens memoryFullAt archives pending facts rules permanent audit way awaitsNotice model injected recalls searchIndex hasTranscripts badLines redactions hooks sync team fileRules findings'
const NOTE = 'n-00000001-0-12'
const SUMMARY = JSON.stringify({
  themes: [{ name: 'Parser', summary: 'It reads lines.' }],
  keyDecisions: [{ decision: 'Lines are skipped', reason: '' }],
  issues: [],
  overallSummary: 'Mostly about the parser.',
})

const ROWS: Readonly<Record<string, Row | readonly Row[]>> = {
  import: [
    { json: 'sessions entries bytesIn bytesOut badLines redactions' },
    { args: '--dry-run', json: 'dryRun sessions bytesIn transcripts' },
    { args: '--transcript /not/there.jsonl', exit: 1, json: { error: 'no-transcript' } },
    { args: '--all --transcript x', exit: 2, json: { error: 'usage' } },
  ],
  verify: { json: 'sessions prompts answers tools messages badLines damaged leftOut complete' },
  sessions: { args: ['', '--limit 1'], json: 'sessions' },
  show: [
    {
      args: ['00000002', 'L1:00000002#1-3', 'd001', 'c001', NOTE, 'page:project', 'r001'],
      json: 'id title parts source',
    },
    { args: 'd099', exit: 1, json: { error: 'not-found' } },
    { args: ['', 'what?'], exit: 2, json: { error: 'usage' } },
  ],
  search: [
    {
      args: ['parser', 'parser --deep', 'parser --layer L1 --limit 1'],
      json: 'hits took_ms deep news corrected missing',
    },
    { args: '--errors "parser.ts:3 failed to read lines"', json: 'failures news' },
    { args: '--commands echo --limit 1', json: 'commands news' },
    { args: ['parser --limit 0', '--errors', '--errors parser --deep'], exit: 2, json: { error: 'usage' } },
  ],
  timeline: { args: ['', '2026-01-13 --limit 2'], json: 'rows left from to' },
  reindex: { json: 'documents ms bytes dir news isWhole' },
  'recall explain': {
    args: '"What did we decide about empty lines?"',
    json: 'fires picks text tokens scores signal verdict n isOn news',
  },
  'recall list': { json: 'recalls fired silent' },
  remember: [
    { args: 'The port is 4317.', json: 'note replaced redactions' },
    { args: 'decision: Ports are fixed.', json: CHANGED_FACT },
    { exit: 2, json: { error: 'usage' } },
  ],
  context: [{ json: BRIEFING }, { args: 'parser', json: 'topic found' }],
  skill: { args: 'none', exit: 2, json: { error: 'usage' } },
  note: [
    { args: '--text "A word."', json: 'note replaced redactions' },
    { stdin: 'A word.\n', json: 'note replaced redactions' },
    { args: '--delta ffffffff-0-9 --text "A word."', exit: 1, json: 'error notFound note' },
    { exit: 1, json: { error: 'empty-note' } },
  ],
  'notes list': { args: ['', '--limit 2'], json: 'notes total byHand' },
  'facts list': [
    { args: ['', '--type decision --state all', '--status open', '--concept c001'], json: 'facts total hidden audit' },
    { args: '--type rule', exit: 2, json: { error: 'usage' } },
  ],
  'facts add': [
    { args: 'pattern Names are short.', json: CHANGED_FACT },
    { args: 'rule Names are short.', exit: 2, json: { error: 'usage' } },
  ],
  edit: [
    { args: ['d001 --reason habit', 'd001 We pay on Fridays.'], json: CHANGED_FACT },
    { args: `${NOTE} --text "A word."`, json: 'note redactions' },
    { args: 'n-ffffffff-0-1 --text "A word."', exit: 1, json: { error: 'not-found' } },
    { args: 'c001 Line reader', json: 'id name before redactions' },
    { args: 'r001 Ask first.', json: RULE.replace(' judged', '') },
    { args: 'page:project A shop.', json: 'name file bytes redactions' },
    { args: ['L1:00000002#1 x', 'r001', ''], exit: 2, json: { error: 'usage' } },
  ],
  resolve: [
    { args: 'i004 In batches.', json: CHANGED_FACT },
    { args: NOTE, exit: 2, json: { error: 'usage' } },
  ],
  reject: [
    { args: ['d001 --why idea', 'd001 --by d002'], json: CHANGED_FACT },
    { args: NOTE, json: 'removed redactions' },
    { args: 'r001', json: RULE },
    { args: 'd099', exit: 1, json: { error: 'not-found' } },
    { args: ['page:project', ''], exit: 2, json: { error: 'usage' } },
  ],
  'concepts list': { json: 'concepts without' },
  'concepts merge': { args: 'c001 Money', json: 'from into facts redactions' },
  undo: [
    { json: 'undone' },
    { args: 'd099', exit: 1, json: { error: 'nothing' } },
    { args: '--skip', json: 'skipped' },
    { args: '--list --limit 1', json: 'changes total' },
    { args: '--limit 1', exit: 2, json: { error: 'usage' } },
  ],
  pin: { args: 'd001', json: CHANGED_FACT },
  unpin: [
    { args: 'd002', json: CHANGED_FACT },
    { args: 'd001', exit: 1, json: { error: 'already' } },
  ],
  export: [
    { json: 'files bytes redactions out bundle' },
    { args: '--out out.jsonl', json: 'files bytes redactions out' },
    { args: '--out ../bundle.jsonl', exit: 1, json: { error: 'exists' } },
  ],
  'import-bundle': [
    { args: ['../bundle.jsonl', '../bundle.jsonl --yes'], json: 'signed sessions files left known done backup' },
    { args: 'none.jsonl', exit: 1, json: { error: 'no-bundle' } },
  ],
  delta: { json: 'deltas way toolUses saveInterval untilNext history later' },
  summary: [
    { json: 'archives' },
    { args: 'memory_20260110_120000.md --extractive', json: 'file summary dryRun' },
    { args: 'memory_20260110_120000.md', stdin: SUMMARY, json: 'file dryRun' },
    { args: 'memory_20200101_000000.md', exit: 1, json: { error: 'not-found' } },
  ],
  briefing: { args: ['', '--after-compaction 00000001'], json: BRIEFING },
  compress: { json: 'archive sessions weeks months compressed concepts reflection' },
  check: { json: 'counter saveInterval due delta notes' },
  final: { json: 'sessions entries notes summaries vaultFiles complete' },
  reset: { json: 'before counter' },
  status: { args: ['', '--short'], json: STATUS },
  stats: { args: ['', '--days 3'], json: 'project from to sessions lastDay memoryTokens days timezone' },
  doctor: { json: 'checks problems warnings' },
  statusline: { json: 'standing isPaused sessions notesToday waiting proposed' },
  uninstall: { args: ['', '--purge'], json: 'removed sections kept failed plugins done' },
  capture: [
    { json: 'capture since' },
    { args: ['off', 'on'], json: 'capture changed' },
    { args: 'maybe', exit: 2, json: { error: 'usage' } },
  ],
  // The door of the built program is tested in dashboard.test.ts.
  dashboard: { exit: 1, json: { error: 'no-page' } },
  'page-health': { json: 'checks coverage hooks tokensPerDay modelPerDay redactions badLines errors bytes' },
  init: { json: 'dir isNew written kept earlierSessions' },
  'config list': { json: 'config warnings' },
  'config get': [
    { args: 'recall', json: 'name value' },
    { args: 'colour', exit: 2, json: { error: 'usage' } },
  ],
  'config set': [
    { args: ['saveInterval 31', 'saveInterval 31 --home'], json: 'name value file' },
    { args: 'saveInterval often', exit: 2, json: { error: 'usage' } },
  ],
  forget: [
    { args: ['--query parser', 'L1:00000002#1'], json: 'forgotten wouldForget stays elsewhere transcripts' },
    { args: 'd001 --yes', json: 'forgotten left stays elsewhere transcripts' },
    { exit: 2, json: { error: 'usage' } },
  ],
  scrub: { json: 'files redactions' },
  dedupe: { json: 'removed' },
  trust: { json: 'trusted changed dir teammates joined' },
  untrust: { json: 'trusted dir dryRun' },
  // Nobody is in a team and syncs here, and nothing may begin it unasked.
  share: { exit: 1, json: { error: 'no-name' } },
  'team init': { args: 'http://example.com', exit: 2, json: { error: 'usage' } },
  'team join': { args: 'http://example.com', exit: 2, json: { error: 'usage' } },
  'team share': { exit: 1, json: { error: 'no-team' } },
  'team publish': { exit: 1, json: { error: 'no-team' } },
  'team status': { json: 'server who project muted connectedAt waiting fault' },
  'team mute': { args: 'alice', exit: 1, json: { error: 'no-team' } },
  'team leave': { exit: 1, json: { error: 'no-team' } },
  restore: [
    { json: 'restored joined dryRun' },
    { args: 'd005', json: CHANGED_FACT },
    { args: 'r001', json: RULE },
    { args: NOTE, exit: 2, json: { error: 'usage' } },
  ],
  'sync now': { exit: 1, json: { error: 'off' } },
  'sync init': { args: '.', exit: 1, json: { error: 'own-repository' } },
  'sync status': { json: 'on' },
  'sync name': { args: 'desk', exit: 1, json: { error: 'off' } },
  'sync off': { exit: 1, json: { error: 'off' } },
  migrate: { json: 'dryRun timezone migrations clash original' },
  demo: { json: 'entries bytesIn bytesOut redactions complete notes rotations facts briefingChars found' },
  'rules list': { json: 'rules builtIn file told permanent proposed retired unused' },
  'rules add': { args: 'Be early.', json: CHANGED_RULES },
  'rules remove': [
    { args: ['1', 'Friday'], json: CHANGED_RULES },
    { args: 'nowhere', exit: 1, json: { error: 'no-rule' } },
  ],
  'rules accept': { args: ['r001', 'r001 --kind solutions'], json: RULE },
  'rules init': { json: 'rules file claudeMd redactions' },
  'lesson add': { args: 'Cut once.', json: 'lesson isNew file rule redactions' },
  'page set': [
    {
      args: ['words A record is one line.', 'words --text x', 'project --append x'],
      json: 'name file bytes redactions',
    },
    { args: 'rules x', exit: 2, json: { error: 'usage' } },
  ],
  'page get': [
    { args: 'project', json: 'name text bytes' },
    { args: 'none', exit: 1, json: { error: 'no-page' } },
  ],
  'page list': { json: 'pages' },
}

const rowsOf = (name: string): readonly Row[] => [ROWS[name] ?? []].flat()
const linesOf = (name: string): [string, Row][] =>
  rowsOf(name).flatMap((row) => [row.args ?? ''].flat().map((args) => [`${name} ${args}`.trim(), row] as [string, Row]))
const LINES = COMMANDS.flatMap((command) =>
  linesOf(nameOf(command)).map(([line, row]) => ({ line, row, writes: command.writes === true })),
)

/** Those that only read: any other command takes --dry-run. */
const READING =
  'page-health, show, sessions, search, timeline, verify, recall explain, recall list, context, skill, notes list, facts list, concepts list, export, delta, briefing, status, stats, statusline, dashboard, config list, config get, team status, sync status, demo, rules list, page get, page list'

let memory: Furnished
/** Nothing is captured there yet. */
let fresh: TestProject

beforeAll(async () => {
  const furnished = await furnish()
  for (const line of [
    'facts add issue "The export is slow."',
    'facts add decision "Use tabs."',
    'facts reject d005',
    'facts edit d001 --concept Money',
    'pin d002',
  ])
    expect(runCommand(furnished.project, parseCommandLine(line) ?? []).code).toBe(0)
  memory = { ...furnished, ...keepWhole(furnished.project) }
  fresh = makeProject('new')
  append(fresh.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), fresh.root), 0, 3))
})

afterAll(() => memory.remove())

function ran(project: TestProject, line: string, more: string, { stdin = '' }: Row): Promise<Ran> {
  return runLater(project, [...(parseCommandLine(line) ?? []), more], { readStdin: () => stdin })
}

describe('the table of commands', () => {
  it('every command has a row, every row a command, and all but those that only read take --dry-run', () => {
    expect(Object.keys(ROWS).toSorted()).toEqual(COMMANDS.map(nameOf).toSorted())
    const reading = COMMANDS.filter(({ writes }) => writes !== true).map(nameOf)
    expect(reading.toSorted()).toEqual(READING.split(', ').toSorted())
  })

  it.each(LINES)('memory-keeper $line --json ends as expected and gives its keys', async ({ line, row, writes }) => {
    const { exit = 0, json: expected } = row
    if (writes) memory.reset()
    const { out, err, code } = await ran(memory.project, line, '--json', row)
    const json: Json = JSON.parse(out)

    const keys = typeof expected === 'string' ? expected : 'error'
    expect(Object.keys(json).toSorted()).toEqual(keys.split(' ').toSorted())
    expect(code).toBe(exit)
    if (typeof expected !== 'string') expect(json.error).toEqual({ code: expected.error, message: expect.any(String) })
    expect(err === '').toBe(!('error' in json))
  })

  it.each(LINES.filter(({ writes }) => writes))(
    'memory-keeper $line --dry-run writes nothing and says something, in a full and a new project',
    async ({ line, row }) => {
      // forget looks for what was said until now, and captures it for that: in a new project that makes the memory.
      for (const project of line.startsWith('forget ') ? [memory.project] : [memory.project, fresh]) {
        const before = treeOf(project.base)
        const { out, err } = await ran(project, line, '--dry-run', row)
        expect(out + err).not.toBe('')
        expect(treeOf(project.base)).toEqual(before)
      }
    },
  )
})
