/** The checks of `npm run bench -- faults` can fail: each of them names what is wrong. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { compareAll } from '../bench/faults/compare.ts'
import { planHistory } from '../bench/faults/history-plan.ts'
import { countNotes, readKept } from '../bench/faults/kept.ts'
import { findLeftovers } from '../bench/faults/leftovers.ts'
import { readTranscripts } from '../bench/faults/said.ts'
import { createRandom } from '../bench/support/random.ts'

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'mk-test-'))
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }))

const SESSION = '11111111-0000-4000-8000-000000000000'
const FORK = '22222222-0000-4000-8000-000000000000'

function write(name: string, lines: readonly (object | string)[]): void {
  const file = path.join(dir, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
}

const prompt = { type: 'user', uuid: 'a', message: { content: 'Order k1x1: measure' } }
const use = {
  type: 'assistant',
  uuid: 'b',
  message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'echo k1x2' } }] },
}
const result = {
  type: 'user',
  uuid: 'c',
  message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'k1x2' }] },
}
const answer = { type: 'assistant', uuid: 'd', message: { content: [{ type: 'text', text: 'Done with k1x1.' }] } }
const entries = [
  { role: 'user', text: 'Order k1x1: measure' },
  { role: 'tool', name: 'Bash', cmd: 'echo k1x2', ok: true },
  { role: 'assistant', text: 'Done with k1x1.' },
]

function told(kept: Readonly<Record<string, readonly object[]>>) {
  const memory = fs.mkdtempSync(path.join(dir, 'memory-'))
  for (const [id8, some] of Object.entries(kept))
    write(path.join(path.basename(memory), 'sessions', `20260101_000000_${id8}.l1.jsonl`), some)
  const { said } = readTranscripts(path.join(dir, 'projects'))
  return { memory, words: compareAll(said, readKept(memory)) }
}

describe('the parser of transcripts', () => {
  write(`projects/p/${SESSION}.jsonl`, [prompt, use, result, answer])
  write(`projects/p/${FORK}.jsonl`, [
    prompt,
    { type: 'queue-operation', operation: 'enqueue', content: 'Order k1x3: waits' },
    '{"parentUuid":"x","type":"user","mess{"type":"assistant","uuid":"e","message":{"content":[{"type":"text","text":"k1x4"}]}}',
    '{"half a line',
  ])

  it('counts a copy once, and takes what follows a cut line and what never left the queue', () => {
    const { said, badLines, sessions } = readTranscripts(path.join(dir, 'projects'))

    expect(said.map(({ kind, text, sessions: of }) => [kind, text, of.size])).toEqual([
      ['prompt', 'Order k1x1: measure', 2],
      ['tool', 'Bash k1x2', 1],
      ['result', 'Bash k1x2', 1],
      ['answer', 'Done with k1x1.', 1],
      ['answer', 'k1x4', 1],
      ['prompt', 'Order k1x3: waits', 1],
    ])
    expect([badLines, sessions.size]).toEqual([1, 2])
  })

  it('names what is missing, doubled, in the wrong session and in no transcript', () => {
    const { words } = told({
      '11111111': entries,
      '22222222': [entries[0] ?? {}, { role: 'assistant', text: 'Never said.' }],
      '33333333': [{ role: 'assistant', text: 'k1x4' }],
    })

    expect(words.prompt).toMatchObject({ missing: ['Order k1x3: waits'], doubled: ['Order k1x1: measure'] })
    expect(words.answer).toMatchObject({ missing: [], misplaced: ['k1x4 in 33333333'], beyond: ['Never said.'] })
    expect(words.tool).toMatchObject({ present: 1, found: 1, missing: [], doubled: [] })
    expect(told({ '11111111': [{ ...entries[1], ok: null }] }).words.result.missing).toEqual(['Bash k1x2'])
  })
})

describe('the count of notes', () => {
  it('names entries that no note covers, and those that several cover', () => {
    const { memory } = told({ '11111111': [...entries, { role: 'user', text: 'later', open: true }] })
    const note = (from: number, to: number): string =>
      `<!-- note n-11111111-${from}-${to} session=11111111 entries=${from}-${to} author=headless at=x -->\n`
    fs.writeFileSync(path.join(memory, 'memory.md'), note(0, 1))
    fs.writeFileSync(path.join(memory, 'memory_20260101_000000.md'), note(0, 2))

    expect(countNotes(memory)).toMatchObject({ entries: 3, missing: ['11111111#2'], doubled: ['11111111#0'], open: 1 })
  })
})

describe('leftovers', () => {
  it('are locks, temporary files and broken files of ours, and nobody else’s', () => {
    const memory = 'world/project/.claude/memory'
    for (const name of ['.lock', 'memory.md', 'memory.md.12345.tmp', 'facts.json.broken-20260101'])
      write(`${memory}/${name}`, [])
    for (const name of ['headless.lock', 'headless-child.json', 'headless.json'])
      write(`world/home/.claude/memory-keeper/${name}`, [])
    write('world/home/.claude/other.lock', [])

    const { locks, temporary, broken } = findLeftovers(path.join(dir, 'world'))
    expect(locks.map((name) => path.basename(name)).sort()).toEqual(['.lock', 'headless-child.json', 'headless.lock'])
    expect(temporary.map((name) => path.basename(name))).toEqual(['memory.md.12345.tmp'])
    expect(broken).toHaveLength(1)
  })
})

describe('the plan of a history', () => {
  it('is the same for the same seed, and has all that histories are made of', () => {
    const plans = [1, 2, 3, 4, 5].map((n) => planHistory(n, 20, createRandom(n)))
    const runs = plans.flatMap(({ groups }) => groups.flatMap((group) => group.runs))
    const isFork = (id: string): boolean => runs.some((run) => run.id === id && run.from?.isFork === true)

    expect(planHistory(3, 20, createRandom(3))).toEqual(plans[2])
    expect(new Set(runs.map(({ way }) => way))).toEqual(new Set(['print', 'stream', 'terminal']))
    expect(new Set(runs.map(({ place }) => place))).toEqual(new Set(['root', 'below', 'beside', 'inside']))
    expect(new Set(runs.map(({ end }) => end.how))).toEqual(new Set(['leave', 'kill', 'close']))
    expect(runs.some(({ from }) => from?.isFork === true && isFork(from.id))).toBe(true)
    const commands = runs.flatMap(({ acts }) => acts).flatMap((act) => (act.do === 'command' ? [act.command] : []))
    expect(new Set(commands)).toEqual(new Set(['/clear', '/compact']))
  })
})
