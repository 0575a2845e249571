import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Operators, parseKinds, parseOperators } from '../../../src/core/search/operators.ts'
import { KINDS } from '../../../src/kernel/memory/document.ts'
import { KeeperError } from '../../../src/kernel/platform/error.ts'
import { wildText } from '../../support/briefing.ts'

/** A Tuesday. */
const NOW = Date.parse('2026-01-13T12:00:00.000Z')
const parse = (query: string): Operators => parseOperators(query, { now: NOW })
const kindsOf = (query: string): string[] => [...parse(query).kinds]
const errorOf = (query: string): unknown => {
  try {
    parse(query)
  } catch (error) {
    return error
  }
  return null
}

const NOTHING_SAID = {
  phrases: [],
  without: [],
  files: [],
  withoutFiles: [],
  kinds: new Set(KINDS),
  since: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  session: null,
}

describe('a query', () => {
  it.each([
    'why does the login fail?',
    'http://localhost:3000/x https://a.b/c?d=e',
    'foo:bar a:b: :c',
    'C:\\dir\\file.ts',
    'std::map type::Foo session::create',
    'file:///etc/hosts',
    'a - b',
    'rm -rf build',
    'git push --force -u origin',
    'exit code -1',
    'the session: it ended, and since: nothing',
    'say "hello',
    'foo-bar x="1"',
    '메모리 검색이 왜 느려?',
  ])('%j is plain words', (query) => {
    expect(parse(query)).toEqual({ ...NOTHING_SAID, words: query.replace(/\s+/g, ' ') })
  })

  it('keeps the words of a phrase, and what may not stand there apart', () => {
    expect(parse('login "token expired" -cookie -"old flow" now')).toEqual({
      ...NOTHING_SAID,
      words: 'login token expired now',
      phrases: ['token expired'],
      without: ['cookie', 'old flow'],
    })
  })

  it.each([
    ['“token expired”', ['token expired']],
    ['“token expired"', ['token expired']],
    ['„token expired“', ['token expired']],
    ['""', []],
    ['"..."', []],
  ])('%j asks for the phrases %j', (query, phrases) => {
    expect(parse(query).phrases).toEqual(phrases)
  })

  it('names files, also such that may not be named', () => {
    expect(parse('file:src/auth.ts FILE:"my file.md" -file:*.test.ts')).toMatchObject({
      words: '',
      files: ['src/auth.ts', 'my file.md'],
      withoutFiles: ['*.test.ts'],
    })
  })

  it.each([
    ['type:decision,issue', ['decision', 'issue']],
    ['type:"decision, issue"', ['decision', 'issue']],
    ['type:facts', ['decision', 'pattern', 'issue']],
    ['type:prompts', ['prompt']],
    ['type:Answer', ['answer']],
    ['type:fact type:decision', ['decision']],
    ['type:summary', ['summary']],
    ['layer:L2', ['note']],
    ['layer:l1 -type:tool', ['prompt', 'answer', 'subagent', 'compaction']],
    ['layer:1,2', ['prompt', 'answer', 'tool', 'subagent', 'compaction', 'note']],
    ['layer:L2 type:decision', []],
    ['type:""', [...KINDS]],
  ])('%j allows the kinds %j', (query, kinds) => {
    expect(kindsOf(query)).toEqual(kinds)
  })

  it('takes a session by any form of its id', () => {
    for (const id of ['1a2b3c4d', '1A2B3C4D', 'L1:1a2b3c4d#5', 'S:1a2b3c4d', '1a2b3c4d-0000-4000-8000-000000000000'])
      expect(parse(`session:${id}`).session).toBe('1a2b3c4d')
  })

  it('takes times', () => {
    const at = (day: string): number => Date.parse(`${day}T00:00:00.000Z`)

    expect(parse('since:2026-01-03 x')).toMatchObject({ since: at('2026-01-03'), words: 'x' })
    expect(parse('until:"last week"')).toMatchObject({ until: at('2026-01-12'), words: '' })
    expect(parse('since:2026-01-01 since:2026-01-05 until:2026-01-09 until:2026-01-12')).toMatchObject({
      since: at('2026-01-05'),
      until: at('2026-01-10'),
    })
  })

  it.each([
    'type:module',
    'type:,',
    'layer:L4',
    'since:someday',
    'until:2026-13-01',
    'session:abc',
    '-since:3d',
    'type:constructor',
  ])('%j is refused', (query) => {
    expect(errorOf(query)).toMatchObject({ code: 'usage' })
  })

  it('says what an operator takes when it is given something else', () => {
    expect(String(errorOf('type:module'))).toContain('decision')
    expect(String(errorOf('since:someday'))).toContain('since:yesterday')
    expect(String(errorOf(`layer:${'x\n'.repeat(500)}`)).length).toBeLessThan(300)
  })

  it('never fails otherwise, and loses no word that is none of its own', () => {
    const piece = fc.oneof(
      wildText,
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        '"',
        '-',
        '--x',
        'type:',
        'type:note',
        '-"',
        'since:',
        ':',
        '“',
        'file:a',
        '\t',
        '-abc',
        'layer:L1',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom('', ' '), (pieces, glue) => {
        const query = pieces.join(glue)
        try {
          const { words, phrases, without, files, withoutFiles } = parse(query)
          for (const text of [...phrases, ...without, ...files, ...withoutFiles]) expect(query).toContain(text)
          for (const word of words.split(' ')) expect(query).toContain(word)
        } catch (error) {
          if (!(error instanceof KeeperError) || error.code !== 'usage') throw error
        }
      }),
    )
  })

  it('comes back as it was when it has no operator', () => {
    const word = fc.stringMatching(/^[a-z0-9_.#/\\가-힣]{1,12}$/)
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(parse(words.join('  '))).toEqual({ ...NOTHING_SAID, words: words.join(' ') })
      }),
    )
  })

  it('takes no time that grows with its square', () => {
    for (const text of ['“'.repeat(1e6), '"a" '.repeat(200_000), 'file:a '.repeat(200_000), '-'.repeat(1e6)])
      expect(() => parse(text)).not.toThrow()
  })
})

describe('every kind', () => {
  it('is taken by its name, in one and in many', () => {
    for (const kind of KINDS) {
      expect([...parseKinds(kind)]).toEqual([kind])
      expect([...parseKinds(`${kind.replace(/y$/, 'ie')}s`)]).toEqual([kind])
    }
  })
})
