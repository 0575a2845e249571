/** Every kind of file, broken in every way: capture goes on, the other steps are done, no word is lost, and doctor names the file. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { allFindings } from '../../../../src/core/health/disk/health.ts'
import { BUILT_IN_LINE } from '../../../../src/core/pages/rule.ts'
import {
  BROKEN_KINDS,
  BROKEN_WAYS,
  type BrokenKind,
  type BrokenWay,
  breakFile,
  filesOfKind,
} from '../../../support/broken-files.ts'
import { type Furnished, furnish } from '../../../support/furnished.ts'
import { ROOT, runCommand, runCommandJson } from '../../../support/process.ts'
import {
  append,
  dialog,
  linesFor,
  sessionId,
  storeOf,
  story,
  type TestProject,
  turns,
} from '../../../support/project.ts'
import { hideFiles } from '../../../support/unreadable.ts'
import { begin, finishHere, hookHere, LATER, prompt, stop } from '../../../support/world.ts'

type Way = BrokenWay | 'unreadable'

const WAYS = [...Object.keys(BROKEN_WAYS), 'unreadable'] as Way[]
const OLD = sessionId(1)
const NEW = sessionId(3)
const NEW8 = NEW.slice(0, 8)
/** Kinds that do not depend on each other are broken together. Of those that doctor names two: it lists at most five files. */
const TOGETHER = { kept: 2, remade: 40 }
const STEPS = ['note', 'facts', 'summary', 'vault', 'search', 'briefing'] as const

let whole: Furnished
beforeAll(async () => {
  whole = await furnish()
})
afterAll(() => whole.remove())
afterEach(() => vi.restoreAllMocks())

/** What one of these breaks could hide what another one breaks. */
function isAlone({ is, kind }: BrokenKind): boolean {
  const needed = ['memory-index.json', '.lock', 'config.json', 'model-calls.jsonl', 'vault/<name>-<hash>/', 'memory.md']
  return is === 'closes' || is === 'healed' || needed.includes(kind) || kind.endsWith('.l1.jsonl')
}

function groups(): [name: string, kinds: readonly BrokenKind[]][] {
  const alone = BROKEN_KINDS.filter(isAlone).map((kind) => [kind])
  const together = (['kept', 'remade'] as const).flatMap((is) => {
    const others = BROKEN_KINDS.filter((kind) => !isAlone(kind) && kind.is === is)
    const size = TOGETHER[is]
    return Array.from({ length: Math.ceil(others.length / size) }, (_, i) => others.slice(i * size, (i + 1) * size))
  })
  return [...alone, ...together].map((kinds) => [kinds.map((one) => `${one.in} ${one.kind}`).join(', '), kinds])
}

/** A session begins, goes on and ends, and an older one goes on; the finisher runs. */
async function work(project: TestProject): Promise<string[]> {
  const lines = linesFor(NEW, project.root)
  const said = [
    begin(project, NEW).out,
    prompt(project, { prompt: 'Say something about zebras and their stripes, please.' }, {}, NEW).out,
  ]
  const zebra = lines.prompt(900, 'The zebra word is heard here only.')
  append(
    project.transcriptOf(NEW),
    story(lines) + turns(lines, 1, 3) + zebra + dialog(lines, 80, 'Where are lines skipped?', 'In the lexer'),
  )
  said.push(stop(project, {}, {}, NEW).out)
  append(
    project.transcriptOf(OLD),
    turns(linesFor(OLD, project.root), 20, 22) +
      dialog(linesFor(OLD, project.root), 230, 'Which one now?', 'The large one'),
  )
  said.push(stop(project, {}, {}, OLD).out)
  said.push(hookHere(project, { hook_event_name: 'SessionEnd', session_id: NEW }).out)
  const finished = finishHere(project, { for: 'end', session: NEW }, { now: () => LATER, isAlive: () => false })
  // While nobody can read the state, the sessions wait in their transcripts.
  await finished.catch((error) => expect(error).toMatchObject({ code: 'unreadable' }))
  return said
}

function stepsNotDone(project: TestProject): string[] {
  const { dir } = storeOf(project)
  const has = (name: string, words: string): boolean => {
    const file = path.join(dir, name)
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').includes(words)
  }
  const namesIn = (folder: string): string[] => (fs.existsSync(folder) ? fs.readdirSync(folder) : [])
  const inVault = namesIn(path.join(project.places.vault, 'sessions'))
  const done: Record<(typeof STEPS)[number], boolean> = {
    note: has('memory.md', `session=${NEW8}`),
    facts: has('facts.json', NEW8),
    summary: namesIn(path.join(dir, 'sessions')).some((name) => name.endsWith(`${NEW8}.md`)),
    vault: dir !== project.memory || inVault.some((name) => name.endsWith(`${NEW8}.l1.jsonl`)),
    search: runCommand(project, ['search', 'zebra', '--deep']).out.includes('zebra word'),
    briefing: begin(project, sessionId(4)).context.includes('parser'),
  }
  return STEPS.filter((step) => !done[step])
}

function isCaptured(project: TestProject): boolean {
  const { sessions } = runCommandJson(project, ['verify']).json as { sessions: { complete: boolean }[] }
  return sessions.length === 3 && sessions.every(({ complete }) => complete)
}

/** What doctor says of everything that is not well. */
function complaints(project: TestProject): string {
  const world = { now: LATER, nodeVersion: 'v22.0.0' }
  const checks = allFindings(storeOf(project), world).filter(({ verdict }) => verdict !== 'ok')
  return checks.map(({ finding, fix }) => `${finding} ${fix}`).join('\n')
}

/** A compressed session goes by the name of the session. */
function nameOf(file: string): string {
  return path.basename(file).replace(/\.l1\.jsonl\.gz$/, '.l1.jsonl')
}

/** Lines; of JSON, whose lines change with every count, the words in it. */
function wordsIn(file: string, text: string): string[] {
  if (!file.endsWith('.json')) return text.split('\n')
  return [...text.matchAll(/"(?:text|quote|name|summary|title)": ?"((?:[^"\\]|\\.)*)"/g)].map(
    ([, words]) => words ?? '',
  )
}

/** Words that were in these files, and are neither in them nor in the vault. */
function lostWords(project: TestProject, before: ReadonlyMap<string, string>): string[] {
  return [...before].flatMap(([file, text]) => {
    const name = path.relative(project.memory, file)
    const { vault } = project.places
    const copies = [file, path.join(vault, name), path.join(vault, '.kept', name)]
      .filter((one) => fs.existsSync(one) && fs.statSync(one).isFile())
      .map((one) => fs.readFileSync(one, 'latin1'))
    return wordsIn(file, text).filter((words) => !copies.some((copy) => copy.includes(words)))
  })
}

/** A lock without a readable owner counts as left behind after two seconds: nobody has to wait for it here. */
function ageLocks(files: readonly string[]): void {
  const old = new Date(Date.now() - 60_000)
  for (const file of files) if (file.endsWith('.lock') && fs.existsSync(file)) fs.utimesSync(file, old, old)
}

describe.each(WAYS)('%s', (way) => {
  it.each(groups())('%s', async (_, kinds) => {
    whole.reset()
    const { project, places } = whole
    const files = kinds.flatMap((kind) => filesOfKind(places, kind))
    const holding = kinds.some(({ is }) => is === 'kept' || is === 'healed') ? files : []
    const before = new Map(
      holding.flatMap((file) => (fs.existsSync(file) ? [[file, fs.readFileSync(file, 'latin1')] as const] : [])),
    )
    if (way === 'unreadable') hideFiles(files)
    else for (const file of files) breakFile(file, way)
    ageLocks(files)
    const said = await work(project)

    const isStateHidden = way === 'unreadable' && kinds.some(({ kind }) => kind === 'memory-index.json')
    if (!isStateHidden) expect(isCaptured(project)).toBe(true)
    expect(
      said.filter(
        (out) => out !== '' && !out.startsWith('{"hookSpecificOutput"') && !out.startsWith('{"systemMessage"'),
      ),
    ).toEqual([])
    expect(stepsNotDone(project)).toEqual(isStateHidden ? ['note', 'facts', 'summary', 'vault', 'search'] : [])
    // The user's own rules are not told without their file, nor in a memory that is not known to be the user's; the built-in line always is.
    const lost = ['.owner', 'trust/<name>-<hash>.json', 'rules.md']
    const isOwn = !kinds.some(({ kind }) => lost.includes(kind))
    const { context } = prompt(project, {}, {}, sessionId(4))
    expect(context).toContain(BUILT_IN_LINE)
    expect(context.includes('Memory Keeper rules for this project')).toBe(isOwn)
    // The doctor reads every file.
    const isNamed = kinds.some(({ is }) => is === 'kept' || is === 'closes')
    const named = isNamed ? complaints(project) : ''
    vi.restoreAllMocks()
    expect(lostWords(project, before)).toEqual([])
    const unnamed = files.filter((file) => !named.includes(nameOf(file)))
    if (isNamed) expect({ unnamed, named }).toEqual({ unnamed: [], named })
  })
})

describe('the table', () => {
  it('has every kind of file that docs/FILES.md names in a table', () => {
    const [files = ''] = fs.readFileSync(path.join(ROOT, 'docs', 'FILES.md'), 'utf8').split('\n### An entry')
    const home = fs.readFileSync(path.join(ROOT, 'docs', 'FILES.md'), 'utf8').split('\n## At home')[1] ?? ''
    const rows = `${files}${home}`.matchAll(/^\| `([^`]+)`/gm)

    expect([...rows].map(([, name]) => name).filter((name) => !BROKEN_KINDS.some(({ kind }) => kind === name))).toEqual(
      [],
    )
  })
})
