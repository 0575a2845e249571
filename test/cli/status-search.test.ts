/** What `status` and `doctor` say about search, and what `config set embedder` warns of. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand, runCommandJson } from '../support/process.ts'
import { append, linesFor, makeProject, quietProject, sessionId, type TestProject } from '../support/project.ts'
import { stop } from '../support/world.ts'

function remembering(): TestProject {
  const project = quietProject()
  const lines = linesFor(sessionId(1), project.root)
  append(
    project.transcriptOf(sessionId(1)),
    lines.prompt(0, 'How do we retry webhooks?') + lines.answer(1, 'With exponential backoff.'),
  )
  stop(project)
  return project
}

const checkOf = (project: TestProject, name: string): { verdict: string; finding: string } =>
  runCommandJson(project, ['doctor']).json.checks.find((check: { name: string }) => check.name === name)

describe('the search index', () => {
  it('is told of before it is made, and when it is there', () => {
    const project = remembering()
    expect(runCommand(project, ['status']).out).toMatch(/search index +made with the first search\n/)
    expect(checkOf(project, 'search index')).toMatchObject({ verdict: 'ok' })

    runCommand(project, ['search', 'backoff'])
    expect(runCommand(project, ['status']).out).toMatch(/search index +\d+ documents?, [\d.]+ k?B/)
    const { searchIndex } = runCommandJson(project, ['status']).json
    expect(searchIndex).toMatchObject({ is: 'sound' })
    expect(checkOf(project, 'search index').finding).toContain(searchIndex.dir)
  })

  it('is not made by looking at it, nor mended', () => {
    const project = remembering()
    const { dir } = runCommandJson(project, ['status']).json.searchIndex
    runCommand(project, ['doctor'])
    expect(fs.existsSync(dir)).toBe(false)

    runCommand(project, ['search', 'backoff'])
    fs.writeFileSync(path.join(dir, 'manifest.json'), '{"version":1,"broken"')
    expect(checkOf(project, 'search index')).toMatchObject({ verdict: 'warning' })
    expect(runCommand(project, ['status']).out).toContain('made anew with the next search')
    runCommand(project, ['search', 'backoff'])
    expect(checkOf(project, 'search index')).toMatchObject({ verdict: 'ok' })
  })
})

describe('recall', () => {
  it('is said to be on or off before any prompt came', () => {
    const project = remembering()
    expect(runCommand(project, ['status']).out).toMatch(/recall +on, no prompt was looked at yet\n/)

    runCommand(project, ['config', 'set', 'recall', 'false'])
    expect(runCommand(project, ['status']).out).toMatch(/recall +off: memory-keeper config set recall true\n/)
  })
})

describe('an embedder', () => {
  it('at an address needs a model by name, and is not asked by the doctor', () => {
    const project = makeProject()
    runCommand(project, ['config', 'set', 'embedder', 'http://127.0.0.1:9/v1'])
    expect(checkOf(project, 'embedder').finding).toContain('embedderModel is not set')

    runCommand(project, ['config', 'set', 'embedderModel', 'small'])
    expect(checkOf(project, 'embedder')).toMatchObject({ verdict: 'ok' })
    runCommand(project, ['config', 'set', 'embedder', ''])
    expect(checkOf(project, 'embedder').finding).toContain('none')
  })
})
