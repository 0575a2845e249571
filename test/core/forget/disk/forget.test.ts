/** forget takes something out of every layer and every copy, leaves all else, and it does not come back. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { briefSession } from '../../../../src/core/briefing/disk/briefing.ts'
import { withoutForgottenFiles } from '../../../../src/core/forget/disk/arriving.ts'
import { type ForgetWhat, performForget, planForget } from '../../../../src/core/forget/disk/forget.ts'
import { addConcept } from '../../../../src/core/knowledge/concept.ts'
import { renderSessionFactFiles, withoutForgotten } from '../../../../src/core/knowledge/disk/facts.ts'
import { readBoth, readFacts, writeBoth, writeFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import type { Fact, Proof } from '../../../../src/core/knowledge/item.ts'
import { allFacts, mapFacts } from '../../../../src/core/knowledge/items.ts'
import { handOut } from '../../../../src/core/notes/disk/handout.ts'
import { repairMemory } from '../../../../src/core/notes/disk/memory.ts'
import { addOwnNote, noteByCode } from '../../../../src/core/notes/disk/notes.ts'
import { summariseSession } from '../../../../src/core/notes/disk/summaries.ts'
import { ageTiers, unsummarised } from '../../../../src/core/notes/disk/tiers.ts'
import { syncClaudeMd } from '../../../../src/core/pages/disk/claude-md.ts'
import { readRules } from '../../../../src/core/pages/disk/rules.ts'
import { lookUp } from '../../../../src/core/search/disk/lookup.ts'
import { openSearcher } from '../../../../src/core/search/disk/search.ts'
import { adoptFiles } from '../../../../src/core/vault/disk/vault.ts'
import { fillVault } from '../../../../src/core/vault/disk/vault-restore.ts'
import { exportBundle, openBundle, performBundle } from '../../../../src/extras/bundle/disk/bundle.ts'
import { COMMAND_WAIT_MS, openStore, type Store, stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { type Note, notesIn } from '../../../../src/kernel/memory/note.ts'
import type { SessionState } from '../../../../src/kernel/memory/session-state.ts'
import { allSessions, sessionIn, withSessions } from '../../../../src/kernel/memory/state.ts'
import { withOwed } from '../../../../src/kernel/memory/work.ts'
import { type Disk, disk } from '../../../../src/kernel/platform/disk/files.ts'
import { KeeperError } from '../../../../src/kernel/platform/error.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import { isSound } from '../../../../src/kernel/sessions/disk/cursor.ts'
import { readSession } from '../../../../src/kernel/sessions/disk/lineage.ts'
import { packSessions, sessionFileState } from '../../../../src/kernel/sessions/disk/session-archive.ts'
import { readForgotten } from '../../../../src/kernel/sessions/disk/tombstones.ts'
import { verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { itemsOf, listed } from '../../../support/fact.ts'
import { filesWith, live, type Said } from '../../../support/forget.ts'
import { Killed, killingDisk } from '../../../support/killing-disk.ts'
import { addSession } from '../../../support/old-sessions.ts'
import {
  append,
  entriesIn,
  fastDir,
  linesFor,
  madeOnce,
  makeProject,
  NOW,
  now,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  textsIn,
  treeOf,
  turn,
  write,
} from '../../../support/project.ts'
import { allDue, pieceIn } from '../../../support/work.ts'

const HARBOUR: Said = {
  session: sessionId(1),
  decided: 2,
  transcript: (l) =>
    [
      l.prompt(0, 'Move the kingfisher importer to the harbour cluster, please.'),
      l.use(1, 'a', 'Bash', { command: 'kubectl apply -f kingfisher.yaml' }),
      l.result(2, 'a', 'deployment kingfisher configured'),
      l.answer(
        3,
        'We decided to run the kingfisher importer with two replicas, because the harbour cluster has spare room.',
      ),
      l.prompt(10, 'Always ask before you touch the kingfisher deployment.'),
      l.answer(11, 'Understood.'),
    ].join(''),
}
const PRICES: Said = {
  session: sessionId(2),
  decided: 2,
  transcript: (l) =>
    [
      l.prompt(0, 'Prices with VAT are sometimes one cent off in src/price.ts.'),
      l.use(1, 'b', 'Edit', { file_path: '/app/src/price.ts', old_string: 'a', new_string: 'b' }),
      l.result(2, 'b', 'The file has been updated.'),
      l.answer(3, 'We decided to count prices in whole cents, because floating point rounds 1.015 down.'),
      l.prompt(10, 'Never round a price before the sum is known.'),
      l.answer(11, 'Noted.'),
    ].join(''),
}
const BIRD = ['kingfisher', 'harbour', 'replicas', 'kubectl']
const CENTS = ['floating', 'whole cents', 'one cent off']

const lived = madeOnce(() => {
  const project = makeProject('app', fastDir())
  live(project, [HARBOUR, PRICES])
  return project
})

function world(): { project: TestProject; store: Store } {
  const project = lived()
  return { project, store: storeOf(project) }
}

function forget(store: Store, what: ForgetWhat, at = NOW): string[] {
  return performForget(store, planForget(store, what), at).left
}

/** The two sessions, without what is forgotten. */
function forgotten(what: ForgetWhat): { project: TestProject; again: Store } {
  const { project, store } = world()
  expect(forget(store, what)).toEqual([])
  return { project, again: storeOf(project) }
}

const WHOLE: ForgetWhat = { is: 'session', session: HARBOUR.session }
const ALL = { waitMs: COMMAND_WAIT_MS, now, look: 'all' as const }
const CAPTURE = { waitMs: COMMAND_WAIT_MS, now }
const inMemory = ({ memory }: TestProject, name: string): string => fs.readFileSync(path.join(memory, name), 'utf8')
const notesOf = (project: TestProject): Note[] => notesIn(inMemory(project, 'memory.md'))
const factAbout = (store: Store, words: string): Fact =>
  allFacts(readFacts(store)).find(({ text }) => text.includes(words)) as Fact
const sessionName = ({ memory }: TestProject, id8 = '00000001'): string =>
  `sessions/${fs.readdirSync(path.join(memory, 'sessions')).find((name) => name.endsWith(`${id8}.l1.jsonl`))}`
const stateOf = (store: Store): SessionState => sessionIn(store.readState(), HARBOUR.session) as SessionState
const isThere = (project: TestProject, words: string): boolean => filesWith(project, [words]).length > 0

describe('forget --session', () => {
  it('leaves no byte of it in any file of ours, and all of the other session', () => {
    const { project, store } = world()
    const before = entriesIn(project.memory).length
    const prices = (one: Store): string[] =>
      allFacts(readFacts(one)).flatMap(({ session, text }) => (session === '00000002' ? [text] : []))
    const had = prices(store)
    expect(forget(store, WHOLE)).toEqual([])
    const again = storeOf(project)
    expect(filesWith(project, BIRD)).toEqual([])
    expect(entriesIn(project.memory)).toHaveLength(before)
    expect(filesWith(project, CENTS).length).toBeGreaterThan(5)
    expect(prices(again)).toEqual(had)
    expect(notesOf(project).map(({ session }) => session)).toEqual(['00000002'])
    // It is complete for verify, and neither found nor told nor shown.
    const { session } = HARBOUR
    expect(verifySession(again, again.readState(), session, project.transcriptOf(session)).missing).toEqual([])
    const searcher = openSearcher(again, { cacheDir: project.places.cacheDir, now })
    expect(searcher.find({ query: 'kingfisher harbour', layers: ['L1', 'L2', 'L3'] }).hits).toEqual([])
    searcher.close()
    const told = briefSession(again, { session: sessionId(9), source: 'startup' }).text ?? ''
    expect(told).not.toMatch(/kingfisher|harbour/i)
    expect(lookUp(again, 'L1:00000001#0', 0)?.parts[0]).toMatchObject({ kind: 'removed', text: '' })
  })

  it('does not come back with an import, not even when the state and the session files are lost', () => {
    const { project } = forgotten(WHOLE)
    for (const lost of ['nothing', 'memory-index.json', '.']) {
      fs.rmSync(path.join(project.memory, lost), { recursive: true, force: true })
      catchUp(storeOf(project), ALL)
      expect(filesWith(project, BIRD), lost).toEqual([])
    }
    expect(isThere(project, 'one cent off')).toBe(true)
  })

  it('does not come back with a restore from the vault', () => {
    const { project } = forgotten(WHOLE)
    fs.rmSync(project.memory, { recursive: true })
    const again = storeOf(project)
    again.whileLocked(COMMAND_WAIT_MS, () => adoptFiles(again, project.places.vault))
    catchUp(again, ALL)
    expect(filesWith(project, BIRD)).toEqual([])
    expect(readForgotten(again).keys.size).toBe(5)
  })

  it('is not taken in from elsewhere: other versions, bundles', () => {
    const { project, store } = world()
    const [session, note] = [sessionName(project), notesOf(project)[0]]
    const texts = {
      'facts.json': inMemory(project, 'facts.json'),
      [session]: inMemory(project, session),
      'memory_20250101_000000.md': `# Old\n\n${note?.text}\n\nSomething else.\n`,
    }
    forget(store, WHOLE)
    const files = Object.entries(texts).map(([name, text]) => ({ path: name, text }))
    const [facts, ...others] = withoutForgottenFiles(storeOf(project), files).map(({ text }) => text)
    for (const word of BIRD) expect([facts, ...others].join('\n').toLowerCase()).not.toContain(word)
    expect(facts).toContain('whole cents')
    expect(others.at(-1)).toContain('Something else.')
  })
})

describe('forget of entries', () => {
  it('takes what was made of them, and leaves the other entries byte for byte with their numbers', () => {
    const { project, store } = world()
    const file = sessionName(project)
    const before = inMemory(project, file).split('\n')
    expect(forget(store, { is: 'id', id: 'L1:00000001#1-2' })).toEqual([])
    const after = inMemory(project, file).split('\n')
    expect(after).toHaveLength(before.length)
    const changed = after.filter((line, n) => line !== before[n])
    expect(changed.map((line) => JSON.parse(line).role)).toEqual(['tombstone', 'tombstone'])
    expect(filesWith(project, ['kubectl', 'replicas', 'spare room'])).toEqual([])
    expect(isThere(project, 'importer')).toBe(true)
  })

  it('does not come back with a bundle made before, not even in the words of its note', () => {
    const { project, store } = world()
    const bundle = path.join(project.base, 'own.json')
    fs.writeFileSync(bundle, exportBundle(store).text)
    forget(store, { is: 'id', id: 'L1:00000001#0-2' })
    const other = storeOf(project)
    fs.rmSync(path.join(project.memory, 'memory.md'))
    other.whileLocked(COMMAND_WAIT_MS, () => performBundle(other, openBundle(other, bundle), NOW))
    fs.rmSync(bundle)
    expect(filesWith(project, ['kubectl', 'replicas', 'importer'])).toEqual([])
    expect(isThere(project, 'one cent off')).toBe(true)
  })

  it('writes the note anew from what stays', () => {
    const { project } = forgotten({ is: 'id', id: 'L1:00000001#2' })
    const [note] = notesOf(project)
    expect(note).toMatchObject({ session: '00000001', from: 0, to: 5, author: 'extractive' })
    expect(note?.text).toContain('kingfisher importer to the harbour')
    expect(note?.text).not.toContain('replicas')
  })

  it('lets the session go on: nothing comes back, and new entries get the next numbers', () => {
    const { project, again } = forgotten({ is: 'id', id: 'L1:00000001#0-2' })
    const lines = linesFor(HARBOUR.session, project.root)
    const transcript = project.transcriptOf(HARBOUR.session)
    append(transcript, lines.prompt(20, 'And now the lighthouse.') + lines.answer(21, 'It shines.'))
    captureSession(again, { session: HARBOUR.session, transcript }, CAPTURE)
    const texts = readSession(again, stateOf(again).file)
    expect(texts.map((entry) => ('text' in entry ? entry.text : entry.role))).toEqual([
      ...Array(3).fill('tombstone'),
      'Always ask before you touch the kingfisher deployment.',
      'Understood.',
      'And now the lighthouse.',
      'It shines.',
    ])
  })

  it('keeps an answer away that was announced and whose line comes later', () => {
    const project = makeProject('app', fastDir())
    const { session } = HARBOUR
    const transcript = project.transcriptOf(session)
    const lines = linesFor(session, project.root)
    const answer = 'The pelican sits on the old pier, as ever.'
    write(transcript, lines.prompt(0, 'Where is the pelican?'))
    const store = storeOf(project)
    captureSession(store, { session, transcript, answer }, CAPTURE)
    forget(store, { is: 'id', id: 'L1:00000001#1' })
    expect(filesWith(project, ['old pier'])).toEqual([])
    append(transcript, lines.answer(1, answer) + lines.prompt(9, 'Thanks.'))
    captureSession(storeOf(project), { session, transcript }, CAPTURE)
    expect(filesWith(project, ['old pier'])).toEqual([])
    expect(textsIn(project.memory)).toEqual(['Where is the pelican?', 'tombstone', 'Thanks.'])
  })
})

describe('forget --query', () => {
  it('takes whatever holds the words, as a phrase or in one sentence, also inside of other words', () => {
    const { project } = world()
    const kept = '- Prices are whole cents.\n- Other.\n'
    write(
      path.join(project.memory, 'architecture.md'),
      `# Architecture\n\n${kept.replace('- ', '- The KingfisherService owns imports. ')}`,
    )
    write(path.join(project.memory, 'rules.md'), '- Ask before touching Kingfisher.\n- Run the tests.\n')
    expect(forget(storeOf(project), { is: 'query', query: 'kingfisher' })).toEqual([])
    expect(filesWith(project, ['kingfisher'])).toEqual([])
    expect(inMemory(project, 'architecture.md')).toBe(`# Architecture\n\n${kept}`)
    expect(inMemory(project, 'rules.md')).toBe('- Run the tests.\n')
  })

  it('takes only entries with all the words in one sentence', () => {
    const { project } = forgotten({ is: 'query', query: 'spare cluster' })
    expect(filesWith(project, ['spare room'])).toEqual([])
    expect(isThere(project, 'Move the kingfisher')).toBe(true)
  })

  it('refuses what is in nearly everything, and finds nothing where nothing is', () => {
    const { store } = world()
    expect(() => planForget(store, { is: 'query', query: 'a b' })).toThrow(KeeperError)
    expect(planForget(store, { is: 'query', query: 'albatross' }).isEmpty).toBe(true)
  })
})

describe('forget of a fact', () => {
  it('takes the fact and what repeats it, leaves the session, and says so', () => {
    const { project, store } = world()
    const { id } = factAbout(store, 'replicas')
    expect(planForget(store, { is: 'id', id }).stays).toEqual(['L1:00000001#2'])
    forget(store, { is: 'id', id })
    expect(allFacts(readFacts(storeOf(project))).map((fact) => fact.id)).not.toContain(id)
    const files = filesWith(project, ['two replicas']).map((one) => path.basename(one))
    // The summary is made from the session, which stays.
    expect(files.filter((file) => !/l1\.jsonl$|raw\.jsonl\.gz$|_00000001\.md$/.test(file))).toEqual([])
    expect(files.length).toBeGreaterThan(0)
  })

  it('is refused for a summary, which is made from its session, and names the session', () => {
    const { store } = world()
    expect(() => planForget(store, { is: 'id', id: 'S:00000001' })).toThrow(
      expect.objectContaining({ code: 'derived', message: expect.stringContaining('forget --session 00000001') }),
    )
  })

  it('is not extracted again by code, nor saved by a model, unless it is said anew', () => {
    const { project, store } = world()
    const fact = factAbout(store, 'replicas')
    forget(store, { is: 'id', id: fact.id })
    const again = storeOf(project)
    const { id: _, ...said } = fact
    const quote = 'kingfisher importer with two replicas'
    const paraphrased = { ...said, text: 'Two of them run.', evidence: { ...said.evidence, quote } }
    const anew = { ...said, at: '2026-03-01T00:00:00.000Z' }
    expect(withoutForgotten(again, [said, paraphrased, anew])).toEqual([anew])
    const state = again.readState()
    const untold = allSessions(state).map(([id, one]) => [id, { ...one, watermark: 0 }] as const)
    again.whileLocked(COMMAND_WAIT_MS, () => {
      again.perform([stateEffect(allDue(withSessions(state, untold))), { do: 'write', path: 'memory.md', text: '' }])
      noteByCode(again, now())
    })
    expect(factAbout(again, 'replicas')).toBeUndefined()
  })
})

describe('forget of other things by their ids', () => {
  it('takes a note, and what it says nowhere else', () => {
    const { project, store } = world()
    store.whileLocked(COMMAND_WAIT_MS, () =>
      addOwnNote(store, 'The cormorant nests behind the boathouse. All tests pass.', NOW),
    )
    const note = notesOf(project).at(-1)
    write(path.join(project.memory, 'lessons.md'), '- All tests pass.\n')
    write(path.join(project.memory, 'journal', 'briefings', 'a.txt'), `- ${note?.text}\n- Another note.\n`)
    write(path.join(project.memory, 'journal', 'briefings', 'b.txt'), '- Another note.\n')
    forget(storeOf(project), { is: 'id', id: note?.id ?? '' })
    expect(filesWith(project, ['boathouse'])).toEqual([])
    expect(inMemory(project, 'lessons.md')).toBe('- All tests pass.\n')
    expect(inMemory(project, 'journal/briefings/b.txt')).toContain('Another')
    expect(filesWith(project, ['kingfisher']).length).toBeGreaterThan(5)
  })

  it('takes a page in the memory and in the vault', () => {
    const { project, store } = world()
    for (const dir of [project.memory, project.places.vault])
      write(path.join(dir, 'gulls.md'), '# Gulls\n\nThey steal chips.\n')
    forget(store, { is: 'id', id: 'gulls' })
    expect(filesWith(project, ['chips'])).toEqual([])
    expect(fs.existsSync(path.join(project.memory, 'gulls.md'))).toBe(false)
  })

  it('takes a concept with its facts', () => {
    const { project, store } = world()
    const before = readBoth(store)
    const { concepts, id: concept } = addConcept(before.concepts, 'Harbours')
    const [one, two] = allFacts(before.facts).map(({ id }) => id)
    const isMember = ({ id }: Fact): boolean => id === one || id === two
    const facts = mapFacts(before.facts, (fact) => (isMember(fact) ? { ...fact, concept } : fact))
    store.whileLocked(COMMAND_WAIT_MS, () => writeBoth(store, before, { concepts, facts }, NOW))
    forget(store, { is: 'id', id: concept })
    expect(allFacts(readFacts(storeOf(project))).filter(isMember)).toEqual([])
  })

  it('keeps a permanent rule as long as something else proves it', () => {
    const { project, store } = world()
    const before = readFacts(store)
    const proof = (session: string, entry: number, quote: string): Proof => ({ session, entry, quote })
    const rule = { at: NOW, state: 'active', by: 'code', facts: [] as string[], concept: null, usedAt: NOW } as const
    const both = [proof('00000001', 3, 'Always ask before'), proof('00000002', 3, 'Never round')]
    const rules = [
      { ...rule, id: 'r001', text: 'Ask first.', evidence: both },
      { ...rule, id: 'r002', text: 'Touch no bird.', evidence: [proof('00000001', 3, 'touch the kingfisher')] },
    ]
    store.whileLocked(COMMAND_WAIT_MS, () =>
      writeFacts(store, before, itemsOf({ ...listed(before), permanent: { ...listed(before).permanent, rules } }), NOW),
    )
    forget(storeOf(project), WHOLE)
    const { permanent } = listed(readFacts(storeOf(project)))
    expect(permanent.rules.map(({ id, evidence }) => [id, evidence.length])).toEqual([['r001', 1]])
  })

  it('says not-found for what is not there, and for what is forgotten already', () => {
    const { again } = forgotten({ is: 'session', session: '00000001' })
    for (const what of [
      { is: 'id', id: 'd999' },
      { is: 'id', id: 'L1:00000001#0' },
      { is: 'session', session: '00000001' },
      { is: 'session', session: 'd001' },
    ] as const)
      expect(() => planForget(again, what), JSON.stringify(what)).toThrow(
        expect.objectContaining({ code: 'not-found' }),
      )
  })
})

it('forget --session takes a compressed session, and no other', () => {
  const { project, store } = world()
  const session = sessionId(7)
  const transcript = (): string => {
    const l = linesFor(session, project.root, {}, Date.parse('2025-06-01T09:00:00.000Z'))
    return l.prompt(0, 'Repaint the dinghy in vermilion.') + l.answer(1, 'We decided on two coats of vermilion.')
  }
  live(project, [{ session, transcript }])
  const old = (): SessionState => sessionIn(storeOf(project).readState(), session) as SessionState
  const { file } = old()
  expect(packSessions(store, [file], COMMAND_WAIT_MS, () => true)).toEqual([file])
  store.whileLocked(COMMAND_WAIT_MS, () => fillVault(store))
  expect(filesWith(project, ['vermilion']).some((one) => one.endsWith('.l1.jsonl.gz'))).toBe(true)
  expect(forget(storeOf(project), { is: 'session', session })).toEqual([])
  expect(filesWith(project, ['vermilion', 'dinghy'])).toEqual([])
  expect(filesWith(project, ['kingfisher']).length).toBeGreaterThan(5)
  expect(sessionFileState(project.memory, file)?.isWhole).toBe(true)
  expect(isSound(storeOf(project), old())).toBe(true)
})

it('tiers and archives lose what was made of a forgotten session', () => {
  const { project, store } = world()
  ageTiers(store, { now: '2026-03-20T12:00:00.000Z', isLate: () => false })
  const archive = 'memory_20260113_120000.md'
  fs.renameSync(path.join(project.memory, 'memory.md'), path.join(project.memory, archive))
  store.whileLocked(COMMAND_WAIT_MS, () => repairMemory(store, NOW))
  for (const end of ['archive/2026-01.md', '.summary.json'])
    expect(filesWith(project, BIRD).some((one) => one.endsWith(end))).toBe(true)
  forget(storeOf(project), WHOLE, '2026-03-20T12:00:00.000Z')
  expect(filesWith(project, BIRD)).toEqual([])
  const month = inMemory(project, 'sessions/archive/2026-01.md')
  expect(month).toContain('00000002')
  expect(month).not.toContain('00000001')
  expect(inMemory(project, 'memory_20260113_120000.summary.json')).toContain('cent')
})

it('the section in CLAUDE.md is written anew without a forgotten rule', () => {
  const project = makeProject('app', fastDir())
  live(project, [PRICES])
  setAtHome(project, { claudeMdSync: true })
  write(path.join(project.memory, 'rules.md'), '- Feed the osprey at noon.\n- Run the tests.\n')
  write(path.join(project.root, 'CLAUDE.md'), '# Mine\n')
  const store = storeOf(project)
  const claudeMd = (): string => fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')
  store.whileLocked(COMMAND_WAIT_MS, () => syncClaudeMd(store, readRules(store)))
  expect(claudeMd()).toContain('osprey')
  forget(storeOf(project), { is: 'query', query: 'osprey' })
  expect(claudeMd()).not.toContain('osprey')
  expect(claudeMd()).toMatch(/# Mine[\s\S]*Run the tests\./)
})

describe('forget with something in its way', () => {
  it('finishes after a kill anywhere, with the same command', () => {
    const kinds = ['before', 'after', 'partial'] as const
    const count = (how: (typeof kinds)[number], after: number): boolean => {
      const { project, store } = world()
      const what: ForgetWhat = { is: 'id', id: 'L1:00000001#0-2' }
      let isKilled = false
      try {
        performForget(store, { what }, NOW, killingDisk([{ after, how }]))
      } catch (error) {
        if (!(error instanceof Killed)) throw error
        isKilled = true
      }
      const again = storeOf(project)
      captureSession(again, { session: HARBOUR.session, transcript: project.transcriptOf(HARBOUR.session) }, CAPTURE)
      try {
        performForget(storeOf(project), { what }, NOW)
      } catch (error) {
        if (!(error instanceof KeeperError)) throw error
      }
      removeTemps(project)
      expect(filesWith(project, ['kubectl', 'replicas', 'Move the kingfisher']), `${how} ${after}`).toEqual([])
      expect(
        textsIn(project.memory).filter((text) => text !== 'tombstone'),
        `${how} ${after}`,
      ).toContain('Understood.')
      expect(entriesIn(project.memory)).toHaveLength(10)
      return isKilled
    }
    let killed = 0
    for (const after of [0, 1, 2, 4, 6, 9, 12, 15, 18, 20, 22, 24, 26, 28, 30, 34])
      if (count(kinds[after % 3] ?? 'before', after)) killed++
    expect(killed).toBeGreaterThan(8)
  }, 60_000)

  it('makes the same summaries, weeks, months and facts of sessions after a kill at any write as without one', () => {
    const at = '2026-03-20T12:00:00.000Z'
    const what: ForgetWhat = { is: 'id', id: 'L1:00000001#0-2' }
    const rendered = (project: TestProject): [string, string][] =>
      Object.entries(treeOf(path.join(project.memory, 'sessions'))).filter(([name]) => /\.(?:md|l2\.json)$/.test(name))
    const aged = (): TestProject => {
      const { project, store } = world()
      // One is in its month, the other has its own summary.
      addSession(store, { n: 8, at: '2026-03-18T10:00:00.000Z', word: 'kingfisher' })
      ageTiers(store, { now: at, isLate: () => false })
      return project
    }
    const whole = aged()
    performForget(storeOf(whole), { what }, at)
    const expected = rendered(whole)
    expect(expected.map(([name]) => name)).toEqual([
      '20260113_090002_00000002.l2.json',
      '20260318_100000_00000008.md',
      'archive/2026-01.md',
    ])
    const isKilledAt = (after: number, how: 'before' | 'after' | 'partial'): boolean => {
      const project = aged()
      const dying = killingDisk([{ after, how }])
      let isKilled = false
      try {
        performForget(openStore(project.places, { now, disk: dying }), { what }, at, dying)
      } catch (error) {
        if (!(error instanceof Killed)) throw error
        isKilled = true
      }
      try {
        performForget(storeOf(project), { what }, at)
      } catch (error) {
        if (!(error instanceof KeeperError)) throw error
      }
      // The finisher's steps, when nothing is left that the command finds.
      const store = storeOf(project)
      for (const id of unsummarised(store, { now: at, isAlive: () => false })) summariseSession(store, id)
      ageTiers(store, { now: at, isLate: () => false })
      renderSessionFactFiles(store)
      expect(rendered(project), `${how} ${after}`).toEqual(expected)
      return isKilled
    }
    const kinds = ['before', 'after', 'partial'] as const
    let writes = 0
    while (isKilledAt(writes, kinds[writes % 3] ?? 'before')) writes++
    expect(writes).toBeGreaterThan(25)
  }, 120_000)

  it('says which files are left where they cannot be written, and does them when asked again', () => {
    const { project, store } = world()
    const { vault } = project.places
    const refusing: Disk = {
      ...disk,
      replace: (file, content) => {
        if (file.startsWith(vault) && !file.endsWith('forgotten.jsonl'))
          throw Object.assign(new Error('no'), { code: 'EACCES' })
        disk.replace(file, content)
      },
    }
    const { left } = performForget(store, { what: WHOLE }, NOW, refusing)
    expect(left.length).toBeGreaterThan(3)
    expect(left.filter((one) => !(one.startsWith(vault) && one.includes('EACCES')))).toEqual([])
    expect(filesWith(project, BIRD).every((one) => one.includes('vault'))).toBe(true)
    expect(forget(storeOf(project), WHOLE)).toEqual([])
    expect(filesWith(project, BIRD)).toEqual([])
  })

  it('leaves nothing when others capture, note and copy all the while', () => {
    const { project, store } = world()
    const lines = linesFor(HARBOUR.session, project.root)
    const transcript = project.transcriptOf(HARBOUR.session)
    let holds = 0
    const busy: Store = {
      ...store,
      whileLocked: (waitMs, work) => {
        const done = store.whileLocked(waitMs, work)
        if (holds++ < 6) {
          const other = storeOf(project)
          append(transcript, lines.prompt(100 + holds * 10, `And number ${holds}?`))
          captureSession(other, { session: HARBOUR.session, transcript, host: 0 }, CAPTURE)
          other.whileLocked(COMMAND_WAIT_MS, () => {
            const state = other.readState()
            other.perform([stateEffect(allDue(state))])
            noteByCode(other, now())
            summariseSession(other, HARBOUR.session)
            fillVault(other)
          })
        }
        return done
      },
    }
    const { left } = performForget(busy, { what: { is: 'id', id: 'L1:00000001#0-2' } }, NOW)
    expect(left).toEqual([])
    expect(filesWith(project, ['kubectl', 'replicas', 'Move the kingfisher'])).toEqual([])
    expect(textsIn(project.memory)).toContain('And number 3?')
    const again = storeOf(project)
    expect(isSound(again, stateOf(again))).toBe(true)
    expect(verifySession(again, again.readState(), HARBOUR.session, transcript).missing).toEqual([])
  })

  it('finds what a copy still holds, when the memory itself has forgotten it', () => {
    const { project, store } = world()
    const name = sessionName(project)
    const text = inMemory(project, name)
    forget(store, WHOLE)
    write(path.join(project.places.vault, name), text)
    expect(forget(storeOf(project), WHOLE)).toEqual([])
    expect(filesWith(project, BIRD)).toEqual([])
  })

  it('satisfies verify, although what was still open has no tombstone', () => {
    const { project, store } = world()
    const lines = linesFor(HARBOUR.session, project.root)
    const transcript = project.transcriptOf(HARBOUR.session)
    append(transcript, lines.enqueue(20, 'Then sink the submarine.'))
    append(transcript, lines.use(21, 'b', 'Bash', { command: 'sink submarine' }))
    captureSession(store, { session: HARBOUR.session, transcript }, CAPTURE)
    expect(forget(storeOf(project), { is: 'query', query: 'submarine' })).toEqual([])
    expect(filesWith(project, ['submarine'])).toEqual([])
    const again = storeOf(project)
    expect(verifySession(again, again.readState(), HARBOUR.session, transcript).missing).toEqual([])
    append(transcript, lines.enqueue(22, 'Then raise the frigate.'))
    expect(verifySession(again, again.readState(), HARBOUR.session, transcript).missing).toHaveLength(1)
  })

  it('takes back what somebody is about to write: a delta in hand is not open any more', () => {
    const { project, store } = world()
    const lines = linesFor(HARBOUR.session, project.root)
    const transcript = project.transcriptOf(HARBOUR.session)
    append(transcript, lines.prompt(20, 'Sink the submarine quietly.') + turn(lines, 5))
    captureSession(store, { session: HARBOUR.session, transcript }, CAPTURE)
    const state = store.readState()
    const session = stateOf(store)
    store.perform([stateEffect(withOwed(state, session, session.entries))])
    const handed = store.whileLocked(COMMAND_WAIT_MS, () => handOut(store, 'agent', 18_000, NOW))?.value
    expect(filesWith(project, ['submarine']).some((one) => one.endsWith('delta_temp.txt'))).toBe(true)
    forget(storeOf(project), { is: 'id', id: 'L1:00000001#5' })
    expect(filesWith(project, ['submarine'])).toEqual([])
    expect(pieceIn(storeOf(project).readState(), HARBOUR.session)).toBeUndefined()
    expect(handed).not.toBeNull()
  })
})

function removeTemps(project: TestProject): void {
  for (const dir of [project.memory, project.keeper])
    for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.tmp')) fs.rmSync(path.join(dir, name))
}
