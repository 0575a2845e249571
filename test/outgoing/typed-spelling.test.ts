/** Words that were typed in a hurry, written out. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spellOut } from '../../src/outgoing/typed-spelling.ts'

describe('what was typed in a hurry', () => {
  it.each([
    ['dont touch that', "don't touch that"],
    ['u forgot it, thats the third time', "you forgot it, that's the third time"],
    ['ok lets use bun', "ok let's use bun"],
    ['gonna stick w/ yarn', 'going to stick with yarn'],
    ['wont do, cant test it b4 friday', "won't do, can't test it before friday"],
  ])('is written out: %s', (typed, spelled) => {
    expect(spellOut(typed).text).toBe(spelled)
  })

  it.each([
    'this flag lets us skip it',
    'its own cache, as they were',
    'run dont.sh and im/u.ts',
    'a well of bc-math',
    'the user_u column',
  ])('stays where it is another word, or a part of a name: %s', (typed) => {
    expect(spellOut(typed).text).toBe(typed)
  })

  it('knows where each of its words was typed', () => {
    const { text, typedAt } = spellOut('nope thats wrong, u need main.ts')

    expect(typedAt(text.indexOf('wrong'))).toBe('nope thats '.length)
    expect(typedAt(text.indexOf('need'))).toBe('nope thats wrong, u '.length)
  })

  it('leads to places in what was typed that never go back, from the first to the last', () => {
    const word = fc.constantFrom('dont', 'u', 'lets', 'gonna', 'w/', 'use', 'main.ts', '그거', 'ok,')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const typed = words.join(' ')
        const { text, typedAt } = spellOut(typed)
        const places = Array.from({ length: text.length + 1 }, (_, at) => typedAt(at))

        expect(places).toEqual(places.toSorted((a, b) => a - b))
        expect(places[0]).toBe(0)
        expect(places.at(-1)).toBe(typed.length)
      }),
    )
  })
})
