/** What belongs to the conversation is told from what was said. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainly, withoutOpeners } from '../../src/outgoing/openers.ts'

describe('a sentence without its openers', () => {
  it.each([
    ["Yes, let's keep prices in whole cents.", "Let's keep prices in whole cents."],
    ['ok, agreed: we stay with REST for the admin API.', 'We stay with REST for the admin API.'],
    ['And never touch the legacy folder.', 'Never touch the legacy folder.'],
    ['Remember, always run the linter before you commit.', 'Always run the linter before you commit.'],
    ['Again: use pnpm, not npm!', 'Use pnpm, not npm!'],
    ['As I said before, every depth is in metres.', 'every depth is in metres.'.replace('e', 'E')],
    ["'/home/me/shot one.png' [Image #1] please keep the header fixed.", 'Please keep the header fixed.'],
    ['네, 결제는 토스로 가자.', '결제는 토스로 가자.'],
    ['다시 말하지만 테스트는 vitest로 돌려야 해.', '테스트는 vitest로 돌려야 해.'],
  ])('%s', (said, plain) => {
    expect(withoutOpeners(said)).toBe(plain)
  })

  it.each([
    'Right click opens the menu of a row.',
    'No console.log in the server code.',
    'So that nobody waits, the queue is read in pieces.',
    'Good names are short names.',
    'Yes, use it.',
    "'/etc/hosts' is never edited by hand.",
  ])('stays what it is where nothing opens it: %s', (said) => {
    expect(withoutOpeners(said)).toBe(said)
  })

  it('keeps the letters of a name', () => {
    expect(withoutOpeners('Yes, npm run build must pass.')).toBe('npm run build must pass.')
  })

  it('keeps a refusal, which a rule does without', () => {
    expect(withoutOpeners('No, use pnpm, not npm.')).toBe('No, use pnpm, not npm.')
    expect(plainly('No, use pnpm, not npm.')).toBe('Use pnpm, not npm.')
    expect(plainly('아니 jest 말고 vitest로 돌려')).toBe('jest 말고 vitest로 돌려')
  })

  it('is the end of what was said, and said again it stays', () => {
    const openers = fc.constantFrom('Yes, ', 'And ', 'ok, ', 'Remember: ', 'No, ', '그리고 ', '아니, ', '')
    fc.assert(
      fc.property(fc.array(openers, { maxLength: 4 }), fc.string({ maxLength: 80 }), (before, rest) => {
        const said = before.join('') + rest
        const plain = plainly(said)

        expect(said.toLowerCase().endsWith(plain.toLowerCase())).toBe(true)
        expect(plainly(plain).toLowerCase()).toBe(plainly(plainly(plain)).toLowerCase())
      }),
    )
  })
})
