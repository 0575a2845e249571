/** `capture off` and `on`: the pause of a whole project, as a command; where a pause is shown. */
import { describe, expect, it } from 'vitest'
import { lookFor, renderLine } from '../../../src/core/health/commands/statusline.ts'
import { pause, pausedSince } from '../../../src/kernel/sessions/disk/pause.ts'
import { runCommand, runCommandJson } from '../../support/process.ts'
import { now, quietProject, sessionId, type TestProject } from '../../support/project.ts'
import { prompt } from '../../support/world.ts'

function line(project: TestProject, session = ''): string {
  const given = JSON.stringify({ session_id: session, cwd: project.root })
  const seen = lookFor(given, { around: project.around, startDir: project.root, now: now() })
  return seen === null ? '' : renderLine(seen)
}

describe('capture', () => {
  it('goes off and on, and says what it was', () => {
    const project = quietProject({ rules: true })
    expect(runCommand(project, ['capture']).out).toBe('Capture is on in this project.\n')

    expect(runCommand(project, ['capture', 'off']).out).toMatch(
      /^Memory Keeper is paused in this project:.*capture on\n$/,
    )
    expect(prompt(project, { prompt: 'hello' }).out).toBe('')
    expect(runCommand(project, ['capture', 'off']).out).toContain('was already paused')
    expect(runCommandJson(project, ['capture']).json).toMatchObject({ capture: 'off', since: expect.any(String) })
    expect(runCommand(project, ['capture', 'on']).out).toContain('records again')
    expect(prompt(project, { prompt: 'hello' }).context).toContain('Memory Keeper rules')
    expect(runCommand(project, ['capture', 'maybe']).code).toBe(2)
  })

  it('with --dry-run changes nothing', () => {
    const project = quietProject()
    runCommand(project, ['capture', 'off', '--dry-run'])

    expect(pausedSince(project.places, null)).toBeNull()
  })

  it('is told by status and by the status line, in every session', () => {
    const project = quietProject()
    runCommand(project, ['pause', 'project'])

    expect(runCommand(project, ['status']).out).toMatch(
      /capture +paused in this project since .*: memory-keeper capture on\n/,
    )
    expect(runCommand(project, []).out).toContain('paused in this project')
    expect(line(project, sessionId(2))).toMatch(/^memory capture paused/)
    runCommand(project, ['resume'])
    expect(line(project)).not.toContain('paused')
  })

  it('of one session is told in that session’s status line alone', () => {
    const project = quietProject()
    pause(project.places, sessionId(1), now())

    expect(line(project, sessionId(1))).toContain('capture paused')
    expect(line(project, sessionId(2))).not.toContain('paused')
    expect(runCommand(project, ['status']).out).toMatch(
      /capture +paused in session 00000001 since .*\/memory-keeper:resume/,
    )
  })
})
