/** concepts.json and facts.json together: written in an order that a kill cannot break, and what a session's file says. */
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatConcepts, NO_CONCEPTS } from '../../../src/knowledge/concept.ts'
import { addConcept } from '../../../src/knowledge/concept-assign.ts'
import {
  applyL2,
  readKnowledge,
  upcomingConcepts,
  upcomingL2,
  updateConcepts,
} from '../../../src/knowledge/disk/concepts.ts'
import { allFacts, formatFacts } from '../../../src/knowledge/fact.ts'
import { openStore } from '../../../src/memory/disk/store.ts'
import { locate } from '../../../src/platform/disk/locate.ts'
import { KeeperError } from '../../../src/platform/error.ts'
import { TOPICS } from '../../fixtures/topics.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { anyKill, Killed, killingDisk } from '../../support/killing-disk.ts'
import { fastDir, makeProject, storeOf, type TestProject, treeOf, write } from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'
import { factsOf, sessionsAbout } from '../../support/topics.ts'

const NOW = '2026-02-01T00:00:00.000Z'

const PAYMENTS = [
  fact({ text: 'Payments are captured by the webhook.', author: 'extractive' }),
  fact({ id: 'd002', text: 'Payments are tried again after a day.', author: 'extractive', session: '5e6f7a8b' }),
]

function knowing(files: Record<string, string> = {}, facts = factsWith(...PAYMENTS)): TestProject {
  return remember({ files: { 'facts.json': formatFacts(facts), ...files } })
}

const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return error instanceof KeeperError ? error.code : String(error)
  }
  return 'none'
}

describe('updating concepts', () => {
  it('founds, refreshes and tells what it did; a second time there is nothing to do', () => {
    const project = knowing()
    expect(upcomingConcepts(storeOf(project)).founded).toEqual(['payments'])
    expect(updateConcepts(storeOf(project), NOW)).toEqual({ moved: 2, without: 0, founded: ['payments'], merged: [] })

    const { concepts, facts } = readKnowledge(storeOf(project))
    expect(concepts.concepts).toMatchObject([{ id: 'c001', name: 'payments', exchanges: ['1a2b3c4d#4', '5e6f7a8b#4'] }])
    expect(allFacts(facts).map(({ concept }) => concept)).toEqual(['c001', 'c001'])
    const before = treeOf(project.memory)
    expect(updateConcepts(storeOf(project), NOW)).toEqual({ moved: 0, without: 0, founded: [], merged: [] })
    expect(treeOf(project.memory)).toEqual(before)
  })

  it('gives facts their concept back when concepts.json is broken, and sets it aside', () => {
    const facts = factsWith(...PAYMENTS.map((one) => ({ ...one, concept: 'c004' })))
    const project = knowing({ 'concepts.json': '{"concepts": [' }, facts)
    updateConcepts(storeOf(project), NOW)

    expect(readKnowledge(storeOf(project)).concepts.concepts).toMatchObject([{ id: 'c004', name: 'payments' }])
    expect(Object.keys(treeOf(project.memory)).some((name) => name.startsWith('concepts.json.broken-'))).toBe(true)
  })

  it('ends the same wherever it is killed, and no fact names a concept that is not there', () => {
    const sessions = sessionsAbout(TOPICS, 12, 8, 7)
    const project = makeProject('app', fastDir())
    storeOf(project).prepare()
    const places = locate(project.root, project.around)
    const reset = (): void => {
      write(path.join(project.memory, 'facts.json'), formatFacts(factsOf(sessions.flat())))
      write(path.join(project.memory, 'concepts.json'), formatConcepts(addConcept(NO_CONCEPTS, 'Payments').concepts))
    }
    reset()
    updateConcepts(storeOf(project), NOW)
    const whole = readKnowledge(storeOf(project))
    fc.assert(
      fc.property(fc.array(anyKill, { maxLength: 3 }), (kills) => {
        reset()
        for (let tries = kills.length; tries >= 0; tries--) {
          try {
            updateConcepts(openStore(places, { now: () => NOW, disk: killingDisk(kills) }), NOW)
          } catch (error) {
            if (!(error instanceof Killed)) throw error
          }
          const { concepts, facts } = readKnowledge(storeOf(project))
          const ids = new Set(concepts.concepts.map(({ id }) => id))
          expect(allFacts(facts).every(({ concept }) => concept === null || ids.has(concept))).toBe(true)
        }
        updateConcepts(storeOf(project), NOW)
        const after = readKnowledge(storeOf(project))
        const names = ({ concepts }: typeof whole): string[] => concepts.concepts.map(({ name }) => name).sort()
        expect(names(after)).toEqual(names(whole))
      }),
      { numRuns: 25 },
    )
  })
})

describe('a file of facts', () => {
  const L2 = JSON.stringify({ session: '1a2b3c4d', facts: [{ id: 'd001', text: '…', conceptName: 'Webhooks' }] })
  const NAME = '20260113_090000_1a2b3c4d.l2.json'

  it.each([NAME, '1a2b3c4d', `sessions/../sessions/${NAME}`])('is found as %s, and says where facts go', (given) => {
    const project = knowing({ [`sessions/${NAME}`]: L2 })
    const file = given.includes('/') ? path.join(project.memory, given) : given
    expect(upcomingL2(storeOf(project), file).placed).toBe(1)
    expect(applyL2(storeOf(project), file, NOW)).toMatchObject({ placed: 1, unknown: [], noConcept: [] })

    const { concepts, facts } = readKnowledge(storeOf(project))
    expect(concepts.concepts[0]).toMatchObject({ id: 'c001', name: 'Webhooks' })
    expect(facts.decisions[0]?.concept).toBe('c001')
  })

  it('keeps no secret that stands in a name', () => {
    const key = `sk-ant-api03-${'aB3'.repeat(30)}`
    const project = knowing({ [`sessions/${NAME}`]: L2.replace('Webhooks', `Webhooks ${key}`) })
    applyL2(storeOf(project), NAME, NOW)
    expect(JSON.stringify(readKnowledge(storeOf(project)))).not.toContain(key)
  })

  it('that is missing or broken is an error, and nothing is written', () => {
    const project = knowing({ [`sessions/${NAME}`]: '{"facts"' })
    const before = treeOf(project.memory)
    expect(codeOf(() => applyL2(storeOf(project), 'nowhere.l2.json', NOW))).toBe('no-l2')
    expect(codeOf(() => applyL2(storeOf(project), NAME, NOW))).toBe('broken-l2')
    expect(treeOf(project.memory)).toEqual(before)
  })
})
