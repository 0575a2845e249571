/** Invented sample transcripts in the host's format: three sessions about a web shop. */

export interface SampleSession {
  id: string
  /** The time of its last line. */
  endedAt: string
  transcript: string
}

interface Step {
  type: 'user' | 'assistant'
  content: unknown
  extra?: Record<string, unknown>
}

/** The duration of one step. */
const STEP_MS = 7_000

export function sampleSessions(projectDir: string, secret: string): SampleSession[] {
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

function pricesOff(dir: string, secret: string): Step[] {
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

function invoice(dir: string): Step[] {
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
    says('Fixed: the invoice PDF no longer rounds by itself, and all 21 tests pass. It is committed as 4be1c07.'),
  ]
}

function slowSearch(dir: string): Step[] {
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

function line({ type, content, extra }: Step, i: number, at: { id: string; cwd: string; at: string }): object {
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

function prompt(text: string): Step {
  return { type: 'user', content: text, extra: { promptSource: 'typed', origin: { kind: 'human' } } }
}

function says(text: string): Step {
  return { type: 'assistant', content: [{ type: 'text', text }] }
}

function uses(id: string, name: string, input: object): Step {
  return { type: 'assistant', content: [{ type: 'tool_use', id, name, input }] }
}

function result(id: string, content: string, toolUseResult: unknown): Step {
  return { type: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }], extra: { toolUseResult } }
}

function reads(id: string, file: string): Step[] {
  const shown = { type: 'text', file: { filePath: file, content: SOURCE, numLines: 120 } }
  return [uses(id, 'Read', { file_path: file }), result(id, SOURCE, shown)]
}

function edits(id: string, file: string): Step[] {
  const [oldString, newString] = [SOURCE.slice(0, 900), SOURCE.slice(0, 880)]
  return [
    uses(id, 'Edit', { file_path: file, old_string: oldString, new_string: newString }),
    result(id, 'The file has been updated.', { filePath: file, originalFile: SOURCE, oldString, newString }),
  ]
}

function runs(id: string, command: string, output: string): Step[] {
  return [uses(id, 'Bash', { command }), result(id, output, { stdout: output, stderr: '', interrupted: false })]
}

function fails(id: string, command: string, output: string): Step[] {
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
function asks(id: string, question: string, answer: string): Step[] {
  const told = `User has answered your questions: "${question}"="${answer}". You can now continue.`
  return [
    uses(id, 'AskUserQuestion', { questions: [{ question }] }),
    result(id, told, { answers: { [question]: answer } }),
  ]
}

/** Claude's own list of tasks. */
function lists(id: string, tasks: readonly (readonly [content: string, status: string])[]): Step[] {
  const todos = tasks.map(([content, status]) => ({ content, status, activeForm: content }))
  return [uses(id, 'TodoWrite', { todos }), result(id, 'Todos have been modified successfully.', { newTodos: todos })]
}
