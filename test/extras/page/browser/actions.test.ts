/** What a person changes on the page is in the files afterwards, and the way back leads back. */

import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import type { Fact } from '../../../../src/core/knowledge/item.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { itemsOf, listed } from '../../../support/fact.ts'
import { storeOf, type TestProject, treeOf } from '../../../support/project.ts'
import { CHROMIUM, serve, settled, watch } from './support/open.ts'
import { liveThrough } from './support/sample.ts'
import { SESSIONS } from './support/sessions.ts'

describe.skipIf(CHROMIUM === undefined)('an action on the page', () => {
  let project: TestProject
  const on = watch(async () => {
    project = await liveThrough(SESSIONS.slice(-16))
    proposeOne(project)
    return serve(project)
  })

  const memory = (): string => fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')
  const facts = (): Fact[] => allFacts(readFacts(storeOf(project)))
  const open = async (fact: Fact): Promise<Page> => {
    await on.seen.go(`/knowledge?state=all&fact=${fact.id}`)
    await on.seen.page.locator('.fact.is-wanted .fact-body').waitFor()
    return on.seen.page
  }
  const choose = async (page: Page, name: string): Promise<void> =>
    page.locator('.fact.is-wanted').getByRole('button', { name }).click()
  const confirm = async (page: Page, verb: string): Promise<void> => {
    await page.locator('dialog').getByRole('button', { name: verb, exact: true }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await settled(page)
  }

  it('edits a note, and Undo brings back the same bytes', async () => {
    const { page, go } = on.seen
    const before = memory()
    await go('/memory')
    await page.locator('.note').first().hover()
    await page.locator('.note').first().getByRole('button', { name: 'Edit…' }).click()
    expect(await page.locator('dialog').innerText()).toContain('You can undo this.')
    await page.locator('dialog textarea').fill('Changed by hand on the page: <b>kept as text</b> 그대로.')
    await confirm(page, 'Save')

    expect(notesIn(memory()).at(-1)?.text).toContain('<b>kept as text</b> 그대로.')
    expect(await page.locator('.note').first().innerText()).toContain('<b>kept as text</b> 그대로.')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.note').first().getByText('kept as text').waitFor({ state: 'detached' })
    expect(memory()).toBe(before)
  })

  it('edits a fact in your words, and Undo brings back the same bytes', async () => {
    const file = path.join(project.memory, 'facts.json')
    const before = fs.readFileSync(file, 'utf8')
    const fact = facts().find(({ kind, state }) => kind === 'decision' && state === 'fresh') as Fact
    const page = await open(fact)
    await choose(page, 'Edit…')
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe(fact.text)
    expect(await page.locator('dialog').getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.getByLabel('Text', { exact: true }).fill('Corrected by hand, 손으로.')
    await page.getByLabel('Because (optional)').fill('It was said otherwise.')
    await confirm(page, 'Save')

    expect(facts().find(({ id }) => id === fact.id)).toMatchObject({
      text: 'Corrected by hand, 손으로.',
      reason: 'It was said otherwise.',
      by: 'user',
    })
    await expect.poll(() => page.locator('.fact.is-wanted').innerText()).toContain('Corrected by hand, 손으로.')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => page.locator('.fact.is-wanted').innerText()).toContain(fact.text)
    expect(fs.readFileSync(file, 'utf8')).toBe(before)
  })

  it('edits a rule that goes with every prompt, and the overview takes the last change back', async () => {
    const { page, go } = on.seen
    const rules = path.join(project.memory, 'rules.md')
    fs.writeFileSync(rules, '- Cut few corners.\n')
    await go('/knowledge?part=rules')
    const rule = page.locator('.rule', { hasText: 'Cut few corners.' })
    const builtIn = page.locator('.rule', { hasText: 'Cut no corners.' })
    expect(await builtIn.getByRole('button', { name: 'Edit…' }).count()).toBe(0)
    await rule.getByRole('button', { name: 'Edit…' }).click()
    await page.getByLabel('Rule', { exact: true }).fill('Cut none, not even round ones.')
    await confirm(page, 'Save')
    expect(fs.readFileSync(rules, 'utf8')).toBe('- Cut none, not even round ones.\n')
    await page.locator('.rule', { hasText: 'not even round ones' }).waitFor()

    await go('/overview')
    const last = page.locator('.meta', { hasText: 'Last change,' })
    expect(await last.innerText()).toContain('not even round ones')
    await last.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.toast', { hasText: 'Undone' }).waitFor()
    expect(fs.readFileSync(rules, 'utf8')).toBe('- Cut few corners.\n')
    fs.rmSync(rules)
  })

  it('resolves an issue from the overview with your words, where it is gone then, and reopens it', async () => {
    const { page, go } = on.seen
    await go('/overview')
    const issue = page.locator('.stands li', { has: page.getByRole('button', { name: 'Resolve…' }) }).first()
    const id = await issue.locator('code').innerText()
    const now = (): Fact => facts().find((fact) => fact.id === id) as Fact
    await issue.getByRole('button', { name: 'Resolve…' }).click()
    await page.locator('dialog textarea').fill('Bounces are counted now.')
    await confirm(page, 'Resolve')
    expect(now()).toMatchObject({ status: 'resolved', resolution: 'Bounces are counted now.' })
    await expect.poll(() => page.locator('.stands code', { hasText: id }).count()).toBe(0)

    await choose(await open(now()), 'Reopen…')
    await confirm(page, 'Reopen')
    expect(now().status).not.toBe('resolved')
    await choose(await open(now()), 'Resolve…')
    await confirm(page, 'Resolve')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => now().status).not.toBe('resolved')
  })

  it('pins a fact, and it stands first', async () => {
    const fact = facts().find(({ kind, state }) => kind === 'decision' && state === 'fresh') as Fact
    const page = await open(fact)
    await choose(page, 'Pin…')
    await confirm(page, 'Pin')

    expect(facts().find(({ id }) => id === fact.id)).toMatchObject({ pinned: true })
    await on.seen.go('/knowledge')
    expect(await page.locator('.fact').first().innerText()).toContain(fact.text)
  })

  it('rejects a fact, and Undo restores it', async () => {
    const fact = facts().find(
      ({ kind, state, id }) => kind === 'decision' && state === 'fresh' && id !== 'd001',
    ) as Fact
    const page = await open(fact)
    await choose(page, 'Reject…')
    await confirm(page, 'Reject')
    expect(facts().find(({ id }) => id === fact.id)?.state).toBe('rejected')

    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.fact.is-wanted .badge.is-bad').waitFor({ state: 'detached' })
    expect(facts().find(({ id }) => id === fact.id)?.state).toBe('fresh')
  })

  it('accepts a proposed rule in your words where the overview tells of it, and Undo lets it wait again', async () => {
    const { page, go } = on.seen
    await go('/overview')
    await page.locator('.rule.is-proposed').getByRole('button', { name: 'Edit…' }).click()
    await page.getByLabel('Rule', { exact: true }).fill('The failing test comes first, always.')
    await confirm(page, 'Save')
    const rule = (): { state: string; text: string } | undefined =>
      listed(readFacts(storeOf(project))).permanent.rules.find(({ id }) => id === 'r901')
    expect(rule()).toMatchObject({ state: 'active', text: 'The failing test comes first, always.' })
    await expect.poll(() => page.locator('.rule.is-proposed').count()).toBe(0)

    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.rule.is-proposed').waitFor()
    expect(rule()).toMatchObject({ state: 'proposed', text: 'The failing test comes first.' })
  })

  it('accepts a proposed rule', async () => {
    const { page, go } = on.seen
    await go('/knowledge?part=rules')
    await page.locator('.rule.is-proposed').getByRole('button', { name: 'Accept…' }).click()
    await confirm(page, 'Accept')

    expect(listed(readFacts(storeOf(project))).permanent.rules.map(({ state }) => state)).toContain('active')
    await expect.poll(() => page.locator('.rule.is-proposed').count()).toBe(0)
  })

  it('changes nothing when the question is left with Esc', async () => {
    const fact = facts()[0] as Fact
    const page = await open(fact)
    const before = treeOf(project.memory)
    await choose(page, 'Reject…')
    await page.locator('dialog textarea').fill('no')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })

    expect(treeOf(project.memory)).toEqual(before)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Reject…')
  })

  it('forgets a fact only after it has shown what goes, and says that this is for good', async () => {
    const fact = facts().at(-1) as Fact
    const page = await open(fact)
    const before = treeOf(project.memory)
    await choose(page, 'Forget…')
    await page.locator('dialog .preview li').first().waitFor()
    expect(await page.locator('dialog .preview').innerText()).toContain(fact.id)
    expect(await page.locator('dialog').innerText()).toContain('cannot be undone')
    expect(treeOf(project.memory)).toEqual(before)

    await confirm(page, 'Forget for good')
    expect(facts().map(({ id }) => id)).not.toContain(fact.id)
    await expect.poll(() => page.locator('.toast').getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('shows an action that fails, and changes nothing', async () => {
    const fact = facts().find((one) => one.pinned !== true) as Fact
    const page = await open(fact)
    await choose(page, 'Pin…')
    fs.writeFileSync(
      path.join(project.memory, 'facts.json'),
      formatItems(itemsOf({ ...listed(readFacts(storeOf(project))), decisions: [], patterns: [], issues: [] })),
    )
    await page.locator('dialog button[type=submit]').click()

    expect(await page.locator('dialog .problem').innerText()).toContain(fact.id)
  })

  it('leaves no complaint in the browser', () => {
    expect(on.seen.complaints.filter((line) => !/status of (?:404|409)/.test(line))).toEqual([])
  })
})

/** As reflection would leave it: what recurred, waiting for a yes. */
function proposeOne(project: TestProject): void {
  const store = storeOf(project)
  const all = readFacts(store)
  const rule = {
    id: 'r901',
    text: 'The failing test comes first.',
    at: '2026-11-10T10:00:00.000Z',
    state: 'proposed' as const,
    by: 'code' as const,
    facts: [],
    evidence: [],
    concept: null,
    usedAt: '2026-11-10T10:00:00.000Z',
  }
  const permanent = { ...listed(all).permanent, rules: [...listed(all).permanent.rules, rule] }
  fs.writeFileSync(path.join(project.memory, 'facts.json'), formatItems(itemsOf({ ...listed(all), permanent })))
}
