/** No secret reaches the disk by any way into the memory: every file is searched byte by byte. */
import fs from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { noteNoticed } from '../../../src/core/model/disk/model-call.ts'
import { makeSecrets } from '../../fixtures/secrets.ts'
import { fakeClaude } from '../../support/claude.ts'
import { runCli, runCommand, runFinisher, runHook } from '../../support/process.ts'
import {
  agentPath,
  append,
  entriesIn,
  linesFor,
  makeProject,
  NOW,
  sessionId,
  setAtHome,
  type TestProject,
  textsIn,
  treeOf,
  write,
} from '../../support/project.ts'
import { begin, finishHere, hookHere, prompt, stop } from '../../support/world.ts'

const SESSION = sessionId(1)
const PRIVATE = 'the name of my first pet is Rex'
const secrets = makeSecrets(20_260_113)
const contexts = secrets.flatMap((secret) => secret.contexts)
/** One of each kind: which contexts are recognised is the subject of redact.test.ts. */
const oneOfEach = secrets.flatMap((secret) => secret.contexts.slice(0, 1))

/** Which secrets are found in any file that is ours, whole or by their greater part, plain or escaped. */
function leaksIn(project: TestProject): string[] {
  const files = {
    ...treeOf(path.join(project.root, '.claude')),
    ...Object.fromEntries(
      Object.entries(treeOf(project.home)).filter(([name]) => !name.startsWith(path.join('.claude', 'projects'))),
    ),
  }
  const wanted = [
    { kind: 'private', secret: PRIVATE },
    // Whoever holds all of a secret holds this part of it.
    ...secrets.map(({ kind, secret }) => ({ kind, secret: secret.slice(0, Math.ceil(secret.length * 0.8)) })),
  ].map(({ kind, secret }) => ({ kind, forms: new Set([secret, JSON.stringify(secret).slice(1, -1)]) }))
  const plain = (name: string, content: string): string =>
    name.endsWith('.gz') ? gunzipSync(Buffer.from(content, 'latin1')).toString('latin1') : content
  const contents = Object.entries(files).map(([name, stored]) => ({ name, content: plain(name, stored) }))
  return contents.flatMap(({ name, content }) =>
    wanted
      .filter(({ forms }) => [...forms].some((form) => content.includes(form)))
      .map(({ kind }) => `${kind} in ${name}`),
  )
}

/** Those of `some`, in every way into a transcript. */
function plant(project: TestProject, some = contexts): void {
  const transcript = project.transcriptOf(SESSION)
  const lines = linesFor(SESSION, project.root)
  const side = linesFor(SESSION, project.root, { isSidechain: true, agentId: 'helper' })
  const text: string[] = [lines.prompt(0, `hello <private>${PRIVATE}</private> there`)]
  const aside: string[] = []
  for (const [n, context] of some.entries()) {
    const at = 10 * n
    text.push(
      lines.prompt(at, context),
      lines.answer(at + 1, context),
      lines.use(at + 2, `b${n}`, 'Bash', { command: context, description: context }),
      lines.result(at + 3, `b${n}`, context),
      lines.use(at + 4, `f${n}`, 'WebFetch', { url: `https://example.org/${n}`, prompt: context }),
      lines.result(at + 5, `f${n}`, context, true),
      lines.use(at + 6, `m${n}`, 'mcp__x__y', { note: context }),
      lines.result(at + 7, `m${n}`, context),
      lines.enqueue(at + 8, context),
      ...(n % 3 === 0 ? [lines.remove(at + 8, context)] : []),
      ...(n % 3 === 1 ? [lines.dequeue(at + 8), lines.queued(at + 9, context)] : []),
    )
    aside.push(side.answer(at + 1, context), side.use(at + 2, `s${n}`, 'Bash', { command: context }))
    if (n % 2 === 0) aside.push(side.result(at + 3, `s${n}`, context))
  }
  // Broken in several ways, a secret inside each time.
  const first = some[0] ?? ''
  text.push(`{"type":"user","message":{"role":"user","content":"${first}\n`, `${first}\n`, `{"type":"user",${first}}\n`)
  text.push(lines.use(99_999, 'last', 'Bash', { command: `run ${first}` }))
  write(transcript, text.join(''))
  write(agentPath(transcript, 'helper'), aside.join(''))
  append(transcript, `{"type":"assistant","message":{"content":[{"type":"text","text":"${first}`)
}

describe('secrets', () => {
  it('are in no file after hooks, finisher and commands have run', () => {
    const project = makeProject()
    plant(project)
    const answers = secrets.map((secret) => secret.contexts[0] ?? '')
    const hook = (event: string, more: object = {}): void => {
      const ran = runHook(project, { hook_event_name: event, session_id: SESSION, ...more })
      expect(ran).toMatchObject({ err: '', code: 0 })
    }
    hook('Stop', { last_assistant_message: answers.join('\n\n') })
    expect(leaksIn(project)).toEqual([])
    hook('UserPromptSubmit', { prompt: contexts[0] })
    hook('SubagentStop', { agent_id: 'helper', last_assistant_message: contexts[1] })
    runFinisher(project)
    runCli(project, ['import'])
    runCli(project, ['check'], {}, contexts[0])
    expect(leaksIn(project)).toEqual([])

    const kept = entriesIn(project.memory)
    expect(kept.length).toBeGreaterThan(contexts.length * 6)
    expect(textsIn(project.memory).filter((text) => text.includes('[redacted:')).length).toBeGreaterThan(
      contexts.length * 3,
    )
    expect(textsIn(project.memory)[0]).toMatch(/^hello .*there$/)
  })

  it('are in no file while the state is broken and read again', async () => {
    const project = makeProject()
    plant(project, oneOfEach)
    stop(project, { last_assistant_message: contexts[2] })
    const state = path.join(project.memory, 'memory-index.json')
    fs.truncateSync(state, Math.floor(fs.statSync(state).size / 2))
    stop(project, { last_assistant_message: contexts[3] })
    await finishHere(project, { for: 'catch-up' })

    expect(fs.readdirSync(project.memory).some((name) => name.includes('.broken-'))).toBe(true)
    expect(leaksIn(project)).toEqual([])
  })

  it('are in nothing that Claude, the compaction or a child is told, nor in what comes of it', async () => {
    const project = makeProject()
    plant(project, oneOfEach)
    setAtHome(project, { saveInterval: 1, rawBackup: true })
    noteNoticed(project.keeper, 'model', NOW)
    // A child that repeats what it should not know.
    const claude = fakeClaude(project.base, [{ note: `The user set the key ${contexts[0]} and everything worked.` }])
    const said = [
      stop(project),
      hookHere(project, { hook_event_name: 'PreCompact', session_id: SESSION, trigger: 'auto' }),
      begin(project, SESSION, 'compact'),
    ].map(({ out }) => out)
    await finishHere(project, { for: 'end', session: SESSION }, { env: { PATH: claude.bin } })
    said.push(begin(project, sessionId(2)).out)
    setAtHome(project, { summarizer: 'agent' })
    append(project.transcriptOf(SESSION), linesFor(SESSION, project.root).prompt(900_000, contexts.join('\n')))
    await finishHere(project, { for: 'end', session: SESSION })
    said.push(prompt(project).out, ...claude.calls().map(({ argv, stdin }) => argv.join('\n') + stdin))

    const all = said.join('\n')
    expect(secrets.filter(({ secret }) => all.includes(secret)).map(({ kind }) => kind)).toEqual([])
    expect(all).not.toContain(PRIVATE)
    expect(leaksIn(project)).toEqual([])
    const kept = Object.keys(treeOf(project.memory))
    for (const name of ['memory.md', 'delta_temp.txt', path.join('journal', 'briefings', `${SESSION}.txt`)])
      expect(kept).toContain(name)
    expect(kept.some((name) => name.endsWith('.raw.jsonl.gz'))).toBe(true)
    if (process.platform !== 'win32') expect(claude.calls().length).toBeGreaterThan(0)
  })

  it('are in no message of a command that fails', () => {
    const project = makeProject()
    plant(project, oneOfEach)
    write(path.join(project.keeper, 'config.json'), `{"redactPatterns": "${secrets[0]?.secret}`)
    const said = ['import', 'verify', 'status', 'doctor'].map((command) => runCommand(project, [command]))

    const all = said.map(({ out, err }) => out + err).join('')
    expect(secrets.filter(({ secret }) => all.includes(secret)).map(({ kind }) => kind)).toEqual([])
  })

  it('are in no file when a cut of the argument falls inside one', () => {
    const project = makeProject()
    const lines = linesFor(SESSION, project.root)
    const long = secrets.filter(({ kind }) =>
      ['github-classic', 'anthropic', 'stripe-secret', 'slack-bot'].includes(kind),
    )
    const text = long.flatMap(({ secret }, k) =>
      [100, 160, 175, 185, 280, 290].map((pad, n) => {
        const id = `c${k}-${n}`
        const at = 100 * k + 10 * n
        return (
          lines.use(at, id, 'mcp__x__y', { note: `${'x '.repeat(pad / 2)}${secret}` }) +
          lines.result(at + 1, id, `${'y '.repeat(pad / 2)}${secret}`) +
          lines.use(at + 2, `${id}w`, 'Agent', { description: 'd', prompt: `${'z '.repeat(pad / 4)}${secret}` })
        )
      }),
    )
    write(project.transcriptOf(SESSION), text.join(''))
    stop(project)

    const files = JSON.stringify(treeOf(project.memory))
    const parts = long.filter(({ secret }) => files.includes(secret.slice(0, 18))).map(({ kind }) => kind)
    expect(parts).toEqual([])
  })
})
