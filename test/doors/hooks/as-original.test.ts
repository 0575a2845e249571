/** What docs/MIGRATION.md says under "What is different": how this version behaves, and the settings that bring back what the original did. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { BUILT_IN_RULES, renderRules } from '../../../src/core/pages/rule.ts'
import { hostSlug } from '../../../src/kernel/platform/layout.ts'
import { runCommand } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  quietProject,
  sessionId,
  setAtHome,
  type TestProject,
  write,
} from '../../support/project.ts'
import { begin, finishHere, hookHere, prompt, stop, work } from '../../support/world.ts'

const SESSION = sessionId(1)
const isHeld = ({ out }: { out: string }): boolean => out !== '' && JSON.parse(out).decision === 'block'

function talkOnly(project: TestProject, at: number): void {
  const lines = linesFor(SESSION, project.root)
  append(project.transcriptOf(SESSION), lines.prompt(at, 'And why?') + lines.answer(at + 1, 'It was faster.'))
}

describe('blocking as in v12', () => {
  it('holds no turn before saveInterval tool uses', () => {
    const project = quietProject({ summarizer: 'auto', enforcement: 'block' })
    expect([work(project, 0, 2), work(project, 2, 20)].map(isHeld)).toEqual([false, false])
    expect(isHeld(work(project, 20, 25))).toBe(true)
  })

  it('holds every turn in which a tool was used with saveInterval 1, and none without', () => {
    const project = quietProject({ summarizer: 'auto', enforcement: 'block', saveInterval: 1 })
    talkOnly(project, 100)
    expect(isHeld(stop(project))).toBe(false)
    expect(isHeld(work(project, 0, 1))).toBe(true)
  })

  it('holds two turns for the same work, however many tools are used behind them', () => {
    const project = quietProject({ summarizer: 'auto', enforcement: 'block', saveInterval: 1 })
    expect([0, 1, 2, 3].map((n) => isHeld(work(project, n, n + 1)))).toEqual([true, true, false, false])
  })

  it('holds one turn more, whatever it does, for what an earlier turn left undone, and then none', () => {
    const project = quietProject({ summarizer: 'auto', enforcement: 'block', saveInterval: 1 })
    expect(isHeld(work(project, 0, 1))).toBe(true)
    const held = [100, 200, 300].map((at) => {
      talkOnly(project, at)
      return isHeld(stop(project))
    })
    expect(held).toEqual([true, false, false])
  })
})

describe('the files of the host', () => {
  it('CLAUDE.md is written only where the user wants it', () => {
    const project = quietProject({ rules: true })
    write(path.join(project.root, 'CLAUDE.md'), '# Shop\n')
    work(project, 0, 1)
    begin(project, sessionId(2))
    expect(fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')).toBe('# Shop\n')
    runCommand(project, ['config', 'set', 'claudeMdSync', 'true'])
    expect(fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')).toContain(`- ${BUILT_IN_RULES[0]}\n`)
    runCommand(project, ['config', 'set', 'claudeMdSync', 'false'])
    expect(fs.readFileSync(path.join(project.root, 'CLAUDE.md'), 'utf8')).toBe('# Shop\n')
  })

  it('MEMORY.md is read, found by search and never written, and no start warns of it', () => {
    const project = quietProject()
    const file = path.join(project.home, '.claude', 'projects', hostSlug(project.root), 'memory', 'MEMORY.md')
    write(file, '# Notes\n- The staging server is called heron.\n')
    work(project, 0, 1)
    const said = begin(project, sessionId(2))
    expect(said.notice).not.toContain('MEMORY.md')
    expect(runCommand(project, ['search', 'heron']).out).toContain('heron')
    expect(fs.readFileSync(file, 'utf8')).toBe('# Notes\n- The staging server is called heron.\n')
    runCommand(project, ['config', 'set', 'autoMemory', 'off'])
    expect(runCommand(project, ['search', 'heron']).out).not.toContain('staging server')
  })
})

describe('the rules as in v13', () => {
  it('go in full with every prompt, and a line shows it', () => {
    const project = makeProject()
    expect(prompt(project)).toMatchObject({ notice: '' })
    setAtHome(project, { builtinRules: 'full', rulesIndicator: 'line' })
    expect(prompt(project)).toMatchObject({ context: renderRules(BUILT_IN_RULES), notice: '[rules injected]' })
  })
})

describe('the raw backup', () => {
  it.each([
    [false, 0],
    [true, 1],
  ])('with rawBackup %s leaves %i whole transcripts behind a session', async (rawBackup, n) => {
    const project = quietProject({ rawBackup })
    work(project, 0, 3)
    hookHere(project, { hook_event_name: 'SessionEnd', session_id: SESSION, reason: 'other' })
    await finishHere(project, { for: 'end', session: SESSION })
    const names = fs.readdirSync(path.join(project.memory, 'sessions'))
    expect(names.filter((name) => name.endsWith('.raw.jsonl.gz'))).toHaveLength(n)
    expect(names.filter((name) => name.endsWith('.l1.jsonl'))).toHaveLength(1)
  })
})

describe('the carryover', () => {
  it('moves every note into one file: what stays in memory.md is not in the archive, too', () => {
    const project = quietProject({ rotationThresholdTokens: 1000, carryoverTokens: 300 })
    for (let i = 0; i < 12; i++)
      runCommand(project, ['note', '--text', `Note number ${i}. ${'A word of it. '.repeat(30)}`])
    runCommand(project, ['compress'])
    const archives = fs.readdirSync(project.memory).filter((name) => /^memory_\d.*\.md$/.test(name))
    const texts = ['memory.md', ...archives].map((name) => fs.readFileSync(path.join(project.memory, name), 'utf8'))
    expect(archives.length).toBeGreaterThan(0)
    for (let i = 0; i < 12; i++) expect(texts.filter((text) => text.includes(`Note number ${i}.`))).toHaveLength(1)
  })
})
