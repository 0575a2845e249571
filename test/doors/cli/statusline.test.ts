/** The status line as the host runs it: a small program of its own. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, envOf, type Ran, runHook, runNode } from '../../support/process.ts'
import { append, linesFor, makeProject, sessionId, type TestProject, treeOf, turns } from '../../support/project.ts'

const PROGRAM = path.join(path.dirname(CLI), 'statusline.cjs')
const SESSION = sessionId(1)

function line(project: TestProject, stdin: string, env: Record<string, string | undefined> = {}): Ran {
  return runNode([PROGRAM], project.root, envOf(project, env), stdin)
}

describe('the status line program', () => {
  it('tells of the memory and leaves no trace', () => {
    const project = makeProject()
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
    runHook(project, { hook_event_name: 'Stop', session_id: SESSION })
    const before = treeOf(project.base)
    const given = JSON.stringify({
      session_id: SESSION,
      cwd: project.root,
      workspace: { current_dir: project.root, project_dir: project.root },
      model: { id: 'x', display_name: 'X' },
    })

    expect(line(project, given)).toEqual({ out: 'memory 1 session\n', err: '', code: 0 })
    expect(treeOf(project.base)).toEqual(before)
  })

  it('never fails and is silent in a child of ours', () => {
    const project = makeProject()
    expect(line(project, '{"cwd": ')).toEqual({ out: 'memory nothing remembered yet\n', err: '', code: 0 })
    expect(line(project, '', { MEMORY_KEEPER_CHILD: '1' })).toEqual({ out: '', err: '', code: 0 })
  })

  it('is small: the host starts it several times a minute', () => {
    expect(fs.statSync(PROGRAM).size).toBeLessThan(40_000)
  })
})
