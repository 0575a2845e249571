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
} from '../../src/pages/rule.ts'
import { estimateTokens } from '../../src/text/tokens.ts'

/** Lines as people, editors and slips make them. */
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('- one rule', '* two', '1. three', '12) four', '+ five', 'plain words', '규칙 하나'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '# Heading',
      '  more of it',
      '\tand more',
      '',
      '   ',
      '---',
      '===',
      '-',
      '- ---',
      '```sh',
      '```',
      '<!-- a comment -->',
      '<!-- - hidden',
      'closing -->',
      '- said <!-- why -->',
      '- said <!-- why',
      '<!-- x --> after it',
      '\ufeff- late mark',
      '\ufeff# late heading',
      '\ufeff  late and indented',
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
  it('are few words, since they go with every prompt', () => {
    expect(estimateTokens(renderRules(BUILT_IN_RULES))).toBeLessThanOrEqual(160)
  })

  it('survive the way into a file and back', () => {
    expect(parseRules(formatRules(BUILT_IN_RULES))).toEqual(BUILT_IN_RULES)
  })

  it('name what they are there for', () => {
    for (const word of ['delete', 'Verify', 'ask', 'apologising', 'Look', 'corners', '`date`', 'compaction']) {
      expect(
        BUILT_IN_RULES.filter((text) => text.includes(word)),
        word,
      ).toHaveLength(1)
    }
  })
})

describe('parseRules', () => {
  it('takes list items of every kind, and plain lines', () => {
    expect(parseRules('- a\n* b\n+ c\n1. d\n2) e\n• f\n\nplain g\n')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'plain g'])
  })

  it('joins the lines of a longer item', () => {
    expect(parseRules('- first line\n  second line\n\n  third after a gap\n- next\n')).toEqual([
      'first line second line third after a gap',
      'next',
    ])
  })

  it('takes an item inside an item as a rule of its own', () => {
    expect(parseRules('- outer\n  - inner\n')).toEqual(['outer', 'inner'])
  })

  it('leaves out headings, comments, lines and fences', () => {
    const text = '# Rules\n<!-- one\n- not this\n-->\n---\n```\n- real <!-- because -->\n```\n## More\n***\n'

    expect(parseRules(text)).toEqual(['real'])
  })

  it('hides no more than its line when a comment is never closed', () => {
    expect(parseRules('- a <!-- oops\n- b\n')).toEqual(['a', 'b'])
  })

  it('takes a line behind a comment as a rule, not as more of the one above', () => {
    expect(parseRules('- a\n<!-- x --> b\n')).toEqual(['a', 'b'])
  })

  it('finds no rule in an empty file, nor in one of comments', () => {
    expect(parseRules('')).toEqual([])
    expect(parseRules(formatRules([]))).toEqual([])
  })

  it('reads CRLF, a byte order mark and Korean', () => {
    expect(parseRules('\ufeff# 규칙\r\n- 파일을 지우지 않는다\r\n  절대로\r\n')).toEqual([
      '파일을 지우지 않는다 절대로',
    ])
  })

  it('takes control characters out and shortens what is too long', () => {
    const [clean, long] = parseRules(`- a\u001b[31m\u202eb\n- ${'x'.repeat(900)}`)

    expect(clean).toBe('a[31mb')
    expect(long).toHaveLength(500)
  })

  it('takes no longer than its text on a file of open comments', () => {
    expect(parseRules('- a <!-- \n'.repeat(6000))).toHaveLength(6000)
  })
})

describe('addRuleTo', () => {
  it('keeps the built-in rules beside the first own one', () => {
    expect(parseRules(addRuleTo(null, 'mine'))).toEqual([...BUILT_IN_RULES, 'mine'])
  })

  it('adds a line with the line break of the file', () => {
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

describe('removeRuleFrom', () => {
  it('takes a rule out by number or by words', () => {
    const text = '# R\n- keep the API stable\n- run the tests\n'

    expect(removeRuleFrom(text, 1)).toBe('# R\n- keep the API stable\n')
    expect(removeRuleFrom(text, 'api KEEP')).toBe('# R\n- run the tests\n')
  })

  it('takes nothing out when no rule is meant, or several are', () => {
    const text = '- run the tests\n- run the linter\n'

    for (const which of [2, -1, 0.5, 'run', 'push', '', '-']) expect(removeRuleFrom(text, which)).toBeNull()
  })

  it('prefers the rule that is meant word for word', () => {
    expect(removeRuleFrom('- run tests\n- run tests twice\n', 'Run tests')).toBe('- run tests twice\n')
  })

  it('leaves comments and empty lines between the lines of a rule', () => {
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

describe('matchRules', () => {
  it('finds all that contain every word, in any order', () => {
    expect(matchRules(['Run all tests', 'Test runs', 'Tests run all day'], 'all run')).toEqual([0, 2])
  })
})

describe('renderRules', () => {
  it('is a header and a line for each', () => {
    expect(renderRules(['a', 'b'])).toBe('Memory Keeper rules for this project:\n- a\n- b')
  })

  it('is nothing without rules', () => {
    expect(renderRules([])).toBe('')
  })

  it('says how many it leaves out, and cuts none', () => {
    const rules = Array.from({ length: 60 }, (_, i) => `${i} ${'word '.repeat(60)}end`)
    const lines = renderRules(rules).split('\n')

    expect(lines.slice(1, -1).every((line, i) => line === `- ${rules[i]}`)).toBe(true)
    expect(lines.at(-1)).toContain(`(${60 - (lines.length - 2)} more in rules.md`)
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
