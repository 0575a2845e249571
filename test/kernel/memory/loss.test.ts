/** What a text has lost against its copy, and the two put together again. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinVersions } from '../../../src/core/files.ts'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { compareWithCopy, holdsLines, isGarbled, isLoss, unfitFor } from '../../../src/kernel/memory/loss.ts'
import { formatNote, notesIn } from '../../../src/kernel/memory/note.ts'
import { fact, factsWith, listed } from '../../support/fact.ts'

function note(n: number, text = `note ${n}`): string {
  const at = `2026-01-13T12:00:0${n}.000Z`
  return formatNote({ id: `n-${n}`, at, session: null, from: 0, to: 0, author: 'user', text }, 'UTC')
}

function lossOf(name: string, copy: string, ...now: string[]): boolean {
  return isLoss(name, compareWithCopy(copy, now))
}

describe('a loss', () => {
  it('is every note that stands nowhere any more', () => {
    const copy = note(1) + note(2)

    expect(lossOf('memory.md', copy, note(1))).toBe(true)
    expect(lossOf('memory.md', copy, note(2), note(1))).toBe(false)
    expect(lossOf('memory.md', copy, note(1) + note(2, 'other words, but still the note'))).toBe(false)
  })

  it('is more than half of a page that shrank', () => {
    const page = 'one\ntwo\nthree\nfour\n'

    expect(lossOf('project.md', page, 'one\ntwo\n')).toBe(false)
    expect(lossOf('project.md', page, 'one\n')).toBe(true)
    expect(lossOf('project.md', page, 'one\nsomebody wrote all of it anew')).toBe(false)
  })

  it('is any line of what nobody edits', () => {
    expect(lossOf('sessions/week-2026-01.md', 'one\ntwo\nthree\n', 'one\ntwo\n')).toBe(true)
    expect(lossOf('memory_20260101_120000.md', 'one\ntwo\nthree\n', 'one\ntwo\n')).toBe(true)
  })

  it('is no change of spaces or order', () => {
    expect(compareWithCopy('one\n\ntwo', ['  two\r\none\n'])).toMatchObject({ lost: 0, of: 2 })
  })
})

describe('a file', () => {
  it('that is empty, garbled or no JSON any more cannot replace a copy that says something', () => {
    expect(unfitFor('rules.md', ' \n', '- one')).toBe('empty')
    expect(unfitFor('rules.md', 'o\u0000ne', '- one')).toBe('garbled')
    expect(unfitFor('facts.json', '{"version":', '{"version":1}')).toBe('garbled')
    expect(unfitFor('facts.json', '\ufeff{"version":1}', '{"version":1}')).toBeNull()
    expect(unfitFor('rules.md', '', '')).toBeNull()
  })

  it('in another encoding is a text all the same', () => {
    expect(isGarbled(Buffer.from('Größe und Maße prüfen, bevor gebaut wird', 'latin1').toString('utf8'))).toBe(false)
    expect(isGarbled(Buffer.from([3, 200, 250, 129, 7, 255, 254, 1]).toString('utf8'))).toBe(true)
  })
})

describe('a file put together again', () => {
  it('has all notes, the earlier ones first, each once', () => {
    const joined = joinVersions('memory.md', `# Memory\n\n${note(1)}${note(2)}`, `# Memory\n\n${note(2)}${note(3)}`)

    expect(notesIn(joined).map(({ id }) => id)).toEqual(['n-1', 'n-2', 'n-3'])
    expect(joined.match(/# Memory/g)).toHaveLength(1)
  })

  it('has a note as it was where its end is lost, and as it is where it grew', () => {
    expect(joinVersions('memory.md', note(1, 'one\ntwo'), note(1, 'one'))).toContain('two')
    expect(joinVersions('memory.md', note(1, 'one'), note(1, 'one\ntwo'))).toContain('two')
  })

  it('has the facts of both', () => {
    const before = formatItems(factsWith(fact({ id: 'd001', text: 'old' }), fact({ id: 'd002', text: 'lost' })))
    const since = formatItems(factsWith(fact({ id: 'd001', text: 'old' }), fact({ id: 'd003', text: 'new' })))
    const joined = parseItems(joinVersions('facts.json', before, since))

    expect(
      listed(joined)
        ?.decisions.map(({ id }) => id)
        .sort(),
    ).toEqual(['d001', 'd002', 'd003'])
  })

  it('loses no line of either text, and none is doubled by doing it again', () => {
    const line = fc.stringMatching(/^[a-d]{1,3}$/)
    const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (earlier, since) => {
        const joined = joinVersions('project.md', earlier, since)
        expect(compareWithCopy(earlier, [joined]).lost).toBe(0)
        expect(holdsLines(joined, since)).toBe(true)
        expect(joinVersions('project.md', joined, since)).toBe(joined)
      }),
    )
  })
})
