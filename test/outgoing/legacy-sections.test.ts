import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notesIn, parseMemory } from '../../src/memory/note.ts'
import { convertSections, isSectioned } from '../../src/outgoing/legacy-sections.ts'

const WRITTEN = '2026-01-05T10:00:00.000Z'

describe('a memory with sections', () => {
  it('is known by two of them, or by one below its title', () => {
    expect(isSectioned('## Core Decisions\n- a\n\n## Known Issues\n- b\n')).toBe(true)
    expect(isSectioned('# Project Memory: x\n\n## 핵심 결정\n- a\n')).toBe(true)
    expect(isSectioned('# Memory\n\n## Known Issues\nmy own list\n')).toBe(false)
  })

  it('gives an issue that is done as resolved', () => {
    const text =
      '# Project Memory: x\n\n## Known Issues\n- [x] Slow start\n- [ ] Slow end\n- ~~Gone~~\n- Old one (fixed)\n- Open one\n'
    expect(convertSections(text, 'UTC', WRITTEN).facts.map(({ text: said, status }) => [said, status])).toEqual([
      ['Slow start', 'resolved'],
      ['Slow end', 'open'],
      ['~~Gone~~', 'resolved'],
      ['Old one (fixed)', 'resolved'],
      ['Open one', 'open'],
    ])
  })

  it('keeps sections that it does not know as they are', () => {
    const text = '# Project Memory: x\n\n## Core Decisions\n- a\n\n## Shopping\n- milk\n'
    expect(convertSections(text, 'UTC', WRITTEN).text).toBe('# Project Memory: x\n\n## Shopping\n- milk\n')
  })

  it('dates what tells no time by its last update', () => {
    const text = '## Current State\n- Last updated: 2026-01-02 09:00\n- Status: fine\n\n## Recent Context\n- worked\n'
    expect(notesIn(convertSections(text, 'Asia/Seoul', WRITTEN).text).map(({ at }) => at)).toEqual([
      '2026-01-02T00:00:00.000Z',
      '2026-01-02T00:00:00.000Z',
    ])
  })

  it('loses no item, whatever the bullets', () => {
    const anyItem = fc.tuple(
      fc.constantFrom('- ', '* ', '1. ', '+ '),
      fc.constantFrom('', '[2026-01-03]: ', '2026-01-03 10:00 '),
      fc.stringMatching(/^[a-z]{4,12}( [a-z]{4,12}){1,4}$/),
    )
    const anySection = fc.tuple(
      fc.constantFrom('Core Decisions', 'Recent Context', 'Known Issues', 'Current State', 'Other things'),
      fc.array(anyItem, { maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(anySection, { maxLength: 5 }), (sections) => {
        const text = `# Project Memory: x\n\n${sections.map(([name, items]) => `## ${name}\n${items.map((item) => `${item.join('')}\n`).join('')}\n`).join('')}`

        const { text: memory, facts, notes } = convertSections(text, 'UTC', WRITTEN)

        const all = [memory, ...facts.map((fact) => fact.text)].join('\n')
        for (const [, items] of sections) for (const [, , words] of items) expect(all).toContain(words)
        expect(parseMemory(memory).filter(({ note }) => note !== null)).toHaveLength(notes)
      }),
    )
  })
})
