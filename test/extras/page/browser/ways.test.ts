/** Small ways through the page: keys, hits in their context, coming back from elsewhere, and a page that only shows. */

import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { changeByHand } from '../../../../src/core/edit/disk/by-hand.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { plainPage } from '../../../../src/extras/page/server/page.ts'
import type { Dashboard } from '../../../../src/extras/page/server/server.ts'
import { listed } from '../../../support/fact.ts'
import { storeOf, type TestProject, tempDir, treeOf } from '../../../support/project.ts'
import { CHROMIUM, serve, settled, visit, watch } from './support/open.ts'
import { liveThrough, SAMPLE_NOW } from './support/sample.ts'
import { SESSIONS } from './support/sessions.ts'

describe.skipIf(CHROMIUM === undefined)('on the page', () => {
  let project: TestProject
  let inside: Dashboard
  const on = watch(async () => {
    project = await liveThrough(SESSIONS.slice(-30))
    inside = await serve(project, () => SAMPLE_NOW, '0.0.0-test', 'inside')
    return serve(project)
  })
  afterAll(() => inside?.close())

  it('arrows go into the list of a view that a key led to', async () => {
    const { page, go } = on.seen
    await go('/knowledge')
    await page.keyboard.press('2')
    await settled(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(() => document.activeElement?.closest('li')?.dataset.index)).toBe('1')
  })

  it('the key that leads to the search is no word to look for', async () => {
    const { page } = on.seen
    await page.keyboard.press('/')
    await page.keyboard.press('/')
    expect(await page.locator('#search-words').inputValue()).toBe('')
    await page.keyboard.type('a/b')
    expect(await page.locator('#search-words').inputValue()).toBe('a/b')
  })

  it('a hit in the output of a tool is unfolded, and its words are marked', async () => {
    const { page, go } = on.seen
    await go('/memory')
    await go('/search?q=passed&type=tool')
    await page.locator('.hit').first().click()
    await settled(page)
    const mark = page.locator('.item .is-wanted details[open] pre mark').first()
    await mark.waitFor()
    expect((await mark.innerText()).toLowerCase()).toContain('passed')
    expect(await page.locator('.hit .layer').first().innerText()).toBe('session')
  })

  it('what was changed elsewhere is seen when somebody comes back', async () => {
    const { page, go } = on.seen
    await go('/knowledge')
    const last = allFacts(readFacts(storeOf(project))).find(({ state }) => state === 'fresh')
    changeByHand(storeOf(project), { do: 'pin', id: last?.id ?? '' }, { by: 'user', now: SAMPLE_NOW })
    await page.waitForTimeout(2_100)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await page.locator('.fact .badge.is-accent').first().waitFor()
    expect(await page.locator('.fact').first().innerText()).toContain(last?.text)
  })

  it('a proposed rule is declined', async () => {
    const { page, go } = on.seen
    changeByHand(storeOf(project), { do: 'add-lesson', text: 'Lint first.' }, { by: 'user', now: SAMPLE_NOW })
    await go('/knowledge?part=rules')
    const rule = page.locator('.rule', { hasText: 'Lint first.' })
    const id = await rule.locator('code').first().innerText()
    await rule.getByRole('button', { name: 'Decline…' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Decline', exact: true }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await settled(page)

    expect(listed(readFacts(storeOf(project))).permanent.rules.find((one) => one.id === id)?.state).toBe('declined')
  })

  it('what was forgotten is told in figures, in a small place, and not in the next view', async () => {
    const { page, go } = on.seen
    await go('/timeline')
    const rows = await page.locator('.pane-head .muted').innerText()
    await page.locator('.row').first().click()
    await settled(page)
    await page.getByRole('button', { name: 'Forget this session…' }).click()
    await page.locator('dialog .preview li').first().waitFor()
    expect(await page.locator('dialog .preview').innerText()).not.toContain(project.memory)
    await page.locator('dialog').getByRole('button', { name: 'Forget for good' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await settled(page)
    expect(await page.locator('.toast').innerText()).toMatch(/^Permanently deleted: [\w ,]+, in \d+ places?\.\s*×$/)
    expect((await page.locator('.toast').boundingBox())?.height).toBeLessThan(60)
    expect(await page.locator('.pane-head .muted').innerText()).not.toBe(rows)
    const words = 'I want to do the same for the outbox'
    expect(await page.locator('main').innerText()).not.toContain(words)
    expect(JSON.stringify([treeOf(project.memory), treeOf(project.keeper)])).not.toContain(words)
    await expect.poll(() => page.locator('.row-title', { hasText: /^$/ }).count()).toBe(0)
    await go('/memory')
    await expect.poll(() => page.locator('.toast').count()).toBe(0)
  })

  it('a browser opened by a file has the cookie afterwards, and no token', async () => {
    const dashboard = await serve(project)
    const file = path.join(tempDir(), 'dashboard.html')
    fs.writeFileSync(file, plainPage('Memory Keeper', 'One moment …', dashboard.url))
    const page = await (await on.browser.newContext()).newPage()
    await page.goto(pathToFileURL(file).href)

    await expect.poll(() => page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/(?:#.*)?$/)
    await page.locator('nav').first().waitFor({ state: 'attached' })
    const other = await (await on.browser.newContext()).newPage()
    expect((await other.goto(dashboard.url))?.status()).toBe(401)
    dashboard.close()
  })

  it('nothing can be changed where it was started inside Claude Code, and it says why', async () => {
    const { page, go, context } = await visit(on.browser, inside)
    expect(await page.locator('.banner').innerText()).toContain('Started inside Claude Code')
    for (const place of ['/overview', '/knowledge?fact=d001', '/knowledge?part=rules', '/memory']) {
      await go(place)
      await expect.poll(() => page.locator('main').getByRole('button', { name: /…$/ }).count()).toBe(0)
    }
    await context.close()
  })
})
