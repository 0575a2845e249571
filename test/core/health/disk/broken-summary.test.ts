/** The summary of an archive that is cut short or edited: the doctor names and mends it, and nothing that reads it fails. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { saveSummary } from '../../../../src/core/notes/disk/summaries.ts'
import { fillVault } from '../../../../src/core/vault/disk/vault-restore.ts'
import { locked } from '../../../support/notes.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import {
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'
import { begin } from '../../../support/world.ts'

const ARCHIVE = 'memory_20260110_120000.md'
const SUMMARY = ARCHIVE.replace('.md', '.summary.json')
const summary = {
  themes: [{ name: 'Invoices', summary: 'The invoice footer was corrected.' }],
  keyDecisions: [],
  issues: [],
  overallSummary: 'The invoice footer got the right year.',
}

/** An archive with a model's summary. */
function archived(): TestProject {
  const note = {
    id: 'n-20260110_110000-0a1b2c',
    at: '2026-01-10T11:00:00.000Z',
    session: null,
    from: 0,
    to: 0,
    author: 'user',
    text: 'The invoice footer was corrected: it got the right year.',
  } as const
  const project = remember({ notes: [note] }, quietProject())
  fs.renameSync(path.join(project.memory, 'memory.md'), path.join(project.memory, ARCHIVE))
  const rotatedFiles = [{ file: ARCHIVE, rotatedAt: NOW, tokenCount: 30, summary: SUMMARY, summaryGenerated: false }]
  const store = storeOf(project)
  locked(store, () => {
    const text = JSON.stringify({ version: 3, current: 'memory.md', rotatedFiles, sessions: {} })
    store.perform([
      { do: 'write', path: 'memory.md', text: '# Memory\n\n' },
      { do: 'write', path: 'memory-index.json', text },
    ])
    saveSummary(store, ARCHIVE, JSON.stringify(summary), NOW)
  })
  return project
}

const file = (project: TestProject): string => path.join(project.memory, SUMMARY)
const half = (project: TestProject): string => {
  const text = fs.readFileSync(file(project), 'utf8')
  return text.slice(0, text.length / 2)
}
const check = (project: TestProject): { verdict: string; finding: string } =>
  runCommandJson(project, ['doctor']).json.checks.find(({ name }: { name: string }) => name === 'archive summaries')
const asideIn = (project: TestProject): string[] =>
  fs.readdirSync(project.memory).filter((name) => name.startsWith(`${SUMMARY}.broken-`))

describe('a summary of an archive', () => {
  it.each([
    ['cut short', half],
    ['empty', () => ''],
    ['edited into another shape', () => '{"themes": "none"}'],
  ])('that is %s is named, written by code where the vault has none, and kept as it was', (_, spoil) => {
    const project = archived()
    expect(check(project).verdict).toBe('ok')
    const broken = spoil(project)
    write(file(project), broken)
    expect(check(project)).toMatchObject({ verdict: 'problem', finding: expect.stringContaining(SUMMARY) })

    expect(runCommand(project, ['doctor', '--fix', '--dry-run']).out).toContain('wrote 1 summary of archives anew')
    expect(fs.readFileSync(file(project), 'utf8')).toBe(broken)
    runCommand(project, ['doctor', '--fix'])
    expect(check(project).verdict).toBe('ok')
    expect(JSON.parse(fs.readFileSync(file(project), 'utf8')).overallSummary).toContain('invoice footer')
    expect(asideIn(project).map((name) => fs.readFileSync(path.join(project.memory, name), 'utf8'))).toEqual([broken])
    // A model may write it again.
    expect(readStateIn(project.memory).rotatedFiles).toMatchObject([{ summaryGenerated: false }])
  })

  it.each([
    ['whole', false],
    ['broken, too', true],
  ])('is mended, and nothing counts as lost, where the copy in the vault is %s', (_, isCopyBroken) => {
    const project = archived()
    const store = storeOf(project)
    const before = fs.readFileSync(file(project), 'utf8')
    const broken = half(project)
    if (isCopyBroken) write(file(project), broken)
    locked(store, () => fillVault(store))
    write(file(project), broken)
    runCommand(project, ['doctor', '--fix'])
    const { checks } = runCommandJson(project, ['doctor']).json
    const verdicts = checks.filter(({ name }: { name: string }) => ['archive summaries', 'vault'].includes(name))

    expect(verdicts).toMatchObject([{ verdict: 'ok' }, { verdict: 'ok' }])
    expect(fs.readFileSync(file(project), 'utf8') === before).toBe(!isCopyBroken)
    expect(asideIn(project)).toHaveLength(1)
    expect(readStateIn(project.memory).rotatedFiles).toMatchObject([{ summaryGenerated: !isCopyBroken }])
  })

  it('that cannot be read is told nowhere and hides nothing else', () => {
    const project = archived()
    setAtHome(project, { summarizer: 'extractive' })
    write(file(project), half(project))

    expect(begin(project, sessionId(9)).context).not.toContain('overallSummary')
    expect(runCommand(project, ['search', 'invoice footer']).out).toContain('right year')
    expect(runCommandJson(project, ['summary']).json.archives).toMatchObject([{ file: ARCHIVE, summary: null }])
    expect(runCommand(project, ['summary']).out).toContain('no readable summary')
    expect(runCommand(project, ['summary', ARCHIVE])).toMatchObject({ code: 1 })
  })
})
