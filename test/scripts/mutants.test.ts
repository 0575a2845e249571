/** Which small changes of a source are tried. */
import { describe, expect, it } from 'vitest'
import { mutantsOf, sample, showMutant, withMutant } from '../../scripts/parts/mutate.mjs'

/** The source with each mutant in it. */
const all = (code: string): string[] => mutantsOf(code).map((mutant) => withMutant(code, mutant))

describe('a mutant', () => {
  it('flips an operator, negates a condition', () => {
    expect(all('if (a < b && c) d = e ?? f')).toEqual([
      'if (!(a < b && c)) d = e ?? f',
      'if (a <= b && c) d = e ?? f',
      'if (a < b || c) d = e ?? f',
      'if (a < b && c) ;',
    ])
    expect(all('a === b ? c : d')).toEqual(['a !== b ? c : d'])
    expect(all('!a ? b : c')).toEqual(['a ? b : c'])
  })

  it('changes a number by one, a large or broken one by half', () => {
    expect(all('f = [0, 20_000, 0.5, true]').slice(1)).toEqual([
      'f = [1, 20_000, 0.5, true]',
      'f = [0, 10000, 0.5, true]',
      'f = [0, 20_000, 0.25, true]',
      'f = [0, 20_000, 0.5, false]',
    ])
  })

  it('empties what a function gives, by its form or its type', () => {
    expect(all('const f = (): string | null => g()')).toEqual(['const f = (): string | null => null'])
    expect(all('function f(): readonly A[] { return g() }')).toEqual(['function f(): readonly A[] { return [] }'])
    expect(all('const f = () => g()')).toEqual([])
  })

  it('drops a statement, or a call whose result has the form of what it was called on', () => {
    expect(all('for (let i = a; ; i++) store.save()')).toEqual(['for (let i = a; ; i++) ;'])
    expect(all('const x = (a ?? b).trim().length')).toEqual(['const x = (a ?? b).length'])
  })

  it('empties a text that is no message', () => {
    expect(all("const a = { 'b-c': 'd', summary: 'e', f: 'Nothing was found.' }")).toEqual([
      "const a = { 'b-c': '', summary: 'e', f: 'Nothing was found.' }",
    ])
  })

  it('is none of imports, types, comments, errors and logs', () => {
    expect(
      all(`import { a } from './a.ts'
        /** 1 < 2 */
        export type B = 'b' | 1
        interface C { d: 'e' }
        const f = g as 'h'
        throw new KeeperError('i', \`j \${1 + 2}\`)
        logFailure('k', 1)`),
    ).toEqual([])
  })

  it('is shown with its line, or what it drops', () => {
    const code = 'const a = 1\n  if (b < c) save(\n  d)\n'
    const shown = mutantsOf(code).map((mutant) => [mutant.line, mutant.what, showMutant(code, mutant)])

    expect(shown).toContainEqual([2, '< → <=', 'if (b <= c) save('])
    expect(shown).toContainEqual([2, 'statement dropped', 'save( d)'])
  })
})

it('a sample is the same for a seed, another one for another, and never larger than all', () => {
  const items = Array.from({ length: 50 }, (_, n) => n)

  expect(sample(items, 5, 1)).toEqual(sample(items, 5, 1))
  expect(sample(items, 5, 1)).not.toEqual(sample(items, 5, 2))
  expect(sample(items, 99, 1).toSorted((a, b) => a - b)).toEqual(items)
})
