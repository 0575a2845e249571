/** `show`: whatever has an id is shown by it. */
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../support/process.ts'
import { append, linesFor, makeProject, sessionId, type TestProject, turns, write } from '../../support/project.ts'
import { jsonOf, typed } from '../../support/typed.ts'

const SESSION = sessionId(1)
const ID8 = '00000001'

/** Three turns of three entries, with the note that code made, and two facts. */
function noted(): TestProject {
  const project = makeProject()
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
  typed(project, 'import')
  expect(jsonOf(project, 'final').notes).toEqual([`n-${ID8}-0-9`])
  const fact = {
    ...{ id: 'd001', text: 'Prices are kept in cents.', reason: 'rounding', at: '2026-01-13T09:00:00.000Z' },
    ...{ session: ID8, evidence: { entry: 3, quote: 'keep them in cents\u001b[2J' }, files: ['src/price.ts'] },
    ...{ author: 'extractive' },
  }
  const issue = { id: 'i002', text: 'The PDF rounds.', status: 'resolved', resolution: 'It no longer does.' }
  write(path.join(project.memory, 'facts.json'), JSON.stringify({ decisions: [fact], issues: [issue] }))
  return project
}

const project = noted()
const numbers = (id: string): string =>
  jsonOf(project, `show ${id}`)
    .parts.map((part: Json) => part.id.split('#')[1])
    .join(' ')

describe('a range', () => {
  it.each([
    [`L1:${ID8}#3-5`, '3 4 5'],
    [`${ID8}#3-5`, '3 4 5'],
    [`L1:${ID8}#4-4`, '4'],
    [ID8, '0 1 2 3 4 5 6 7 8'],
    [SESSION, '0 1 2 3 4 5 6 7 8'],
    [`L1:${ID8}#3-5 --context 2`, '1 2 3 4 5 6 7'],
    [`L1:${ID8}#0-1 --context 1`, '0 1 2'],
    [`L1:${ID8}#7-99`, '7 8'],
    [`L1:${ID8}#4 --context 1`, '3 4 5'],
    // A note that is not written yet is shown as the entries it will be about.
    [`${ID8}-2-5`, '2 3 4'],
  ])('%s shows entries %s', (id, expected) => {
    expect(numbers(id)).toBe(expected)
  })

  it('that is none, or begins behind the end, is refused', () => {
    expect(typed(project, `show L1:${ID8}#5-3`)).toMatchObject({ code: 1, out: '' })
    expect(typed(project, `show L1:${ID8}#9-12`)).toMatchObject({ code: 1, err: expect.stringContaining('no #9') })
  })
})

describe('a fact', () => {
  it('is shown with the entry that proves it and the way there', () => {
    const { out, code } = typed(project, 'show D001')

    expect(code).toBe(0)
    expect(out).toMatch(/^d001 2026-01-13 09:00 decision\nPrices are kept in cents\.\n/m)
    for (const part of ['because: rounding', 'said as: "keep them in cents', 'files: src/price.ts', `L1:${ID8}#3 `])
      expect(out).toContain(part)
    expect(out).toMatch(/\nIt was taken from L1:00000001#3\.\nTimes are in UTC\.\n$/)
    expect(out).not.toContain('\u001b')
  })

  it('of an earlier version has no source', () => {
    expect(typed(project, 'show i002').out).toContain('resolved: It no longer does.')
    expect(jsonOf(project, 'show i002').source).toBeNull()
  })
})
