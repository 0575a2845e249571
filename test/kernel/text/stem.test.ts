import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stem } from '../../../src/kernel/text/stem.ts'

const stems = (words: string): string[] => [...new Set(words.split(' ').map(stem))]

describe('forms of one word', () => {
  it.each([
    'run runs running ran',
    'test tests tested testing',
    'decide decided decides deciding',
    'migrate migrated migrates migration migrations',
    'cache cached caches caching',
    'query queries queried querying',
    'commit commits committed committing',
    'stop stopped stopping stops',
    'configure configured configuration',
    'write wrote written writes writing',
    'build built builds building',
    'index indexes indices indexed indexing',
    'leave left leaving',
    'break broke broken breaks',
    'process processes processed processing',
    'child children',
    'analysis analyses',
    'use used uses using',
    'hope hoped hoping',
    'size sized sizes sizing',
    'agree agreed agrees',
    // Where a rule or a table alone would part them.
    'bit bits',
    'bound bounds',
    'shot shots',
    'thought thoughts',
    'add adds added adding',
    'try tries tried trying',
    'deploy deploys deployed deploying deployment',
  ])('meet: %s', (words) => {
    expect(stems(words)).toHaveLength(1)
  })
})

describe('different words', () => {
  it.each([
    'test text',
    'port part',
    'cat cattle',
    'commit comment',
    'error mirror',
    'user use',
    'bed bring',
    'red ring',
    'fail fall',
    'host hosting ghost',
  ])('stay apart: %s', (words) => {
    expect(stems(words)).toHaveLength(2)
  })

  it.each(['sing', 'bed', 'ring', 'red', 'feed', 'string', 'spring'])(
    '%s keeps what only looks like an ending',
    (word) => {
      expect(stem(word)).toBe(word)
    },
  )
})

describe('what is no English word', () => {
  it.each(['', 'a', 'go2', 'sha256', 'utf8', '메모', 'größen', 'naïves', 'x-ings', '\ud800'])(
    '%j is its own stem',
    (word) => {
      expect(stem(word)).toBe(word)
    },
  )
})

describe('a stem', () => {
  const word = fc.stringMatching(/^[a-z]{1,18}$/)
  const ending = fc.constantFrom('', 's', 'es', 'ed', 'ing', 'ational', 'ization', 'ies', 'ness', 'ment', 'y')

  it('begins as its word does, unless the table knows the word', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[bcdfgkmprst][aeiou][bcdfgkmprst]{2}[aeiou][bcdfgkmprst]$/),
        ending,
        (head, tail) => {
          expect(stem(head + tail).slice(0, 3)).toBe(head.slice(0, 3))
        },
      ),
    )
  })

  it('is the same with a plural s behind a consonant', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[bcdfgkmprst][aeiou][bcdfgkmprt]{1,2}[aeiou][bcdfgkmprt]$/), (noun) => {
        expect(stem(`${noun}s`)).toBe(stem(noun))
      }),
    )
  })

  it('is never empty, at most one letter longer than its word, and stems of stems come to rest', () => {
    fc.assert(
      fc.property(word, ending, (head, tail) => {
        let [before, now] = [head + tail, stem(head + tail)]
        expect(now).not.toBe('')
        expect(now.length).toBeLessThanOrEqual(head.length + tail.length + 1)
        for (let step = 0; step < 12 && now !== before; step++) [before, now] = [now, stem(now)]

        expect(now).toBe(before)
      }),
    )
  })

  it('is found for any text, and is that text where it is no word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const found = stem(text)

        if (!/^[a-z]*$/.test(text)) expect(found).toBe(text)
        expect(typeof found).toBe('string')
      }),
    )
  })

  it('of a very long word is found', () => {
    for (const [unit = '', end = ''] of ['a y', 'b a', 'ing ', 'ational ', 'y b', 'st ion'].map((pair) =>
      pair.split(' '),
    ))
      expect(stem(unit.repeat(100_000 / unit.length) + end)).not.toBe('')
  })
})
