/** Each view in a real browser shows what the files of a real memory hold. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { writeOthers } from '../../../../src/core/others/disk/others.ts'
import { formatOthers, type OtherRow } from '../../../../src/core/others/others.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { entriesIn, storeOf, type TestProject } from '../../../support/project.ts'
import { CHROMIUM, serve, settled, visit, watch } from './support/open.ts'
import { liveThrough, SAMPLE_NOW, sampleId } from './support/sample.ts'
import { SESSIONS } from './support/sessions.ts'

const newest = SESSIONS.at(-1)
const withAgent = SESSIONS.findLastIndex(({ agent }) => agent !== undefined)

describe.skipIf(CHROMIUM === undefined)('the page', () => {
  let project: TestProject
  const on = watch(async () => {
    project = await liveThrough()
    return serve(project)
  })

  it('lists the sessions, newest first, with goal, tools and files', async () => {
    const { page, go } = on.seen
    await go('/timeline')
    const rows = page.locator('.window-rows .row')

    expect(await page.locator('.pane-head').innerText()).toContain(`${SESSIONS.length} sessions`)
    expect(await rows.first().locator('.row-title').innerText()).toBe(newest?.prompt)
    expect(await rows.first().innerText()).toContain('outbox.ts')
    expect(await rows.first().innerText()).toMatch(/2 prompts\s+\d tools/)
  })

  it('draws sessions and tools per day, and says the same as a table', async () => {
    const { page, go } = on.seen
    await go('/timeline')
    const chart = page.locator('figure.chart', { hasText: 'Tool uses per day' })
    await chart.locator('canvas').waitFor()
    await chart.getByRole('button', { name: 'Table' }).click()
    const cells = await chart.locator('tbody td').allInnerTexts()
    const uses = entriesIn(project.memory).filter((entry) => 'cmd' in entry && !('agent' in entry)).length

    expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(uses)
  })

  it('reads the points of a chart by keyboard', async () => {
    const { page, go } = on.seen
    await go('/timeline')
    const chart = page.locator('figure.chart', { hasText: 'Sessions per day' })
    await chart.locator('.plot').focus()
    await page.keyboard.press('End')

    expect(await chart.getByRole('status').innerText()).toMatch(/16 Nov 2026\s+sessions\s+2/)
  })

  it('opens a session with prompts, answers, tool lines, folded subagents, and its note', async () => {
    const { page, go } = on.seen
    const told = SESSIONS[withAgent]
    await go(`/timeline/${sampleId(withAgent + 1).slice(0, 8)}`)
    const session = page.locator('.session')

    expect(await session.locator('h2').innerText()).toBe(told?.prompt)
    expect(await session.locator('.entry.is-user').first().innerText()).toContain(told?.prompt)
    expect(await session.locator('.entry.is-assistant').last().innerText()).toContain(told?.answer)
    expect(await session.locator('.tool').allInnerTexts()).toContainEqual(expect.stringContaining('src/mail/retry.ts'))
    await expect.poll(() => session.locator('.verdict.is-failed').count()).toBe(1)
    const folded = session.locator('details.agent')
    expect(await folded.getAttribute('open')).toBeNull()
    await folded.locator('summary').click()
    expect(await folded.innerText()).toContain(told?.agent?.said)
    expect(await session.locator('details.fold .note').innerText()).toContain('Changed')
  })

  it('leads from a note to its turns and from the turns to the note', async () => {
    const { page, go } = on.seen
    await go('/memory')
    await page.locator('.note-head a').first().click()
    await settled(page)
    await expect.poll(() => page.url()).toContain(`#/timeline/${sampleId(SESSIONS.length).slice(0, 8)}?e=0`)
    await expect.poll(() => page.locator('.entry.is-wanted').count()).toBe(1)

    await page.locator('.note-marks a').first().click()
    await settled(page)
    await expect.poll(() => page.locator('.note.is-wanted').count()).toBe(1)
    await page.goBack()
    await settled(page)
    await expect.poll(() => page.url()).toContain('?e=0')
  })

  it('shows the notes of memory.md, archives with their summaries, weeks and months, and pages', async () => {
    const { page, go } = on.seen
    const notes = notesIn(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8'))
    await go('/memory')
    await expect.poll(() => page.locator('.note').count()).toBe(notes.length)
    const first = await page.locator('.note').first().innerText()
    for (const word of (notes.at(-1)?.text ?? '').split(/\W+/)) expect(first).toContain(word)

    await go('/memory?part=archives')
    await expect.poll(() => page.locator('.card').count()).toBeGreaterThan(0)
    await page.locator('.card h2 a').first().click()
    await settled(page)
    await expect.poll(() => page.locator('.card .note').count()).toBeGreaterThan(0)

    await go('/memory?part=tiers')
    await page.locator('.card h2 a').first().click()
    await settled(page)
    expect(await page.locator('.card .prose').first().innerText()).toContain('User')

    await go('/memory?part=pages')
    expect(await page.locator('.card').allInnerTexts()).toContainEqual(
      expect.stringContaining('A shop for a fruit co-op'),
    )
  })

  it('shows every fact with its evidence, and filters that stand in the address', async () => {
    const { page, go } = on.seen
    const facts = allFacts(readFacts(storeOf(project)))
    await go('/knowledge?state=all')
    expect(await page.locator('.found').innerText()).toBe(`${facts.length} facts`)

    await page.getByLabel('Type').selectOption('issue')
    await page.getByLabel('Words').fill('mails')
    await page.waitForFunction(() => location.hash.includes('type=issue') && location.hash.includes('q=mails'))
    const found = facts.filter((fact) => fact.kind === 'issue' && /mails/i.test(`${fact.text} ${fact.files.join()}`))
    await expect.poll(() => page.locator('.fact').count()).toBe(found.length)
    await page.locator('.fact-head').first().click()
    expect(await page.locator('.quote').first().innerText()).toContain(
      found[0]?.evidence?.quote ?? found[0]?.text ?? '',
    )
    await page.locator('.quote .place').first().click()
    await settled(page)
    await expect.poll(() => page.locator('.is-wanted').count()).toBe(1)
  })

  it('searches as you type, marks the words, keeps filters in the address, and opens a hit in its context', async () => {
    const { page, go } = on.seen
    await go('/timeline')
    await page.keyboard.press('/')
    await page.keyboard.type('skip locked', { delay: 15 })
    await page.locator('mark').first().waitFor()
    await page.waitForFunction(() => location.hash === '#/search?q=skip+locked')
    expect((await page.locator('mark').allInnerTexts()).map((word) => word.toLowerCase())).toContain('locked')

    await page.locator('.search-filters select').first().selectOption('L1')
    await page.waitForFunction(() => location.hash.includes('layer=L1'))
    await settled(page)
    expect(new Set(await page.locator('.layer').allInnerTexts())).toEqual(new Set(['session']))
    await page.locator('.hit').first().click()
    await settled(page)
    expect(await page.locator('.item .is-wanted').innerText()).toMatch(/skip locked/i)
    await page.reload()
    await settled(page)
    await expect.poll(() => page.locator('.item .is-wanted').count()).toBe(1)
    expect(await page.locator('#search-words').inputValue()).toBe('skip locked')
  })

  it('drops answers to what is no longer asked', async () => {
    const { page, go } = on.seen
    await go('/search')
    const isSlow = (url: URL): boolean => url.pathname === '/api/search' && url.searchParams.get('q') === 'invoice'
    await page.route(isSlow, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700))
      await route.continue().catch(() => undefined)
    })
    await page.locator('#search-words').fill('invoice')
    await page.waitForTimeout(250)
    await page.locator('#search-words').fill('trigram')
    await page
      .locator('mark', { hasText: /trigram/i })
      .first()
      .waitFor()
    await page.waitForTimeout(800)

    expect((await page.locator('mark').allInnerTexts()).filter((word) => /invoice/i.test(word))).toEqual([])
    await page.unroute(isSlow)
  })

  it('tells what each session was told, word for word, with tokens and reasons', async () => {
    const { page, go } = on.seen
    const recalls = fs
      .readFileSync(path.join(project.memory, 'journal', 'recall-texts.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const receiptOf = (id: string): string => path.join(project.memory, 'journal', 'briefings', `${id}.txt`)
    // The oldest receipts are deleted.
    const recalled = recalls
      .map((line) => JSON.parse(line) as { session: string; text: string })
      .findLast((one) => fs.existsSync(receiptOf(one.session)))
    if (recalled === undefined) throw new Error('no session with a recall has its briefing')
    const { session } = recalled
    await go(`/injected/${session.slice(0, 8)}`)
    const receipt = fs.readFileSync(receiptOf(session), 'utf8')
    const lines = await page.locator('.told-text').allInnerTexts()

    expect(lines.join('\n').replace(/\s+/g, ' ').trim()).toBe(receipt.replace(/\s+/g, ' ').trim())
    await expect.poll(() => page.locator('.told-why').count()).toBeGreaterThan(10)
    expect(await page.locator('.told-block:not(.is-silent) pre').last().innerText()).toBe(recalled.text.trim())
    expect(await page.locator('.told', { hasText: 'Rules' }).first().innerText()).not.toBe('')
    await expect.poll(() => page.locator('.row.is-told').count()).toBeGreaterThan(5)
  })

  it('tells how the memory fares: checks with fixes, coverage, hook times, tokens', async () => {
    const { page, go } = on.seen
    await go('/health')

    expect(await page.locator('.tiles').innerText()).toMatch(/captured\s+all/)
    expect(await page.locator('.tiles').innerText()).toMatch(/on disk\s+\d+ kB\s+sessions \d/)
    await page.locator('details.checks summary').click()
    await expect.poll(() => page.locator('.check').count()).toBeGreaterThan(10)
    expect(await page.locator('figure.chart canvas').count()).toBeGreaterThanOrEqual(2)
  })

  it('names whose memory it is, where another machine or a teammate remembers it', async () => {
    const { page, go } = on.seen
    const { places } = storeOf(project)
    const row = (who: string, id: string, more: object = {}): OtherRow => {
      return { who, id, type: 'decision', at: SAMPLE_NOW, text: `Zeppelins are moored by ${who}.`, ...more }
    }
    writeOthers(places, 'machine', 'laptop', formatOthers([row('laptop', 'd041')]))
    writeOthers(places, 'team', 'mirror', formatOthers([row('alice', 'd042', { isStale: true })]))
    await go('/search?q=zeppelins')
    const hits = page.locator('.hit')

    await expect.poll(() => hits.count()).toBe(2)
    expect(await hits.filter({ hasText: 'by laptop' }).locator('.badge').allInnerTexts()).toEqual(['of laptop'])
    expect(await hits.filter({ hasText: 'by alice' }).locator('.badge').allInnerTexts()).toEqual(['of alice', 'stale'])
    await hits.filter({ hasText: 'by alice' }).click()
    await expect.poll(() => page.locator('.item h2').innerText()).toBe('alice:d042, what alice remembers')
    for (const [origin, name] of [
      ['machine', 'laptop'],
      ['team', 'mirror'],
    ] as const)
      writeOthers(places, origin, name, null)
  })

  it('tells of sync and team also where nothing is wrong', async () => {
    const { page, go } = on.seen
    await go('/health')

    expect(await page.locator('.group > ul.checks').innerText()).toMatch(
      /sync[\s\S]*off[\s\S]*team[\s\S]*you are in no team/,
    )
  })

  it('asks nobody but its own server, and the browser has nothing to complain about', () => {
    const own = `http://127.0.0.1:${on.dashboard.port}/`

    expect(on.seen.requests.length).toBeGreaterThan(20)
    expect(on.seen.requests.filter((url) => !url.startsWith(own) && !url.startsWith('data:image/svg+xml'))).toEqual([])
    expect(on.seen.complaints).toEqual([])
  })

  it('says clearly when the server has ended', async () => {
    const other = await serve(project)
    const gone = await visit(on.browser, other)
    await gone.go('/knowledge')
    other.close()
    await gone.go('/memory')
    expect(await gone.page.locator('.banner').innerText()).toContain('The dashboard has ended')
    expect(await gone.page.locator('.failure').innerText()).toContain('does not answer')

    await gone.go('/knowledge')
    await expect.poll(() => gone.page.locator('.fact').count()).toBeGreaterThan(5)
    await gone.context.close()
  })
})
