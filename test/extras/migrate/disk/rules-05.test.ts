/** Rules of 0.5.x: nothing of them is active without the user's yes, nothing is lost, and one line says so. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PermanentItem } from '../../../../src/core/knowledge/item.ts'
import { OWN_WORDS } from '../../../../src/core/knowledge/reflection.ts'
import { topLosses } from '../../../../src/core/vault/disk/vault.ts'
import { fillVault } from '../../../../src/core/vault/disk/vault-restore.ts'
import { takeArrivedRules } from '../../../../src/doors/hooks/notices.ts'
import { takeOverRules } from '../../../../src/extras/migrate/disk/rules-05.ts'
import { itemsOf, listed } from '../../../support/fact.ts'
import { AFTER, factsIn } from '../../../support/learned.ts'
import { sessionId, storeOf, type TestProject } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'
import { begin } from '../../../support/world.ts'

const SAID = '2026-01-02T09:00:00.000Z'

function standing(id: string, text: string, more: object = {}): object {
  const place = { session: '1a2b3c4d', entry: 2, also: ['5e6f7a8b#4'] }
  return { id, kind: 'always', text, at: SAID, ...place, times: 2, status: 'candidate', ...more }
}

function rule(id: string, text: string, more: Partial<PermanentItem> = {}): PermanentItem {
  const item = {
    id,
    kind: 'rules',
    text,
    at: SAID,
    state: 'active',
    by: 'code',
    facts: [],
    evidence: [],
    concept: null,
  } as const
  const judged = { by: 'code', at: SAID, why: 'said by the user in several sessions', other: null } as const
  return { ...item, facts: [], evidence: [], usedAt: SAID, judged, ...more }
}

const STANDING = [
  standing('t001', 'Always run the linter.'),
  standing('t002', 'Never touch the vendored files.', { status: 'declined' }),
  standing('t003', 'Put the tests beside the code.', { kind: 'correction' }),
  standing('t004', 'Prefer tabs.', { status: 'superseded' }),
  standing('t005', 'Be brief.', { status: 'accepted' }),
  standing('t006', 'Be kind.'),
]
const yes = { by: 'user', at: SAID, why: null, other: null } as const
const RULES = [
  rule('r001', 'Keep dates in UTC.'),
  rule('r002', 'Ask before a push.', { judged: yes }),
  rule('r003', 'Write tests first.', { by: 'user', judged: yes }),
  rule('r004', 'Use pnpm, not npm.', { judged: { ...rule('', '').judged, by: 'code', why: OWN_WORDS } as never }),
]

function memory(text = JSON.stringify({ version: 2, read: {}, standing: STANDING })): TestProject {
  const project = remember({
    facts: itemsOf({ permanent: { rules: RULES } }),
    files: { 'standing.json': text, 'rules.md': '- Be brief.\n- Be kind.\n' },
  })
  const store = storeOf(project)
  store.whileLocked(1_000, () => fillVault(store))
  return project
}

const takeOver = (project: TestProject): void => {
  const store = storeOf(project)
  store.whileLocked(1_000, () => takeOverRules(store, AFTER))
}
const statusesIn = (project: TestProject): string[] =>
  listed(factsIn(project)).permanent.rules.map(({ state, text }) => `${state} ${text}`)

describe('rules of 0.5.x', () => {
  it('wait for a yes where no person had given it, with their words and places', () => {
    const project = memory()
    takeOver(project)

    expect(statusesIn(project)).toEqual([
      'proposed Keep dates in UTC.',
      'active Ask before a push.',
      'active Write tests first.',
      'active Use pnpm, not npm.',
      'proposed Always run the linter.',
      'declined Never touch the vendored files.',
    ])
    expect(listed(factsIn(project)).permanent.rules[4]).toMatchObject({
      from: '0.5',
      askedAt: AFTER,
      evidence: [
        { session: '1a2b3c4d', entry: 2, quote: 'Always run the linter.' },
        { session: '5e6f7a8b', entry: 4 },
      ],
    })
  })

  it('leave their file in the backup, and no loss in the vault', () => {
    const project = memory()
    const before = fs.readFileSync(path.join(project.memory, 'standing.json'), 'utf8')
    takeOver(project)
    const backups = path.join(project.places.homeDir, 'backups')
    const [backup = ''] = fs.readdirSync(backups)

    expect(fs.readFileSync(path.join(backups, backup, 'standing.json'), 'utf8')).toBe(before)
    expect(fs.existsSync(path.join(project.memory, 'standing.json'))).toBe(false)
    expect(topLosses(storeOf(project))).toEqual([])
  })

  it('are taken over once: killed before the end, nothing comes twice', () => {
    const project = memory()
    const file = path.join(project.memory, 'standing.json')
    const text = fs.readFileSync(file)
    takeOver(project)
    const after = statusesIn(project)
    fs.writeFileSync(file, text)
    takeOver(project)

    expect(statusesIn(project)).toEqual(after)
  })

  it('are read line by line where the file is broken', () => {
    const lines = STANDING.map((one) => JSON.stringify(one)).join(',\n')
    const project = memory(`{"version":2,"standing":[\n${lines}\n`)
    takeOver(project)

    expect(statusesIn(project)).toContain('proposed Always run the linter.')
  })

  it('are announced by one line when the first session starts, and not again', () => {
    const project = memory()
    const line = 'rules to accept, 2 from an earlier version: memory-keeper rules'

    expect(begin(project, sessionId(1)).notice).toContain(line)
    expect(fs.existsSync(path.join(project.memory, 'standing.json'))).toBe(false)
    expect(takeArrivedRules(storeOf(project))).toEqual([])
  })
})
