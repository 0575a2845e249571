import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Match, readable, snippetOf } from '../../../src/core/search/snippet.ts'
import { stemOf } from '../../../src/kernel/text/token.ts'
import { tokenise, tokenSpans } from '../../../src/kernel/text/words.ts'
import { wildText } from '../../support/briefing.ts'

const MAX = 220

/** As search finds them: by stems, all of one weight unless it is told. */
function finder(query: string, rare = ''): (line: string) => Match[] {
  const wanted = new Set([...tokenise(query)].map(stemOf))
  const weighty = new Set([...tokenise(rare)].map(stemOf))
  return (line) =>
    tokenSpans(line)
      .filter(({ token }) => wanted.has(stemOf(token)))
      .map(({ token, from, to }) => ({ from, to, what: stemOf(token), weight: weighty.has(stemOf(token)) ? 5 : 1 }))
}

const marked = (text: string, query: string, rare = ''): string => {
  const { snippet, marks } = snippetOf(text, finder(query, rare), MAX)
  return marks
    .toReversed()
    .reduce((all, [from, to]) => `${all.slice(0, from)}[${all.slice(from, to)}]${all.slice(to)}`, snippet)
}
const filler = 'some words that tell nothing at all and only take room here. '

describe('a snippet', () => {
  it.each([
    ['The token expired.', 'tokens', 'The [token] expired.'],
    ['two\nlines\twith  the token', 'token', 'two lines with the [token]'],
    ['call parseUserName now', 'user name', 'call parse[UserName] now'],
    ['call getUserById now', 'getUserById', 'call [getUserById] now'],
    ['그 메모리검색은 느리다', '메모리', '그 [메모리]검색은 느리다'],
    ['nothing here', 'token', 'nothing here'],
  ])('of %j for %j is %s', (text, query, expected) => {
    expect(marked(text, query)).toBe(expected)
  })

  it('shows the place where most of the words stand together', () => {
    const text = `token ${filler.repeat(8)}the session token expired early ${filler.repeat(8)}`
    const shown = marked(text, 'session token expired')

    expect(shown).toContain('[session] [token] [expired]')
    expect(shown).toMatch(/^…\S.*\S…$/)
  })

  it('shows a rare word rather than a common one twice', () => {
    const text = `token and token and token ${filler.repeat(8)} the wombat sleeps ${filler.repeat(8)}`

    expect(marked(text, 'token wombat', 'wombat')).toContain('[wombat]')
  })

  it('begins at the beginning when nothing matches, and when the match is near it', () => {
    expect(marked(`First ${filler.repeat(9)}`, 'absent')).toMatch(/^First some .*…$/)
    expect(marked(`First the token ${filler.repeat(9)}`, 'token')).toMatch(/^First the \[token\]/)
  })

  it('ends at words, not inside of them', () => {
    const words = new Set(`${filler}token`.split(' '))
    const text = `${filler.repeat(6)}token ${filler.repeat(6)}`
    const { snippet } = snippetOf(text, finder('token'), MAX)

    for (const word of snippet.replace(/^…|…$/g, '').split(' ')) expect(words).toContain(word)
  })

  it('begins with the match where a long word stands before it', () => {
    const text = `${'shape'.repeat(80)}(token ${'token-'.repeat(35)} ${filler.repeat(5)}`

    expect(snippetOf(text, finder('token'), MAX).snippet).toMatch(/^…\(?token /)
  })

  it('cuts scripts without spaces between characters', () => {
    const { snippet, marks } = snippetOf(`${'あ'.repeat(400)}検索${'い'.repeat(400)}`, finder('検索'), MAX)

    expect(snippet.length).toBeLessThanOrEqual(MAX)
    expect(marks.map(([from, to]) => snippet.slice(from, to))).toEqual(['検索'])
  })

  it('has nothing hidden and no colours; tags are made harmless where it is told to a model', () => {
    const { snippet } = snippetOf('a\u001b[31m token </memory-keeper> \u202eevil\u0007 token', finder('token'), MAX)

    expect(snippet).toBe('a token </memory-keeper> evil token')
  })

  it('is one line within its room, whole characters, with marks on what matched', () => {
    const word = fc.constantFrom('token', 'session', '메모리', '検索', 'getUserById', '👩‍👩‍👧‍👦', '𠮷野家', 'e\u0301')
    const text = fc.array(fc.oneof(wildText, word, fc.string({ unit: 'grapheme' })), { maxLength: 30 })
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('', ' ', '\n'),
        word,
        fc.integer({ min: 40, max: 220 }),
        (parts, glue, query, max) => {
          const find = finder(query)
          const { snippet, marks } = snippetOf(parts.join(glue), find, max)

          expect(snippet.length).toBeLessThanOrEqual(max)
          expect(snippet).not.toMatch(/[\n\r\t]|\p{Cs}/u)
          let last = -1
          for (const [from, to] of marks) {
            expect(from).toBeGreaterThan(last)
            expect(to).toBeGreaterThan(from)
            expect(to).toBeLessThanOrEqual(snippet.length)
            expect(find(snippet.slice(from, to)).length).toBeGreaterThan(0)
            last = to
          }
        },
      ),
    )
  })

  it('shows a match whenever there is one that fits', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), (before, after) => {
        const text = `${filler.repeat(before)}wombat ${filler.repeat(after)}`
        const { snippet, marks } = snippetOf(text, finder('wombat'), MAX)
        expect(marks.map(([from, to]) => snippet.slice(from, to))).toEqual(['wombat'])
      }),
    )
  })
})

describe('a concept as it is shown', () => {
  it('has its name apart from what it says', () => {
    const text = 'Prices\nPrices are counted in whole cents.\ncents prices'

    expect(readable({ kind: 'concept', text })).toBe('Prices: Prices are counted in whole cents. · cents prices')
    expect(readable({ kind: 'concept', text: 'Prices' })).toBe('Prices')
    expect(readable({ kind: 'decision', text })).toBe(text)
  })

  it('holds the same words, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(wildText, { minLength: 1, maxLength: 5 }), (lines) => {
        const text = lines.join('\n')
        expect([...tokenise(readable({ kind: 'concept', text }))]).toEqual([...tokenise(text)])
      }),
    )
  })
})
