import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Company, guessWords, meantBy } from '../../../src/kernel/text/typo.ts'

const KNOWN = [
  ...'kubernetes cube postgres migration migrations config configuration session sessions 8080 port8081'.split(' '),
  ...'authentication 메모리를 메모리가 데이터베이스 검색'.split(' '),
]
const guesses = (word: string): string[] => guessWords(word, KNOWN, 'none')

describe('a word nobody wrote', () => {
  it.each([
    ['kubernets', ['kubernetes']],
    ['kubernetse', ['kubernetes']],
    ['kubrenetse', ['kubernetes']],
    ['postgress', ['postgres']],
    ['confg', ['config']],
    ['sesison', ['session']],
    ['authentification', ['authentication']],
    ['kube', ['kubernetes']],
    ['migr', ['migration', 'migrations']],
    ['cubernetes', ['kubernetes']],
    ['메로리', ['메모리를', '메모리가']],
    ['데이타베이스', ['데이터베이스']],
  ])('%s is taken for %j', (word, expected) => {
    expect(guesses(word)).toEqual(expected)
  })

  it.each(['cub', 'cue', 'wombat', '8081', 'port8082', '검상', 'kbrnts', ''])('%j is taken for nothing', (word) => {
    expect(guesses(word)).toEqual([])
  })

  it.each<[string, Company, string[]]>([
    ['confg', 'few', []],
    ['postgress', 'few', ['postgres']],
    ['postgrez', 'few', ['postgres']],
    ['bostgres', 'few', []],
    ['authen', 'few', ['authentication']],
    ['postgress', 'many', ['postgres']],
    ['postgers', 'many', ['postgres']],
    ['postgrez', 'many', []],
    ['authen', 'many', []],
    ['authentification', 'many', []],
    ['메로리', 'many', ['메모리를', '메모리가']],
  ])('%s beside %s known words is taken for %j', (word, company, expected) => {
    expect(guessWords(word, KNOWN, company)).toEqual(expected)
  })

  it('is told the closest ones only, and not endlessly many', () => {
    const many = Array.from({ length: 500 }, (_, i) => `session${String.fromCharCode(97 + (i % 26))}${i}x`)

    expect(guessWords('sessio', [...many, 'session'], 'none')).toContain('session')
    expect(guessWords('sess', many, 'none').length).toBeLessThan(50)
  })

  it('is found again after any one mistake in a longer word', () => {
    const word = fc.stringMatching(/^[a-z]{5,12}$/)
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom('drop', 'double', 'swap', 'other'), (known, where, how) => {
        const at = 1 + (where % (known.length - 2))
        const letter = known[at] ?? ''
        const typed = {
          drop: known.slice(0, at) + known.slice(at + 1),
          double: known.slice(0, at) + letter + known.slice(at),
          swap: known.slice(0, at) + known[at + 1] + letter + known.slice(at + 2),
          other: `${known.slice(0, at)}${letter === 'q' ? 'z' : 'q'}${known.slice(at + 1)}`,
        }[how]
        if (typed === known) return
        expect(guessWords(typed, [known], 'none')).toEqual([known])
      }),
    )
  })

  it('is meant as far as it is known: whoever is guessed for one is one for the other', () => {
    const word = fc.stringMatching(/^[abc]{6,7}$/)
    fc.assert(
      fc.property(word, word, (a, b) => {
        // A beginning is one only in one direction.
        if (a.startsWith(b) || b.startsWith(a)) return
        expect(guessWords(a, [b], 'few').length).toBe(guessWords(b, [a], 'few').length)
      }),
    )
  })
})

/** What somebody meant who typed what does not exist. */
const NAMES = ['saveInterval', 'summarizer', 'summaryMaxTokens', 'recall', 'recallMaxTokens', 'rules']

describe('what was meant', () => {
  it.each([
    ['saveinterval', 'saveInterval'],
    ['saveIntervall', 'saveInterval'],
    ['sumarizer', 'summarizer'],
    ['save', 'saveInterval'],
    ['interval', 'saveInterval'],
  ])('by %s is %s', (typed, meant) => {
    expect(meantBy(typed, NAMES)).toBe(meant)
  })

  it.each(['foo', '', 'sum', 'max'])('by %j nobody can tell', (typed) => {
    expect(meantBy(typed, NAMES)).toBeNull()
  })

  it.each([
    ['D001', 'd001'],
    ['d1', 'd001'],
    ['dOO1', 'd001'],
    ['d-12', 'd012'],
  ])('by the id %s is %s', (typed, meant) => {
    expect(meantBy(typed, ['d001', 'd011', 'd012', 'p001'])).toBe(meant)
  })

  it('by a number that is not there is no other number', () => {
    expect(meantBy('d013', ['d001', 'd011', 'd012'])).toBeNull()
  })

  it('by a name that is there is that name, and a guess is always a known one', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{4,12}$/), { maxLength: 12 }),
        fc.string(),
        (names, typed) => {
          for (const name of names) expect(meantBy(name.toUpperCase(), names)).toBe(name)
          const meant = meantBy(typed, names)
          if (meant !== null) expect(names).toContain(meant)
        },
      ),
    )
  })
})
