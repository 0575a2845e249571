/** What can be found in each file of a memory. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PAGE_TEMPLATES } from '../../../src/core/pages/page.ts'
import { prosePieces } from '../../../src/core/pages/prose-pieces.ts'
import { sessionOf, sourceKindOf, unitHash, unitsIn } from '../../../src/core/search/units.ts'
import type { Unit } from '../../../src/kernel/memory/document.ts'
import { formatNote } from '../../../src/kernel/memory/note.ts'
import { entryUnit, isRepeated, NOTHING_OURS, withEntry } from '../../../src/kernel/sessions/documents.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'
import { type Entry, isHostLine, type Tombstone } from '../../../src/kernel/transcript/session.ts'
import { PLAIN, readAll } from '../../support/transcript.ts'

const TS = '2026-01-13T12:00:00.000Z'

/** `id kind at [state] {about} text`, without what is empty. */
function shown({ id, kind, at, state, about, text }: Unit): string {
  const parts = [id, kind, at, state === '' ? '' : `[${state}]`, about === '' ? '' : `{${about}}`, text]
  return parts.filter((part) => part !== '').join(' ')
}

const shownIn = (file: string, text: string): string[] => unitsIn(file, text).map(shown)

describe('an entry', () => {
  const tool = { role: 'tool', ts: TS, name: 'Bash', cmd: 'npm test', ok: true, output: '3 passed' } as const

  it.each<[string, Entry | Tombstone, string | null]>([
    ['a prompt', { role: 'user', ts: TS, text: 'why' }, `L1:aaaaaaaa#4 prompt ${TS} {aaaaaaaa#4-4} why`],
    ['an answer', { role: 'assistant', ts: TS, text: 'x' }, `L1:aaaaaaaa#4 answer ${TS} {aaaaaaaa#4-4} x`],
    ['a compaction', { role: 'summary', ts: TS, text: 'x' }, `L1:aaaaaaaa#4 compaction ${TS} {aaaaaaaa#4-4} x`],
    ['a tool', tool, `L1:aaaaaaaa#4 tool ${TS} {aaaaaaaa#4-4} Bash npm test\n3 passed`],
    [
      'a subagent',
      { ...tool, role: 'subagent', agent: 'x' },
      `L1:aaaaaaaa#4 subagent ${TS} {aaaaaaaa#4-4} Bash npm test\n3 passed`,
    ],
    ['a removed one', { role: 'tombstone', n: 0, key: 'k' }, null],
    ['a call of our tool', { ...tool, name: 'mcp__plugin_memory-keeper_memory__search_memory' }, null],
    ['a call of our skill', { ...tool, name: 'Skill', cmd: 'memory-keeper:search-memory x' }, null],
  ])('of the role of %s', (_, entry, expected) => {
    const unit = entryUnit(entry, 'aaaaaaaa', 4)
    expect(unit === null ? null : shown(unit)).toBe(expected)
    if (unit !== null) expect(unit.n).toBe(4)
  })
})

describe('the files', () => {
  it.each([
    ['memory.md', 'memory'],
    ['memory_20260113_120000.md', 'archive'],
    ['memory_20260113_120000_2.md', 'archive'],
    ['memory_20260113_120000.summary.json', 'archive-summary'],
    ['facts.json', 'facts'],
    ['concepts.json', 'concepts'],
    ['rules.md', 'rules'],
    ['project.md', 'page'],
    ['Release-Plan.md', 'page'],
    ['sessions/20260113_120000_1a2b3c4d.l1.jsonl', 'session'],
    ['sessions/20260113_120000_1a2b3c4d.md', 'session-summary'],
    ['sessions/week-2026-03.md', 'week'],
    ['sessions/archive/2026-01.md', 'month'],
    ['host:MEMORY.md', 'host'],
    ['config.json', null],
    ['memory-index.json', null],
    ['delta_temp.txt', null],
    ['sessions/20260113_120000_1a2b3c4d.raw.jsonl.gz', null],
    ['sessions/notes.md', null],
    ['journal/hooks.jsonl', null],
  ])('%s hold: %s', (file, kind) => {
    expect(sourceKindOf(file)).toBe(kind)
  })

  it('of a session say which', () => {
    expect(sessionOf('sessions/20260113_120000_1a2b3c4d.l1.jsonl')).toBe('1a2b3c4d')
    expect(sessionOf('sessions/20260113_120000_1a2b3c4d.md')).toBeNull()
    expect(sessionOf('memory.md')).toBeNull()
  })
})

const NOTE = { id: 'n-1a2b3c4d-3-9', at: TS, session: '1a2b3c4d', from: 3, to: 9, author: 'agent' } as const
const FACT = {
  ...{ id: 'd001', text: 'Use tabs', reason: 'they align', at: TS, session: '1a2b3c4d' },
  ...{ evidence: { entry: 7, quote: 'tabs' }, files: ['src/a.ts'] },
}
const ISSUE = {
  ...FACT,
  id: 'i002',
  text: 'It fails',
  reason: null,
  status: 'resolved',
  resolution: 'a fix',
  files: [],
}
const SUMMARY = {
  generatedAt: TS,
  overallSummary: 'All of it.',
  themes: [{ name: 'Parser', summary: 'was rewritten' }, 7, { name: 5 }],
  keyDecisions: [{ decision: 'Use tabs', reason: 'they align' }],
  issues: [
    { issue: 'It fails', status: 'resolved' },
    { issue: 'It is slow', status: 'open' },
  ],
}
const SEARCH = { id: 'c001', name: 'Search', aliases: ['Finding', 'Index'], summary: 'finds', keywords: ['bm25'] }
const ARCHIVE = 'memory_20260113_120000.summary.json'
const json = JSON.stringify

describe('the units', () => {
  it.each<[string, string, string, string[]]>([
    [
      'of notes, without their comment',
      'memory.md',
      `# Memory\n\n<!-- ours -->\n\n${formatNote({ ...NOTE, text: 'It works.' }, 'UTC')}`,
      [`n-1a2b3c4d-3-9 note ${TS} {1a2b3c4d#3-8} It works.`],
    ],
    [
      'of text between notes, by its place',
      'memory.md',
      `## 2025-11-02 09:30:00 UTC\nBy hand.\n\n${formatNote({ ...NOTE, text: 'x' }, 'UTC')}## Later\nAlso by hand.\n`,
      [
        'memory.md#1 note 2025-11-02T09:30:00.000Z 2025-11-02 09:30:00 UTC\nBy hand.',
        `n-1a2b3c4d-3-9 note ${TS} {1a2b3c4d#3-8} x`,
        'memory.md#2 note Later\nAlso by hand.',
      ],
    ],
    [
      'of a note about no session',
      'memory.md',
      formatNote({ ...NOTE, session: null, text: 'Mine.' }, 'UTC'),
      [`n-1a2b3c4d-3-9 note ${TS} Mine.`],
    ],
    [
      'of a note by Claude',
      'memory.md',
      formatNote({ ...NOTE, id: 'n-claude-1-x', session: null, text: 'Mine.' }, 'UTC'),
      [`n-claude-1-x note ${TS} [by Claude] Mine.`],
    ],
    [
      'of facts, but not of rejected ones',
      'facts.json',
      json({
        decisions: [FACT, { ...FACT, id: 'd002', state: 'superseded' }, { ...FACT, state: 'rejected' }],
        issues: [ISSUE],
      }),
      [
        `d001 decision ${TS} [by Claude] {1a2b3c4d#7-7} Use tabs\nthey align\nsrc/a.ts`,
        `d002 decision ${TS} [superseded] {1a2b3c4d#7-7} Use tabs\nthey align\nsrc/a.ts`,
        `i002 issue ${TS} [resolved] {1a2b3c4d#7-7} It fails\na fix`,
      ],
    ],
    [
      'of what became permanent',
      'facts.json',
      json({ permanent: { rules: ['Ask first'], solutions: ['Clear the cache'], core_logic: [] } }),
      ['r001 rule Ask first', 'r002 pattern Clear the cache'],
    ],
    [
      'of the summary of an archive, whatever is wrong with some fields',
      ARCHIVE,
      json(SUMMARY),
      [
        `${ARCHIVE}#1 summary ${TS} All of it.`,
        `${ARCHIVE}#2 summary ${TS} Parser\nwas rewritten`,
        `${ARCHIVE}#3 summary ${TS} Use tabs\nthey align`,
        `${ARCHIVE}#4 summary ${TS} [resolved] It fails`,
        `${ARCHIVE}#5 summary ${TS} It is slow`,
      ],
    ],
    [
      'of the summary of a session, without its counts',
      'sessions/20260113_120000_1a2b3c4d.md',
      '# Session 1a2b3c4d, 2026-01-13 UTC\n<!-- session 1a2b3c4d entries=12 -->\n\n12:00–12:30 UTC, 2 prompts, 1 tool use, 12 entries\n\nAsked: why.\n',
      [`S:1a2b3c4d session ${TS} {1a2b3c4d#0-11} Asked: why.`],
    ],
    [
      'of a month: what was written by hand, then one for each session',
      'sessions/archive/2026-01.md',
      [
        '# Month 2026-01',
        'It was cold.',
        '<!-- session 1a2b3c4d at=2026-01-13T10:00:00.000Z entries=15 ours= -->',
        '- 2026-01-13 Decided: Empty lines are skipped. [L1:1a2b3c4d#12]',
        '',
        '## By hand',
        'We were five.',
        '<!-- session 5e6f7a8b at=2026-01-14T10:00:00.000Z entries=0 ours= -->',
        'Nothing.',
      ].join('\n'),
      [
        '2026-01.md#1 tier 2026-01-01T00:00:00.000Z It was cold.',
        '2026-01.md#1a2b3c4d tier 2026-01-13T10:00:00.000Z {1a2b3c4d#0-14} - 2026-01-13 Decided: Empty lines are skipped. [L1:1a2b3c4d#12]\n\n## By hand\nWe were five.',
        '2026-01.md#5e6f7a8b tier 2026-01-14T10:00:00.000Z Nothing.',
      ],
    ],
    [
      'of a week, dated by its first day',
      'sessions/week-2026-01.md',
      '# W\n\nx\n',
      ['week-2026-01.md#1 tier 2025-12-29T00:00:00.000Z W\nx'],
    ],
    [
      'of the sections of a page, below their headings',
      'architecture.md',
      '# App\n\nWhat it is.\n\n## Parts\n\n### Parser\n\nReads.\n\n## Flow\n\n```sh\n# no heading\n```\n<!-- hidden -->\n',
      [
        'page:architecture#1 page App\nWhat it is.',
        'page:architecture#2 page App › Parts › Parser\nReads.',
        'page:architecture#3 page App › Flow\n```sh\n# no heading\n```',
      ],
    ],
    ['of rules', 'rules.md', '# Rules\n\n- Ask first\n- Test\n', ['rules.md#1 rule Ask first', 'rules.md#2 rule Test']],
    [
      'of concepts that say something',
      'concepts.json',
      json({ concepts: [{ ...SEARCH, files: ['a.ts'] }, { id: 'c002' }] }),
      ['c001 concept Search\nFinding, Index\nfinds\nbm25\na.ts'],
    ],
    [
      'of the whole lines of a file that was cut off',
      'facts.json',
      `{\n  "decisions": [\n    ${json({ ...FACT, files: [] })},\n    {"id":"d003","te`,
      [`d001 decision ${TS} [by Claude] {1a2b3c4d#7-7} Use tabs\nthey align`],
    ],
  ])('%s', (_, file, text, expected) => {
    expect(shownIn(file, text)).toEqual(expected)
  })

  it('name Claude as the one who saved a fact, unless the user’s words prove it', () => {
    const decisions = [
      ['user', 'agent', 'fresh'],
      ['assistant', 'agent', 'fresh'],
      ['tool', 'headless', 'fresh'],
      ['assistant', 'extractive', 'fresh'],
      ['assistant', 'agent', 'stale'],
      // Whose words they are was not stored: Claude's, then.
      [undefined, 'agent', 'fresh'],
      [undefined, 'extractive', 'fresh'],
    ].map(([by, author, state]) => ({ ...FACT, evidence: { ...FACT.evidence, by }, author, state }))

    const units = unitsIn('facts.json', json({ decisions }))
    expect(units.map(({ state, by }) => [state, by])).toEqual([
      ['fresh', 'the user'],
      ['by Claude', 'Claude'],
      ['by Claude', 'from a tool'],
      ['fresh', 'Claude'],
      ['stale', 'Claude'],
      ['by Claude', 'Claude'],
      ['fresh', 'author unknown'],
    ])
  })

  it('of a page that nobody has written yet are none', () => {
    for (const [name, template] of Object.entries(PAGE_TEMPLATES)) expect(unitsIn(`${name}.md`, template)).toEqual([])
  })
})

describe('long prose', () => {
  const words = (count: number, word: string): string => Array.from({ length: count }, () => word).join(' ')

  it('is cut where a paragraph ends', () => {
    const paragraphs = ['alpha', 'beta', 'gamma', 'delta'].map((word) => words(120, word))
    const pieces = prosePieces(`# Page\n\n${paragraphs.join('\n\n')}\n`)

    expect(pieces.length).toBeGreaterThan(1)
    for (const piece of pieces) expect(piece.startsWith('Page\n')).toBe(true)
    for (const paragraph of paragraphs) expect(pieces.filter((piece) => piece.includes(paragraph))).toHaveLength(1)
  })

  it('in one paragraph is cut where a line or a sentence ends', () => {
    expect(
      prosePieces(Array.from({ length: 30 }, (_, i) => `${words(20, 'word')} ${i}`).join('\n')).length,
    ).toBeGreaterThan(1)
    expect(
      prosePieces(Array.from({ length: 30 }, (_, i) => `${words(20, 'Word')} ${i}.`).join(' ')).length,
    ).toBeGreaterThan(1)
  })

  it('loses no word, and comes in pieces of some 250 words', () => {
    const anyPart = fc.tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom(' ', '\n', '\n\n', '. '))
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 30 }), (parts) => {
        const text = parts.map(([count, end], i) => `${words(count, `Word${i}`)}${end}`).join('')
        const pieces = prosePieces(text)
        expect(pieces.join(' ').split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean))
        // A sentence is never cut.
        const longest = Math.max(0, ...text.split(/\n|(?<=\.) /).map(estimateTokens))
        for (const piece of pieces) expect(estimateTokens(piece)).toBeLessThanOrEqual(Math.max(340, longest))
      }),
    )
  })
})

describe('any file at all', () => {
  const names = [
    'memory.md',
    'facts.json',
    'concepts.json',
    'rules.md',
    'project.md',
    'memory_20260113_120000.summary.json',
    'sessions/20260113_120000_1a2b3c4d.md',
    'sessions/week-2026-01.md',
    'host:MEMORY.md',
  ]
  const anyJson = fc.json({ maxDepth: 4 }).map((json) => json.replace(/"(\w)":/g, '"decisions":'))
  const anyContent = fc.oneof(
    fc.string({ unit: 'binary' }),
    anyJson,
    fc.string().map((text) => `# A\n\n${text}\n\n## ${text}\n`),
  )

  it('gives units in their order that say something, or none, and the same ones again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), anyContent, (name, text) => {
        const units = unitsIn(name, text)
        expect(units.map(({ n }) => n)).toEqual(units.map((_, n) => n))
        expect(units.filter((unit) => unit.text.trim() === '' || unit.id === '')).toEqual([])
        expect(unitsIn(name, text).map(unitHash)).toEqual(units.map(unitHash))
      }),
      { numRuns: 400 },
    )
  })

  it('tells two units apart by anything but their place', () => {
    const unit: Unit = { id: 'a#1', kind: 'page', n: 0, at: '', text: 'x', state: '', about: '' }
    const others: Partial<Unit>[] = [
      { text: 'y' },
      { kind: 'host' },
      { at: TS },
      { state: 'stale' },
      { about: 'aaaaaaaa#0-0' },
    ]

    expect(unitHash({ ...unit, id: 'a#2', n: 1 })).toBe(unitHash(unit))
    for (const other of others) expect(unitHash({ ...unit, ...other })).not.toBe(unitHash(unit))
  })
})

const FOLDER = path.resolve(import.meta.dirname, '..', '..', '..', '..', 'shared', 'transcripts')
const files = fs.existsSync(FOLDER) ? fs.readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : []

describe.skipIf(files.length === 0)(`real sessions (in ${FOLDER}, skipped where that is absent)`, () => {
  it.each(files)('%s: every entry but an interruption is a unit, with all its words', (name) => {
    const { entries } = readAll(fs.readFileSync(path.join(FOLDER, name)), PLAIN)

    expect(entries.length).toBeGreaterThan(0)
    entries.forEach((entry, n) => {
      const unit = entryUnit(entry, 'aaaaaaaa', n)
      if (isHostLine(entry)) expect(unit).toBeNull()
      else expect(unit?.text).toContain('text' in entry ? entry.text : entry.cmd)
    })
  })
})

describe('what only repeats what is remembered', () => {
  const said = (text: string) => ({ role: 'user' as const, ts: '2026-01-13T10:00:00.000Z', text })
  const answered = { role: 'assistant' as const, ts: '2026-01-13T10:00:01.000Z', text: 'We chose Redis.' }
  const agent = (name: string) => ({
    role: 'subagent' as const,
    agent: 'a1',
    ts: '2026-01-13T10:00:02.000Z',
    name,
    cmd: '',
    ok: true,
  })

  it('is the whole turn of a skill of ours, up to the next prompt', () => {
    for (const call of ['/memory-keeper:search-memory the cache', '/search-memory the cache', '/memory-context jwt']) {
      const ours = [said(call), answered].reduce(withEntry, NOTHING_OURS)

      expect(isRepeated(ours, answered)).toBe(true)
      expect(isRepeated(withEntry(ours, said('go on')), answered)).toBe(false)
    }
  })

  it('is what an agent says that used our tools, and no other agent', () => {
    const ours = withEntry(NOTHING_OURS, agent('mcp__plugin_memory-keeper_memory__search_memory'))
    const told = { role: 'subagent' as const, agent: 'a1', ts: '2026-01-13T10:00:03.000Z', text: 'We chose Redis.' }

    expect(isRepeated(ours, told)).toBe(true)
    expect(isRepeated(ours, { ...told, agent: 'a2' })).toBe(false)
    expect(isRepeated(withEntry(NOTHING_OURS, agent('Bash')), told)).toBe(false)
  })
})
