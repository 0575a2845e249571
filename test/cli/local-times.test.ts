/** Screens have the times of the user's clocks and name the zone once; files and JSON have UTC. */
import { describe, expect, it } from 'vitest'
import { runCommand, runCommandJson } from '../support/process.ts'
import { append, entriesIn, linesFor, madeOnce, quietProject, sessionId } from '../support/project.ts'
import { stop } from '../support/world.ts'

const SEOUL = { timezone: 'Asia/Seoul' }

/** Said at 23:30 on the 13th in UTC: the morning of the 14th in Seoul. */
const late = madeOnce(() => {
  const project = quietProject(SEOUL)
  const lines = linesFor(sessionId(1), project.root)
  const at = Date.parse('2026-01-13T23:30:00.000Z') - Date.parse('2026-01-13T09:00:00.000Z')
  append(project.transcriptOf(sessionId(1)), lines.prompt(at, 'Where is the harbour?') + lines.answer(at + 1, 'North.'))
  stop(project)
  runCommand(project, ['remember', 'decision: The harbour lies in the north.'])
  return project
})

describe('a time on the screen', () => {
  it.each([
    ['sessions'],
    ['show', '00000001'],
    ['search', 'harbour', '--deep'],
    ['timeline', '00000001'],
    ['status'],
    ['undo', '--list'],
    ['notes'],
  ])('%s %s has local times and names the zone at most once', (...line) => {
    const { out } = runCommand(late(), line)

    expect(out).not.toContain('23:30')
    expect(out).not.toContain('UTC')
    expect(out.split('Times are in Asia/Seoul.').length).toBeLessThanOrEqual(2)
    if (line[0] === 'sessions') expect(out).toMatch(/2026-01-14 08:30(?:.|\n)*\nTimes are in Asia\/Seoul\.\n$/)
  })

  it('is UTC in JSON and files', () => {
    expect(runCommandJson(late(), ['sessions']).json.sessions[0].startedAt).toMatch(/^2026-01-13T23:30:.*Z$/)
    expect(JSON.stringify(entriesIn(late().memory))).toContain('"2026-01-13T23:30:')
  })
})

describe('a day', () => {
  it.each([
    ['2026-01-14', 1],
    ['2026-01-13', 0],
  ])('%s begins and ends on the user’s clock', (day, found) => {
    const { json } = runCommandJson(late(), ['search', 'harbour', '--layer', 'L1', '--since', day, '--until', day])
    expect(json.hits).toHaveLength(found)
    expect(runCommand(late(), ['timeline', day]).out.includes('harbour')).toBe(found > 0)
  })
})
