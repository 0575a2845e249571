/** Whose transcripts a program reads is said once; a program that has not said it fails, and never captures nothing in silence. */
import { afterEach, expect, it } from 'vitest'
import { extras, useExtras } from '../../../src/core/extra.ts'
import { theAgent, theTally, useAgents } from '../../../src/kernel/transcript/agent.ts'
import { readAll, user } from '../../support/transcript.ts'

const all = extras()
// Test files share a process.
afterEach(() => useExtras(all))

it('theAgent is the agent among the extras of the program', () => {
  expect(theAgent().name).toBe('claude')
  expect(readAll(user('Count the wheels.')).entries).toHaveLength(1)
})

it('a program without an agent fails a capture and a verification', () => {
  useExtras([])

  expect(theAgent).toThrow('knows no agent')
  expect(() => readAll(user('Count the wheels.'))).toThrow('knows no agent')
  expect(theTally).toThrow('knows no agent')
})

it('a verification fails where the agent’s own count was left out', () => {
  const { tallyLine: _, ...inHooks } = theAgent()
  useAgents([inHooks])

  expect(readAll(user('Count the wheels.')).entries).toHaveLength(1)
  expect(theTally).toThrow('cannot count')
})
