/** The command forget: shows first, does it with --yes, and inside Claude Code only with the user's hand. */

import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/core/knowledge/disk/knowledge.ts'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import { allFacts } from '../../../src/core/knowledge/items.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { filesWith } from '../../support/forget.ts'
import { runCommand, runCommandJson } from '../../support/process.ts'
import {
  append,
  linesFor,
  madeOnce,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../support/project.ts'
import { stop } from '../../support/world.ts'

const SESSION = sessionId(1)
const INSIDE = { CLAUDECODE: '1' }
const TYPED = { entrypoint: 'cli', promptSource: 'typed' }

const talking = madeOnce((): TestProject => {
  const project = quietProject()
  const lines = linesFor(SESSION, project.root, TYPED)
  append(
    project.transcriptOf(SESSION),
    lines.prompt(1, 'Why is the osprey late?') +
      lines.answer(2, 'We decided to feed the osprey at noon, because it sleeps long.'),
  )
  stop(project)
  const known = fact({
    text: 'Feed the osprey at noon.',
    session: '00000001',
    evidence: { entry: 1, quote: 'feed the osprey at noon' },
  })
  write(`${project.memory}/facts.json`, formatItems(factsWith(known)))
  return project
})

function says(project: TestProject, at: number, text: string): void {
  append(project.transcriptOf(SESSION), linesFor(SESSION, project.root, TYPED).prompt(at, text))
}

describe('forget', () => {
  it('shows what would go, what stays, and how to do it; nothing is changed', () => {
    const project = talking()
    const { code, out } = runCommand(project, ['forget', 'd001'])
    expect(code).toBe(0)
    expect(out).toContain('d001 decision: Feed the osprey at noon.')
    expect(out).toContain('Its source stays: L1:00000001#1. To forget that too: memory-keeper forget L1:00000001#1')
    expect(out).toContain('memory-keeper forget d001 --yes')
    expect(runCommand(project, ['forget', 'd001', '--dry-run']).code).toBe(0)
    expect(runCommand(project, ['forget', 'd001', '--dry-run', '--yes']).code).toBe(0)
    expect(allFacts(readFacts(storeOf(project)))).toHaveLength(1)
  })

  it('does it with --yes, and says where Claude Code still has it', () => {
    const project = talking()
    const { code, out } = runCommand(project, ['forget', '--session', SESSION, '--yes'])
    expect(code).toBe(0)
    expect(out).toContain(project.transcriptOf(SESSION))
    expect(out).toContain('cleanupPeriodDays')
    expect(filesWith(project, ['osprey'])).toEqual([])
  })

  it('answers programs in JSON', () => {
    const project = talking()
    const { json: shown } = runCommandJson(project, ['forget', '--query', 'osprey'])
    expect(shown.wouldForget.length).toBeGreaterThan(1)
    const { json: done } = runCommandJson(project, ['forget', '--query', 'osprey', '--yes'])
    expect(done).toMatchObject({ left: [] })
    expect(done.forgotten.length).toBeGreaterThan(1)
    expect(filesWith(project, ['osprey'])).toEqual([])
  })

  it('tells things, not copies, and repeats no word of them afterwards', () => {
    const project = talking()
    const { out } = runCommand(project, ['forget', 'd001'])
    expect(out).toMatch(/: 1 decision, in \d+ places?\.\n/)
    expect(out.match(/Feed the osprey at noon/g)).toHaveLength(1)
    expect(out).not.toContain(project.memory)
    expect(runCommand(project, ['forget', 'd001', '--yes', '--json']).out).not.toContain('Feed the osprey')
    const done = runCommand(project, ['forget', '--query', 'osprey', '--yes'])
    expect(done.out).toMatch(/^Forgotten: 1 prompt and 1 answer, in \d+ places?\./)
    expect(done.out).not.toContain('osprey')
  })

  it('does not list a forgotten session any more', () => {
    const project = talking()
    runCommand(project, ['forget', '--session', SESSION, '--yes'])
    expect(runCommand(project, ['sessions']).out).not.toContain('00000001')
  })

  it('goes on where what is shared cannot be written, and says so', () => {
    const project = talking()
    const elsewhere = `${project.base}/elsewhere`
    fs.mkdirSync(elsewhere)
    expect(runCommand(project, ['share', '--as', 'bob']).code).toBe(0)
    fs.rmSync(`${project.memory}/shared/bob`, { recursive: true })
    fs.symlinkSync(elsewhere, `${project.memory}/shared/bob`)
    const { code, out } = runCommand(project, ['forget', '--session', SESSION, '--yes'])
    expect(code).toBe(1)
    expect(out).toContain('Left: what you share:')
    expect(filesWith(project, ['osprey'])).toEqual([])
    expect(fs.readdirSync(elsewhere)).toEqual([])
  })

  it.each(['the', 'and the'])('refuses what nearly everything says: %s', (query) => {
    const { code, err } = runCommand(talking(), ['forget', '--query', query, '--yes'])
    expect(code).toBe(2)
    expect(err).toContain('memory-keeper search')
  })

  it.each([[['forget']], [['forget', 'd001', '--query', 'x']], [['forget', 'two', 'words']]])(
    'says how it is used: %j',
    (args) => {
      const { code, err } = runCommand(talking(), args)
      expect(code).toBe(2)
      expect(err).toContain('--query')
    },
  )

  it('says not found, with the next step', () => {
    const { code, err } = runCommand(talking(), ['forget', 'd099', '--yes'])
    expect(code).toBe(1)
    expect(err).toContain('memory-keeper search')
    expect(runCommand(talking(), ['forget', '--query', 'albatross']).code).toBe(1)
  })
})

describe('inside Claude Code', () => {
  it('is the user’s alone, whatever they typed; looking is free', () => {
    const project = talking()
    says(project, 5, 'Please forget d001.')
    expect(runCommand(project, ['forget', 'd001', '--dry-run'], INSIDE).code).toBe(0)
    expect(runCommand(project, ['forget', 'd001'], INSIDE).out).toContain('This would be forgotten')
    const { code, err } = runCommand(project, ['forget', 'd001', '--yes'], INSIDE)
    expect(code).toBe(1)
    expect(err).toContain('Ask them to type: /memory-keeper:run forget d001 --yes')
    expect(allFacts(readFacts(storeOf(project)))).toHaveLength(1)
  })
})

it('forget also keeps away the talk about it: the order, the list, the answer', () => {
  const project = talking()
  says(project, 5, 'Please forget osprey.')
  expect(runCommand(project, ['forget', '--query', 'osprey', '--yes']).code).toBe(0)
  const lines = linesFor(SESSION, project.root, TYPED)
  append(
    project.transcriptOf(SESSION),
    lines.use(6, 'f', 'Bash', { command: 'memory-keeper forget --query osprey' }) +
      lines.result(7, 'f', 'This would be forgotten: the Osprey eats at noon') +
      lines.answer(8, 'The osprey is forgotten.') +
      lines.prompt(9, 'Thank you.'),
  )
  stop(project)
  expect(filesWith(project, ['osprey', 'at noon'])).toEqual([])
  expect(filesWith(project, ['Thank you.']).length).toBeGreaterThan(0)
})
