/** forget takes something out of every layer and every copy, leaves all else, and it does not come back. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { briefSession } from '../../../src/briefing/disk/briefing.ts'
import { exportBundle, openBundle, performBundle } from '../../../src/copies/disk/bundle.ts'
import { adoptFiles } from '../../../src/copies/disk/vault.ts'
import { fillVault } from '../../../src/copies/disk/vault-restore.ts'
import { type ForgetWhat, performForget, planForget } from '../../../src/forget/disk/forget.ts'
import { addConcept } from '../../../src/knowledge/concept.ts'
import { withoutForgotten } from '../../../src/knowledge/disk/forgotten.ts'
import { readBoth, readFacts, writeBoth, writeFacts } from '../../../src/knowledge/disk/knowledge.ts'
import { allFacts, type Fact } from '../../../src/knowledge/fact.ts'
import { mapFacts } from '../../../src/knowledge/fact-list.ts'
import type { Proof } from '../../../src/knowledge/permanent.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../../../src/memory/disk/store.ts'
import { notesIn } from '../../../src/memory/note.ts'
import type { SessionState } from '../../../src/memory/session-state.ts'
import { allSessions, sessionIn, withSessions } from '../../../src/memory/state.ts'
import { keptEffects } from '../../../src/notes/disk/forgotten.ts'
import { handOut } from '../../../src/notes/disk/handout.ts'
import { repairMemory } from '../../../src/notes/disk/memory.ts'
import { addOwnNote, noteByCode } from '../../../src/notes/disk/notes.ts'
import { summariseSession } from '../../../src/notes/disk/summaries.ts'
import { ageTiers } from '../../../src/notes/disk/tiers.ts'
import { syncClaudeMd } from '../../../src/pages/disk/claude-md.ts'
import { readRules } from '../../../src/pages/disk/rules.ts'
import { type Disk, disk } from '../../../src/platform/disk/files.ts'
import { KeeperError } from '../../../src/platform/error.ts'
import { lookUp } from '../../../src/search/disk/lookup.ts'
import { openSearcher } from '../../../src/search/disk/search.ts'
import { captureSession } from '../../../src/sessions/disk/capture.ts'
import { catchUp } from '../../../src/sessions/disk/catch-up.ts'
import { isSound } from '../../../src/sessions/disk/cursor.ts'
import { readSession } from '../../../src/sessions/disk/lineage.ts'
import { packSessions, sessionFacts } from '../../../src/sessions/disk/session-archive.ts'
import { readForgotten } from '../../../src/sessions/disk/tombstones.ts'
import { verifySession } from '../../../src/sessions/disk/verify.ts'
import { filesWith, live, type Said } from '../../support/forget.ts'
import { Killed, killingDisk } from '../../support/killing-disk.ts'
import {
  append,
  entriesIn,
  fastDir,
  linesFor,
  makeProject,
  NOW,
  now,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  textsIn,
  turn,
  write,
} from '../../support/project.ts'

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

function world(): { project: TestProject; store: Store } {
  const project = makeProject('app', fastDir())
  return { project, store: live(project, [HARBOUR, PRICES]) }
}

function forget(store: Store, what: ForgetWhat): { removed: number; left: string[] } {
  const { removed, left } = performForget(store, planForget(store, what), NOW)
  return { removed: removed.length, left }
}

describe('forget --session', () => {
  it('leaves no byte of it in any file of ours, and all of the other session', () => {
    const { project, store } = world()
    const before = entriesIn(project.memory).length
    const prices = JSON.stringify(allFacts(readFacts(store)).filter(({ session }) => session === '00000002'))
    const done = forget(store, { is: 'session', session: HARBOUR.session })
    expect(done.left).toEqual([])
    expect(filesWith(project, BIRD)).toEqual([])
    expect(entriesIn(project.memory)).toHaveLength(before)
    expect(filesWith(project, CENTS).length).toBeGreaterThan(5)
    const after = allFacts(readFacts(storeOf(project))).filter(({ session }) => session === '00000002')
    expect(after.map(({ text }) => text)).toEqual(JSON.parse(prices).map(({ text }: { text: string }) => text))
    const memory = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')
    expect(notesIn(memory).map(({ session }) => session)).toEqual(['00000002'])
  })

  it('does not come back with an import, not even when the state and the session files are lost', () => {
    const { project, store } = world()
    forget(store, { is: 'session', session: HARBOUR.session })
    const options = { waitMs: COMMAND_WAIT_MS, now, look: 'all' as const }
    catchUp(storeOf(project), options)
    expect(filesWith(project, BIRD)).toEqual([])
    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    catchUp(storeOf(project), options)
    expect(filesWith(project, BIRD)).toEqual([])
    fs.rmSync(project.memory, { recursive: true })
    catchUp(storeOf(project), options)
    expect(filesWith(project, BIRD)).toEqual([])
    expect(filesWith(project, ['one cent off']).length).toBeGreaterThan(0)
  })

  it('does not come back with a restore from the vault', () => {
    const { project, store } = world()
    forget(store, { is: 'session', session: HARBOUR.session })
    fs.rmSync(project.memory, { recursive: true })
    const again = storeOf(project)
    again.whileLocked(COMMAND_WAIT_MS, () => adoptFiles(again, project.places.vault))
    catchUp(again, { waitMs: COMMAND_WAIT_MS, now, look: 'all' })
    expect(filesWith(project, BIRD)).toEqual([])
    expect(readForgotten(again).keys.size).toBe(5)
  })

  it('is not taken in from elsewhere: other versions, neighbours, bundles', () => {
    const { project, store } = world()
    const facts = fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')
    const name =
      fs.readdirSync(path.join(project.memory, 'sessions')).find((one) => one.endsWith('00000001.l1.jsonl')) ?? ''
    const session = fs.readFileSync(path.join(project.memory, 'sessions', name), 'utf8')
    const note = notesIn(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8'))[0]
    forget(store, { is: 'session', session: HARBOUR.session })
    const again = storeOf(project)
    const effects = keptEffects(again, [
      { do: 'write', path: 'facts.json', text: facts },
      { do: 'write', path: `sessions/${name}`, text: session },
      { do: 'write', path: 'memory_20250101_000000.md', text: `# Old\n\n${note?.text}\n\nSomething else.\n` },
    ])
    const texts = effects.map((effect) => ('text' in effect ? effect.text : ''))
    for (const word of BIRD) expect(texts.join('\n').toLowerCase()).not.toContain(word)
    expect(texts[0]).toContain('whole cents')
    expect(texts[2]).toContain('Something else.')
  })

  it('is complete for verify', () => {
    const { project, store } = world()
    forget(store, { is: 'session', session: HARBOUR.session })
    const again = storeOf(project)
    const { session } = HARBOUR
    const result = verifySession(again, again.readState(), session, project.transcriptOf(session))
    expect(result.missing).toEqual([])
  })

  it('is not found by a search, told by a briefing, nor shown', () => {
    const { project, store } = world()
    forget(store, { is: 'session', session: HARBOUR.session })
    const again = storeOf(project)
    const searcher = openSearcher(again, { cacheDir: project.places.cacheDir, now })
    const found = searcher.find({ query: 'kingfisher harbour', layers: ['L1', 'L2', 'L3'] })
    searcher.close()
    expect(found.hits).toEqual([])
    expect(briefSession(again, { session: sessionId(9), source: 'startup' }).text ?? '').not.toMatch(
      /kingfisher|harbour/i,
    )
    expect(lookUp(again, 'L1:00000001#0', 0)?.parts[0]).toMatchObject({ kind: 'removed', text: '' })
  })
})

describe('forget of entries', () => {
  it('takes what was made of them, and leaves the other entries byte for byte with their numbers', () => {
    const { project, store } = world()
    const file = path.join(
      project.memory,
      'sessions',
      fs.readdirSync(path.join(project.memory, 'sessions')).find((name) => name.endsWith('00000001.l1.jsonl')) ?? '',
    )
    const before = fs.readFileSync(file, 'utf8').split('\n')
    expect(forget(store, { is: 'id', id: 'L1:00000001#1-2' }).left).toEqual([])
    const after = fs.readFileSync(file, 'utf8').split('\n')
    expect(after).toHaveLength(before.length)
    expect(after.filter((line, n) => line !== before[n]).map((line) => JSON.parse(line).role)).toEqual([
      'tombstone',
      'tombstone',
    ])
    expect(filesWith(project, ['kubectl', 'replicas', 'spare room'])).toEqual([])
    expect(filesWith(project, ['importer']).length).toBeGreaterThan(0)
  })

  it('does not come back with a bundle made before, not even in the words of its note', () => {
    const { project, store } = world()
    const bundle = path.join(project.base, 'own.json')
    fs.writeFileSync(bundle, exportBundle(store).text)
    forget(store, { is: 'id', id: 'L1:00000001#0-2' })
    const other = storeOf(project)
    fs.rmSync(path.join(project.memory, 'memory.md'))
    performBundle(
      other,
      openBundle(other, bundle),
      NOW,
      (work) => other.whileLocked(COMMAND_WAIT_MS, work)?.value ?? null,
    )
    fs.rmSync(bundle)
    expect(filesWith(project, ['kubectl', 'replicas', 'importer'])).toEqual([])
    expect(filesWith(project, ['one cent off']).length).toBeGreaterThan(0)
  })

  it('writes the note anew from what stays', () => {
    const { project, store } = world()
    forget(store, { is: 'id', id: 'L1:00000001#2' })
    const [note] = notesIn(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8'))
    expect(note).toMatchObject({ session: '00000001', from: 0, to: 5, author: 'extractive' })
    expect(note?.text).toContain('kingfisher importer to the harbour')
    expect(note?.text).not.toContain('replicas')
  })

  it('lets the session go on: nothing comes back, and new entries get the next numbers', () => {
    const { project, store } = world()
    forget(store, { is: 'id', id: 'L1:00000001#0-2' })
    const lines = linesFor(HARBOUR.session, project.root)
    const transcript = project.transcriptOf(HARBOUR.session)
    append(transcript, lines.prompt(20, 'And now the lighthouse.') + lines.answer(21, 'It shines.'))
    const again = storeOf(project)
    captureSession(again, { session: HARBOUR.session, transcript }, { waitMs: COMMAND_WAIT_MS, now })
    const texts = readSession(again, sessionIn(again.readState(), HARBOUR.session)?.file ?? '')
    expect(texts.map((entry) => ('text' in entry ? entry.text : entry.role))).toEqual([
      'tombstone',
      'tombstone',
      'tombstone',
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
    write(transcript, lines.prompt(0, 'Where is the pelican?'))
    const store = storeOf(project)
    const source = { session, transcript, answer: 'The pelican sits on the old pier, as ever.' }
    captureSession(store, source, { waitMs: COMMAND_WAIT_MS, now })
    forget(store, { is: 'id', id: 'L1:00000001#1' })
    expect(filesWith(project, ['old pier'])).toEqual([])
    append(transcript, lines.answer(1, 'The pelican sits on the old pier, as ever.') + lines.prompt(9, 'Thanks.'))
    captureSession(storeOf(project), { session, transcript }, { waitMs: COMMAND_WAIT_MS, now })
    expect(filesWith(project, ['old pier'])).toEqual([])
    expect(textsIn(project.memory)).toEqual(['Where is the pelican?', 'tombstone', 'Thanks.'])
  })
})

describe('forget --query', () => {
  it('takes whatever holds the words, as a phrase or in one sentence, also inside of other words', () => {
    const { project, store } = world()
    write(
      path.join(project.memory, 'architecture.md'),
      '# Architecture\n\n- The KingfisherService owns imports. Prices are whole cents.\n- Other.\n',
    )
    write(path.join(project.memory, 'rules.md'), '- Ask before touching Kingfisher.\n- Run the tests.\n')
    expect(forget(storeOf(project), { is: 'query', query: 'kingfisher' }).left).toEqual([])
    expect(filesWith(project, ['kingfisher'])).toEqual([])
    expect(fs.readFileSync(path.join(project.memory, 'architecture.md'), 'utf8')).toBe(
      '# Architecture\n\n- Prices are whole cents.\n- Other.\n',
    )
    expect(fs.readFileSync(path.join(project.memory, 'rules.md'), 'utf8')).toBe('- Run the tests.\n')
    expect(store.dir).toBe(project.memory)
  })

  it('takes only entries with all the words in one sentence', () => {
    const { project, store } = world()
    forget(store, { is: 'query', query: 'spare cluster' })
    expect(filesWith(project, ['spare room'])).toEqual([])
    expect(filesWith(project, ['Move the kingfisher']).length).toBeGreaterThan(0)
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
    const fact = allFacts(readFacts(store)).find(({ text }) => text.includes('replicas'))
    const plan = planForget(store, { is: 'id', id: fact?.id ?? '' })
    expect(plan.stays).toEqual(['L1:00000001#2'])
    performForget(store, plan, NOW)
    const again = storeOf(project)
    expect(allFacts(readFacts(again)).map(({ id }) => id)).not.toContain(fact?.id)
    const files = filesWith(project, ['two replicas']).map((one) => path.basename(one))
    expect(
      files.every((file) => /l1\.jsonl$|raw\.jsonl\.gz$/.test(file)),
      files.join(),
    ).toBe(true)
    expect(files.length).toBeGreaterThan(0)
  })

  it('is not extracted again by code, nor saved by a model, unless it is said anew', () => {
    const { project, store } = world()
    const fact = allFacts(readFacts(store)).find(({ text }) => text.includes('replicas')) as Fact
    forget(store, { is: 'id', id: fact.id })
    const again = storeOf(project)
    const { id: _, ...said } = fact
    expect(withoutForgotten(again, [said])).toEqual([])
    const paraphrased = {
      ...said,
      text: 'Two of them run.',
      evidence: { ...said.evidence, quote: 'kingfisher importer with two replicas' },
    }
    expect(withoutForgotten(again, [paraphrased])).toEqual([])
    const anew = { ...said, at: '2026-03-01T00:00:00.000Z' }
    expect(withoutForgotten(again, [anew])).toEqual([anew])
    const state = again.readState()
    const untold = allSessions(state).map(
      ([id, one]) => [id, { ...one, watermark: 0, mined: 0, due: one.entries }] as const,
    )
    again.whileLocked(COMMAND_WAIT_MS, () => {
      again.perform([stateEffect(withSessions(state, untold)), { do: 'write', path: 'memory.md', text: '' }])
      noteByCode(again, now())
    })
    expect(allFacts(readFacts(again)).filter(({ text }) => text.includes('replicas'))).toEqual([])
  })

  it('takes the entry as well with its source', () => {
    const { project, store } = world()
    const fact = allFacts(readFacts(store)).find(({ text }) => text.includes('replicas'))
    forget(store, { is: 'id', id: fact?.id ?? '', withSource: true })
    expect(filesWith(project, ['two replicas'])).toEqual([])
  })
})

describe('forget of other things by their ids', () => {
  it('takes a note, and what it says nowhere else', () => {
    const { project, store } = world()
    store.whileLocked(COMMAND_WAIT_MS, () =>
      addOwnNote(store, 'The cormorant nests behind the boathouse. All tests pass.', NOW),
    )
    const note = notesIn(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).at(-1)
    write(path.join(project.memory, 'lessons.md'), '- All tests pass.\n')
    write(path.join(project.memory, 'journal', 'briefings', 'a.txt'), `- ${note?.text}\n- Another note.\n`)
    write(path.join(project.memory, 'journal', 'briefings', 'b.txt'), '- Another note.\n')
    forget(storeOf(project), { is: 'id', id: note?.id ?? '' })
    expect(filesWith(project, ['boathouse'])).toEqual([])
    expect(fs.readFileSync(path.join(project.memory, 'lessons.md'), 'utf8')).toBe('- All tests pass.\n')
    expect(fs.readFileSync(path.join(project.memory, 'journal', 'briefings', 'b.txt'), 'utf8')).toContain('Another')
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
    const members = allFacts(before.facts)
      .slice(0, 2)
      .map(({ id }) => id)
    const facts = mapFacts(before.facts, (fact) => (members.includes(fact.id) ? { ...fact, concept } : fact))
    store.whileLocked(COMMAND_WAIT_MS, () => writeBoth(store, before, { concepts, facts }, NOW))
    forget(store, { is: 'id', id: concept })
    const again = storeOf(project)
    expect(allFacts(readFacts(again)).filter(({ id }) => members.includes(id))).toEqual([])
  })

  it('keeps a permanent rule as long as something else proves it', () => {
    const { project, store } = world()
    const before = readFacts(store)
    const proof = (session: string, entry: number, quote: string): Proof => ({ session, entry, quote })
    const rule = {
      text: 'Ask first.',
      at: NOW,
      status: 'active',
      by: 'code',
      facts: [] as string[],
      concept: null,
      usedAt: NOW,
    } as const
    const rules = [
      {
        ...rule,
        id: 'r001',
        evidence: [proof('00000001', 3, 'Always ask before'), proof('00000002', 3, 'Never round')],
      },
      { ...rule, id: 'r002', text: 'Touch no bird.', evidence: [proof('00000001', 3, 'touch the kingfisher')] },
    ]
    store.whileLocked(COMMAND_WAIT_MS, () =>
      writeFacts(store, before, { ...before, permanent: { ...before.permanent, rules } }, NOW),
    )
    forget(storeOf(project), { is: 'session', session: HARBOUR.session })
    const { permanent } = readFacts(storeOf(project))
    expect(permanent.rules.map(({ id, evidence }) => [id, evidence.length])).toEqual([['r001', 1]])
  })

  it('says not-found for what is not there, and for what is forgotten already', () => {
    const { project, store } = world()
    forget(store, { is: 'session', session: '00000001' })
    for (const what of [
      { is: 'id', id: 'd999' },
      { is: 'id', id: 'L1:00000001#0' },
      { is: 'session', session: '00000001' },
      { is: 'session', session: 'd001' },
      { is: 'before', day: '2020-01-01' },
    ] as const)
      expect(() => planForget(storeOf(project), what), JSON.stringify(what)).toThrow(
        expect.objectContaining({ code: 'not-found' }),
      )
  })
})

describe('forget --before', () => {
  it('takes the sessions that ended before that day, compressed ones too, and no other', () => {
    const { project, store } = world()
    const old: Said = {
      session: sessionId(7),
      transcript: () => {
        const l = linesFor(sessionId(7), project.root, {}, Date.parse('2025-06-01T09:00:00.000Z'))
        return l.prompt(0, 'Repaint the dinghy in vermilion.') + l.answer(1, 'We decided on two coats of vermilion.')
      },
    }
    live(project, [old])
    const file = sessionIn(storeOf(project).readState(), old.session)?.file ?? ''
    expect(packSessions(store, [file], COMMAND_WAIT_MS, () => true)).toEqual([file])
    store.whileLocked(COMMAND_WAIT_MS, () => fillVault(store))
    expect(filesWith(project, ['vermilion']).some((one) => one.endsWith('.l1.jsonl.gz'))).toBe(true)
    expect(forget(storeOf(project), { is: 'before', day: '2026-01-01' }).left).toEqual([])
    expect(filesWith(project, ['vermilion', 'dinghy'])).toEqual([])
    expect(filesWith(project, ['kingfisher']).length).toBeGreaterThan(5)
    expect(sessionFacts(project.memory, file)?.isWhole).toBe(true)
    const again = storeOf(project)
    expect(isSound(again, sessionIn(again.readState(), old.session) as SessionState)).toBe(true)
  })
})

describe('tiers and archives', () => {
  it('lose what was made of it', () => {
    const { project, store } = world()
    const later = '2026-03-20T12:00:00.000Z'
    ageTiers(store, { now: later, isLate: () => false })
    const archive = 'memory_20260113_120000.md'
    fs.renameSync(path.join(project.memory, 'memory.md'), path.join(project.memory, archive))
    store.whileLocked(COMMAND_WAIT_MS, () => repairMemory(store, NOW))
    expect(filesWith(project, BIRD).some((one) => one.endsWith('archive/2026-01.md'))).toBe(true)
    expect(filesWith(project, BIRD).some((one) => one.endsWith('.summary.json'))).toBe(true)
    forget(storeOf(project), { is: 'session', session: HARBOUR.session })
    expect(filesWith(project, BIRD)).toEqual([])
    const month = fs.readFileSync(path.join(project.memory, 'sessions', 'archive', '2026-01.md'), 'utf8')
    expect(month).toContain('00000002')
    expect(month).not.toContain('00000001')
    const summary = fs.readFileSync(path.join(project.memory, 'memory_20260113_120000.summary.json'), 'utf8')
    expect(summary).toContain('cent')
  })
})

describe('the section in CLAUDE.md', () => {
  it('is written anew without the rule', () => {
    const project = makeProject('app', fastDir())
    live(project, [PRICES])
    setAtHome(project, { claudeMdSync: true })
    write(path.join(project.memory, 'rules.md'), '- Feed the osprey at noon.\n- Run the tests.\n')
    write(path.join(project.root, 'CLAUDE.md'), '# Mine\n')
    const store = storeOf(project)
    store.whileLocked(COMMAND_WAIT_MS, () => syncClaudeMd(store, readRules(store)))
    expect(fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')).toContain('osprey')
    forget(storeOf(project), { is: 'query', query: 'osprey' })
    const text = fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')
    expect(text).not.toContain('osprey')
    expect(text).toContain('# Mine')
    expect(text).toContain('Run the tests.')
  })
})

describe('when something is in the way', () => {
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
      captureSession(
        again,
        { session: HARBOUR.session, transcript: project.transcriptOf(HARBOUR.session) },
        { waitMs: COMMAND_WAIT_MS, now },
      )
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
    const what: ForgetWhat = { is: 'session', session: HARBOUR.session }
    const { left } = performForget(store, { what }, NOW, refusing)
    expect(left.length).toBeGreaterThan(3)
    expect(
      left.every((one) => one.startsWith(vault) && one.includes('EACCES')),
      left.join('\n'),
    ).toBe(true)
    expect(filesWith(project, BIRD).every((one) => one.includes('vault'))).toBe(true)
    expect(forget(storeOf(project), what).left).toEqual([])
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
          captureSession(other, { session: HARBOUR.session, transcript, host: 0 }, { waitMs: COMMAND_WAIT_MS, now })
          other.whileLocked(COMMAND_WAIT_MS, () => {
            const state = other.readState()
            const due = allSessions(state).map(([id, one]) => [id, { ...one, due: one.entries }] as const)
            other.perform([stateEffect(withSessions(state, due))])
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
    expect(isSound(again, sessionIn(again.readState(), HARBOUR.session) as SessionState)).toBe(true)
    expect(verifySession(again, again.readState(), HARBOUR.session, transcript).missing).toEqual([])
  })

  it('finds what a copy still holds, when the memory itself has forgotten it', () => {
    const { project, store } = world()
    const name =
      fs.readdirSync(path.join(project.memory, 'sessions')).find((one) => one.endsWith('00000001.l1.jsonl')) ?? ''
    const text = fs.readFileSync(path.join(project.memory, 'sessions', name), 'utf8')
    forget(store, { is: 'session', session: HARBOUR.session })
    write(path.join(project.places.vault, 'sessions', name), text)
    expect(forget(storeOf(project), { is: 'session', session: HARBOUR.session }).left).toEqual([])
    expect(filesWith(project, BIRD)).toEqual([])
  })

  it('takes back what somebody is about to write: a delta in hand is not open any more', () => {
    const { project, store } = world()
    const lines = linesFor(HARBOUR.session, project.root)
    const transcript = project.transcriptOf(HARBOUR.session)
    append(transcript, lines.prompt(20, 'Sink the submarine quietly.') + turn(lines, 5))
    captureSession(store, { session: HARBOUR.session, transcript }, { waitMs: COMMAND_WAIT_MS, now })
    const state = store.readState()
    const session = sessionIn(state, HARBOUR.session) as SessionState
    store.perform([stateEffect(withSessions(state, [[HARBOUR.session, { ...session, due: session.entries }]]))])
    const handed = store.whileLocked(COMMAND_WAIT_MS, () => handOut(store, 'agent', 18_000, NOW))?.value
    expect(filesWith(project, ['submarine']).some((one) => one.endsWith('delta_temp.txt'))).toBe(true)
    forget(storeOf(project), { is: 'id', id: 'L1:00000001#5' })
    expect(filesWith(project, ['submarine'])).toEqual([])
    expect(sessionIn(storeOf(project).readState(), HARBOUR.session)?.handout).toBeUndefined()
    expect(handed).not.toBeNull()
  })
})

function removeTemps(project: TestProject): void {
  for (const dir of [project.memory, project.keeper])
    for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.tmp')) fs.rmSync(path.join(dir, name))
}
