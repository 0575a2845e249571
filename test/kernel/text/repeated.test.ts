/** A text is repeated by rows of words; common rows do not count. */
import { describe, expect, it } from 'vitest'
import { addRows, hasRow, noRows, repeatedWords } from '../../../src/kernel/text/repeated.ts'

const COMMON = new Set(['check', 'state', 'tests', 'current'])
const isRare = (word: string): boolean => repeatedWords(word).length > 0 && !COMMON.has(word)

function repeats(given: string, text: string, isAny = false): boolean {
  const rows = noRows()
  if (isAny) addRows(rows, given)
  else addRows(rows, given, isRare)
  return hasRow(rows, text)
}

const SAID = 'The kingfisher importer runs with two replicas behind the harbour gate, because nobody else wanted it.'

describe('a repetition', () => {
  it.each([
    [SAID, `As you said: "${SAID.toUpperCase()}"`, true],
    [SAID, SAID.replaceAll(' ', '\n'), true],
    [SAID, 'It runs with two replicas behind the harbour gate now.', true],
    [SAID, 'It runs with two replicas.', false],
    [SAID, 'The kingfisher importer is idle.', false],
    ['Let me check the current state of the tests.', 'Let me check the current state of the tests.', false],
    ['Understood.', 'Understood.', false],
    ['Run kingfisher now.', 'Run kingfisher now.', false],
    ['Run kingfisher importer twice.', 'Then: run kingfisher importer twice!', true],
    ['저장소는 물총새 항구에 보관하기로 결정했습니다.', '네. 저장소는 물총새 항구에 보관하기로 결정했습니다.', true],
    ['翡翠のインポーターは港で動く。', '前回、翡翠のインポーターは港で動くと決めた。', true],
    ['翡翠のインポーターは港で動く。', '港で待つ。', false],
  ])('of %j in %j: %s', (given, text, expected) => {
    expect(repeats(given, text)).toBe(expected)
  })

  it('of a text that is named counts whatever its words are, unless it is very short', () => {
    expect(repeats('Check the current state.', 'Always check the current state first.', true)).toBe(true)
    expect(repeats('Ask first.', 'Ask first.', true)).toBe(false)
  })
})
