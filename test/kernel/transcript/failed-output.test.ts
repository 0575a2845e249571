/** What is kept of a failure: its beginning, and its end, where tests and compilers report. */
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/kernel/redact/redact.ts'
import { failure, PLAIN, readAll, uses } from '../../support/transcript.ts'

const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
const LOG = Array.from({ length: 200 }, (_, n) => `  ok ${n} - counts the wheels of cart ${n}`).join('\n')
const OUTPUT = `Exit code 1\n> app@1.0.0 test\n${LOG}\nFAIL test/cart.test.ts > counts four wheels\nAssertionError: expected 3 to be 4`

function outputOf(name: string, input: object, text: string, outputChars = 300): string {
  const options = { ...PLAIN, outputChars, redact: (some: string) => redact(some).text }
  const [entry] = readAll(uses('t1', name, { ...input }) + failure('t1', text), options).entries
  return entry !== undefined && 'output' in entry ? (entry.output ?? '') : ''
}

const bash = (text: string, outputChars = 300): string => outputOf('Bash', { command: 'npm test' }, text, outputChars)

describe('the output of a failed command', () => {
  it('keeps its first lines and its last ones, with a mark between', () => {
    const output = bash(OUTPUT)

    expect(output.length).toBeLessThanOrEqual(610)
    expect(output).toMatch(/^Exit code 1\n> app@1\.0\.0 test\n ?ok 0 - counts/)
    expect(output).toContain('\n[…]\n')
    expect(output).toMatch(/\nFAIL test\/cart\.test\.ts > counts four wheels\nAssertionError: expected 3 to be 4$/)
  })

  it('is kept whole if both ends together contain it', () => {
    const text = `Exit code 2\n${'error: no such wheel. '.repeat(26)}`.trim()
    expect(text.length).toBeGreaterThan(300)
    expect(bash(text)).toBe(text)
  })

  it('is the less, the less a user wants', () => {
    expect(bash(OUTPUT, 60).length).toBeLessThanOrEqual(130)
    expect(bash(OUTPUT, 60)).toMatch(/expected 3 to be 4$/)
    expect(bash(OUTPUT, 0)).toBe('')
    expect(bash(OUTPUT, 3_000).length).toBeGreaterThan(5_000)
  })

  it('is kept of every tool but those for files, whose errors are one sentence', () => {
    expect(outputOf('mcp__db__query', { sql: 'select 1' }, OUTPUT)).toMatch(/expected 3 to be 4$/)
    const edit = outputOf('Edit', { file_path: '/a.ts' }, OUTPUT)
    expect(edit.length).toBeLessThanOrEqual(120)
    expect(outputOf('Edit', { file_path: '/a.ts' }, OUTPUT, 60).length).toBeLessThanOrEqual(60)
  })

  it('contains no part of a secret that begins in what is left out', () => {
    const body = Array.from(
      { length: 40 },
      (_, n) => `${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJz'}${n % 10}abc`,
    )
    const key = ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----'].join('\n')
    expect(bash(`Exit code 1\nbegin\n${key}\nfailed`)).not.toContain('QUJD')
    const token = ['ghp', 'aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW2xY4'].join('_')
    // Without a space the cut is inside the word: each offset cuts the token elsewhere.
    const json = (before: number, behind: number): string =>
      `{"a":"${'y'.repeat(before)}","token":"${token}","z":"${'z'.repeat(behind)}"}`
    for (let at = 30; at < 110; at++) expect(bash(json(at, 3_000))).not.toMatch(/aB3d|vW2x/)
    for (let at = 420; at < 520; at++) expect(bash(json(3_000, at))).not.toMatch(/aB3d|vW2x/)
    expect(bash(json(10, 10))).toContain('[redacted:')
  })
})
