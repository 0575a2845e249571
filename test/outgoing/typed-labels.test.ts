/** Sentences as people type them, labelled: what is found of them is right, in four languages. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { correctionsIn } from '../../src/outgoing/correction.ts'
import { extractFacts } from '../../src/outgoing/fact-extract.ts'
import { statedIn } from '../../src/outgoing/standing.ts'
import { session, user } from '../fixtures/sessions.ts'

interface Labelled {
  language: string
  is: string
  also?: readonly string[]
  text: string
}

const LABELS = path.resolve(import.meta.dirname, '../../bench/labels/typed-sentences.jsonl')
const all = fs
  .readFileSync(LABELS, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled)

describe('the labelled sentences', () => {
  it.each(['en', 'ko', 'ja', 'zh'])('of %s are found under their own names, and hardly a near miss is', (language) => {
    const some = all.filter((one) => one.language === language)
    const found = some.filter(({ text }) => kindsIn(text).length > 0)
    const right = found.filter(({ is, also = [], text }) => kindsIn(text).every((kind) => [is, ...also].includes(kind)))

    expect(some.length).toBeGreaterThanOrEqual(50)
    expect(right.length / found.length).toBeGreaterThanOrEqual(0.9)
    expect(right.length / some.filter(({ is }) => is !== 'none').length).toBeGreaterThanOrEqual(0.8)
  })
})

function kindsIn(text: string): string[] {
  const entries = session([user(text)])
  return [
    ...extractFacts('00000000', entries, 10).map(({ type, status }) => (status === null ? type : `issue-${status}`)),
    ...(statedIn(entries).length > 0 ? ['standing'] : []),
    ...(correctionsIn(entries).length > 0 ? ['correction'] : []),
  ]
}
