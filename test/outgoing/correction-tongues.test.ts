/** Where a user sets Claude right in Japanese and Chinese. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { correctedInOtherTongues } from '../../src/outgoing/correction-tongues.ts'

describe('a correction in Japanese or Chinese', () => {
  it.each([
    ['違う、config/dev.yaml の方', 'config/dev.yaml の方'],
    ['いや、右じゃなくて左です', '右じゃなくて左です'],
    ['その関数じゃなくて、parse の方を直して', 'その関数じゃなくて、parse の方を直して'],
    ['英語でって言ったでしょ', '英語でって言ったでしょ'],
    ['またテストを忘れてる', 'またテストを忘れてる'],
    ['不对，应该用左边的', '应该用左边的'],
    ['错了，端口应该是8081', '端口应该是8081'],
    ['我说的是测试环境', '我说的是测试环境'],
    ['你又忘了加测试', '你又忘了加测试'],
  ])('is what is right: %s', (text, right) => {
    const from = correctedInOtherTongues(text)

    expect(from === null ? null : text.slice(from)).toBe(right)
  })

  it.each([
    '違いを説明して',
    'いや、大丈夫です',
    'これじゃないといけませんか',
    '不是很急',
    '不对吗？',
    '不用了，谢谢',
    '测试通过了',
  ])('is none: %s', (text) => {
    expect(correctedInOtherTongues(text)).toBeNull()
  })

  it('begins inside of what was said', () => {
    const part = fc.constantFrom('違う、', '不对，', '应该', 'その', 'じゃなくて', '左', '直して', '我说的是', ' ')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const text = parts.join('')
        const from = correctedInOtherTongues(text) ?? 0

        expect(from === 0 || from < text.length).toBe(true)
      }),
    )
  })
})
