/** What a model is told about its facts: what is wrong, what is missing, and what to do next, in so many words. */
import { describe, expect, it } from 'vitest'
import { NO_CONCEPTS } from '../../src/knowledge/concept.ts'
import { NO_FACTS } from '../../src/knowledge/fact.ts'
import { isClean, renderReport } from '../../src/knowledge/fact-check.ts'
import type { Checked } from '../../src/knowledge/fact-draft.ts'
import { knownLines } from '../../src/knowledge/headless-facts.ts'
import { fact, facts } from '../support/briefing.ts'

const CLEAN: Checked = { sound: [], refused: [], duplicates: [], questions: [] }
const WRONG: Checked = {
  ...CLEAN,
  refused: [{ number: 2, problem: 'the quote does not occur' }],
  questions: [{ entry: 12, weight: 3, excerpt: 'amounts\nin cents', ask: 'Was something decided here?' }],
}

describe('the report', () => {
  it('names each fact that does not hold and each entry that none covers, on a line of its own', () => {
    const lines = renderReport(WRONG, 1)

    expect(lines).toContain('- fact 2: the quote does not occur')
    expect(lines).toContain('- #12 "amounts in cents" Was something decided here?')
    expect(lines.at(-1)).toMatch(/^Round 1 of 3\./)
  })

  it('says when it was the last round, and when all is well', () => {
    expect(renderReport(WRONG, 3).at(-1)).toMatch(/last round.*save_facts/)
    expect(renderReport(CLEAN, 1)).toEqual([expect.stringMatching(/^All 0 hold.*save_facts/)])
  })

  it('finds nothing wrong with what is known already', () => {
    const known: Checked = { ...CLEAN, duplicates: [{ number: 1, of: 'd001', text: 'Use cents.' }] }

    expect(isClean(known)).toBe(true)
    expect(isClean(WRONG)).toBe(false)
    expect(renderReport(known, 1).join('\n')).toContain('fact 1 is d001: Use cents.')
  })
})

describe('what is known', () => {
  const all = facts([
    fact('d001', 'Invoices are kept in PostgreSQL.'),
    fact('d002', 'The logo is blue.'),
    fact('i001', 'The invoice export fails for empty customers.'),
  ])

  it('is told with its ids, as far as the piece is about it', () => {
    const concepts = {
      ...NO_CONCEPTS,
      concepts: [{ id: 'c001', name: 'invoices', summary: '', files: [], keywords: [], exchanges: [], aliases: [] }],
    }
    const lines = knownLines(all, concepts, 'move the invoices out of PostgreSQL; the invoice export fails')

    expect(lines).toContain('c001 concept: invoices')
    expect(lines.some((line) => line.startsWith('d001 decision'))).toBe(true)
    expect(lines.some((line) => line.startsWith('i001 open issue'))).toBe(true)
    expect(lines.some((line) => line.startsWith('d002'))).toBe(false)
  })

  it('is nothing in a new memory', () => {
    expect(knownLines(NO_FACTS, NO_CONCEPTS, 'anything')).toEqual([])
  })
})
