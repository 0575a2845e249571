/** Rules: what counts as one, how the file changes by a line, and what goes with a prompt. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addRuleTo,
  BUILT_IN_RULES,
  cleanRule,
  formatRules,
  isRule,
  matchRules,
  parseRules,
  removeRuleFrom,
  renderRules,
  replaceRuleIn,
} from '../../../src/core/pages/rule.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'

/** Lines as people, editors and slips make them. */
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('- one rule', '* two', '1. three', '12) four', '+ five', 'plain words', '규칙 하나'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['# Heading', '  more of it', '\tand more', '', '   ', '---', '===', '-', '- ---', '```sh', '```'],
      ...['<!-- a comment -->', '<!-- - hidden', 'closing -->', '- said <!-- why -->', '- said <!-- why'],
      ...['<!-- x --> after it', '\ufeff- late mark', '\ufeff# late heading', '\ufeff  late and indented'],
      'nul\u0000here',
    ),
  },
  { weight: 2, arbitrary: fc.string() },
)
const eol = fc.constantFrom('\n', '\r\n', '\r')
const file = fc
  .tuple(fc.array(fc.tuple(piece, eol), { maxLength: 12 }), piece, fc.constantFrom('', '\ufeff'))
  .map(([lines, last, mark]) => mark + lines.map(([line, end]) => line + end).join('') + last)
const rule = fc
  .oneof(fc.string(), piece, fc.string({ unit: 'grapheme', maxLength: 600 }))
  .filter((text) => isRule(cleanRule(text)))

describe('the built-in rules', () => {
  it('are few words, name what they are there for, and survive the way into a file and back', () => {
    expect(estimateTokens(renderRules(BUILT_IN_RULES))).toBeLessThanOrEqual(160)
    for (const word of ['delete', 'Verify', 'ask', 'apologising', 'Look', 'corners', '`date`', 'compaction'])
      expect([word, BUILT_IN_RULES.filter((text) => text.includes(word)).length]).toEqual([word, 1])
    expect(parseRules(formatRules(BUILT_IN_RULES))).toEqual(BUILT_IN_RULES)
  })
})

describe('parseRules', () => {
  const COMMENTED = '# Rules\n<!-- one\n- not this\n-->\n---\n```\n- real <!-- because -->\n```\n## More\n***\n'

  it.each([
    ['list items of every kind, and plain lines', '- a\n* b\n+ c\n1. d\n2) e\n• f\n\nplain g\n', 'a|b|c|d|e|f|plain g'],
    [
      'a longer item with all its lines',
      '- first line\n  second\n\n  third after a gap\n- next\n',
      'first line second third after a gap|next',
    ],
    ['an item inside an item as a rule of its own', '- outer\n  - inner\n', 'outer|inner'],
    ['no headings, comments, lines and fences', COMMENTED, 'real'],
    ['all but its line where a comment is never closed', '- a <!-- oops\n- b\n', 'a|b'],
    ['a line behind a comment as a rule, not as more of the one above', '- a\n<!-- x --> b\n', 'a|b'],
    ['nothing from an empty file', '', ''],
    ['nothing from one of comments', formatRules([]), ''],
    ['CRLF, a byte order mark and Korean', '\ufeff# 규칙\r\n- 지우지 않는다\r\n  절대로\r\n', '지우지 않는다 절대로'],
    ['no control characters', '- a\u001b[31m\u202eb', 'a[31mb'],
    ['what is too long shortened', `- ${'x'.repeat(900)}`, `${'x'.repeat(499)}…`],
    ['a file of open comments', '- a <!-- \n'.repeat(6000), Array(6000).fill('a').join('|')],
  ])('takes %s', (_, text, rules) => {
    expect(parseRules(text)).toEqual(rules === '' ? [] : rules.split('|'))
  })
})

describe('addRuleTo', () => {
  it('writes only the own rule, and adds a line with the line break of the file', () => {
    expect(parseRules(addRuleTo(null, 'mine'))).toEqual(['mine'])
    expect(addRuleTo('# R\r\n- a', 'b')).toBe('# R\r\n- a\r\n- b\r\n')
  })

  it('changes nothing before it, and adds exactly the rule', () => {
    fc.assert(
      fc.property(file, rule, (text, added) => {
        const after = addRuleTo(text, added)

        expect(after.startsWith(text)).toBe(true)
        expect(parseRules(after)).toEqual([...parseRules(text), cleanRule(added)])
      }),
    )
  })
})

describe('replaceRuleIn', () => {
  it('puts a rule into the place of another, and changes nothing else', () => {
    const text = '# R\r\n- keep the API\r\n  stable\r\n<!-- why -->\r\n- run the tests\r\n'

    expect(replaceRuleIn(text, 'keep the api stable', 'Keep it.')).toBe(
      '# R\r\n- Keep it.\r\n<!-- why -->\r\n- run the tests\r\n',
    )
    for (const which of [2, 'run all', '']) expect(replaceRuleIn(text, which, 'x')).toBeNull()
  })

  it('leaves every other rule as it is', () => {
    fc.assert(
      fc.property(file, fc.nat(20), rule, (text, n, next) => {
        const rules = parseRules(text)
        const after = replaceRuleIn(text, n, next)

        if (n >= rules.length) expect(after).toBeNull()
        else expect(parseRules(after ?? '')).toEqual(rules.with(n, cleanRule(next)))
      }),
    )
  })
})

describe('removeRuleFrom', () => {
  it('takes a rule out by number or by words, the one that is meant word for word', () => {
    const text = '# R\n- keep the API stable\n- run the tests\n'

    expect(removeRuleFrom(text, 1)).toBe('# R\n- keep the API stable\n')
    expect(removeRuleFrom(text, 'api KEEP')).toBe('# R\n- run the tests\n')
    expect(removeRuleFrom('- run tests\n- run tests twice\n', 'Run tests')).toBe('- run tests twice\n')
    expect(matchRules(['Run all tests', 'Test runs', 'Tests run all day'], 'all run')).toEqual([0, 2])
  })

  it('takes nothing out when no rule is meant, or several are, and leaves comments and empty lines', () => {
    const text = '- run the tests\n- run the linter\n'

    for (const which of [2, -1, 0.5, 'run', 'push', '', '-']) expect(removeRuleFrom(text, which)).toBeNull()
    expect(removeRuleFrom('- a\n  more\n<!-- why -->\n\n  last\n- b\n', 0)).toBe('<!-- why -->\n\n- b\n')
  })

  it('takes that rule and nothing else', () => {
    fc.assert(
      fc.property(file, fc.nat(20), (text, n) => {
        const rules = parseRules(text)
        const after = removeRuleFrom(text, n)

        if (n >= rules.length) expect(after).toBeNull()
        else {
          expect(parseRules(after ?? '')).toEqual(rules.filter((_, i) => i !== n))
          expect(isSubsequence(linesOf(after ?? ''), linesOf(text))).toBe(true)
        }
      }),
    )
  })

  it('undoes an addition byte for byte', () => {
    fc.assert(
      fc.property(file, rule, (text, added) => {
        const whole = text === '' || /[\r\n]$/.test(text) ? text : `${text}\n`

        expect(removeRuleFrom(addRuleTo(whole, added), parseRules(whole).length)).toBe(whole)
      }),
    )
  })
})

describe('renderRules', () => {
  it('is a header and a line for each, and nothing without rules', () => {
    expect(renderRules(['a', 'b'])).toBe('Memory Keeper rules for this project:\n- a\n- b')
    expect(renderRules([])).toBe('')
  })

  it('stays within what the host passes on, and tells whole rules from the first on', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 700 }), { maxLength: 60 }), (rules) => {
        const text = renderRules(rules)
        const all = rules.map(cleanRule).filter(isRule)
        const told = text.split('\n').filter((line) => line.startsWith('- '))

        expect(text.length).toBeLessThanOrEqual(9500)
        expect(told).toEqual(all.slice(0, told.length).map((one) => `- ${one}`))
        if (told.length < all.length) expect(text).toContain(`(${all.length - told.length} more`)
      }),
    )
  })
})

describe('cleanRule', () => {
  it('gives one line that means the same when it is cleaned again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), piece), (text) => {
        const clean = cleanRule(text)

        expect(cleanRule(clean)).toBe(clean)
        expect(clean.length).toBeLessThanOrEqual(500)
        expect(clean).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|<!--|-->/)
      }),
    )
  })
})

/** The byte order mark stays when the line behind it goes: it stands for itself. */
function linesOf(text: string): string[] {
  return text.replace(/\ufeff/g, '\ufeff\n').split(/\r\n|\n|\r/)
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let i = 0
  for (const line of whole) if (i < part.length && part[i] === line) i++
  // The last line of a file has no line break: removing it leaves an empty end.
  return i === part.length || (i === part.length - 1 && part[i] === '')
}
