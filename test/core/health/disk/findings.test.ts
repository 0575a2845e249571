/** What is wrong with a memory is looked for in one place, and told alike by doctor, status, the notice of a start, the page and MCP. */
import path from 'node:path'
import { expect, it } from 'vitest'
import { useExtras } from '../../../../src/core/extra.ts'
import { EXTRAS } from '../../../../src/doors/bin/extras.ts'
import { openTools } from '../../../../src/doors/mcp/tools.ts'
import type { HealthView } from '../../../../src/extras/page/server/api.ts'
import { get, open } from '../../../support/dashboard.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import { now, quietProject, sessionId, type TestProject, write } from '../../../support/project.ts'
import { begin } from '../../../support/world.ts'

/** A setting that does not exist, a teammate's memory that nobody looked at, and a rule that waits. */
function furnished(): TestProject {
  const project = quietProject()
  runCommand(project, ['lesson', 'add', 'Run the migrations before the tests.'])
  write(path.join(project.memory, 'config.json'), '{"colour":"green"}')
  const shared = '{"id":"d001","type":"decision","text":"We deploy on Tuesdays.","at":"2026-01-13T09:00:00.000Z"}\n'
  write(path.join(project.memory, 'shared', 'alice', 'facts.jsonl'), shared)
  return project
}

const SAME = ['alice shares memory in this repository that you have not seen yet', 'config.json has an unknown setting']
const COUNTED = '1 proposed rule to accept or decline'

it('the doctor, status, a start, the page and MCP tell the same findings', async () => {
  const project = furnished()
  const asked = { startDir: project.root, around: project.around, now, embedderKey: '', fetch }
  const { text } = await openTools({ ...asked, build: async () => undefined }).status()
  const { notice } = begin(project, sessionId(2), 'startup', { now })
  const page = await get<HealthView>(await open(project), '/api/health')
  const doctor = runCommand(project, ['doctor']).out
  const status = runCommand(project, ['status']).out.replace(/\s+/g, ' ')
  const doors = { text, notice, page: JSON.stringify(page.checks), doctor, status }

  for (const [door, told] of Object.entries(doors))
    for (const words of SAME) expect([door, told]).toEqual([door, expect.stringContaining(words)])
  for (const told of [text, doors.page, doctor, status]) expect(told).toContain(COUNTED)
  expect(notice).toContain('→ /memory-keeper:run trust')
  expect(runCommandJson(project, ['status']).json.findings.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['teammates', 'config', 'proposed rules']),
  )
})

it('a look that fails is a problem, and the others still look', () => {
  const project = furnished()
  const fails = {
    name: 'fails',
    findings: [
      [
        'broken',
        () => {
          throw new Error('no such disk')
        },
        'status',
      ] as const,
    ],
  }
  useExtras([...EXTRAS, fails])
  try {
    const { findings } = runCommandJson(project, ['status']).json
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'broken', verdict: 'problem', finding: 'no such disk' }),
      ]),
    )
    expect(findings.length).toBeGreaterThan(1)
  } finally {
    useExtras(EXTRAS)
  }
})
