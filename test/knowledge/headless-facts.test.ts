/** What the background call is asked about facts, and what its answer means, whatever it looks like. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Checked } from '../../src/knowledge/fact-draft.ts'
import {
  draftOf,
  judgeRequest,
  missingFactsRequest,
  noteAndFactsRequest,
  parseExtracted,
  parseJudgements,
} from '../../src/knowledge/headless-facts.ts'
import { childArgs } from '../../src/model/headless.ts'

const DELTA = { id: '1a2b3c4d-0-9', text: '[User]: keep the invoices in PostgreSQL' }
const KNOWN = ['c001 concept: invoice storage', 'i001 open issue: the export fails']
const CHECKED: Checked = {
  sound: [],
  refused: [{ number: 1, problem: 'the quote does not occur' }],
  duplicates: [],
  questions: [{ entry: 12, weight: 4, excerpt: 'amounts in cents', ask: 'Was something decided here?' }],
}

describe('the first request', () => {
  const request = noteAndFactsRequest(DELTA, { sentences: 3, facts: 7 }, KNOWN)

  it('asks for note and facts in one answer of a fixed form', () => {
    expect(request.schema).toMatchObject({ required: ['note', 'facts'], properties: { facts: { maxItems: 7 } } })
    expect(request.system).toContain('about 3 sentences')
    expect(request.system).toContain('At most 7 facts')
    const args = childArgs(request, null)
    expect(JSON.parse(args[args.indexOf('--json-schema') + 1] ?? '')).toEqual(request.schema)
  })

  it('fences the piece and what is known, each by itself', () => {
    expect(request.stdin).toMatch(/<data-known>\nc001 [^<]*<\/data-known>[\s\S]*<data-1a2b3c4d-0-9>\n\[User\]/)
    expect(noteAndFactsRequest(DELTA, { sentences: 1, facts: 7 }, []).stdin).not.toContain('data-known')
  })
})

describe('a later request', () => {
  it('sends only the refused facts and the entries that none covers', () => {
    const drafts = [{ type: 'decision', text: 'Invoices go to MongoDB.', quote: 'MongoDB' }]
    const { stdin, schema } = missingFactsRequest(CHECKED, drafts, KNOWN, 2)

    expect(stdin).toContain('Invoices go to MongoDB.')
    expect(stdin).toContain('the quote does not occur')
    expect(stdin).toContain('#12: amounts in cents')
    expect(stdin).not.toContain(DELTA.text)
    expect(schema).toMatchObject({ required: ['facts', 'nothingIn'] })
  })
})

describe('an answer', () => {
  const FACT = { type: 'decision', text: 'Use cents.', quote: 'use cents' }

  it('is taken as an object, as JSON in a fence, or as a plain note', () => {
    const rules = [{ text: 'Use cents.', quote: 'use cents' }]
    const expected = { note: 'A note.', drafts: [FACT], rules, nothingIn: [4] }
    const raw = { note: 'A note.', facts: [FACT], rules: [...rules, 'x'], nothingIn: [4, 'x'] }

    expect(parseExtracted(raw, '')).toEqual(expected)
    expect(parseExtracted(null, `Here it is:\n\`\`\`json\n${JSON.stringify(raw)}\n\`\`\``)).toEqual(expected)
    expect(parseExtracted(null, 'The user asked for a note.')).toEqual({
      note: 'The user asked for a note.',
      drafts: [],
      rules: [],
      nothingIn: [],
    })
    expect(parseExtracted(null, 'A {brace} in a note.').note).toBe('A {brace} in a note.')
  })

  it('of any form is read without an exception', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (structured, text) => {
        const { drafts, nothingIn } = parseExtracted(structured, text)
        expect(drafts.every((draft) => typeof draft.text === 'string')).toBe(true)
        expect(nothingIn.every(Number.isSafeInteger)).toBe(true)
      }),
    )
  })

  it('keeps of a fact what has the right type', () => {
    expect(
      draftOf({ type: 4, text: 'x', quote: null, files: ['a', 5], entry: 1.5, reason: '', resolves: 'i001' }),
    ).toEqual({
      type: '',
      text: 'x',
      quote: '',
      files: ['a'],
      resolves: 'i001',
    })
  })
})

describe('a verdict', () => {
  it('is asked for by key, and read as far as it can be', () => {
    expect(judgeRequest(['r001 (in 3 sessions): use pnpm']).stdin).toContain('r001 (in 3 sessions)')
    const verdicts = [{ candidate: 'r001', keep: true, why: 'said often' }, { candidate: 'r002' }, 7]
    expect(parseJudgements({ verdicts }, '')).toEqual([{ candidate: 'r001', keep: true, why: 'said often' }])
    expect(parseJudgements(null, `{"verdicts":[{"candidate":"r1","keep":false}]}`)).toEqual([
      { candidate: 'r1', keep: false, why: '' },
    ])
    expect(parseJudgements(null, 'none of them')).toEqual([])
  })
})
