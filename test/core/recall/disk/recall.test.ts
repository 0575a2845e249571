/** The recall ledger on disk: bounded, safe from kills and from each other, and aware of what a session continues. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Recalled, recallFor } from '../../../../src/core/recall/disk/recall.ts'
import { judgePrompt } from '../../../../src/core/recall/recall.ts'
import { keepRecall, readRecalls, trimReceipts } from '../../../../src/core/receipts/disk/journal.ts'
import { recallMark } from '../../../../src/core/receipts/receipt.ts'
import { openIndex } from '../../../../src/core/search/disk/memory-index.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { locate } from '../../../../src/kernel/platform/disk/locate.ts'
import { anyKill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import { runModule } from '../../../support/module.ts'
import {
  append,
  fastDir,
  linesFor,
  NOW,
  now,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'
import { stop, work } from '../../../support/world.ts'

const FILE = path.join('journal', 'recalls.jsonl')

function told(text: string): Recalled {
  const pick = { id: 'L1:00000001#3', from: 0, to: text.length, mark: recallMark(text) }
  const picks = [{ ...pick, at: NOW, kind: 'answer', state: '', score: 1, text, verdict: 'told' }] as const
  return {
    fires: true,
    verdict: 'It is remembered.',
    scores: {},
    signal: 'question',
    picks: [...picks],
    text,
    tokens: 9,
    n: 2,
  }
}

const SILENT: Recalled = {
  fires: false,
  verdict: 'Nothing.',
  scores: {},
  signal: null,
  picks: [],
  text: '',
  tokens: 0,
  n: 2,
}
const about = (session: string): { at: string; session: string; ms: number } => ({ at: NOW, session, ms: 1 })

describe('the ledger', () => {
  it('keeps its newer half when it has grown too large', () => {
    const project = quietProject()
    work(project, 0, 1)
    const store = storeOf(project)
    keepRecall(store, told('the first'), about('s'))
    const line = fs.readFileSync(path.join(project.memory, FILE), 'utf8')
    write(path.join(project.memory, FILE), line.repeat(Math.ceil((600 * 1024) / line.length)))
    write(path.join(project.memory, 'sessions', '20260101_000000_abcdef12.l1.jsonl'), ' '.repeat(3_000_000))
    keepRecall(store, told('the last'), about('s'))
    trimReceipts(store)

    expect(fs.statSync(path.join(project.memory, FILE)).size).toBeLessThan(350 * 1024)
    expect(readRecalls(store).at(-1)?.shown[0]?.mark).toBe(recallMark('the last'))
    expect(readRecalls(store).length).toBeGreaterThan(500)
    const size = fs.statSync(path.join(project.memory, FILE)).size
    trimReceipts(store)
    expect(fs.statSync(path.join(project.memory, FILE)).size).toBe(size)
  })

  it('loses no receipt but the one whose writer was killed', () => {
    const project = quietProject({}, fastDir())
    work(project, 0, 1)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.option(anyKill)), { minLength: 1, maxLength: 8 }), (all) => {
        fs.rmSync(path.join(project.memory, FILE), { force: true })
        const kept: string[] = []
        for (const [n, kill] of all) {
          const disk = killingDisk(kill === null ? [] : [{ ...kill, after: 0 }])
          try {
            keepRecall(openStore(locate(project.root, project.around), { now, disk }), told(`words ${n}`), about('s'))
            kept.push(recallMark(`words ${n}`))
          } catch (error) {
            if (!(error instanceof Killed)) throw error
            if (kill?.how === 'after') kept.push(recallMark(`words ${n}`))
          }
        }
        expect(readRecalls(storeOf(project)).map(({ shown }) => shown[0]?.mark)).toEqual(kept)
      }),
      { numRuns: 60 },
    )
  })

  it('takes receipts of several processes at once', async () => {
    const project = quietProject()
    work(project, 0, 1)
    await runModule(
      `import { locate } from './src/kernel/platform/disk/locate.ts'
       import { keepRecall } from './src/core/receipts/disk/journal.ts'
       import { openStore } from './src/kernel/memory/disk/store.ts'
       const store = openStore(locate(${JSON.stringify(project.root)}, ${JSON.stringify(project.around)}), { now: () => '${NOW}' })
       for (let i = 0; i < 200; i++) keepRecall(store, ${JSON.stringify(SILENT)}, { at: '${NOW}', session: 's' + process.pid, ms: i })`,
      4,
    )
    const all = readRecalls(storeOf(project))
    const sessions = [...new Set(all.map(({ session }) => session))]

    expect(sessions).toHaveLength(4)
    for (const session of sessions)
      expect(all.filter((one) => one.session === session).map(({ ms }) => ms)).toEqual(
        Array.from({ length: 200 }, (_, i) => i),
      )
  }, 60_000)
})

const ASKED = 'Which backoff did we choose for the Stripe webhook retries?'
const SAID = 'We settled on exponential backoff with seven attempts for the Stripe webhook retries.'

function recalledFor(store: Store, session: string, prompt = ASKED): string[] {
  const picks = (open: Parameters<typeof recallFor>[2]): string[] =>
    recallFor(store, { prompt, session }, open, judgePrompt)?.picks.map(({ id }) => id) ?? []
  const all = picks(() => openIndex(store, { cacheDir: '', now }))
  // As the hook does it: what the session said last is not in the index yet, and nothing else is recalled for that.
  expect(picks((mayLag) => openIndex(store, { cacheDir: '', now, mayLag }))).toEqual(all)
  return all
}

describe('what a session said itself', () => {
  const isIndexed = (project: TestProject, session: string): boolean => {
    const { cacheDir = '' } = project.around
    const store = storeOf(project)
    const asked = { prompt: ASKED, session }
    recallFor(store, asked, (mayLag) => openIndex(store, { cacheDir, now, mayLag }), judgePrompt)
    const index = openIndex(store, { cacheDir, now })
    try {
      return index.columns.live > 0
    } finally {
      index.close()
    }
  }

  it('is not read for its own prompts, but for those of others', () => {
    const project = quietProject()
    const lines = linesFor(sessionId(1), project.root)
    append(project.transcriptOf(sessionId(1)), lines.prompt(0, 'How do we retry webhooks?') + lines.answer(1, SAID))
    stop(project)

    expect(isIndexed(project, sessionId(1))).toBe(false)
    expect(isIndexed(project, sessionId(2))).toBe(true)
  })

  it('is read once there is much of it', () => {
    const project = quietProject()
    const lines = linesFor(sessionId(1), project.root)
    const text = 'We went on with it. '.repeat(1_000)
    for (let n = 0; n < 10; n++)
      append(project.transcriptOf(sessionId(1)), lines.prompt(2 * n, `step ${n}`) + lines.answer(2 * n + 1, text))
    stop(project)

    expect(isIndexed(project, sessionId(1))).toBe(true)
  })
})

/** A session and one that was forked from it after the answer. */
function forked(): TestProject {
  const project = quietProject()
  const lines = linesFor(sessionId(1), project.root)
  const shared = [
    lines.prompt(0, 'Please add a dark theme.') + lines.answer(1, 'The dark theme is there.'),
    lines.prompt(10, 'How do we retry webhooks?') + lines.answer(11, SAID),
    lines.prompt(20, 'Rename the customer table.') + lines.answer(21, 'It is called clients now.'),
    lines.prompt(30, 'Fix the footer.') + lines.answer(31, 'The footer shows the right year.'),
  ].join('')
  append(project.transcriptOf(sessionId(1)), shared)
  stop(project)
  const own = linesFor(sessionId(2), project.root)
  append(
    project.transcriptOf(sessionId(2)),
    shared + own.prompt(100_000, 'Now the imprint.') + own.answer(100_001, 'Done.'),
  )
  stop(project, {}, {}, sessionId(2))
  return project
}

describe('a session that continues another', () => {
  it('has the words of the other before it, and a third one does not', () => {
    const store = storeOf(forked())

    expect(store.readState().sessions[sessionId(2)]).toMatchObject({ forkOf: { session: sessionId(1) } })
    expect(recalledFor(store, sessionId(3))).toContain('L1:00000001#3')
    expect(recalledFor(store, sessionId(1))).toEqual([])
    expect(recalledFor(store, sessionId(2))).toEqual([])
  })

  it('does not get them again after a compaction of its own', () => {
    const project = forked()
    const summary = linesFor(sessionId(2), project.root, { isCompactSummary: true })
    append(
      project.transcriptOf(sessionId(2)),
      summary.prompt(200_000, 'This session is being continued from a previous conversation. Shop work.'),
    )
    stop(project, {}, {}, sessionId(2))

    expect(recalledFor(storeOf(project), sessionId(2))).toEqual([])
    expect(recalledFor(storeOf(project), sessionId(3))).toContain('L1:00000001#3')
  })
})
