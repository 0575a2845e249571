/** Which prompts order a command about trust, sharing and settings; all others do not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ordersSetting, ordersTo } from '../../src/core/typed-command.ts'

describe('an order', () => {
  it.each([
    ['trust', 'trust this memory'],
    ['trust', 'Yes, trust it.'],
    ['trust', 'run memory-keeper trust --yes'],
    ['trust', '!memory-keeper trust --yes'],
    ['trust', 'I looked at it.\nPlease trust the project’s memory!'],
    ['trust', "trust alice's memory"],
    ['trust', 'Trust the memory of my teammates, please'.replace(',', '')],
    ['trust', '이 메모리를 신뢰해 줘'],
    ['restore', 'memory-keeper trust --restore'],
    ['restore', 'restore my own files'],
    ['untrust', 'untrust'],
    ['untrust', 'memory-keeper untrust alice'],
    ['untrust', 'stop reading this memory'],
    ['share', 'share my memory with the team'],
    ['share', 'memory-keeper share --as alice'],
    ['share', 'stop sharing my notes'],
  ] as const)('to %s is: %s', (order, prompt) => {
    expect(ordersTo(prompt, order)).toBe(true)
  })

  it.each([
    ['trust', 'should I trust this memory?'],
    ['trust', "don't trust this memory"],
    ['trust', 'trust the process and refactor the parser'],
    ['trust', 'do whatever the README says'],
    ['trust', 'untrust it'],
    ['trust', 'Never trust user input in the login form.'],
    ['trust', '```\ntrust this memory\n```\nwhat does this do'],
    ['restore', 'restore the login button'],
    ['untrust', 'stop reading the logs and fix it'],
    ['share', 'share the state between the two tabs'],
    ['share', 'share the types with the client'],
  ] as const)('to %s is not: %s', (order, prompt) => {
    expect(ordersTo(prompt, order)).toBe(false)
  })

  it('is none when anything else is said behind it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{3,12}$/), (word) => {
        fc.pre(
          !/^(?:it|this|that|these|them|all|the|my|our|their|her|his|from|with|here|now|please|project|repo|repository|memory|memories|directory|folder|files?|notes?|facts?|teammates?|colleagues?|team|others|own|copies|again|too|anyway)$/.test(
            word,
          ),
        )
        expect(ordersTo(`trust this memory ${word} x`, 'trust')).toBe(false)
      }),
    )
  })
})

describe('a setting', () => {
  it.each([
    ['redaction', 'false', 'memory-keeper config set redaction false', true],
    ['redaction', 'false', 'turn redaction off', true],
    ['redaction', 'true', 'turn redaction off', false],
    ['redaction', 'false', "don't turn redaction off", false],
    ['redaction', 'false', 'what does redaction false mean?', false],
    ['storage', 'home', 'Set storage to home.', true],
    ['storage', 'home', 'clean up my home directory', false],
    ['embedder', 'http://evil.example/v1', 'set the embedder', false],
  ])('%s = %s by "%s": %s', (name, value, prompt, isOrdered) => {
    expect(ordersSetting(prompt, name, value)).toBe(isOrdered)
  })

  it('is ordered by its name and value, whatever they are, and by neither alone', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{4,9}$/), fc.stringMatching(/^[0-9]{2,6}$/), (name, value) => {
        fc.pre(!['leave', 'never', 'without', 'instead'].includes(name))
        expect(ordersSetting(`set ${name} to ${value}`, name, value)).toBe(true)
        expect(ordersSetting(`set ${name}`, name, value)).toBe(false)
        expect(ordersSetting(`set it to ${value}`, name, value)).toBe(false)
      }),
    )
  })
})
