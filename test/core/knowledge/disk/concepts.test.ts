/** concepts.json and facts.json together: refreshed, restored, and written in an order that a kill cannot break. */

import path from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../../../src/core/knowledge/concept.ts'
import {
  upcomingConcepts,
  updateConcepts,
  updateConceptsQuietly,
} from '../../../../src/core/knowledge/disk/fact-care.ts'
import { readBoth } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { openStore } from '../../../../src/kernel/memory/disk/store.ts'
import { locate } from '../../../../src/kernel/platform/disk/locate.ts'
import { fact, factsWith, listed } from '../../../support/fact.ts'
import { anyKill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import { fastDir, makeProject, storeOf, treeOf, write } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'

const NOW = '2026-02-01T00:00:00.000Z'

const FACTS = formatItems(
  factsWith(
    fact({ text: 'Payments are captured by the webhook.', concept: 'c001' }),
    fact({ id: 'd002', text: 'Payments are tried again after a day.', session: '5e6f7a8b', concept: 'Payment' }),
    fact({ id: 'd003', text: 'Refunds need two people.', concept: 'c004' }),
    fact({ id: 'd004', text: 'Payments wait for the bank.' }),
  ),
)
const CONCEPTS = formatConcepts(addConcept(NO_CONCEPTS, 'Payments').concepts)

it('updateConcepts derives concepts from their facts, gives no fact a concept, and changes nothing a second time', () => {
  const project = remember({ files: { 'facts.json': FACTS, 'concepts.json': CONCEPTS } })
  expect(upcomingConcepts(storeOf(project)).changed).toEqual(['Payments', 'c004'])
  expect(updateConcepts(storeOf(project), NOW).changed).toEqual(['Payments', 'c004'])

  const { concepts, facts } = readBoth(storeOf(project))
  expect(concepts.concepts).toMatchObject([{ id: 'c001', exchanges: ['1a2b3c4d#4', '5e6f7a8b#4'] }, { id: 'c004' }])
  expect(allFacts(facts).map(({ concept }) => concept)).toEqual(['c001', 'c001', 'c004', null])
  const before = treeOf(project.memory)
  updateConceptsQuietly(storeOf(project), 100, NOW)
  expect(updateConcepts(storeOf(project), NOW).changed).toEqual([])
  expect(treeOf(project.memory)).toEqual(before)
})

it('updateConcepts sets a broken concepts.json aside and keeps the ids that facts name', () => {
  const project = remember({ files: { 'facts.json': FACTS, 'concepts.json': '{"concepts": [' } })
  updateConceptsQuietly(storeOf(project), 100, NOW)

  const ids = readBoth(storeOf(project)).concepts.concepts.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(['c001', 'c004']))
  expect(Object.keys(treeOf(project.memory)).some((name) => name.startsWith('concepts.json.broken-'))).toBe(true)
})

it('updateConcepts ends the same wherever it is killed, and moves no fact to a concept that is not there', () => {
  const project = makeProject('app', fastDir())
  storeOf(project).prepare()
  const places = locate(project.root, project.around)
  const reset = (): void => {
    write(path.join(project.memory, 'facts.json'), FACTS)
    write(path.join(project.memory, 'concepts.json'), CONCEPTS)
  }
  reset()
  updateConcepts(storeOf(project), NOW)
  const whole = readBoth(storeOf(project))
  fc.assert(
    fc.property(fc.array(anyKill, { maxLength: 3 }), (kills) => {
      reset()
      for (let tries = kills.length; tries >= 0; tries--) {
        try {
          updateConcepts(openStore(places, { now: () => NOW, disk: killingDisk(kills) }), NOW)
        } catch (error) {
          if (!(error instanceof Killed)) throw error
        }
        const { concepts, facts } = readBoth(storeOf(project))
        const ids = new Set(concepts.concepts.map(({ id }) => id))
        const isMoved = listed(facts).decisions[1]?.concept !== 'Payment'
        expect(!isMoved || ids.has(listed(facts).decisions[1]?.concept ?? '')).toBe(true)
      }
      updateConcepts(storeOf(project), NOW)
      expect(readBoth(storeOf(project))).toEqual(whole)
    }),
    { numRuns: 25 },
  )
})
