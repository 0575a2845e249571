/** Made-up transcripts of any size, in the mix of real ones: mostly tool results told twice, few words. */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'

const WORDS =
  'cache token parser queue retry index delta note session hook render merge branch schema price limit worker socket buffer stream'.split(
    ' ',
  )

function words(count: number, seed: number): string {
  let text = ''
  for (let i = 0; i < count; i++) text += `${WORDS[(seed * 31 + i * 17 + ((i * i) % 7)) % WORDS.length]} `
  return text.trim()
}

/** One turn: a prompt, two tools with results, an answer; about 40 kB. */
export function turnLines(session: string, cwd: string, turn: number): string {
  const at = (step: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, turn * 10 + step)).toISOString()
  const base = {
    isSidechain: false,
    userType: 'external',
    cwd,
    sessionId: session,
    version: '2.1.325',
    gitBranch: 'main',
  }
  const file = words(1800, turn)
  const uuid = (step: number): string => `00000000-0000-4000-8000-${String(turn * 10 + step).padStart(12, '0')}`
  const lines = [
    {
      parentUuid: uuid(-1),
      ...base,
      type: 'user',
      message: { role: 'user', content: `Please look at ${words(12, turn)} number ${turn}` },
      uuid: uuid(0),
      timestamp: at(0),
    },
    {
      parentUuid: uuid(0),
      ...base,
      message: {
        id: `m${turn}`,
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'tool_use', id: `a${turn}`, name: 'Read', input: { file_path: `${cwd}/src/file${turn % 50}.ts` } },
        ],
      },
      type: 'assistant',
      uuid: uuid(1),
      timestamp: at(1),
    },
    {
      parentUuid: uuid(1),
      ...base,
      type: 'user',
      message: { role: 'user', content: [{ tool_use_id: `a${turn}`, type: 'tool_result', content: file }] },
      uuid: uuid(2),
      timestamp: at(2),
      toolUseResult: { type: 'text', file: { filePath: 'x', content: file, originalFile: file } },
    },
    {
      parentUuid: uuid(2),
      ...base,
      message: {
        id: `n${turn}`,
        type: 'message',
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: `b${turn}`,
            name: 'Bash',
            input: { command: `npm test -- ${turn}`, description: 'run' },
          },
        ],
      },
      type: 'assistant',
      uuid: uuid(3),
      timestamp: at(3),
    },
    {
      parentUuid: uuid(3),
      ...base,
      type: 'user',
      message: { role: 'user', content: [{ tool_use_id: `b${turn}`, type: 'tool_result', content: words(60, turn) }] },
      uuid: uuid(4),
      timestamp: at(4),
      toolUseResult: { stdout: words(60, turn), stderr: '', interrupted: false },
    },
    {
      type: 'progress',
      data: { type: 'hook_progress', text: words(100, turn) },
      ...base,
      uuid: uuid(5),
      timestamp: at(5),
    },
    {
      parentUuid: uuid(4),
      ...base,
      message: {
        id: `o${turn}`,
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: `Done with ${words(40, turn)}.` }],
      },
      type: 'assistant',
      uuid: uuid(6),
      timestamp: at(6),
    },
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Writes turns until the file has about so many bytes; returns how many turns. `from`: the first one; sessions with the same are relatives. */
export function writeTranscript(file: string, session: string, cwd: string, bytes: number, from = 0): number {
  mkdirSync(path.dirname(file), { recursive: true })
  const fd = openSync(file, 'w')
  let written = 0
  let turn = from
  for (; written < bytes; turn++) written += writeSync(fd, turnLines(session, cwd, turn))
  closeSync(fd)
  return turn - from
}

export function sessionId(n: number): string {
  return `${(0x10000000 + n).toString(16)}-0000-4000-8000-${String(n).padStart(12, '0')}`
}
