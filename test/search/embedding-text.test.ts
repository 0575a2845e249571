import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readNormaliser, readSplitter } from '../../src/search/embedding-text.ts'

/** SentencePiece's table as its own tools write it: a double-array trie, then the texts. */
function charsMapOf(pairs: readonly (readonly [string, string])[]): string {
  interface Node {
    children: Map<number, Node>
    text?: number
  }
  const root: Node = { children: new Map() }
  const texts: number[] = []
  for (const [key, text] of pairs) {
    let node = root
    for (const byte of Buffer.from(key)) {
      const child = node.children.get(byte) ?? { children: new Map() }
      node.children.set(byte, child)
      node = child
    }
    node.text = texts.length
    texts.push(...Buffer.from(text), 0)
  }
  const units = new Map<number, number>()
  const place = (node: Node, at: number, label: number): void => {
    const labels = [...(node.text === undefined ? [] : [0]), ...node.children.keys()]
    let offset = 1
    while (labels.some((each) => units.has(at ^ offset ^ each) || (at ^ offset ^ each) === 0)) offset++
    units.set(at, ((offset << 10) | (node.text === undefined ? 0 : 0x100) | label) >>> 0)
    for (const each of labels) units.set(at ^ offset ^ each, 0)
    if (node.text !== undefined) units.set(at ^ offset, (node.text | 0x80000000) >>> 0)
    for (const [each, child] of node.children) place(child, at ^ offset ^ each, each)
  }
  place(root, 0, 0)
  const count = Math.max(...units.keys()) + 1
  const bytes = Buffer.alloc(4 + count * 4 + texts.length)
  bytes.writeUInt32LE(count * 4)
  for (const [at, unit] of units) bytes.writeUInt32LE(unit, 4 + at * 4)
  bytes.set(texts, 4 + count * 4)
  return bytes.toString('base64')
}

describe('normalising', () => {
  const charsmap = charsMapOf([
    ['ﬁ', 'fi'],
    ['Ａ', 'A'],
    ['e\u0301', 'é'],
    ['\t', ' '],
    ['a', 'b'],
    ['abc', 'C'],
    ['.', ''],
  ])
  const table = { type: 'Precompiled', precompiled_charsmap: charsmap }

  it.each<[string, object | null, string, string]>([
    ['nothing', null, ' Aé\u0000', ' Aé\u0000'],
    ['lower case', { type: 'Lowercase' }, 'AbÉ', 'abé'],
    ['compatible forms', { type: 'NFKC' }, 'ﬁＡe\u0301', 'fiAé'],
    ['no accents', { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'StripAccents' }] }, 'éa', 'ea'],
    ['no space at the end', { type: 'Strip', strip_left: false, strip_right: true }, ' a \u0085', ' a'],
    ['no space at both ends', { type: 'Strip' }, ' a ', 'a'],
    ['a text replaced', { type: 'Replace', pattern: { String: '.' }, content: ' $& ' }, 'a.b', 'a $& b'],
    ['a pattern replaced', { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, 'a \u0085\n b', 'a b'],
    ['a beginning', { type: 'Prepend', prepend: '▁' }, 'a', '▁a'],
    ['no beginning of nothing', { type: 'Prepend', prepend: '▁' }, '', ''],
    ["SentencePiece's table", table, 'ﬁＡ e\u0301e\tabcab日.😀', 'fiA ée Cbb日😀'],
    ['a zero byte, which is no key', table, 'x\u0000ﬁ', 'x\u0000fi'],
    [
      "BERT's, of cased models",
      { type: 'BertNormalizer', lowercase: false, handle_chinese_chars: false },
      'É\u200b日\n',
      'É日 ',
    ],
    ["BERT's", { type: 'BertNormalizer' }, 'É\u0000日Straße', 'e 日 straße'],
  ])('%s', (_, normaliser, text, expected) => {
    expect(readNormaliser(normaliser)(text)).toBe(expected)
  })

  it('by a table is what replacing one entry after the other, longest first, would be', () => {
    const entries = [
      ['ab', '1'],
      ['a', '2'],
      ['é', '3'],
      ['日本', '4'],
      ['日', ''],
    ] as const
    const rewrite = readNormaliser({ type: 'Precompiled', precompiled_charsmap: charsMapOf(entries) })
    const slowly = (text: string): string =>
      text.replace(/ab|a|é|日本|日/gu, (key) => new Map<string, string>(entries).get(key) ?? '')
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'e', '日', '本', '😀', '\u0000', ' ') })
    fc.assert(
      fc.property(texts, (text) => {
        expect(rewrite(text)).toBe(slowly(text))
      }),
    )
  })
})

describe('splitting', () => {
  const META = { type: 'Metaspace', replacement: '▁' }
  const first = { ...META, prepend_scheme: 'first' }
  const always = { ...META, prepend_scheme: 'always' }

  it.each<[string, object | null, string, string[]]>([
    ['nothing', null, 'a b', ['a b']],
    ['a mark before each word', always, 'ab c', ['▁ab', '▁c']],
    ['the text as a whole', { ...always, split: false }, 'ab c', ['▁ab▁c']],
    ['no second mark', always, ' ab', ['▁ab']],
    ['marks alone', always, 'a  b', ['▁a', '▁', '▁b']],
    ['no mark', { ...META, prepend_scheme: 'never' }, 'ab c', ['ab', '▁c']],
    ['the older name for it', { ...META, add_prefix_space: false }, 'ab c', ['ab', '▁c']],
    ['nothing of nothing', always, '', []],
    [
      'a mark at the very beginning only',
      { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, first] },
      'ab c',
      ['▁ab', 'c'],
    ],
    [
      'a mark at each part',
      { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, always] },
      'ab c',
      ['▁ab', '▁c'],
    ],
    ['punctuation apart', { type: 'Punctuation' }, 'a,, b', ['a', ',', ',', ' b']],
    ['words and the rest', { type: 'Whitespace' }, 'a_1, b!!', ['a_1', ',', 'b', '!!']],
    ["BERT's", { type: 'BertPreTokenizer' }, "don't $5 “x”", ['don', "'", 't', '$', '5', '“', 'x', '”']],
  ])('%s', (_, splitter, text, expected) => {
    expect(readSplitter(splitter)(text)).toEqual(expected)
  })

  it('loses nothing but white space, whatever the text', () => {
    const kinds = ['BertPreTokenizer', 'WhitespaceSplit', 'Whitespace', 'Punctuation']
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.string({ unit: 'binary' }), (type, text) => {
        const bare = (of: string): string => of.replace(/\p{White_Space}/gu, '')
        expect(bare(readSplitter({ type })(text).join(''))).toBe(bare(text))
      }),
    )
  })
})
