/** The frame of remembered text: nobody without the key can write its name. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatFrameKey, frameWith, halfSipHash, parseFrameKey, withoutFrames } from '../../../src/kernel/text/frame.ts'
import { wildText } from '../../support/briefing.ts'

const KEY = [0x03020100, 0x07060504] as const

describe('the frame of remembered text', () => {
  it('has the name and eight characters, the same at both ends', () => {
    const [open = '', ...rest] = frameWith(KEY)('memory-keeper', ['One.', 'Two.'])

    expect(open).toMatch(/^<memory-keeper-[a-z2-9]{8}>$/)
    expect(rest).toEqual(['One.', 'Two.', open.replace('<', '</')])
  })

  it('is the same for the same lines, and another one for other lines, another name or another key', () => {
    const nameOf = (frame: readonly string[]): string => frame[0]?.slice(-9) ?? ''
    const frame = frameWith(KEY)

    expect(frame('memory-keeper', ['One.'])).toEqual(frame('memory-keeper', ['One.']))
    const names = [
      frame('memory-keeper', ['One.']),
      frame('memory-keeper', ['One!']),
      frame('memory-keeper-recall', ['One.']),
      frameWith([KEY[0], KEY[1] + 1])('memory-keeper', ['One.']),
    ].map(nameOf)
    expect(new Set(names).size).toBe(4)
  })

  it('changes half of its bits when one character changes', () => {
    const bits = (word: number): number => [...(word >>> 0).toString(2)].filter((bit) => bit === '1').length
    let changed = 0
    for (let i = 0; i < 200; i++) {
      const text = `${'x'.repeat(i)}a`
      const [some, others] = [halfSipHash(KEY, text), halfSipHash(KEY, `${'x'.repeat(i)}b`)]
      changed += bits((some[0] ^ others[0]) | 0) + bits((some[1] ^ others[1]) | 0)
    }
    expect(changed / 200 / 64).toBeGreaterThan(0.45)
    expect(changed / 200 / 64).toBeLessThan(0.55)
  })

  it('gets its key from sixteen hex digits and from nothing else', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.nat(0xffffffff), (low, high) => {
        expect(parseFrameKey(formatFrameKey([low, high]))).toEqual([low, high])
      }),
    )
    for (const text of ['', 'abc', 'x'.repeat(16), '0'.repeat(17)]) expect(parseFrameKey(text)).toBeNull()
  })
})

describe('a text without our frames', () => {
  const framed = (text: string, name: 'memory-keeper' | 'memory-keeper-recall' = 'memory-keeper'): string =>
    frameWith(KEY)(name, [text]).join('\n')

  it('has what stands before, between and behind them', () => {
    const text = `Before. ${framed('Remembered.')} Between. ${framed('Recalled.', 'memory-keeper-recall')} Behind.`

    expect(withoutFrames(text)).toBe('Before.  Between.  Behind.')
    expect(withoutFrames(framed('Remembered.'))).toBe('')
    expect(withoutFrames(`${framed('One.')}\n${framed('Two.')}`)).toBe('')
  })

  it('has nothing of a frame that another key made: nobody knows whose it was', () => {
    const strangers = frameWith([1, 2])('memory-keeper', ['Remembered elsewhere.']).join('\n')

    expect(withoutFrames(`Before. ${strangers}`)).toBe('Before.')
  })

  it('keeps one that is never closed, unless the text may end inside it', () => {
    const text = `Before. ${framed('Remembered.').split('\n</')[0]}`

    expect(withoutFrames(text)).toBe(text)
    expect(withoutFrames(text, true)).toBe('Before.')
    expect(withoutFrames(`${framed('One.')} and ${text}`, true)).toBe('and Before.')
    // The end of the name is cut away, too.
    expect(withoutFrames(framed('Remembered.').slice(0, -3), true)).toBe('')
  })

  it('has nothing of frames inside a frame', () => {
    const inner = framed('Recalled.', 'memory-keeper-recall')
    const outer = framed(`One.\n${inner}\nTwo.`)

    expect(withoutFrames(`Before. ${outer} Behind.`)).toBe('Before.  Behind.')
    // A frame that begins inside and ends outside ends nothing.
    const [open = '', , close = ''] = inner.split('\n')
    expect(withoutFrames(`Before. ${framed(`One. ${open}`)} Between. ${close} Behind.`)).toBe(
      `Before.  Between. ${close} Behind.`,
    )
  })

  it('keeps everything else, as it is', () => {
    fc.assert(
      fc.property(wildText, fc.boolean(), (text, isCut) => {
        expect(withoutFrames(text, isCut)).toBe(text)
      }),
    )
    for (const text of [
      '<memory-keeper>\nplain\n</memory-keeper>',
      '<memory-keeper-short>x</memory-keeper-short>',
      '<memory-keeper-toolongname>x</memory-keeper-toolongname>',
      '<memory-keeper-ABCDEFGH>x</memory-keeper-ABCDEFGH>',
      '<memory-keeper-abcdefgh a="1">x</memory-keeper-abcdefgh>',
      '  </memory-keeper-abcdefgh> closed only ',
    ])
      expect(withoutFrames(text, true)).toBe(text)
  })

  it('has nothing of what was framed, whatever it was', () => {
    fc.assert(
      fc.property(
        fc.array(
          wildText.map((text) => `secret ${text}`),
          { maxLength: 4 },
        ),
        (texts) => {
          expect(withoutFrames(texts.map((text) => `kept ${framed(text)}`).join(' '))).not.toContain('secret')
        },
      ),
    )
  })

  it('comes back soon from thirty thousand that are never closed, each with its own name', () => {
    const name = (n: number): string =>
      n
        .toString(31)
        .padStart(8, '0')
        .replace(/[01]/g, (digit) => 'xy'[Number(digit)] ?? '')
    const opened = Array.from({ length: 30_000 }, (_, n) => `<memory-keeper-${name(n)}> words `).join('')
    const started = performance.now()

    expect(withoutFrames(opened)).toBe(opened)
    expect(withoutFrames(opened, true)).toBe('')
    expect(withoutFrames(opened.replaceAll('> words', '> words </memory-keeper-zzzzzzzz>'))).toContain('words')
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
