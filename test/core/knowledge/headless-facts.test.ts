/** What the background call is asked about a piece, what its answer means, whatever it looks like, and what a model is told about its facts. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_CONCEPTS } from '../../../src/core/knowledge/concept.ts'
import { plainDraft } from '../../../src/core/knowledge/fact-draft.ts'
import {
  extractRequest,
  judgeRequest,
  knownLines,
  parseExtracted,
  parseJudgements,
} from '../../../src/core/knowledge/headless-facts.ts'
import { NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { childArgs } from '../../../src/core/model/headless.ts'
import { fact, facts } from '../../support/briefing.ts'

const PIECE = { id: '1a2b3c4d-0-9', text: '#0 [User]: keep the invoices in PostgreSQL', sentences: 3, isLast: false }
const KNOWN = ['c001 concept: invoice storage', 'i001 open issue: the export fails']

describe('the request about a piece', () => {
  const request = extractRequest(PIECE, KNOWN)

  it('asks for everything in one answer of a fixed form, in few words', () => {
    expect(request.schema).toMatchObject({
      required: ['note', 'stands', 'facts', 'rules', 'settles'],
    })
    // The host refuses an answer that is longer than its schema allows, again and again: the program cuts.
    expect(JSON.stringify(request.schema)).not.toContain('maxItems')
    expect(request.system).toContain('about 3 plain sentences')
    expect((request.system + request.prompt).length / 3.5).toBeLessThan(650)
    // On a slow machine any piece may be its session's last one, which is asked for more: of a request's 900 tokens 18 are for that.
    const last = extractRequest({ ...PIECE, isLast: true }, KNOWN)
    expect(last.prompt.length - request.prompt.length).toBeLessThanOrEqual(18 * 3.5)
    const args = childArgs(request, null)
    expect(JSON.parse(args[args.indexOf('--json-schema') + 1] ?? '')).toEqual(request.schema)
  })

  it('says what is no decision, what holds of a correction, and whose words count', () => {
    expect(request.system).toContain('proposed, asked, offered, planned or tried is no decision and not done')
    expect(request.system).toContain('holds only as corrected')
    expect(request.system).toContain('Prefer what the user said')
    expect(request.stdin).toMatch(/No progress reports\.\n$/)
  })

  it('fences the piece and what is known, each by itself', () => {
    expect(request.stdin).toMatch(/<data-known>\nc001 [^<]*<\/data-known>[\s\S]*<data-1a2b3c4d-0-9>\n#0 \[User\]/)
    expect(extractRequest(PIECE, []).stdin).not.toContain('data-known')
  })

  it('says that a piece is the last one, and what was refused before', () => {
    expect(request.prompt).not.toMatch(/last piece|refused/)
    expect(extractRequest({ ...PIECE, isLast: true }, []).prompt).toContain('last piece of its session')
    expect(extractRequest(PIECE, [], ['The piece\ndoes not contain: x.ts.']).prompt).toContain(
      'refused: The piece does not contain: x.ts.',
    )
  })

  it('has markers that its text cannot close', () => {
    const hostile = fc.array(fc.constantFrom('</data-a>', '</data-a></data-a-x>', '</data-text>', 'x', '\n'))
    fc.assert(
      fc.property(hostile, (texts) => {
        const text = texts.join('')
        const { stdin } = extractRequest({ ...PIECE, id: 'a', text }, [])
        const marker = /^<(\S+)>\n/.exec(stdin)?.[1] ?? 'none'
        expect(stdin.split(`</${marker}>`)).toHaveLength(2)
        expect(stdin).toContain(`<${marker}>\n${text}\n</${marker}>\n`)
      }),
    )
  })
})

describe('an answer', () => {
  const FACT = { type: 'decision', text: 'Use cents.', quote: 'use cents', done: 4 }
  const raw = {
    note: [{ sentence: 'A note.', entry: 3 }, { sentence: ' ' }, 7],
    stands: { text: 'Nothing waits.', entry: 9 },
    facts: [FACT, 'x'],
    rules: [{ text: 'Use cents.', quote: 'use cents' }, 'x'],
    settles: [{ issues: ['i001', 'i002'], how: 'It was fixed.', entry: 4 }],
  }
  const expected = {
    note: [{ text: 'A note.', entry: 3 }],
    stands: { text: 'Nothing waits.', entry: 9 },
    drafts: [FACT],
    rules: [{ text: 'Use cents.', quote: 'use cents' }],
    settles: [
      { issue: 'i001', text: 'It was fixed.', entry: 4 },
      { issue: 'i002', text: 'It was fixed.', entry: 4 },
    ],
  }

  it('is taken as an object, as JSON in a fence, or as a plain note', () => {
    expect(parseExtracted(raw, '')).toEqual(expected)
    expect(parseExtracted(null, `Here it is:\n\`\`\`json\n${JSON.stringify(raw)}\n\`\`\``)).toEqual(expected)
    expect(parseExtracted(null, 'The user asked for a note. It was written.')).toEqual({
      note: [
        { text: 'The user asked for a note.', entry: null },
        { text: 'It was written.', entry: null },
      ],
      stands: null,
      drafts: [],
      rules: [],
      settles: [],
    })
  })

  it('with more than was asked for is cut, and its last facts are kept', () => {
    const many = <T>(one: (n: number) => T): T[] => Array.from({ length: 14 }, (_, n) => one(n))
    const given = {
      note: many((n) => ({ sentence: `Sentence ${n}.`, entry: n })),
      facts: many((n) => ({ ...FACT, text: `Use ${n} cents.` })),
      rules: many((n) => ({ text: `Use ${n} cents.`, quote: 'use cents' })),
      settles: many((n) => ({ issues: [`i${n}`], how: 'It was fixed.', entry: n })),
    }
    const { note, drafts, rules, settles } = parseExtracted(given, '')

    expect([note, drafts, rules, settles].map(({ length }) => length)).toEqual([12, 14, 5, 10])
    expect(drafts.at(-1)).toMatchObject({ text: 'Use 13 cents.' })
  })

  it('of an earlier request names the issue as a text', () => {
    const settles = [{ issue: 'i001', how: 'It was fixed.', entry: 4 }]

    expect(parseExtracted({ ...raw, settles }, '').settles).toEqual([
      { issue: 'i001', text: 'It was fixed.', entry: 4 },
    ])
  })

  it('of any form is read without an exception', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (structured, text) => {
        const { drafts, note } = parseExtracted(structured, text)
        expect(drafts.every((draft) => typeof plainDraft(draft).text === 'string')).toBe(true)
        expect(note.length).toBeLessThanOrEqual(12)
      }),
    )
  })

  it('keeps of a fact what has the right type', () => {
    const given = { type: 4, text: 'x', quote: null, files: ['a', 5], entry: 1.5, reason: '', resolves: 'i001' }

    expect(plainDraft(given)).toMatchObject({
      ...{ type: null, text: 'x', quote: '', files: ['a'], resolves: ['i001'] },
      ...{ entry: undefined, reason: null },
    })
  })
})

describe('a verdict on a rule', () => {
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

describe('what is known', () => {
  const all = facts([
    fact('d001', 'Invoices are kept in PostgreSQL.'),
    fact('d002', 'The logo is blue.'),
    fact('i001', 'The invoice export fails for empty customers.'),
    { ...fact('i002', 'The lamp blinks.'), session: 'bbbbbbbb' },
  ])

  it('is told with its ids, as far as the piece is about it; of its own session every open issue', () => {
    const concepts = {
      ...NO_CONCEPTS,
      concepts: [{ id: 'c001', name: 'invoices', summary: '', files: [], keywords: [], exchanges: [], aliases: [] }],
    }
    const lines = knownLines(all, concepts, 'move the invoices out of PostgreSQL; the invoice export fails', 'bbbbbbbb')

    expect(lines.map((line) => line.split(' ')[0])).toEqual(['c001', 'i002', 'i001', 'd001'])
  })

  it('is nothing in a new memory', () => {
    expect(knownLines(NO_ITEMS, NO_CONCEPTS, 'anything', 'bbbbbbbb')).toEqual([])
  })
})
