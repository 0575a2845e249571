/** Which transcripts are compared with their sessions, which are left out, and that nobody else counts otherwise. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import { isHostTranscript } from '../../../../src/kernel/sessions/disk/transcripts.ts'
import { transcriptsBehind, transcriptsToVerify, verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { isComplete } from '../../../../src/kernel/transcript/verify.ts'
import {
  append,
  linesFor,
  makeProject,
  now,
  projectAt,
  sessionId,
  storeOf,
  type TestProject,
  tempDir,
  turns,
  write,
} from '../../../support/project.ts'

const [FIRST, SECOND, THIRD, FOURTH] = [1, 2, 3, 4].map(sessionId) as [string, string, string, string]

function importAll(project: TestProject): void {
  catchUp(storeOf(project), { waitMs: 1000, now, look: 'anew' })
}

function verified(project: TestProject): { sessions: string[]; leftOut: object; isComplete: boolean } {
  const store = storeOf(project)
  const state = store.readState()
  const { files, leftOut } = transcriptsToVerify(store, state)
  return {
    sessions: files.map(({ session }) => session).sort(),
    leftOut,
    isComplete: files.every((file) => isComplete(verifySession(store, state, file.session, file.path))),
  }
}

describe('the transcripts to verify', () => {
  it('are those that belong to the project, whether or not the state knows their sessions', () => {
    const project = makeProject()
    execFileSync('git', ['init', '-q'], { cwd: project.root })
    execFileSync(
      'git',
      ['-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', '1'],
      {
        cwd: project.root,
      },
    )
    const tree = path.join(project.base, 'feature')
    execFileSync('git', ['worktree', 'add', '-q', tree], { cwd: project.root, stdio: 'ignore' })
    write(project.transcriptOf(FIRST), turns(linesFor(FIRST, project.root), 0, 1))
    importAll(project)
    write(projectAt(tree, project.home).transcriptOf(SECOND), turns(linesFor(SECOND, tree), 0, 1))

    expect(verified(project)).toEqual({
      sessions: [FIRST, SECOND],
      leftOut: { otherProjects: 0, silent: 0, gone: 0 },
      isComplete: false,
    })
    importAll(project)
    expect(verified(project).isComplete).toBe(true)
  })

  it('leave out, and count, those of other projects, those that say nothing, and sessions without one', () => {
    const project = makeProject()
    for (const session of [FIRST, SECOND])
      write(project.transcriptOf(session), turns(linesFor(session, project.root), 0, 1))
    importAll(project)
    fs.rmSync(project.transcriptOf(FIRST))
    const other = path.join(project.base, 'app-two')
    fs.mkdirSync(other)
    write(projectAt(other, project.home).transcriptOf(THIRD), turns(linesFor(THIRD, other), 0, 1))
    write(project.transcriptOf(FOURTH), linesFor(FOURTH, project.root).meta(0))

    expect(verified(project)).toEqual({
      sessions: [SECOND],
      leftOut: { otherProjects: 1, silent: 1, gone: 1 },
      isComplete: true,
    })
  })

  it('are found where the host has moved them', () => {
    const project = makeProject()
    write(project.transcriptOf(FIRST), turns(linesFor(FIRST, project.root), 0, 1))
    importAll(project)
    const below = projectAt(path.join(project.root, 'tree'), project.home)
    write(below.transcriptOf(FIRST), fs.readFileSync(project.transcriptOf(FIRST)))
    fs.rmSync(project.transcriptOf(FIRST))

    expect(verified(project)).toMatchObject({ sessions: [FIRST], leftOut: { gone: 0 }, isComplete: true })
  })
})

describe('the transcripts to catch up', () => {
  it('are none while a session is open in which only the host has written since', () => {
    const project = makeProject()
    const lines = linesFor(FIRST, project.root)
    const transcript = project.transcriptOf(FIRST)
    write(transcript, lines.prompt(0, 'why?'))
    captureSession(storeOf(project), { session: FIRST, transcript, answer: 'because', host: 1 }, { waitMs: 1000, now })
    append(transcript, lines.answer(1, 'because') + lines.meta(2))

    expect(verified(project).isComplete).toBe(true)
    expect(transcriptsBehind(storeOf(project))).toEqual([])
    append(transcript, lines.prompt(3, 'really?'))
    expect(verified(project).isComplete).toBe(false)
    expect(transcriptsBehind(storeOf(project))).toEqual([transcript])
  })

  it('are none where a transcript that nobody has captured holds no words', () => {
    const project = makeProject()
    const lines = linesFor(FIRST, project.root)
    write(project.transcriptOf(FIRST), lines.prompt(0, '<local-command-caveat>x</local-command-caveat>'))

    expect(verified(project)).toMatchObject({ sessions: [FIRST], isComplete: true })
    expect(transcriptsBehind(storeOf(project))).toEqual([])
  })
})

function hostIn(base = tempDir()): { base: string; host: string; own: string; elsewhere: string } {
  const host = path.join(base, '.claude')
  const own = path.join(host, 'projects', '-app', 'a.jsonl')
  const elsewhere = path.join(base, 'other', 'b.jsonl')
  write(own, '{}\n')
  write(elsewhere, '{}\n')
  return { base, host, own, elsewhere }
}

describe('a transcript of the host', () => {
  it('lies in one of its project directories', () => {
    const { host, own, elsewhere } = hostIn()

    expect(isHostTranscript(host, own)).toBe(true)
    expect(isHostTranscript(host, path.join(host, 'projects', '-app', 'a', 'subagents', 'agent-1.jsonl'))).toBe(true)
    expect(isHostTranscript(host, path.join(host, 'projects', '..', '..', 'other', 'b.jsonl'))).toBe(false)
    expect(isHostTranscript(host, path.join(host, 'projects-of-mine', 'a.jsonl'))).toBe(false)
    expect(isHostTranscript(host, elsewhere)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('is no link to a file elsewhere', () => {
    const { host, elsewhere } = hostIn()
    const link = path.join(host, 'projects', '-app', 'c.jsonl')
    fs.symlinkSync(elsewhere, link)

    expect(isHostTranscript(host, link)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('may lie on another disk, behind a link of the user’s', () => {
    const { base, host, own } = hostIn()
    const linked = path.join(base, 'home')
    fs.symlinkSync(host, linked)
    const moved = path.join(base, 'disk', '-app')
    write(path.join(moved, 'd.jsonl'), '{}\n')
    fs.symlinkSync(moved, path.join(host, 'projects', '-moved'))

    expect(isHostTranscript(linked, own)).toBe(true)
    expect(isHostTranscript(host, path.join(linked, 'projects', '-app', 'a.jsonl'))).toBe(true)
    expect(isHostTranscript(host, path.join(host, 'projects', '-moved', 'd.jsonl'))).toBe(true)
  })
})
