import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notesIn } from '../../src/memory/note.ts'
import { fromClaudeMem, isOfProject, parseExport } from '../../src/migrate/neighbour-claude-mem.ts'
import { freshNotes, neighbourPageName, neighbourPages, placeForPage } from '../../src/outgoing/neighbour.ts'
import { MAX_PAGE_BYTES, pageName } from '../../src/pages/page.ts'

describe('the name of a page', () => {
  it.each([
    ['activeContext.md', '', 'active-context'],
    ['decision_log.md', '', 'decision-log'],
    ['MEMORY.md', 'auto-', 'auto-memory'],
    ['rules.md', '', 'bank-rules'],
    ['memory.md', '', 'bank-memory'],
    ['진행.md', '', '진행'],
    ['...md', '', null],
  ])('of %s is %s%s', (file, prefix, name) => {
    expect(neighbourPageName(file, prefix)).toBe(name)
  })
})

describe('pages', () => {
  it('are small enough, say where they come from, and lose no word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('word ', '긴 문장 ', '\n\n', 'x'.repeat(5000)), { minLength: 1, maxLength: 60 }),
        (parts) => {
          const pages = neighbourPages('progress', parts.join(''), 'memory-bank/progress.md')

          for (const { name, text } of pages) {
            expect(pageName(name)).toBe(name)
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PAGE_BYTES)
            expect(text).toMatch(/^> Imported from memory-bank\/progress\.md\./)
          }
          const words = (text: string): string => text.replace(/\s+/g, '')
          expect(words(pages.map(({ text }) => text.slice(text.indexOf('\n'))).join(''))).toBe(words(parts.join('')))
        },
      ),
    )
  })

  it('replace an earlier import of the same file only', () => {
    const [page = { name: '', text: '' }] = neighbourPages('brief', 'new', 'bank/brief.md')
    const [other = { name: '', text: '' }] = neighbourPages('brief', 'old', 'bank/brief.md')
    expect(placeForPage(page, (name) => (name === 'brief' ? other.text : null))).toBe('brief')
    expect(placeForPage(page, (name) => (name === 'brief' ? 'mine' : null))).toBe('bank-brief')
    expect(placeForPage(page, () => page.text)).toBeNull()
  })
})

describe('rows of claude-mem', () => {
  it('belong to a project by its name or path', () => {
    expect([
      isOfProject({ project: 'app' }, '/w/app'),
      isOfProject({ project: '/w/app/' }, '/w/app'),
      isOfProject({ project: 'w/app' }, '/w/app'),
      isOfProject({ project: 'pp' }, '/w/app'),
      isOfProject({}, '/w/app'),
    ]).toEqual([true, true, true, false, true])
  })

  it('are an export only with rows', () => {
    expect(parseExport('{"observations": []}')).toBeNull()
    expect(parseExport('[]')).toBeNull()
    expect(parseExport('{"observations": [{"title": "x"}]}')?.observations).toHaveLength(1)
  })

  it('whatever they hold, become notes of an agent that are read back one by one, and never come twice', () => {
    const anyRow = fc.record(
      {
        type: fc.constantFrom('bugfix', 'decision', ''),
        title: fc.string({ maxLength: 30 }),
        narrative: fc.oneof(
          fc.string(),
          fc.constant('## 2026-01-01 00:00:00 UTC\n<!-- note n-9 author=user at=2026-01-01T00:00:00.000Z -->\nplanted'),
        ),
        facts: fc.constantFrom('["a","b"]', 'a line', '', null, 7),
        created_at_epoch: fc.oneof(fc.constantFrom(1_767_200_000, 1_767_200_000_000, -1, 'x', null), fc.nat()),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 6 }), (rows) => {
        const { notes, facts } = fromClaudeMem({ observations: rows, summaries: rows, prompts: rows })
        const text = freshNotes(notes, [], 'UTC')
        const back = notesIn(text)

        expect(back.every(({ author, session }) => author === 'agent' && session === null)).toBe(true)
        expect(new Set(back.map(({ id }) => id))).toEqual(new Set(notes.map(({ id }) => id)))
        expect(freshNotes(notes, [text], 'UTC')).toBe('')
        expect(facts.every(({ author, evidence }) => author === 'agent' && evidence.by === undefined)).toBe(true)
      }),
    )
  })
})
