/** What goes with a prompt: the rules, whatever is broken, and the request for work that waits. */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { type Request, renderRequest } from '../../../src/core/notes/pending.ts'
import { BUILT_IN_LINE, BUILT_IN_RULES, renderRules } from '../../../src/core/pages/rule.ts'
import { readHookTimes } from '../../../src/core/receipts/disk/journal.ts'
import type { Store } from '../../../src/kernel/memory/disk/store.ts'
import { stateEffect } from '../../../src/kernel/memory/disk/store.ts'
import { withSummary } from '../../../src/kernel/memory/work.ts'
import { newItem, workName } from '../../../src/kernel/memory/work-item.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'
import { envOf, HOOK, payloadOf, processesWith, runHook, saidBy, until } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  turns,
  write,
} from '../../support/project.ts'
import { begin, due, LATER, owing, prompt, saveOwed, work } from '../../support/world.ts'

const SESSION = sessionId(1)
const RULES = BUILT_IN_LINE
const MACHINE = [
  '<task-notification>\n<task-id>b1</task-id>\n</task-notification>',
  '  <agent-notification>x</agent-notification>',
  '<teammate-message teammate_id="a">done</teammate-message>',
  '<local-command-stdout>ok</local-command-stdout>',
]

describe('the rules', () => {
  it('go with each of five prompts, in the same bytes, and with nothing for the user', () => {
    const project = makeProject()
    const said = [1, 2, 3, 4, 5].map(() => prompt(project))

    expect(said.map(({ context }) => context)).toEqual(Array(5).fill(RULES))
    expect(said.map(({ notice }) => notice)).toEqual(Array(5).fill(''))
    expect(JSON.parse(said[0]?.out ?? '').hookSpecificOutput.hookEventName).toBe('UserPromptSubmit')
  })

  it.each([
    ['prompt', renderRules(BUILT_IN_RULES), RULES],
    ['start', renderRules(BUILT_IN_RULES), ''],
    ['full', renderRules(BUILT_IN_RULES), renderRules(BUILT_IN_RULES)],
    ['off', '', ''],
  ])(
    'that are built in (%s) are told at the start and with a prompt as the setting says',
    (builtinRules, first, then) => {
      const project = makeProject()
      setAtHome(project, { builtinRules })

      expect(begin(project, SESSION).context).toBe(first)
      expect(prompt(project).context).toBe(then)
      expect(estimateTokens(RULES)).toBeLessThanOrEqual(30)
    },
  )

  it('that are built in go in full before the others, in one list, where the user wants them so', () => {
    const project = makeProject()
    work(project, 0, 1)
    setAtHome(project, { builtinRules: 'full' })
    write(path.join(project.memory, 'rules.md'), '- Always answer in Korean.\n')

    expect(prompt(project).context).toBe(renderRules([...BUILT_IN_RULES, 'Always answer in Korean.']))
    expect(prompt(project).context).toBe(prompt(project).context)
  })

  it('that were learned go with every prompt once they are active, beside the built-in line', () => {
    const project = makeProject()
    work(project, 0, 1)
    const item = (id: string, status: string): object => ({ id, text: `Rule ${id}.`, status, by: 'user', at: NOW })
    const permanent = { rules: [item('r001', 'active'), item('r002', 'proposed')] }
    const items = parseItems(JSON.stringify({ permanent })) ?? NO_ITEMS
    write(path.join(project.memory, 'facts.json'), formatItems(items))

    expect(prompt(project).context).toBe(`${RULES}\n${renderRules(['Rule r001.'])}`)
    expect(begin(project, SESSION).context).toContain('- Rule r001.')
  })

  it('go with every third prompt at frequency 3, over all sessions', () => {
    const project = makeProject()
    setAtHome(project, { rulesInjectionFrequency: 3 })
    const said = [1, 2, 3, 4, 5, 6, 7].map((n) => prompt(project, {}, {}, sessionId(n % 2)).context !== '')

    expect(said).toEqual([false, false, true, false, false, true, false])
  })

  it("are the built-in line by its setting, beside the user's own, and none when they are switched off", () => {
    const project = makeProject()
    work(project, 0, 1)
    write(path.join(project.memory, 'rules.md'), '# Rules\n\n- Always answer in Korean.\n')
    const own = renderRules(['Always answer in Korean.'])
    expect(prompt(project).context).toBe(`${BUILT_IN_LINE}\n${own}`)
    setAtHome(project, { builtinRules: 'off' })
    expect(prompt(project).context).toBe(own)

    write(path.join(project.memory, 'rules.md'), '# Rules\n')
    expect(prompt(project).out).toBe('')
    setAtHome(project, { rules: false })
    write(path.join(project.memory, 'rules.md'), '# Rules\n\n- Always answer in Korean.\n')
    expect(prompt(project).out).toBe('')
  })

  it('leave a receipt with the first prompt of a new project, before there is a transcript', () => {
    const project = makeProject()
    prompt(project)

    const [time] = readHookTimes(project.memory)
    expect(time).toMatchObject({ event: 'UserPromptSubmit', session: SESSION, told: { rules: RULES.length } })
    const told = path.join(project.memory, 'journal', 'rules', `${time?.rules}.txt`)
    expect(fs.readFileSync(told, 'utf8')).toBe(RULES)
  })

  it('are shown to the user as a line when he wants it, and only when they were told', () => {
    const project = makeProject()
    setAtHome(project, { rulesIndicator: 'line', rulesInjectionFrequency: 2 })

    expect(prompt(project)).toMatchObject({ context: '', notice: '' })
    expect(prompt(project)).toMatchObject({ context: RULES, notice: '[rules injected]' })
  })

  it.each(MACHINE)('are not told to a machine: %s', (text) => {
    const project = makeProject()

    expect(prompt(project, { prompt: text }).out).toBe('')
    expect(prompt(project, { prompt: `What does ${text} mean?` }).context).toBe(RULES)
  })

  it('are told where nobody sits and in plan mode, too', () => {
    const project = makeProject()

    expect(prompt(project, {}, { isAttended: false }).context).toBe(RULES)
    expect(prompt(project, { permission_mode: 'plan' }).context).toBe(RULES)
  })
})

describe('the rules, whatever is broken', () => {
  const asked = (project: TestProject, env = {}): string =>
    saidBy(runHook(project, { hook_event_name: 'UserPromptSubmit', session_id: SESSION, prompt: 'go on' }, env)).context

  it.each(['{"rules": fal', '', '[]', '{"rules":"no","rulesInjectionFrequency":-3}'])(
    'are told with a config that reads %j, at home or in the project',
    (config) => {
      const project = makeProject()
      work(project, 0, 1)
      write(path.join(project.memory, 'config.json'), config)
      expect(prompt(project).context).toBe(RULES)

      write(path.join(project.keeper, 'config.json'), config)
      expect(asked(project)).toBe(RULES)
    },
  )

  it.each(['{"version":2,"rulesInj', 'null'])('are told with a state that reads %j', (state) => {
    const project = makeProject()
    setAtHome(project, { rulesInjectionFrequency: 1 })
    work(project, 0, 1)
    write(path.join(project.memory, 'memory-index.json'), state)

    expect(prompt(project).context).toBe(RULES)
  })

  it('are told where no memory can be written, neither in the project nor at home', () => {
    const project = makeProject()
    write(path.join(project.root, '.claude'), 'a file')
    write(project.keeper, 'a file')

    expect(asked(project)).toBe(RULES)
  })

  it.each([
    ['own', {}, `${RULES}\n${renderRules(['Mine.'])}`],
    ['none, where they are switched off', { rules: false }, ''],
  ])('are the same where nothing more can be written: %s', (_, settings, expected) => {
    const project = makeProject()
    setAtHome(project, settings)
    work(project, 0, 1)
    write(path.join(project.memory, 'rules.md'), '- Mine.\n')
    const journal = path.join(project.memory, 'journal', 'hooks.jsonl')
    fs.rmSync(journal)
    fs.mkdirSync(journal)

    expect(asked(project)).toBe(expected)
  })

  it("are the user's own also when the disk is full", async ({ skip }) => {
    const project = makeProject()
    const shell = (command: string): boolean => spawnSync('sh', ['-c', command]).status === 0
    if (!shell(`mount -t tmpfs -o size=64k tmpfs ${project.root}`)) return skip('no right to mount here')
    try {
      work(project, 0, 1)
      write(path.join(project.memory, 'rules.md'), '- Mine.\n')
      const filler = path.join(project.root, 'filler')
      expect(() => fs.writeFileSync(filler, Buffer.alloc(100_000))).toThrow('ENOSPC')
      append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 1, 100))

      expect(asked(project)).toBe(`${RULES}\n${renderRules(['Mine.'])}`)
    } finally {
      await until(() => (processesWith(project.root) ?? []).length === 0)
      shell(`umount ${project.root}`)
    }
  })

  it('are told when rules.md is no file that can be read', () => {
    const project = makeProject()
    work(project, 0, 1)
    const rules = path.join(project.memory, 'rules.md')
    fs.mkdirSync(rules)
    expect(asked(project)).toBe(RULES)

    fs.rmSync(rules, { recursive: true })
    write(path.join(project.base, 'planted'), '- obey\n')
    fs.symlinkSync(path.join(project.base, 'planted'), rules)
    expect(asked(project)).toBe(RULES)
  })

  it('are told while another process holds the memory, and counting them needs the lock', () => {
    const project = makeProject()
    setAtHome(project, { rulesInjectionFrequency: 3 })
    work(project, 0, 1)
    const store = storeOf(project)

    expect(store.whileLocked(1000, () => prompt(project).context)?.value).toBe(RULES)
  })

  it('are told to a user whom the system does not know, and not to our own child', ({ skip }) => {
    if (process.getuid?.() !== 0) return skip('only root may be somebody else')
    const project = makeProject()
    const payload = { hook_event_name: 'UserPromptSubmit', session_id: SESSION, prompt: 'go on' }
    const input = JSON.stringify(payloadOf(project, payload))
    const run = (extra: Record<string, string | undefined>): string => {
      const env = envOf(project, { HOME: undefined, ...extra })
      return spawnSync(process.execPath, [HOOK], { input, env, uid: 54_321, gid: 54_321, encoding: 'utf8' }).stdout
    }

    expect(JSON.parse(run({})).hookSpecificOutput.additionalContext).toBe(RULES)
    expect(run({ MEMORY_KEEPER_CHILD: '1' })).toBe('')
  })
})

describe('a request for several works', () => {
  it('is one call of the skill, and says once what it is for', () => {
    const piece = { about: '1a2b3c4d', from: 0, to: 6, by: 'agent' as const }
    const all: Request[] = [
      { ...newItem({ ...piece, kind: 'facts' }), kind: 'facts' },
      { ...newItem({ kind: 'rules', about: 'ab12' }), kind: 'rules' },
      { ...newItem({ ...piece, kind: 'note' }), kind: 'note' },
      { ...newItem({ kind: 'summary', about: 'memory_20260113_080000.md' }), kind: 'summary' },
    ]
    const text = renderRequest(all, workName)

    expect(text.split('\n')).toEqual([
      '[MEMORY_KEEPER_FACTS] piece=1a2b3c4d-0-6',
      '[MEMORY_KEEPER_REFLECT] piece=ab12',
      '[MEMORY_KEEPER_DELTA] file=delta_temp.txt',
      '[MEMORY_KEEPER_ROTATE] file=memory_20260113_080000.md',
      'Memory Keeper keeps what happens in this project for later sessions. Now due: decisions and issues of recent work; whether what the user said several times is a rule; a note about recent work; a summary of older notes. Before you answer the user\'s prompt, call the Skill tool once with skill "memory-keeper:pending" and args "facts 1a2b3c4d-0-6, then rules ab12, then note 1a2b3c4d-0-6, then summary memory_20260113_080000.md": a small agent writes it. Then answer the prompt as usual.',
    ])
    expect(estimateTokens(text)).toBeLessThan(280)
  })
})

describe('the request for a note', () => {
  it('names the file and the skill, once for each cut', async () => {
    const project = await owing()
    const { context, notice } = prompt(project)

    expect(context).toMatch(/^\[MEMORY_KEEPER_DELTA\] file=delta_temp\.txt\n/)
    expect(context).toContain('"memory-keeper:pending" and args "note ')
    expect(context).toContain(path.join(project.memory, 'delta_temp.txt'))
    expect(context).toContain(
      'keeps what happens in this project for later sessions. Now due: a note about recent work.',
    )
    expect(context).not.toMatch(/without a word|no word/)
    expect(context.length).toBeLessThan(600)
    expect(notice).toBe('')
    expect([1, 2, 3].map(() => prompt(project).out)).toEqual(['', '', ''])
    expect(prompt(project, {}, {}, sessionId(2)).out).toBe('')
    // Again after a later cut, about the same piece.
    await due(project, 2)
    expect(prompt(project).context).toBe(context)
    expect(prompt(project).out).toBe('')
  })

  it('ends with the note', async () => {
    const project = await owing()
    saveOwed(project)

    expect(prompt(project).out).toBe('')
  })

  it('stands behind the rules', async () => {
    const project = await owing({ rules: true })
    const { context } = prompt(project)

    expect(context.startsWith(`${RULES}\n\n[MEMORY_KEEPER_DELTA]`)).toBe(true)
    expect(prompt(project).context).toBe(RULES)
  })

  it('waits while Claude plans, while nobody sits there and while a machine speaks', async () => {
    const project = await owing()

    expect(prompt(project, { permission_mode: 'plan' }).out).toBe('')
    expect(prompt(project, {}, { isAttended: false }).out).toBe('')
    expect(prompt(project, { prompt: MACHINE[0] }).out).toBe('')
    expect(prompt(project).context).toContain('[MEMORY_KEEPER_DELTA]')
  })

  it.each(['off', 'stop', 'block'])('is not made with enforcement %s', async (enforcement) => {
    const project = await owing({ enforcement })

    expect(prompt(project).out).toBe('')
  })

  it('is not made where code writes the notes', async () => {
    const project = quietProject({ saveInterval: 2 })
    await due(project, 0)

    expect(prompt(project).out).toBe('')
    expect(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')).toMatch(
      /entries=0-6 fingerprint=\w+ author=extractive/,
    )
  })

  it('asks for the summary of an archive as well', () => {
    const project = quietProject({ summarizer: 'agent' })
    work(project, 0, 1)
    const store = storeOf(project)
    addArchive(store, 'memory_20260113_080000.md')
    const { context } = prompt(project)

    expect(context).toMatch(/^\[MEMORY_KEEPER_ROTATE\] file=memory_20260113_080000\.md\n/)
    expect(context).toContain('"memory-keeper:pending" and args "summary ')
    expect(context).toContain(path.join(project.memory, 'memory_20260113_080000.md'))
    expect(prompt(project).out).toBe('')
  })

  it('becomes due at a prompt when the turn before was interrupted', () => {
    const project = quietProject({ saveInterval: 100 })
    work(project, 0, 3)
    setAtHome(project, { summarizer: 'extractive', rules: false, saveInterval: 3 })

    expect(prompt(project, {}, { now: () => LATER }).started).toEqual([{ for: 'note' }])
    expect(readStateIn(project.memory)).toMatchObject({ counter: 0, cuts: 1 })
    expect(prompt(project).started).toEqual([])
  })
})

function addArchive(store: Store, file: string): void {
  const rotated = {
    file,
    rotatedAt: NOW,
    tokenCount: 10,
    summary: file.replace(/\.md$/, '.summary.json'),
    summaryGenerated: false,
  }
  store.perform([
    { do: 'write', path: file, text: '## 2026-01-13\nAn old note.\n' },
    stateEffect(withSummary({ ...store.readState(), rotatedFiles: [rotated] }, file, false)),
  ])
}
