/** facts.json and concepts.json: whatever happens to them, nothing that was known is forgotten and no number is given twice. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { addConcept, type Concepts, formatConcepts, NO_CONCEPTS } from '../../../../src/core/knowledge/concept.ts'
import {
  commitBoth,
  readBoth,
  readConcepts,
  readFacts,
  writeConcepts,
  writeFacts,
} from '../../../../src/core/knowledge/disk/knowledge.ts'
import { addFacts } from '../../../../src/core/knowledge/fact-add.ts'
import { formatItems, parseItems } from '../../../../src/core/knowledge/facts-file.ts'
import { allFacts, type Items } from '../../../../src/core/knowledge/items.ts'
import { fillVault } from '../../../../src/core/vault/disk/vault-restore.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { fact, factsWith, judgedBy, listed } from '../../../support/fact.ts'
import { locked } from '../../../support/notes.ts'
import { fastDir, NOW, quietProject, storeOf, type TestProject, write } from '../../../support/project.ts'

const TUESDAY = fact({ id: 'd001', text: 'Deploy on Tuesdays only.', state: 'rejected', judged: judgedBy('user') })
const CENTS = fact({ id: 'd002', text: 'Prices live in cents here.' })
const MONEY: Concepts = addConcept(addConcept(NO_CONCEPTS, 'money').concepts, 'login').concepts

interface World {
  project: TestProject
  store: Store
  file: string
  copy: string
}

/** Two facts, one of them rejected, and their copies in the vault. */
function known(): World {
  const project = quietProject({}, fastDir())
  const store = storeOf(project)
  store.prepare()
  const [file, copy] = [project.memory, store.places.vault].map((dir) => path.join(dir, 'facts.json')) as [
    string,
    string,
  ]
  write(file, formatItems(factsWith(TUESDAY, CENTS)))
  write(path.join(project.memory, 'concepts.json'), formatConcepts(MONEY))
  locked(store, () => fillVault(store))
  return { project, store, file, copy }
}

function say(store: Store, text: string): Items {
  return locked(store, () => {
    const before = readFacts(store)
    const { id: _, ...said } = fact({ text, at: NOW, session: 'bbbbbbbb' })
    writeFacts(store, before, addFacts(before, [said]), NOW)
    return readFacts(store)
  })
}

const idsIn = (facts: Items): string[] => allFacts(facts).map(({ id, state }) => `${id} ${state}`)

describe('a facts.json that', () => {
  const damages: [string, (file: string) => void][] = [
    ['is gone', (file) => fs.rmSync(file)],
    ['is empty', (file) => fs.writeFileSync(file, '')],
    ['holds nothing', (file) => fs.writeFileSync(file, '{}')],
    ['is no JSON', (file) => fs.writeFileSync(file, 'oops')],
    ['lost its end', (file) => fs.writeFileSync(file, fs.readFileSync(file, 'utf8').slice(0, -300))],
    ['has a comma too many', (file) => fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/\}\n$/, ',}\n'))],
  ]

  it.each(damages)('%s is made whole before anything new is written', (_, damage) => {
    const { store, file, copy } = known()
    damage(file)

    expect(idsIn(readFacts(store))).toEqual(['d001 rejected', 'd002 fresh'])
    expect(idsIn(say(store, 'Logs are kept for thirty days.'))).toEqual(['d001 rejected', 'd002 fresh', 'd003 fresh'])
    locked(store, () => fillVault(store))
    expect(idsIn(parseItems(fs.readFileSync(copy, 'utf8')) as Items)).toHaveLength(3)
  })

  it.each(damages)('%s never replaces its copy', (_, damage) => {
    const { store, file, copy } = known()
    const before = fs.readFileSync(copy, 'utf8')
    damage(file)
    locked(store, () => fillVault(store))

    expect(fs.readFileSync(copy, 'utf8')).toBe(before)
  })

  it('is broken keeps what it knew and the copy does not, and is set aside', () => {
    const { store, project, file } = known()
    const more = formatItems(factsWith(TUESDAY, fact({ id: 'd002', text: 'Edited since.' }), fact({ id: 'd008' })))
    fs.writeFileSync(file, `${more}]`)

    expect(
      listed(say(store, 'Logs are kept for thirty days.')).decisions.map(({ id, text }) => `${id} ${text}`),
    ).toEqual([
      'd001 Deploy on Tuesdays only.',
      'd002 Edited since.',
      'd008 Prices are kept in cents.',
      'd009 Logs are kept for thirty days.',
    ])
    const [aside = ''] = fs.readdirSync(project.memory).filter((name) => name.startsWith('facts.json.broken-'))
    expect(fs.readFileSync(path.join(project.memory, aside), 'utf8')).toBe(`${more}]`)
  })

  it('begins with a byte order mark is read like any other', () => {
    const { store, project, file } = known()
    fs.rmSync(store.places.vault, { recursive: true })
    fs.writeFileSync(file, `\ufeff${formatItems(factsWith(TUESDAY, CENTS))}`)

    expect(idsIn(say(store, 'Logs are kept for thirty days.'))).toEqual(['d001 rejected', 'd002 fresh', 'd003 fresh'])
    expect(fs.readdirSync(project.memory).filter((name) => name.includes('broken'))).toEqual([])
  })

  it('is of an earlier day gives no number twice', () => {
    const { store, file, copy } = known()
    say(store, 'Logs are kept for thirty days.')
    locked(store, () => fillVault(store))
    fs.writeFileSync(file, formatItems(factsWith(TUESDAY)))
    locked(store, () => fillVault(store))

    expect(listed(parseItems(fs.readFileSync(copy, 'utf8')))?.decisions).toHaveLength(3)
    expect(idsIn(say(store, 'Retries wait two seconds.'))).toEqual(['d001 rejected', 'd004 fresh'])
  })

  it('never was is not made', () => {
    const store = storeOf(quietProject({}, fastDir()))
    locked(store, () => writeFacts(store, readFacts(store), readFacts(store), NOW))

    expect(fs.existsSync(path.join(store.dir, 'facts.json'))).toBe(false)
  })

  it('only looks different is not touched', () => {
    const { store, file } = known()
    const text = JSON.stringify(JSON.parse(formatItems(factsWith(TUESDAY, CENTS))), null, 4)
    fs.writeFileSync(file, text)
    locked(store, () => writeFacts(store, readFacts(store), { ...readFacts(store) }, NOW))

    expect(fs.readFileSync(file, 'utf8')).toBe(text)
  })
})

describe('a concepts.json that', () => {
  it.each(['', '{}', 'oops', '\ufeff', null])('became %j has its concepts again, and no id twice', (text) => {
    const { store, project } = known()
    const file = path.join(project.memory, 'concepts.json')
    if (text === null) fs.rmSync(file)
    else fs.writeFileSync(file, text)
    locked(store, () => {
      const before = readConcepts(store)
      writeConcepts(store, before, addConcept(before, 'exports').concepts, NOW)
      fillVault(store)
    })

    expect(readConcepts(store).concepts.map(({ id, name }) => `${id} ${name}`)).toEqual([
      'c001 money',
      'c002 login',
      'c003 exports',
    ])
  })
})

describe('what is decided without the lock', () => {
  it('is written when nobody else wrote', () => {
    const { store } = known()
    const before = readBoth(store)

    expect(commitBoth(store, before, { ...before, facts: factsWith(CENTS) }, { waitMs: 1_000, now: NOW })).toBe(true)
    expect(idsIn(readFacts(store))).toEqual(['d002 fresh'])
  })

  it('is not written over what somebody else wrote meanwhile', () => {
    const { store } = known()
    const before = readBoth(store)
    say(store, 'Logs are kept for thirty days.')

    expect(commitBoth(store, before, { ...before, facts: factsWith(CENTS) }, { waitMs: 1_000, now: NOW })).toBe(false)
    expect(idsIn(readFacts(store))).toHaveLength(3)
  })

  it('takes no lock where nothing changes', () => {
    const { store, project } = known()
    const before = readBoth(store)
    const same = { ...before, facts: { ...before.facts } }
    const done = storeOf(project).whileLocked(1_000, () => commitBoth(store, before, same, { waitMs: 10, now: NOW }))

    expect(done?.value).toBe(true)
  })

  it('waits for nobody longer than it may', () => {
    const { store, project } = known()
    const before = readBoth(store)
    const done = storeOf(project).whileLocked(1_000, () =>
      commitBoth(store, before, { ...before, facts: factsWith(CENTS) }, { waitMs: 10, now: NOW }),
    )

    expect(done?.value).toBeNull()
  })
})
