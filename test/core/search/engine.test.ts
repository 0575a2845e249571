/** The numbers by which the ranking knows kinds of documents. */
import { expect, it } from 'vitest'
import { KIND_NUMBER, voiceOf } from '../../../src/core/search/engine.ts'
import { KINDS } from '../../../src/kernel/memory/document.ts'

it('the ranking knows six kinds by the numbers that the index stores', () => {
  expect(
    Object.fromEntries(Object.keys(KIND_NUMBER).map((kind) => [kind, (KINDS as readonly string[]).indexOf(kind)])),
  ).toEqual(KIND_NUMBER)
})

it('a kind that the ranking does not know counts as something that was kept', () => {
  expect(KINDS.map((_, kind) => voiceOf(kind))).toEqual([0, 1, 2, 1, 1, ...KINDS.slice(5).map(() => 3)])
  expect(voiceOf(200)).toBe(3)
})
