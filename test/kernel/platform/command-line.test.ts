/** A typed line is split into arguments as a shell splits it, and arguments are quoted so that they survive it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCommandLine, parseCommandLine } from '../../../src/kernel/platform/command-line.ts'

describe('a typed line', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['  \n ', []],
    ['rules list', ['rules', 'list']],
    ['  rules\tadd   x ', ['rules', 'add', 'x']],
    ['rules add "Run the tests."', ['rules', 'add', 'Run the tests.']],
    ['note --text \'it is "so"\'', ['note', '--text', 'it is "so"']],
    ['note --text "it is \\"so\\""', ['note', '--text', 'it is "so"']],
    ["note --text 'it'\\''s so'", ['note', '--text', "it's so"]],
    ['note --text=""', ['note', '--text=']],
    ['facts edit d001 --reason ""', ['facts', 'edit', 'd001', '--reason', '']],
    ['a\\ b c\\"d', ['a b', 'c"d']],
    ['one "two\nthree" four\nfive', ['one', 'two\nthree', 'four', 'five']],
    ['one \\\ntwo', ['one', 'two']],
    ['캐시 "두 단어"', ['캐시', '두 단어']],
  ])('%j has the arguments %j', (line, args) => {
    expect(parseCommandLine(line)).toEqual(args)
  })

  it('expands and executes nothing', () => {
    const words = ['$HOME', `$${'{HOME}'}`, '$(id)', '`id`', ';', '&&', '*', '~', '>', 'out', '|', '#', 'x']

    expect(parseCommandLine(`${words.join(' ')} "$HOME $(id)"`)).toEqual([...words, '$HOME $(id)'])
  })

  it.each(['"C:\\Users\\ann\\my file.jsonl"', "'C:\\Users\\ann\\my file.jsonl'"])(
    'keeps a Windows path: %s',
    (path) => {
      expect(parseCommandLine(`import --transcript ${path}`)).toEqual([
        'import',
        '--transcript',
        'C:\\Users\\ann\\my file.jsonl',
      ])
    },
  )

  it('keeps a network path in quotes', () => {
    expect(parseCommandLine('"\\\\server\\share" \'C:\\dir\\\'')).toEqual(['\\\\server\\share', 'C:\\dir\\'])
  })

  it.each(['rules add "Run', "rules add it's so", '"C:\\dir\\"'])('is none with an open quote: %s', (line) => {
    expect(parseCommandLine(line)).toBeNull()
  })
})

describe('arguments', () => {
  it('are quoted where they need it', () => {
    expect(formatCommandLine(['rules', 'add', 'Run the tests.', 'd001', '', 'say "x"', '--by=d002'])).toBe(
      `rules add "Run the tests." d001 "" 'say "x"' --by=d002`,
    )
  })

  it('are the same after they were written as a line and read again', () => {
    const sign = fc.constantFrom('a', ' ', '"', "'", '\\', '\n', '\t', '$', '`', 'é', '캐', '-', '\u00a0')
    const arg = fc.oneof(fc.string(), fc.string({ unit: sign, maxLength: 12 }))
    fc.assert(
      fc.property(fc.array(arg, { maxLength: 6 }), (args) => {
        expect(parseCommandLine(formatCommandLine(args))).toEqual(args)
      }),
      { numRuns: 500 },
    )
  })
})
