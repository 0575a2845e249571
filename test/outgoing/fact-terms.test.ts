/** The terms of a fact: what counts as the same word, and what stands in the reason. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { termsIn, wordsIn } from '../../src/outgoing/fact-terms.ts'
import { turnsIn } from '../../src/outgoing/fact-turns.ts'

describe('terms', () => {
  it.each([
    ['Packages are installed', 'package install'],
    ['the DB config of prod', 'database configuration production'],
    ['retry it three times in 30s', 'retry 3 30 second'],
    ['src/net/http.ts and node_modules', 'src/net/http.ts node_modules'],
    ['PRs', 'pull request'],
    ['유닛테스트를 배포한다', 'unit test deploy'],
    ['사라졌다', '사라짐'],
    ['사라집니다', '사라지는'],
    ['two twice three', '2 3'],
    ['constructor __proto__', 'constructor __proto__'],
  ])('of %j are %j', (text, terms) => {
    const same = (words: string): string[] => [...termsIn(words).all].sort()

    expect(same(text)).toEqual(same(terms))
  })

  it('of the reason are known as such', () => {
    const english = termsIn('Use esbuild because webpack is slow')
    const korean = termsIn('webpack이 느리기 때문에 esbuild를 쓰자')

    expect(english.core).toEqual(['esbuild'])
    expect(korean.core).toEqual(['esbuild'])
    expect(english.all).toEqual(expect.arrayContaining(['webpack', 'slow']))
    expect(termsIn('Backups fail since items are locked').core).toContain('lock')
  })

  it('do not depend on case and spaces, and never fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const terms = termsIn(text)
        expect(new Set(terms.all).size).toBe(terms.all.length)
        expect(terms.core.every((term) => terms.all.includes(term))).toBe(true)
        expect(wordsIn(text).flatMap((word) => [...word.terms]).length).toBeGreaterThanOrEqual(terms.soft.length)
        const ascii = text.replace(/[^ -~]/g, ' ')
        expect(termsIn(`  ${ascii.toUpperCase().toLowerCase()} `).all).toEqual(termsIn(ascii.toLowerCase()).all)
      }),
    )
  })
})

describe('what a fact refuses', () => {
  it.each([
    ["Don't commit secrets", ['commit']],
    ['Use fetch instead of axios', ['axio']],
    ['Move from MySQL to Postgres', ['mysql']],
    ["Don't remove the lock", []],
    ['npm 말고 pnpm을 쓰자', ['npm']],
    ['main에 직접 커밋하지 마세요', ['commit']],
  ])('is in %j: %j', (text, no) => {
    expect([...turnsIn(termsIn(text)).no]).toEqual(no)
  })
})
