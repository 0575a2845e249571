/** Sentences that need others to say something. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isGoneNow, statedBefore } from '../../src/outgoing/digest-pointing.ts'
import { sentencesOf } from '../../src/text/sentences.ts'

const pointedAt = (text: string): string | null | undefined => {
  const sentences = sentencesOf(text)
  const found = statedBefore(sentences, sentences.length - 1)
  return found == null ? found : found.text
}

describe('a sentence that points back', () => {
  it.each([
    ['Two tabs log the user out. I have not fixed it yet.', 'Two tabs log the user out.'],
    ['The cache never expires. This is still broken.', 'The cache never expires.'],
    ['두 탭이 동시에 갱신하면 로그아웃됩니다. 아직 고치지 못했습니다.', '두 탭이 동시에 갱신하면 로그아웃됩니다.'],
  ])('has what it says from the one before: %s', (text, said) => {
    expect(pointedAt(text)).toBe(said)
  })

  it('says nothing where nothing stands before it that does', () => {
    expect(pointedAt('I have not fixed it yet.')).toBeNull()
    expect(pointedAt('Shall I go on with the cache? I have not fixed it yet.')).toBeNull()
  })

  it('is none where it names what it is about', () => {
    expect(pointedAt('Two tabs log the user out. The mutex is not tested yet.')).toBeUndefined()
    expect(pointedAt('두 탭이 문제입니다. 결제 재시도는 아직 고치지 못했습니다.')).toBeUndefined()
  })

  it('never takes a sentence from behind', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('It works.', 'I have not fixed it yet.', 'The cache leaks.')), (all) => {
        const sentences = sentencesOf(all.join(' '))
        for (let i = 0; i < sentences.length; i++) {
          const found = statedBefore(sentences, i)
          if (found) expect(found.to).toBeLessThanOrEqual(sentences[i]?.from ?? 0)
        }
      }),
    )
  })
})

describe('that something is gone', () => {
  const ISSUES = ['The invoice PDF in src/invoice.ts rounds by itself.']

  it('is told of what is known to be open, and of nothing else', () => {
    const said = 'The invoice PDF no longer rounds by itself: it takes the cents from src/price.ts.'

    expect(isGoneNow(said, ISSUES)).toBe(true)
    expect(isGoneNow(said, [])).toBe(false)
    expect(isGoneNow('The server no longer listens on port 80.', ISSUES)).toBe(false)
    expect(isGoneNow('Does the invoice PDF no longer round by itself?', ISSUES)).toBe(false)
  })

  it('is no answer to an issue that says so itself', () => {
    expect(isGoneNow('The importer no longer starts.', ['The importer no longer starts after the update.'])).toBe(false)
  })
})
