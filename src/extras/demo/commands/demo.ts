/** `demo`: the whole memory cycle on sample sessions, by the commands that a person would type, in a temporary project, without Claude and without a model. */
import path from 'node:path'
import type { Command } from '../../../kernel/memory/commands/command.ts'
import type { CliWorld, CommonOptions } from '../../../kernel/memory/commands/context.ts'
import { bold, bytes, count, createOutput, dim, percent } from '../../../kernel/memory/commands/output.ts'
import { allBelow } from '../../../kernel/memory/disk/our-files.ts'
import { disk, makeDir, readText, removeTree } from '../../../kernel/platform/disk/files.ts'
import { locate } from '../../../kernel/platform/disk/locate.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { CONFIG_FILE, HOME_DIR, hostSlug } from '../../../kernel/platform/layout.ts'

/** Small, so that three sessions fill memory.md. */
const SETTINGS = { rotationThresholdTokens: 1000, carryoverTokens: 300, summarizer: 'extractive' }
const QUERY = 'floating point cents'
const DEEP = { deep: true, limit: '3' }
const JSON_ONLY = { json: true }
const SHOWN_LINES = 12

/** One step of the cycle: its title, and what is printed. */
type Step = readonly [title: string, text: string]
/** Runs a command and returns what it prints. */
type Run = (name: string, options?: object, ...args: string[]) => string

function runDemo(world: CliWorld, options: CommonOptions): number {
  const out = createOutput(world.streams, options.json === true)
  const dir = path.join(world.tempDir, `memory-keeper-demo-${world.now().replace(/\D/g, '')}`)
  try {
    const { summary, steps } = play(dir, world)
    out.json(summary)
    for (const [i, [title, text]] of steps.entries()) {
      const lines = text.trimEnd().split('\n')
      const rest = lines.length - SHOWN_LINES
      const shown = [...lines.slice(0, SHOWN_LINES), ...(rest > 0 ? [dim(`… ${count(rest, 'more line')}`)] : [])]
      out.say(...(i === 0 ? [] : ['']), bold(`${i + 1}. ${title}`), ...shown.map((line) => `   ${line}`.trimEnd()))
    }
    return 0
  } finally {
    removeTree(dir)
  }
}

/** All times come from the sample: the output is the same on every day. */
function play(dir: string, world: CliWorld): { summary: object; steps: Step[] } {
  const root = path.join(dir, 'shop')
  makeDir(root)
  const around = { home: path.join(dir, 'home'), configDir: undefined, cacheDir: path.join(dir, 'cache') }
  const { hostDir, project, inProject } = locate(root, around)
  disk.replace(path.join(hostDir, HOME_DIR, CONFIG_FILE), JSON.stringify(SETTINGS))
  const secret = `ghp_${'Zk3vW9qLx2Tn7Rb5Yc8M'.repeat(2).slice(0, 36)}`
  const [first, ...others] = sampleSessions(project.root, secret).map(({ id, endedAt, transcript }) => {
    const file = path.join(hostDir, 'projects', hostSlug(project.root), `${id}.jsonl`)
    const own = { around, cwd: root, projectDir: undefined, columns: world.columns - 3, now: () => endedAt }
    // As a hook hands it in at the end of a session.
    const readStdin = (): string => JSON.stringify({ session_id: id, transcript_path: file })
    const here = { ...world, ...own, isStdinTerminal: false, readStdin }
    return { file, record: () => disk.replace(file, transcript), run: runIn(here) }
  })
  const { run } = others.at(-1) ?? {}
  if (first === undefined || run === undefined) throw new KeeperError('demo', 'The demo has no sample session.')
  first.record()
  const captured = JSON.parse(first.run('import', JSON_ONLY))
  const { bytesIn, bytesOut } = captured
  const kept = `${bytes(bytesIn)} became ${bytes(bytesOut)}, ${percent(bytesIn - bytesOut, bytesIn)} smaller, every word kept`
  const steps: Step[] = [
    ['Claude Code recorded a session', `${path.relative(dir, first.file)}  ${bytes(bytesIn)}`],
    [
      'Memory Keeper captured it, by plain code: memory-keeper import',
      `${kept}\n\n${first.run('timeline', {}, 'de30de30')}`,
    ],
    [
      'Secrets never reached the memory, and nothing else is missing: memory-keeper verify',
      `${count(captured.redactions, 'secret')} replaced before writing\n${first.run('verify')}`,
    ],
    ['The session ended, and code wrote its note: memory-keeper final', first.run('final')],
    ['The note: memory-keeper show n-de30de30-0-14', first.run('show', {}, 'n-de30de30-0-14')],
    ['An answer is a decision, a task left undone an issue: memory-keeper facts', first.run('facts list')],
  ]
  for (const other of others) {
    other.record()
    other.run('final')
  }
  const briefing = run('briefing')
  steps.push(
    ['Two more sessions, and a full memory.md became an archive: memory-keeper summary', run('summary')],
    ['The task was done in one of them, and its issue is resolved: memory-keeper facts', run('facts list')],
    ['The next session starts with this briefing: memory-keeper briefing', briefing.slice(briefing.indexOf('<memory'))],
    [`Everything is found again: memory-keeper search --deep "${QUERY}"`, run('search', DEEP, QUERY)],
  )
  const { notes, archives: rotations, facts } = JSON.parse(run('status', JSON_ONLY))
  const found = JSON.parse(run('search', { ...DEEP, ...JSON_ONLY }, QUERY)).hits.map(({ id }: { id: string }) => id)
  const { complete } = JSON.parse(run('verify', JSON_ONLY))
  const isSaved = allBelow(inProject).some((file) => readText(file)?.includes(secret))
  if (isSaved || !complete || rotations === 0 || facts.decisions === 0 || found.length === 0)
    throw new KeeperError('demo', 'The demo failed: something is missing or a secret was saved. Please report this.')
  const { total } = JSON.parse(run('facts list', JSON_ONLY))
  const { chars: briefingChars } = JSON.parse(run('briefing', JSON_ONLY))
  const { entries, redactions } = captured
  const figures = { notes: notes.count, rotations, facts: total, briefingChars, found }
  return { summary: { entries, bytesIn, bytesOut, redactions, complete, ...figures }, steps }
}

function runIn(world: CliWorld): Run {
  return (name, options = {}, ...args) => {
    let said = ''
    const out = (text: string): void => {
      said += text
    }
    const streams = { out, err: () => undefined, isErrTerminal: false }
    void world.runCommand?.(name, { ...world, streams }, options, args)
    return said
  }
}

/** Invented sample transcripts in the host's format: three sessions about a web shop. */

interface Said {
  type: 'user' | 'assistant'
  content: unknown
  extra?: Record<string, unknown>
}

/** The duration of one step. */
const STEP_MS = 7_000

function sampleSessions(projectDir: string, secret: string) {
  const scripts = [pricesOff(projectDir, secret), invoice(projectDir), slowSearch(projectDir)]
  return scripts.map((steps, i) => {
    const id = `de30de3${i}-5a3b-4c1d-8e2f-0a1b2c3d4e5f`
    const began = Date.UTC(2026, 0, 13 + i, 12)
    const at = (n: number): string => new Date(began + n * STEP_MS).toISOString()
    return {
      id,
      endedAt: at(steps.length - 1),
      transcript: steps
        .map((step, n) => `${JSON.stringify(line(step, n, { id, cwd: projectDir, at: at(n) }))}\n`)
        .join(''),
    }
  })
}

/** The bulk of real transcripts: the contents of project files, twice. */
const SOURCE = Array.from(
  { length: 120 },
  (_, i) => `${String(i + 1).padStart(6)}\texport const line${i} = round(price[${i}] * (1 + vat), 2)`,
).join('\n')

function pricesOff(dir: string, secret: string): Said[] {
  return [
    prompt(
      'Prices with VAT are sometimes one cent off. Please find out why and fix it; the tests are in test/price.test.ts.',
    ),
    says('I will look at how prices are rounded.'),
    ...reads('t1', `${dir}/src/price.ts`),
    ...fails(
      't2',
      'npm test -- price',
      '✗ rounds half a cent up\n  expected 1.02, received 1.01\n\n1 failed, 11 passed',
    ),
    says(
      'The rounding works on floating point numbers: 1.015 is stored as 1.01499…, so it rounds down. I decided to count in whole cents instead, because integers do not drift.',
    ),
    ...edits('t3', `${dir}/src/price.ts`),
    ...runs('t4', 'npm test -- price', 'Tests: 12 passed'),
    says('Fixed: prices are kept in whole cents and all 12 tests pass.'),
    prompt(`Good. Deploy it to staging, the token is ${secret}. And never round in the templates again.`),
    ...runs('t5', `STAGING_TOKEN=${secret} ./deploy.sh staging`, 'staging: version 1.4.2 is live'),
    ...asks('t6', 'Where may amounts be rounded?', 'Only where they are shown'),
    ...lists('t7', [
      ['Keep prices in whole cents', 'completed'],
      ['The invoice PDF still rounds by itself', 'pending'],
    ]),
    says('Version 1.4.2 is live on staging. The invoice PDF is the next thing to change.'),
  ]
}

function invoice(dir: string): Said[] {
  return [
    prompt('Now the invoice PDF: it must show the same totals as the basket. Never round in the templates.'),
    ...reads('t1', `${dir}/src/invoice/pdf.ts`),
    says('The PDF adds up rounded lines. We decided to add up cents first and format once, at the very end.'),
    ...edits('t2', `${dir}/src/invoice/pdf.ts`),
    ...edits('t3', `${dir}/test/invoice.test.ts`),
    ...fails('t4', 'npm test -- invoice', '✗ discount of 33 % on three items\n\n1 failed, 20 passed'),
    ...edits('t5', `${dir}/src/invoice/discount.ts`),
    ...runs('t6', 'npm test -- invoice', 'Tests: 21 passed'),
    ...runs('t7', 'git commit -am "Invoice totals come from cents"', '[main 4be1c07] Invoice totals come from cents'),
    ...lists('t8', [['The invoice PDF still rounds by itself', 'completed']]),
    says('Fixed with 4be1c07: the invoice PDF no longer rounds by itself, and all 21 tests pass.'),
  ]
}

function slowSearch(dir: string): Said[] {
  return [
    prompt('Searching 40,000 products takes three seconds. Make it fast without a new service.'),
    ...runs(
      't1',
      'psql shop -c "EXPLAIN ANALYZE SELECT * FROM products WHERE name ILIKE \'%lamp%\'"',
      'Seq Scan on products, 2914 ms',
    ),
    says(
      'Every search reads the whole table. I chose a trigram index over a search server, because it needs no second process.',
    ),
    ...edits('t2', `${dir}/migrations/014_products_name_trigram.sql`),
    ...runs('t3', 'npm run migrate', 'applied 014_products_name_trigram'),
    ...runs('t4', 'npm run bench -- search', 'search: p95 38 ms'),
    ...runs('t5', 'git commit -am "Trigram index for product names"', '[main 90ad2f1] Trigram index for product names'),
    ...lists('t6', [['Find words of two letters, which the index leaves out', 'pending']]),
    says('A search takes 38 ms now. Words of two letters are not found by the index.'),
  ]
}

function line({ type, content, extra }: Said, i: number, at: { id: string; cwd: string; at: string }): object {
  const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const message = {
    role: type,
    content,
    ...(type === 'assistant' ? { model: 'claude-sample', usage: { input_tokens: 900, output_tokens: 120 } } : {}),
  }
  return {
    parentUuid: i === 0 ? null : uuidOf(i),
    isSidechain: false,
    type,
    message,
    uuid: uuidOf(i + 1),
    timestamp: at.at,
    ...extra,
    userType: 'external',
    cwd: at.cwd,
    sessionId: at.id,
    version: '2.1.325',
    gitBranch: 'main',
  }
}

function prompt(text: string): Said {
  return { type: 'user', content: text, extra: { promptSource: 'typed', origin: { kind: 'human' } } }
}

function says(text: string): Said {
  return { type: 'assistant', content: [{ type: 'text', text }] }
}

function uses(id: string, name: string, input: object): Said {
  return { type: 'assistant', content: [{ type: 'tool_use', id, name, input }] }
}

function result(id: string, content: string, toolUseResult: unknown): Said {
  return { type: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }], extra: { toolUseResult } }
}

function reads(id: string, file: string): Said[] {
  const shown = { type: 'text', file: { filePath: file, content: SOURCE, numLines: 120 } }
  return [uses(id, 'Read', { file_path: file }), result(id, SOURCE, shown)]
}

function edits(id: string, file: string): Said[] {
  const [oldString, newString] = [SOURCE.slice(0, 900), SOURCE.slice(0, 880)]
  return [
    uses(id, 'Edit', { file_path: file, old_string: oldString, new_string: newString }),
    result(id, 'The file has been updated.', { filePath: file, originalFile: SOURCE, oldString, newString }),
  ]
}

function runs(id: string, command: string, output: string): Said[] {
  return [uses(id, 'Bash', { command }), result(id, output, { stdout: output, stderr: '', interrupted: false })]
}

function fails(id: string, command: string, output: string): Said[] {
  const content = `Exit code 1\n${output}`
  return [
    uses(id, 'Bash', { command }),
    {
      type: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, is_error: true }],
      extra: { toolUseResult: `Error: ${content}` },
    },
  ]
}

/** A question in the host's dialog, and its answer. */
function asks(id: string, question: string, answer: string): Said[] {
  const sentence = `User has answered your questions: "${question}"="${answer}". You can now continue.`
  return [
    uses(id, 'AskUserQuestion', { questions: [{ question }] }),
    result(id, sentence, { answers: { [question]: answer } }),
  ]
}

/** Claude's own list of tasks. */
function lists(id: string, tasks: readonly (readonly [content: string, status: string])[]): Said[] {
  const todos = tasks.map(([content, status]) => ({ content, status, activeForm: content }))
  return [uses(id, 'TodoWrite', { todos }), result(id, 'Todos have been modified successfully.', { newTodos: todos })]
}

export const DEMO_COMMANDS: readonly Command[] = [
  {
    usage: 'demo',
    about: 'the whole cycle on sample sessions in seconds, without Claude',
    example: 'memory-keeper demo',
    needsTerminal: true,
    run: (world, options) => runDemo(world, options),
  },
]
