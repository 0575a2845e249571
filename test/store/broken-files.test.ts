/** Every kind of file, broken in every way: capture goes on, the other steps are done, nothing is lost in both places, and doctor names it. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { checkHealth } from '../../src/store/health.ts'
import { BROKEN_KINDS, BROKEN_WAYS, type BrokenKind, type BrokenWay, breakFile, filesOfKind } from '../support/broken-files.ts'
import { type Furnished, furnish } from '../support/furnished.ts'
import { runCommand, runCommandJson } from '../support/process.ts'
import { append, linesFor, sessionId, storeOf, story, turns } from '../support/project.ts'
import { begin, finishHere, hookHere, LATER, prompt, stop } from '../support/world.ts'

let whole: Furnished
beforeAll(async () => {
  whole = await furnish()
})
afterAll(() => whole.remove())
afterEach(() => vi.restoreAllMocks())

const WAYS = [...Object.keys(BROKEN_WAYS), 'unreadable'] as (BrokenWay | 'unreadable')[]
const NEW = sessionId(3)

describe.each(WAYS)('%s', (way) => {
  it.each(BROKEN_KINDS.map((kind) => [`${kind.in}: ${kind.kind}`, kind] as const))('%s', async (_, kind) => {
    whole.reset()
    const { project } = whole
    const files = filesOfKind(whole.places, kind)
    const before = files.map((file) => (fs.existsSync(file) ? fs.readFileSync(file, 'latin1') : null))
    if (way === 'unreadable') hide(files)
    else for (const file of files) breakFile(file, way)

    const lines = linesFor(NEW, project.root)
    begin(project, NEW)
    prompt(project, { prompt: 'Say something about zebras and their stripes, please.' }, {}, NEW)
    append(project.transcriptOf(NEW), story(lines) + turns(lines, 1, 3) + lines.prompt(900, 'The zebra word is heard here only.'))
    stop(project, {}, {}, NEW)
    append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), project.root), 20, 22))
    stop(project, {}, {}, sessionId(1))
    hookHere(project, { hook_event_name: 'SessionEnd', session_id: NEW })
    await finishHere(project, { for: 'end', session: NEW }, { now: () => LATER, isAlive: () => false })

    const bad: string[] = []
    const verified = runCommandJson(project, ['verify'])
    if (!verified.json.sessions.every((one: { complete: boolean }) => one.complete)) bad.push('capture')
    const store = storeOf(project)
    const has = (name: string, words: string): boolean => fs.existsSync(path.join(store.dir, name)) && fs.readFileSync(path.join(store.dir, name), 'utf8').includes(words)
    if (!has('memory.md', `session=${NEW.slice(0, 8)}`)) bad.push('note')
    if (!has('facts.json', NEW.slice(0, 8))) bad.push('facts')
    const names = fs.readdirSync(path.join(store.dir, 'sessions'))
    if (!names.some((name) => name.endsWith(`${NEW.slice(0, 8)}.md`))) bad.push('summary')
    const inVault = path.join(project.places.vault, 'sessions')
    if (store.dir === project.memory && !(fs.existsSync(inVault) && fs.readdirSync(inVault).some((name) => name.endsWith(`${NEW.slice(0, 8)}.l1.jsonl`)))) bad.push('vault')
    const found = runCommand(project, ['search', 'zebra', '--deep'])
    if (!found.out.includes('zebra word')) bad.push(`search ${found.err}`)
    const next = begin(project, sessionId(4))
    if (!next.context.includes('parser')) bad.push('briefing')
    const asked = prompt(project, { prompt: 'go on' }, {}, sessionId(4))
    if (!asked.context.includes('Friday') && !asked.context.includes('ules')) bad.push('rules')
    const log = path.join(project.keeper, 'logs', 'memory-keeper.log')
    const health = checkHealth(storeOf(project), { now: LATER, nodeVersion: 'v22.0.0', version: '0.5.1', programs: null })
    const named = health.filter(({ verdict }) => verdict !== 'ok').map(({ name, finding }) => `${name}: ${finding}`)
    const short = files.map((file) => path.basename(file))
    if (kind.is !== 'remade' && !named.some((line) => short.some((name) => line.includes(name)))) bad.push('doctor')
    if (kind.is === 'kept')
      for (const [i, text] of before.entries()) {
        if (text === null) continue
        const name = path.relative(project.memory, files[i] ?? '')
        const copies = [files[i] ?? '', path.join(project.places.vault, name), path.join(project.places.vault, '.kept', name)].map((file) => fs.existsSync(file) && fs.statSync(file).isFile() ? fs.readFileSync(file, 'latin1') : '')
        if (!text.split('\n').every((line) => copies.some((copy) => copy.includes(line)))) bad.push('lost')
      }
    const logged = fs.existsSync(log) && fs.statSync(log).isFile() ? fs.readFileSync(log, 'utf8') : ''
    if (bad.length > 0) fs.appendFileSync('/tmp/vault-bad.txt', `${way} | ${kind.in}: ${kind.kind} | ${bad.join(',')} | ${logged.split('\n').slice(0,3).join(' ;; ')} | ${bad.includes('doctor') ? named.join(' ; ') : ''}\n`)
    expect({ bad, logged: bad.length > 0 ? logged.split('\n').slice(0, 6) : [], named: bad.includes('doctor') ? named : [] }).toEqual({ bad: [], logged: [], named: [] })
  })
})

/** Of these files nobody may read a byte, wherever they are moved to: the tests may run as root, who may read all. */
function hide(files: readonly string[]): void {
  const hidden = new Set(files.filter((file) => fs.existsSync(file)).map((file) => fs.statSync(file).ino))
  const refuse = (file: unknown, syscall: string): void => {
    const ino = typeof file === 'string' ? fs.statSync(file, { throwIfNoEntry: false })?.ino : undefined
    if (ino === undefined || !hidden.has(ino)) return
    throw Object.assign(new Error(`EACCES: permission denied, ${syscall} '${file}'`), { code: 'EACCES', syscall, path: file })
  }
  const open = fs.openSync
  vi.spyOn(fs, 'openSync').mockImplementation(((file: fs.PathLike, ...rest: never[]) => {
    refuse(file, 'open')
    return open(file, ...rest)
  }) as never)
  const access = fs.accessSync
  vi.spyOn(fs, 'accessSync').mockImplementation((file, mode) => {
    refuse(file, 'access')
    access(file, mode)
  })
}
