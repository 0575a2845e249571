import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replaceBlocks, tagsOf } from '../../../src/kernel/text/tags.ts'

const anyTagged = fc
  .array(fc.constantFrom('<a>', '</a>', '<a-b x="1">', '</a-b>', '<', '</a', '>', 'words ', '\n'), { maxLength: 30 })
  .map((parts) => parts.join(''))

describe('the tags of a text', () => {
  it('are found where a search for each of them finds them', () => {
    fc.assert(
      fc.property(anyTagged, fc.nat(60), fc.constantFrom('a', 'a-b', 'c'), (text, from, tag) => {
        const tags = tagsOf(text)
        expect(tags.closed(tag, from)).toBe(text.indexOf(`</${tag}>`, from))
        const last = text.lastIndexOf(`</${tag}>`)
        expect(tags.lastClosed(tag, from)).toBe(last >= from ? last : -1)
        expect(tags.opened(tag, 0)).toBe(text.search(new RegExp(`<${tag}(?![\\w:-])`)))
      }),
    )
  })

  it('are replaced as a pattern would replace them', () => {
    fc.assert(
      fc.property(anyTagged, (text) => {
        const made = replaceBlocks(text, '<a>', '</a>', (inside) => `[${inside}]`)
        expect(made).toBe(text.replace(/<a>([\s\S]*?)<\/a>/g, '[$1]'))
      }),
    )
  })
})
