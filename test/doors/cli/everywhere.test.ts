/** `--everywhere`: people see all projects of this machine, Claude sees its own. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand, runCommandJson } from '../../support/process.ts'
import {
  append,
  linesFor,
  madeOnce,
  projectAt,
  quietProject,
  sessionId,
  type TestProject,
} from '../../support/project.ts'
import { stop } from '../../support/world.ts'

function say(project: TestProject, n: number, words: string): void {
  const lines = linesFor(sessionId(n), project.root)
  append(project.transcriptOf(sessionId(n)), lines.prompt(n * 1000, words) + lines.answer(n * 1000 + 1, 'Yes.'))
  stop(project, {}, {}, sessionId(n))
}

function beside(project: TestProject, name: string): TestProject {
  const root = path.join(project.base, name)
  fs.mkdirSync(path.join(root, '.git'), { recursive: true })
  return projectAt(root, project.home)
}

const shop = madeOnce(() => {
  const project = quietProject()
  say(project, 1, 'The harbour crane is red.')
  say(beside(project, 'port'), 2, 'The harbour crane is blue.')
  return project
})

describe('--everywhere', () => {
  it('finds in every project, and says how to open a hit there', () => {
    const { json } = runCommandJson(shop(), ['search', 'harbour crane', '--everywhere'])
    const { out } = runCommand(shop(), ['search', 'harbour crane', '--everywhere'])

    expect(json.projects).toBe(2)
    expect(json.hits.map(({ project }: { project: string }) => path.basename(project)).toSorted()).toEqual([
      'app',
      'port',
    ])
    expect(out).toMatch(/2 hits in 2 projects\. To open one: memory-keeper show \S+ --project "/)
    expect(runCommandJson(shop(), ['search', 'harbour crane']).json.hits).toHaveLength(1)
  })

  it('lists the sessions of every project, newest first', () => {
    const { json } = runCommandJson(shop(), ['sessions', '--everywhere'])
    const { out } = runCommand(shop(), ['sessions', '--everywhere', '--limit', '1'])

    expect(json.sessions.map(({ id }: { id: string }) => id)).toEqual(['00000002', '00000001'])
    expect(out).toMatch(/^00000002 .* port /)
    expect(out).toContain('2 sessions in 2 projects.')
  })

  it('reads nothing of a project that is not trusted', () => {
    const project = quietProject()
    say(project, 1, 'The harbour crane is red.')
    const other = beside(project, 'port')
    say(other, 2, 'The harbour crane is blue.')
    fs.rmSync(path.join(other.memory, '.owner'))

    expect(runCommandJson(project, ['search', 'harbour crane', '--everywhere']).json.hits).toHaveLength(1)
  })

  it('is for people', () => {
    const inside = { CLAUDECODE: '1' }
    expect(runCommand(shop(), ['search', 'harbour', '--everywhere'], inside).code).toBe(1)
    expect(runCommand(shop(), ['sessions', '--everywhere'], inside).err).toContain('/memory-keeper:run')
  })
})
