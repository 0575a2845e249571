/** `templates on`: a new memory gets the pages workflow and lessons, empty, as the original did; without it only `init` writes them. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PAGE_TEMPLATES } from '../../../src/core/pages/page.ts'
import { runCommand } from '../../support/process.ts'
import { makeProject, quietProject, sessionId, type TestProject } from '../../support/project.ts'
import { begin, finishHere, work } from '../../support/world.ts'

const NAMES = ['lessons.md', 'workflow.md']
const pagesIn = (project: TestProject): string[] =>
  (fs.existsSync(project.memory) ? fs.readdirSync(project.memory) : []).filter(
    (name) => /^[a-z]+\.md$/.test(name) && name !== 'memory.md',
  )

describe('templates', () => {
  it.each([
    ['the second start', (project: TestProject) => void begin(project, sessionId(2))],
    [
      'the end of the first session',
      (project: TestProject) => finishHere(project, { for: 'end', session: sessionId(1) }),
    ],
    ['final', (project: TestProject) => void runCommand(project, ['final'])],
  ])('come with a new memory where they are on, by %s, and once', async (_, first) => {
    const project = quietProject({ templates: true })
    work(project, 0, 1)
    await first(project)
    expect(pagesIn(project)).toEqual(NAMES)
    expect(fs.readFileSync(path.join(project.memory, 'workflow.md'), 'utf8')).toBe(PAGE_TEMPLATES.workflow)

    fs.rmSync(path.join(project.memory, 'workflow.md'))
    await first(project)
    begin(project, sessionId(3))
    expect(pagesIn(project)).toEqual(['lessons.md'])
  })

  it('do not come where nobody switched them on, and replace no page', () => {
    const off = quietProject()
    work(off, 0, 1)
    begin(off, sessionId(2))
    expect(pagesIn(off)).toEqual([])

    const project = quietProject({ templates: true })
    work(project, 0, 1)
    runCommand(project, ['page', 'set', 'workflow', '--text', 'We pair.'])
    begin(project, sessionId(2))
    expect(fs.readFileSync(path.join(project.memory, 'workflow.md'), 'utf8')).toBe('We pair.\n')
  })

  it('are not told in a briefing until somebody writes into them', () => {
    const [plain, project] = [quietProject(), quietProject({ templates: true })]
    const told = [plain, project].map((one) => {
      work(one, 0, 1)
      begin(one, sessionId(2))
      return begin(one, sessionId(3)).context.replaceAll(one.base, '')
    })
    expect(pagesIn(project)).toEqual(NAMES)
    expect(told[0]).toBe(told[1])
  })

  it('on writes them into the memory of this project at once, off keeps them, and both answer', () => {
    const project = makeProject()
    work(project, 0, 1)
    const { out, code } = runCommand(project, ['templates', 'on'])
    expect(code).toBe(0)
    expect(out).toContain('templates = true')
    expect(out).toContain('Templates written here: lessons.md, workflow.md')
    expect(pagesIn(project)).toEqual(NAMES)
    expect(runCommand(project, ['templates']).out).toBe('true\n')
    expect(runCommand(project, ['templates', 'off']).out).toContain('templates = false')
    expect(pagesIn(project)).toEqual(NAMES)
  })

  it('on --home creates no memory, and holds for new ones', () => {
    const project = quietProject()
    runCommand(project, ['templates', 'on', '--home', '--dry-run'])
    expect(runCommand(project, ['templates']).out).toBe('false\n')
    expect(runCommand(project, ['templates', 'on', '--home']).out).not.toContain('written here')
    expect(pagesIn(project)).toEqual([])
    work(project, 0, 1)
    begin(project, sessionId(2))
    expect(pagesIn(project)).toEqual(NAMES)
  })
})
