/** A sample transcript of our own making, in the host's format: two turns of somebody fixing a shop's price rounding. */

const SESSION = 'de30de30-5a3b-4c1d-8e2f-0a1b2c3d4e5f'

interface Step {
  type: 'user' | 'assistant'
  content: unknown
  extra?: Record<string, unknown>
}

/** The bulk of real transcripts: file contents that are in the project anyway, twice. */
const SOURCE = Array.from(
  { length: 120 },
  (_, i) => `${String(i + 1).padStart(6)}\texport const line${i} = round(price[${i}] * (1 + vat), 2)`,
).join('\n')

export const SAMPLE_SESSION = SESSION

export function sampleTranscript(projectDir: string, secret: string): string {
  const steps: Step[] = [
    prompt(
      'Prices with VAT are sometimes one cent off. Please find out why and fix it; the tests are in test/price.test.ts.',
    ),
    says('I will look at how prices are rounded.'),
    uses('t1', 'Read', { file_path: `${projectDir}/src/price.ts` }),
    result('t1', SOURCE, {
      type: 'text',
      file: { filePath: `${projectDir}/src/price.ts`, content: SOURCE, numLines: 120 },
    }),
    uses('t2', 'Bash', { command: 'npm test -- price', description: 'Run the price tests' }),
    failed('t2', 'Exit code 1\n✗ rounds half a cent up\n  expected 1.02, received 1.01\n\nTests: 1 failed, 11 passed'),
    says(
      'The rounding works on floating point numbers: 1.015 is stored as 1.01499…, so it rounds down. I decided to count in whole cents instead, because integers do not drift.',
    ),
    uses('t3', 'Edit', {
      file_path: `${projectDir}/src/price.ts`,
      old_string: SOURCE.slice(0, 900),
      new_string: SOURCE.slice(0, 880),
    }),
    result('t3', 'The file has been updated.', {
      filePath: `${projectDir}/src/price.ts`,
      originalFile: SOURCE,
      oldString: SOURCE.slice(0, 900),
      newString: SOURCE.slice(0, 880),
      structuredPatch: [],
    }),
    uses('t4', 'Bash', { command: 'npm test -- price', description: 'Run the price tests again' }),
    result('t4', 'Tests: 12 passed', { stdout: 'Tests: 12 passed', stderr: '', interrupted: false }),
    says('Fixed: prices are kept in whole cents and all 12 tests pass.'),
    prompt(`Good. Deploy it to staging, the token is ${secret}. And never round in the templates again.`),
    uses('t5', 'Bash', { command: `STAGING_TOKEN=${secret} ./deploy.sh staging`, description: 'Deploy to staging' }),
    result('t5', 'staging: version 1.4.2 is live', {
      stdout: 'staging: version 1.4.2 is live',
      stderr: '',
      interrupted: false,
    }),
    says(
      'Version 1.4.2 is live on staging. Still open: the invoice PDF rounds by itself, that is the next thing to change.',
    ),
  ]
  return steps.map((step, i) => `${JSON.stringify(line(step, i, projectDir))}\n`).join('')
}

function line({ type, content, extra }: Step, i: number, cwd: string): object {
  const timestamp = new Date(Date.UTC(2026, 0, 13, 12, 0, 7 * i)).toISOString()
  const uuid = `00000000-0000-4000-8000-${String(i + 1).padStart(12, '0')}`
  const parentUuid = i === 0 ? null : `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
  const message = {
    role: type,
    content,
    ...(type === 'assistant' ? { model: 'claude-sample', usage: { input_tokens: 900, output_tokens: 120 } } : {}),
  }
  return {
    parentUuid,
    isSidechain: false,
    type,
    message,
    uuid,
    timestamp,
    ...extra,
    userType: 'external',
    cwd,
    sessionId: SESSION,
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

function failed(id: string, content: string): Step {
  return {
    type: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content, is_error: true }],
    extra: { toolUseResult: `Error: ${content}` },
  }
}
