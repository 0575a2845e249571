/** A session of which everything was forgotten: no layer has an empty text about it, and one that an earlier version left is told nowhere. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../../support/process.ts'
import { append, linesFor, quietProject, sessionId, type TestProject, turns, write } from '../../../support/project.ts'
import { finishHere, LATER, stop } from '../../../support/world.ts'

const ended = { now: () => LATER, isAlive: () => false }
/** When summaries are part of a month. */
const old = { now: () => '2026-03-13T15:00:00.000Z', isAlive: () => false }

/** Two sessions of two turns; the first one is to be forgotten. */
async function lived(isSummed: boolean): Promise<TestProject> {
  const project = quietProject()
  for (const id of [sessionId(1), sessionId(2)]) {
    append(project.transcriptOf(id), turns(linesFor(id, project.root), 0, 2))
    stop(project, {}, {}, id)
    if (isSummed) await finishHere(project, { for: 'end', session: id }, ended)
  }
  return project
}

const forgetAll = (project: TestProject): void => void runCommand(project, ['forget', '--session', '00000001', '--yes'])

function forgetEach(project: TestProject): void {
  for (let n = 0; n < 6; n++) runCommand(project, ['forget', `L1:00000001#${n}`, '--yes'])
}

/** Files below `sessions` that a person reads, and what they say of the session. */
function toldOf(project: TestProject): string[] {
  const sessions = path.join(project.memory, 'sessions')
  const files = (fs.readdirSync(sessions, { recursive: true }) as string[]).filter((name) => name.endsWith('.md'))
  return files.flatMap((name) =>
    fs
      .readFileSync(path.join(sessions, name), 'utf8')
      .split('\n')
      .filter((line) => line.includes('00000001')),
  )
}

describe('a session of which everything was forgotten', () => {
  it.each([
    ['at once', true, forgetAll],
    ['entry by entry', true, forgetEach],
    ['before it had a summary', false, forgetAll],
  ])('%s has no summary, now and later', async (_, isSummed, forget) => {
    const project = await lived(isSummed)
    forget(project)
    await finishHere(project, { for: 'catch-up' }, ended)
    expect(toldOf(project)).toEqual([])

    expect(runCommand(project, ['compress']).out).not.toContain('summary written')
    await finishHere(project, { for: 'catch-up' }, old)
    runCommand(project, ['compress'])
    expect(toldOf(project)).toEqual([])
    expect(fs.readFileSync(path.join(project.memory, 'sessions', 'archive', '2026-01.md'), 'utf8')).toContain(
      '00000002',
    )
  })

  it('loses no line that a person wrote into its summary', async () => {
    const project = await lived(true)
    const file = path.join(project.memory, 'sessions', '20260113_090001_00000001.md')
    fs.appendFileSync(file, '\nAsk Mara about this one.\n')
    forgetAll(project)
    expect(fs.readFileSync(file, 'utf8')).toBe('Ask Mara about this one.\n\n<!-- ours: -->\n')
    runCommand(project, ['compress'])
    await finishHere(project, { for: 'catch-up' }, old)

    expect(fs.existsSync(file)).toBe(false)
    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toContain('Ask Mara about this one.')
    expect(toldOf(project)).toEqual([])
  })

  it('is not told by an empty summary that an earlier version wrote', async () => {
    const project = await lived(true)
    forgetAll(project)
    const counts = '– UTC, 0 prompts, 0 tool uses, 6 entries'
    const summary = path.join(project.memory, 'sessions', '20260113_090001_00000001.md')
    write(summary, `# Session 00000001,  UTC\n<!-- session 00000001 entries=6 -->\n\n${counts}\n`)
    expect(runCommand(project, ['search', 'prompts tool uses entries']).out).not.toContain(counts)

    await finishHere(project, { for: 'catch-up' }, old)
    expect(fs.existsSync(summary)).toBe(false)
    expect(toldOf(project)).toEqual([])
  })
})
