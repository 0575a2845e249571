/** What people see, letter by letter: compared with the files in test/golden. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { withPlainFrames } from '../../support/briefing.ts'
import { type Ran, ROOT, runCli, runCommand, runHook } from '../../support/process.ts'
import { append, linesFor, makeProject, sessionId, type TestProject, turns } from '../../support/project.ts'

/** What starts or names our other programs, and what says how it fares with them. */
const WITH_PROGRAMS = new Set(['demo', 'status', 'init', 'statusline'])
const GOLDEN = path.join(import.meta.dirname, '..', '..', 'golden')

/** Without what differs between machines and runs. */
function plain(project: TestProject, ran: Ran): string {
  return withPlainFrames(ran.out + ran.err)
    .replaceAll(project.base, 'BASE')
    .replaceAll(ROOT, 'ROOT')
    .replaceAll(project.places.project.key, 'app-KEY')
    .replace(/-tmp-\S*?demo-\d+/g, '-DEMO')
    .replace(/(p\d\d) [\d.,]+ m?s/g, '$1 N ms')
    .replace(/\d+(?:\.\d+)? ms/g, 'N ms')
    .replace(/Memory Keeper \d+\.\d+\.\d+/, 'Memory Keeper VERSION')
}

function usedProject(): TestProject {
  const project = makeProject()
  const session = sessionId(1)
  append(project.transcriptOf(session), turns(linesFor(session, project.root), 0, 12))
  runHook(project, { hook_event_name: 'Stop', session_id: session })
  runHook(project, { hook_event_name: 'SessionStart', session_id: session, source: 'startup' })
  return project
}

describe('the output of', () => {
  const project = usedProject()

  it.each([
    ['demo', ['demo']],
    ['help', ['--help']],
    ['help-import', ['import', '--help']],
    ['status', ['status']],
    ['sessions', ['sessions']],
    ['show', ['show', 'L1:00000001#1', '--context', '1']],
    ['search', ['search', 'output of question 7', '--deep', '--limit', '3']],
    ['timeline', ['timeline', '2026-01-13', '--limit', '6']],
    ['help-search', ['search', '--help']],
    ['verify', ['verify']],
    ['config-list', ['config', 'list']],
    ['init', ['init', '--dry-run']],
    ['help-uninstall', ['uninstall', '--help']],
    ['help-doctor', ['doctor', '--help']],
    ['statusline', ['statusline']],
  ])('%s is as expected', async (name, args) => {
    const ran = WITH_PROGRAMS.has(name) ? runCli(project, args, { TMPDIR: '/tmp' }) : runCommand(project, args)

    expect(ran.code).toBe(0)
    await expect(plain(project, ran)).toMatchFileSnapshot(path.join(GOLDEN, `${name}.txt`))
  })

  it('demo leaves nothing behind', () => {
    const project = makeProject()
    const temp = path.join(project.base, 'temp')
    fs.mkdirSync(temp)
    runCli(project, ['demo'], { TMPDIR: temp })

    expect(fs.readdirSync(temp)).toEqual([])
    expect(fs.readdirSync(project.home)).toEqual([])
    expect(fs.readdirSync(project.root)).toEqual([])
  })

  it('any command has no colours when NO_COLOR is set', () => {
    expect(runCli(project, ['status']).out).not.toContain('\u001b')
  })
})
