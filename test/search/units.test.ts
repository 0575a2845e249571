/** What can be found in each file of a memory. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatNote } from '../../src/memory/note.ts'
import { PAGE_TEMPLATES } from '../../src/pages/page.ts'
import type { Unit } from '../../src/search/corpus.ts'
import {
  entryUnit,
  isRepeated,
  NOTHING_OURS,
  sessionOf,
  sourceKindOf,
  unitHash,
  unitsIn,
  withEntry,
} from '../../src/search/units.ts'
import { prosePieces } from '../../src/search/units-prose.ts'
import { estimateTokens } from '../../src/text/tokens.ts'
import { PLAIN, readAll } from '../support/transcript.ts'

const TS = '2026-01-13T12:00:00.000Z'

function textsIn(file: string, text: string): string[] {
  return unitsIn(file, text).map((unit) => unit.text)
}

describe('an entry', () => {
  const tool = { role: 'tool', ts: TS, name: 'Bash', cmd: 'npm test', ok: true, output: '3 passed' } as const

  it('is found by what was said', () => {
    expect(entryUnit({ role: 'user', ts: TS, text: 'why' }, 'aaaaaaaa', 4)).toEqual({
      id: 'L1:aaaaaaaa#4',
      kind: 'prompt',
      n: 4,
      at: TS,
      text: 'why',
      state: '',
      about: 'aaaaaaaa#4-4',
    })
  })

  it('is found by what was done and what came of it', () => {
    expect(entryUnit(tool, 'aaaaaaaa', 0)).toMatchObject({ kind: 'tool', text: 'Bash npm test\n3 passed' })
    expect(entryUnit({ ...tool, role: 'subagent', agent: 'x' }, 'aaaaaaaa', 0)).toMatchObject({ kind: 'subagent' })
  })

  it.each([
    ['assistant', 'answer'],
    ['summary', 'compaction'],
  ] as const)('of the role %s is a unit of the kind %s', (role, kind) => {
    expect(entryUnit({ role, ts: TS, text: 'x' }, 'aaaaaaaa', 0)?.kind).toBe(kind)
  })

  it('that was removed, or is a call of our own tools, is none', () => {
    expect(entryUnit({ role: 'tombstone', n: 0, key: 'k' }, 'aaaaaaaa', 0)).toBeNull()
    expect(entryUnit({ ...tool, name: 'mcp__plugin_memory-keeper_memory__search_memory' }, 'aaaaaaaa', 0)).toBeNull()
    expect(entryUnit({ ...tool, name: 'Skill', cmd: 'memory-keeper:search-memory x' }, 'aaaaaaaa', 0)).toBeNull()
  })
})

describe('the files', () => {
  it.each([
    ['memory.md', 'notes'],
    ['memory_20260113_120000.md', 'notes'],
    ['memory_20260113_120000_2.md', 'notes'],
    ['memory_20260113_120000.summary.json', 'archive-summary'],
    ['facts.json', 'facts'],
    ['concepts.json', 'concepts'],
    ['rules.md', 'rules'],
    ['project.md', 'page'],
    ['Release-Plan.md', 'page'],
    ['sessions/20260113_120000_1a2b3c4d.l1.jsonl', 'session'],
    ['sessions/20260113_120000_1a2b3c4d.md', 'session-summary'],
    ['sessions/week-2026-03.md', 'tier'],
    ['sessions/archive/2026-01.md', 'tier'],
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
    expect(sessionOf('sessions/20260113_120000_1a2b3c4d.md')).toBe('1a2b3c4d')
    expect(sessionOf('memory.md')).toBeNull()
  })
})

describe('memory.md', () => {
  const note = { id: 'n-1a2b3c4d-3-9', at: TS, session: '1a2b3c4d', from: 3, to: 9, author: 'agent' } as const

  it('has one unit for each note, without its comment', () => {
    const [unit, ...others] = unitsIn(
      'memory.md',
      `# Memory\n\n<!-- ours -->\n\n${formatNote({ ...note, text: 'It works.' }, 'UTC')}`,
    )

    expect(others).toEqual([])
    expect(unit).toEqual({
      id: 'n-1a2b3c4d-3-9',
      kind: 'note',
      n: 0,
      at: TS,
      text: 'It works.',
      state: '',
      about: '1a2b3c4d#3-8',
    })
  })

  it('has what somebody wrote between them, by its place', () => {
    const units = unitsIn(
      'memory.md',
      `## 2025-11-02 09:30:00 UTC\nWritten by hand.\n\n${formatNote({ ...note, text: 'x' }, 'UTC')}## Later\nAlso by hand.\n`,
    )

    expect(units.map(({ id, at, text }) => [id, at, text])).toEqual([
      ['memory.md#1', '2025-11-02T09:30:00.000Z', '2025-11-02 09:30:00 UTC\nWritten by hand.'],
      ['n-1a2b3c4d-3-9', TS, 'x'],
      ['memory.md#2', '', 'Later\nAlso by hand.'],
    ])
  })

  it('tells of no entries where a note tells of none', () => {
    const [unit] = unitsIn('memory.md', formatNote({ ...note, session: null, text: 'Mine.' }, 'UTC'))
    const [own] = unitsIn('memory.md', formatNote({ ...note, id: 'n-claude-1-x', session: null, text: 'Mine.' }, 'UTC'))

    expect(unit).toMatchObject({ about: '', state: '' })
    expect(own).toMatchObject({ about: '', state: 'by Claude' })
  })
})

describe('facts.json', () => {
  const fact = {
    id: 'd001',
    text: 'Use tabs',
    reason: 'they align',
    at: TS,
    session: '1a2b3c4d',
    evidence: { entry: 7, quote: 'tabs' },
    files: ['src/a.ts'],
  }

  it('has one unit for each fact that was not rejected, with its reason, its files, its state and its entry', () => {
    const issue = {
      ...fact,
      id: 'i002',
      text: 'It fails',
      reason: null,
      status: 'resolved',
      resolution: 'a fix',
      files: [],
    }
    const units = unitsIn(
      'facts.json',
      JSON.stringify({
        decisions: [fact, { ...fact, id: 'd002', state: 'superseded' }, { ...fact, id: 'd003', state: 'rejected' }],
        issues: [issue],
      }),
    )

    expect(units.map(({ id, kind, state, about, text }) => [id, kind, state, about, text])).toEqual([
      ['d001', 'decision', 'fresh', '1a2b3c4d#7-7', 'Use tabs\nthey align\nsrc/a.ts'],
      ['d002', 'decision', 'superseded', '1a2b3c4d#7-7', 'Use tabs\nthey align\nsrc/a.ts'],
      ['i002', 'issue', 'resolved', '1a2b3c4d#7-7', 'It fails\na fix'],
    ])
  })

  it('names Claude as the one who saved a fact, unless the user’s words prove it', () => {
    const by = (speaker: string, more = {}): object => ({
      ...fact,
      evidence: { ...fact.evidence, by: speaker },
      ...more,
    })
    const decisions = [
      by('user', { author: 'agent' }),
      by('assistant', { author: 'agent' }),
      by('tool', { author: 'headless' }),
      by('assistant', { author: 'extractive' }),
      by('assistant', { author: 'agent', state: 'stale' }),
    ]

    expect(unitsIn('facts.json', JSON.stringify({ decisions })).map(({ state }) => state)).toEqual([
      'fresh',
      'by Claude',
      'by Claude',
      'fresh',
      'stale',
    ])
  })

  it('has what became permanent', () => {
    const permanent = { rules: ['Ask first'], solutions: ['Clear the cache'], core_logic: [] }

    expect(unitsIn('facts.json', JSON.stringify({ permanent })).map(({ id, kind }) => [id, kind])).toEqual([
      ['r001', 'rule'],
      ['r002', 'pattern'],
    ])
  })

  it('gives its whole lines when it was cut off', () => {
    const cut = `{\n  "decisions": [\n    ${JSON.stringify(fact)},\n    ${JSON.stringify({ ...fact, id: 'd002' })},\n    {"id":"d003","te`

    expect(unitsIn('facts.json', cut).map(({ id }) => id)).toEqual(['d001', 'd002'])
  })
})

describe('the summaries', () => {
  it('of an archive have one unit for each theme, decision and issue, whatever is wrong with the others', () => {
    const summary = {
      generatedAt: TS,
      overallSummary: 'All of it.',
      themes: [{ name: 'Parser', summary: 'was rewritten' }, 7, { name: 5 }],
      keyDecisions: [{ decision: 'Use tabs', reason: 'they align' }],
      issues: [
        { issue: 'It fails', status: 'resolved' },
        { issue: 'It is slow', status: 'open' },
      ],
    }
    const units = unitsIn('memory_20260113_120000.summary.json', JSON.stringify(summary))

    expect(units.map(({ id, text, state }) => [id.slice(-2), text, state])).toEqual([
      ['#1', 'All of it.', ''],
      ['#2', 'Parser\nwas rewritten', ''],
      ['#3', 'Use tabs\nthey align', ''],
      ['#4', 'It fails', 'resolved'],
      ['#5', 'It is slow', ''],
    ])
    expect(units[0]).toMatchObject({ kind: 'summary', at: TS })
  })

  it('of a session have one unit about all its entries', () => {
    const text =
      '# Session 1a2b3c4d, 2026-01-13 UTC\n<!-- session 1a2b3c4d entries=12 -->\n\n12:00–12:30 UTC\n\nAsked: why.\n'

    expect(unitsIn('sessions/20260113_120000_1a2b3c4d.md', text)).toEqual([
      {
        id: 'S:1a2b3c4d',
        kind: 'session',
        n: 0,
        at: TS,
        text: '12:00–12:30 UTC\n\nAsked: why.',
        state: '',
        about: '1a2b3c4d#0-11',
      },
    ])
  })

  it('has one unit for each session of a tier, named after it, with its date and its entries', () => {
    const tier = [
      '# Month 2026-01',
      '<!-- session 1a2b3c4d at=2026-01-13T10:00:00.000Z entries=15 ours= -->',
      '- 2026-01-13 Decided: Empty lines are skipped. [L1:1a2b3c4d#12]',
      '',
      '## By hand',
      'We were five.',
      '<!-- session 5e6f7a8b at=2026-01-14T10:00:00.000Z entries=0 ours= -->',
      'Nothing.',
    ].join('\n')

    expect(unitsIn('sessions/archive/2026-01.md', tier)).toEqual([
      {
        id: '2026-01.md#1',
        kind: 'tier',
        n: 0,
        at: '2026-01-01T00:00:00.000Z',
        text: 'By hand\nWe were five.',
        state: '',
        about: '',
      },
      {
        id: '2026-01.md#1a2b3c4d',
        kind: 'tier',
        n: 1,
        at: '2026-01-13T10:00:00.000Z',
        text: '- 2026-01-13 Decided: Empty lines are skipped. [L1:1a2b3c4d#12]',
        state: '',
        about: '1a2b3c4d#0-14',
      },
      {
        id: '2026-01.md#5e6f7a8b',
        kind: 'tier',
        n: 2,
        at: '2026-01-14T10:00:00.000Z',
        text: 'Nothing.',
        state: '',
        about: '',
      },
    ])
  })

  it('of weeks and months are dated by their first day', () => {
    expect(unitsIn('sessions/week-2026-01.md', '# W\n\nx\n')[0]).toMatchObject({
      id: 'week-2026-01.md#1',
      at: '2025-12-29T00:00:00.000Z',
    })
    expect(unitsIn('sessions/week-2026-03.md', '# W\n\nx\n')[0]?.at).toBe('2026-01-12T00:00:00.000Z')
    expect(unitsIn('sessions/archive/2026-02.md', '# M\n\nx\n')[0]).toMatchObject({
      id: '2026-02.md#1',
      kind: 'tier',
      at: '2026-02-01T00:00:00.000Z',
    })
  })
})

describe('a page', () => {
  it('has one unit for each section, below its headings', () => {
    const page =
      '# App\n\nWhat it is.\n\n## Parts\n\n### Parser\n\nReads.\n\n## Flow\n\n```sh\n# no heading\n```\n<!-- hidden -->\n'

    expect(textsIn('architecture.md', page)).toEqual([
      'App\nWhat it is.',
      'App › Parts › Parser\nReads.',
      'App › Flow\n```sh\n# no heading\n```',
    ])
    expect(unitsIn('architecture.md', page).map(({ id }) => id)).toEqual([
      'page:architecture#1',
      'page:architecture#2',
      'page:architecture#3',
    ])
  })

  it('that nobody has written yet has none', () => {
    for (const [name, template] of Object.entries(PAGE_TEMPLATES)) expect(unitsIn(`${name}.md`, template)).toEqual([])
  })

  it('of rules has one unit for each', () => {
    expect(
      unitsIn('rules.md', '# Rules\n\n- Ask first\n- Test\n').map(({ id, kind, text }) => [id, kind, text]),
    ).toEqual([
      ['rules.md#1', 'rule', 'Ask first'],
      ['rules.md#2', 'rule', 'Test'],
    ])
  })

  it('of concepts has one unit for each', () => {
    const concepts = [
      {
        id: 'c001',
        name: 'Search',
        aliases: ['Finding', 'Index'],
        summary: 'finds',
        keywords: ['bm25'],
        files: ['a.ts'],
      },
      { id: 'c002' },
    ]

    expect(unitsIn('concepts.json', JSON.stringify({ concepts }))).toMatchObject([
      { id: 'c001', kind: 'concept', text: 'Search\nFinding, Index\nfinds\nbm25\na.ts' },
    ])
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

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/transcripts')
const files = fs.existsSync(FOLDER) ? fs.readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : []

describe.skipIf(files.length === 0)(`real sessions (in ${FOLDER}, skipped where that is absent)`, () => {
  it.each(files)('%s: every entry is a unit, with all its words', (name) => {
    const { entries } = readAll(fs.readFileSync(path.join(FOLDER, name)), PLAIN)

    expect(entries.length).toBeGreaterThan(0)
    entries.forEach((entry, n) => {
      const unit = entryUnit(entry, 'aaaaaaaa', n)
      expect(unit?.text).toContain('text' in entry ? entry.text : entry.cmd)
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
