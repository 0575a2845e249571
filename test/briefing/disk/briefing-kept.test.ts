/** A briefing that is kept is told while it is what would be rendered, byte for byte, and never longer. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prepareBriefing } from '../../../src/briefing/disk/briefing.ts'
import { keptFile, removeKeptBriefing } from '../../../src/briefing/disk/briefing-kept.ts'
import { formatFacts } from '../../../src/knowledge/fact.ts'
import { openStore, type Store } from '../../../src/memory/disk/store.ts'
import { addOwnNote } from '../../../src/notes/disk/notes.ts'
import { locate } from '../../../src/platform/disk/locate.ts'
import { fact, facts } from '../../support/briefing.ts'
import { locked } from '../../support/notes.ts'
import { append, fastDir, NOW, now, quietProject, storeOf, type TestProject, write } from '../../support/project.ts'

const LONG_AGO = new Date('2026-01-01T00:00:00.250Z')
const DECIDED = 'Amounts are kept in cents.'

function remembering(): TestProject {
  const project = quietProject({ rules: true }, fastDir())
  const store = storeOf(project)
  locked(store, () => addOwnNote(store, 'The importer reads its input in pieces now.', NOW))
  write(path.join(project.memory, 'facts.json'), formatFacts(facts([fact('d001', DECIDED)])))
  return project
}

/** As if everything had been written long before it is read. */
function settle(dir: string): void {
  for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(dir, name)
    if (fs.statSync(file).isFile()) fs.utimesSync(file, LONG_AGO, LONG_AGO)
  }
}

function tell(store: Store): string | null {
  return prepareBriefing(store, store.readState())?.text ?? null
}

/** Rendered, whatever is kept. */
function rendered(project: TestProject): string | null {
  return tell(openStore(locate(project.root, { ...project.around, cacheDir: '' }), { now }))
}

function keptIn(project: TestProject): string {
  return keptFile(storeOf(project)) ?? ''
}

/** Whether what is kept is told: a word of it is changed to see that. */
function isTold(project: TestProject): boolean {
  const file = keptIn(project)
  const text = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, text.replaceAll('Remembered from', 'Recalled from'))
  const told = tell(storeOf(project))
  return told?.includes('Recalled from') === true
}

describe('a kept briefing', () => {
  it('is told instead of being rendered again, with why each line is told', () => {
    const project = remembering()
    settle(project.base)
    const first = prepareBriefing(storeOf(project), storeOf(project).readState())
    const again = prepareBriefing(storeOf(project), storeOf(project).readState())

    expect(again).toEqual(first)
    expect(first?.text).toContain(DECIDED)
    expect(isTold(project)).toBe(true)
  })

  it('is not told once any file that it was made of has changed, or one that was not there is made', () => {
    const changes: ((project: TestProject) => void)[] = [
      ({ memory }) =>
        write(path.join(memory, 'facts.json'), formatFacts(facts([fact('d001', 'Amounts are in euros.')]))),
      ({ memory }) => fs.rmSync(path.join(memory, 'facts.json')),
      ({ memory }) => append(path.join(memory, 'memory.md'), '\n'),
      ({ memory }) => write(path.join(memory, 'rules.md'), '- Ask first.\n'),
      ({ memory }) => write(path.join(memory, 'glossary.md'), 'A record is one line.\n'),
      ({ memory }) => write(path.join(memory, 'config.json'), '{"briefingChars": 4000}'),
      ({ root }) => write(path.join(root, 'package.json'), '{\n  "version": "2.0.0"\n}\n'),
      ({ root }) => write(path.join(root, '.git', 'HEAD'), 'ref: refs/heads/other\n'),
    ]
    for (const change of changes) {
      const project = remembering()
      settle(project.base)
      tell(storeOf(project))
      change(project)
      expect(isTold(project)).toBe(false)
      expect(tell(storeOf(project))).toBe(rendered(project))
    }
  })

  it('is what would be rendered, whatever was changed by whom in which order', () => {
    const files = ['facts.json', 'memory.md', 'rules.md', 'concepts.json', 'project.md', 'notes.md', 'x.tmp']
    const texts = ['', '{', '# Title\n\nSome words.\n', formatFacts(facts([fact('d002', 'Dates are in UTC.')]))]
    const change = fc.record({
      name: fc.constantFrom(...files),
      text: fc.constantFrom(null, ...texts),
      isOld: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (all) => {
        const project = remembering()
        settle(project.base)
        for (const { name, text, isOld } of all) {
          expect(tell(storeOf(project))).toBe(rendered(project))
          const file = path.join(project.memory, name)
          if (text === null) fs.rmSync(file, { force: true })
          else write(file, text)
          if (isOld) settle(project.memory)
        }
        expect(tell(storeOf(project))).toBe(rendered(project))
        fs.rmSync(project.base, { recursive: true, force: true })
      }),
      { numRuns: 40 },
    )
  })

  it('is not trusted when it was made in the moment in which its sources were written', () => {
    const project = remembering()
    settle(project.base)
    tell(storeOf(project))
    const { mtime } = fs.statSync(path.join(project.memory, 'facts.json'))
    fs.utimesSync(keptIn(project), mtime, mtime)
    const before = fs.readFileSync(keptIn(project), 'utf8')

    expect(tell(storeOf(project))).toBe(rendered(project))
    expect(fs.statSync(keptIn(project)).mtimeMs).toBeGreaterThan(mtime.getTime())
    expect(fs.readFileSync(keptIn(project), 'utf8')).toBe(before)
  })

  it('that somebody changed, or that another version wrote, is made anew', () => {
    const project = remembering()
    settle(project.base)
    const told = tell(storeOf(project))
    const whole = JSON.parse(fs.readFileSync(keptIn(project), 'utf8')) as object
    const broken = [
      { version: 0 },
      { basis: '' },
      { seen: [['x']] },
      { seen: 1 },
      { lines: [{ text: 1 }] },
      { lines: null },
    ]
    for (const text of ['', '[]', '{', ...broken.map((one) => JSON.stringify({ ...whole, ...one }))]) {
      fs.writeFileSync(keptIn(project), text)
      expect(tell(storeOf(project))).toBe(told)
    }
    fc.assert(
      fc.property(fc.json(), (text) => {
        fs.writeFileSync(keptIn(project), text)
        expect(tell(storeOf(project))).toBe(told)
      }),
      { numRuns: 30 },
    )
  })

  it('is not kept while another process writes, nor where nothing can be written', () => {
    const project = remembering()
    settle(project.base)
    const store = storeOf(project)
    const held = store.whileLocked(0, () => tell(storeOf(project)))
    expect(held?.value).toContain(DECIDED)
    expect(fs.existsSync(keptIn(project))).toBe(false)

    write(path.dirname(keptIn(project)), 'in its place')
    expect(tell(storeOf(project))).toContain(DECIDED)
    expect(fs.readFileSync(path.dirname(keptIn(project)), 'utf8')).toBe('in its place')
  })

  it('is private, lies outside of the project, and can be removed', () => {
    const project = remembering()
    tell(storeOf(project))
    expect(keptIn(project).startsWith(project.root)).toBe(false)
    if (process.platform !== 'win32') expect(fs.statSync(keptIn(project)).mode & 0o777).toBe(0o600)
    removeKeptBriefing(storeOf(project))

    expect(fs.existsSync(keptIn(project))).toBe(false)
    expect(tell(storeOf(project))).toBe(rendered(project))
  })
})
