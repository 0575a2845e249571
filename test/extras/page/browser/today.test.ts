/** The first view, the other projects of the machine, and a session that runs while somebody looks. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { append, linesFor, makeProject, type TestProject } from '../../../support/project.ts'
import { hookHere } from '../../../support/world.ts'
import { CHROMIUM, serve, settled, visit, watch } from './support/open.ts'
import { liveThrough, SAMPLE_NOW, sampleId } from './support/sample.ts'
import { SESSIONS } from './support/sessions.ts'

/** So long the page may take to see what is new. */
const SOON = { timeout: 8_000 }

describe.skipIf(CHROMIUM === undefined)('the overview', () => {
  let project: TestProject
  const on = watch(async () => {
    project = await liveThrough(SESSIONS.slice(-12))
    const other = await liveThrough(SESSIONS.slice(0, 2), {}, makeProject('vineyard', project.base))
    const strange = await liveThrough(SESSIONS.slice(0, 1), {}, makeProject('strange', project.base))
    fs.rmSync(path.join(strange.memory, '.owner'))
    expect(other.home).toBe(project.home)
    return serve(project, undefined, undefined, 'all')
  })

  /** A session that a hook tells of, up to the end of one turn. */
  const turn = (session: string, from: number, prompt: string, answer: string): void => {
    const began = Date.parse(SAMPLE_NOW) - Number.parseInt(session.slice(0, 8), 16) * 1000
    const lines = linesFor(session, project.root, {}, began)
    const more = { now: () => SAMPLE_NOW }
    hookHere(project, { hook_event_name: 'UserPromptSubmit', session_id: session, prompt }, more)
    append(project.transcriptOf(session), lines.prompt(from, prompt) + lines.answer(from + 1000, answer))
    hookHere(project, { hook_event_name: 'Stop', session_id: session, stop_hook_active: false }, more)
  }

  it('is the first view, and says where things stand, what is open, what it cost, and how the memory fares', async () => {
    const { page } = on.seen
    expect(page.url()).toMatch(/:\d+\/$/)
    expect(await page.locator('.stands').first().innerText()).toContain(SESSIONS.at(-1)?.prompt)
    expect(await page.locator('.stands').first().innerText()).toContain('Ended: ')
    const tiles = await page.locator('.tiles').innerText()
    expect(tiles).toMatch(/sessions\s+12/)
    expect(tiles).toMatch(/injected today\s+[\d.]+k? tokens\s+[\d.]+k? in 7 days/)
    expect(tiles).toMatch(/background calls today\s+\$0\s+no call; \$0 in 7 days/)
    await expect.poll(() => page.locator('.tiles').innerText(), SOON).toMatch(/health\s+(?:good|fair|poor)/)
    const issues = page.locator('.group', { hasText: 'Open issues' })
    expect(Number(await issues.locator('.count').innerText())).toBeGreaterThan(0)
    await page.locator('.stands a').first().click()
    await settled(page)
    expect(await page.locator('.session h2').innerText()).toBe(SESSIONS.at(-1)?.prompt)
  })

  it('shows a session that begins while somebody looks, and sees it grow', async () => {
    const { page, go } = on.seen
    const session = sampleId(77)
    await go('/overview')
    turn(session, 0, 'approved', 'The delivery reports of two providers come late.')
    const first = page.locator('.stands li').first()
    await expect
      .poll(() => first.innerText(), SOON)
      .toMatch(/^The delivery reports of two providers come late\.\s+running/)

    await go(`/timeline/${session.slice(0, 8)}`)
    await page.locator('.session-head .badge', { hasText: 'running' }).waitFor()
    expect(await page.locator('.row-title').first().innerText()).toBe(
      'The delivery reports of two providers come late.',
    )
    const pane = page.locator('.detail-pane')
    turn(session, 5_000, 'Why do they come late?', `They are sent at night.\n\n${'One more line.\n\n'.repeat(80)}`)
    await page.locator('.entry', { hasText: 'They are sent at night.' }).waitFor(SOON)
    await pane.evaluate((box) => box.scrollTo(0, box.scrollHeight))
    turn(session, 9_000, 'And what do we do?', 'We wait for them.')
    await page.locator('.entry', { hasText: 'We wait for them.' }).waitFor(SOON)
    await expect
      .poll(() => pane.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight))
      .toBeLessThan(60)
  })

  it('asks for nothing while the tab is hidden', async () => {
    const { page, requests, go } = on.seen
    await go('/overview')
    await page.waitForTimeout(200)
    await page.evaluate(() =>
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }),
    )
    const before = requests.length
    await page.waitForTimeout(3_600)
    expect(requests.length).toBe(before)
    await page.evaluate(() => Reflect.deleteProperty(document, 'visibilityState'))
    await expect.poll(() => requests.length, SOON).toBeGreaterThan(before)
  })

  it('leads to the other projects, and not into one that is not trusted', async () => {
    const { page, context } = await visit(on.browser, on.dashboard)
    const choice = page.getByLabel('Project')
    expect(await choice.locator('option').allInnerTexts()).toEqual(['orchard', 'strange (not trusted)', 'vineyard'])
    expect(await choice.locator('option').nth(1).isDisabled()).toBe(true)
    await choice.selectOption({ label: 'vineyard' })
    await page.waitForURL(/\?project=vineyard-/)
    await settled(page)
    await expect.poll(() => page.locator('.stands').first().innerText()).toContain(SESSIONS[1]?.prompt)
    expect(await page.title()).toContain('vineyard')
    await page.keyboard.press('2')
    await settled(page)
    expect(await page.locator('.pane-head').innerText()).toContain('2 sessions')
    await page.reload()
    await settled(page)
    expect(await page.locator('.pane-head').innerText()).toContain('2 sessions')

    await page.goto(page.url().replace(/project=[^#]+/, 'project=nowhere'))
    expect(await page.locator('.banner').innerText()).toContain('This project cannot be shown.')
    await page.locator('.banner a').click()
    await settled(page)
    expect(await choice.inputValue()).toBe('')
    await context.close()
  })

  it('leaves no complaint in the browser', () => {
    expect(on.seen.complaints).toEqual([])
  })
})
