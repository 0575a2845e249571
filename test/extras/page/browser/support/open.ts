/** A browser before a dashboard: the real page, served by the real server, in the system's Chromium. */
import fs from 'node:fs'
import path from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { buildPage } from '../../../../../scripts/build-page.mjs'
import { knownProjects } from '../../../../../src/core/health/disk/projects.ts'
import { type Dashboard, openDashboard } from '../../../../../src/extras/page/server/server.ts'
import { worldsOf } from '../../../../support/dashboard.ts'
import { ROOT } from '../../../../support/process.ts'
import { type TestProject, tempDir } from '../../../../support/project.ts'
import { SAMPLE_NOW } from './sample.ts'

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Null: there is none, and what needs one is left out. */
export const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== undefined && file !== '' && fs.existsSync(file))

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: ARGS })
}

export interface Watched {
  dashboard: Dashboard
  browser: Browser
  /** The first visit. */
  seen: Visit
}

/** A dashboard, a browser and a visit for all tests of a block. */
export function watch(make: () => Promise<Dashboard>): Watched {
  const watched = {} as Watched
  beforeAll(async () => {
    watched.dashboard = await make()
    watched.browser = await launch()
    watched.seen = await visit(watched.browser, watched.dashboard)
  })
  afterAll(async () => {
    await watched.browser?.close()
    watched.dashboard?.close()
  })
  return watched
}

let built: string | null = null

/** From the present sources: what is in plugin/dist is compared with them elsewhere. */
async function pageFile(): Promise<string> {
  if (built === null) {
    built = path.join(tempDir(), 'page.html')
    const { contents } = await buildPage({ root: ROOT })
    fs.writeFileSync(built, contents)
  }
  return built
}

const COOKIE = 'the-cookie-of-the-page-tests-0123456789abcde'
/** Their token is used. */
const visited = new WeakSet<Dashboard>()

/** `reach`: inside Claude Code nothing can be changed; `all`: the other projects of this machine are shown as well. */
export async function serve(
  project: TestProject,
  now = (): string => SAMPLE_NOW,
  version = '0.0.0-test',
  reach: 'one' | 'inside' | 'all' = 'one',
): Promise<Dashboard> {
  const world = worldsOf(project, now)
  const here = world(project.root)
  return openDashboard({
    pageFile: await pageFile(),
    port: 0,
    idleMs: 10 * 60_000,
    token: 'the-token-of-the-page-tests-0123456789abcdef',
    cookie: COOKIE,
    timezone: 'UTC',
    version,
    uid: process.getuid?.(),
    now,
    ...here,
    ...(reach === 'all' ? { others: { list: () => knownProjects(here.openStore()), open: world } } : {}),
    isInside: reach === 'inside',
  })
}

export interface Visit {
  page: Page
  context: BrowserContext
  /** Every address that was asked for. */
  requests: string[]
  /** Errors and warnings of the browser: refused by the policy, thrown by the script. */
  complaints: string[]
  /** To a place in the page, by what stands behind the #. */
  go(place: string): Promise<void>
}

interface Visiting {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
  scale?: number
}

export async function visit(
  browser: Browser,
  dashboard: Dashboard,
  { width = 1280, height = 800, scheme = 'light', scale = 1 }: Visiting = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    deviceScaleFactor: scale,
    reducedMotion: 'reduce',
  })
  const { url, port } = dashboard
  // A browser that has been here before.
  if (visited.has(dashboard))
    await context.addCookies([{ name: `memory-keeper-${port}`, value: COOKIE, url: `http://127.0.0.1:${port}` }])
  visited.add(dashboard)
  const page = await context.newPage()
  countRequests(page)
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  await page.goto(url)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  const go = async (place: string): Promise<void> => {
    await page.evaluate((hash) => {
      location.hash = hash
    }, place)
    await settled(page)
  }
  await settled(page)
  return { page, context, requests, complaints, go }
}

/** Requests under way, by page. */
const awaited = new WeakMap<Page, Set<Request>>()
/** Typing is followed by its request after a pause. */
const QUIET_MS = 60

/** Nothing is awaited any more. */
export async function settled(page: Page): Promise<void> {
  const isQuiet = (): boolean => (awaited.get(page)?.size ?? 0) === 0
  for (let quietMs = 0; quietMs < QUIET_MS; quietMs = isQuiet() ? quietMs + 15 : 0) await page.waitForTimeout(15)
  await page.waitForFunction(
    () => document.querySelector('.waiting') === null && document.querySelector('.is-awaited') === null,
  )
}

function countRequests(page: Page): void {
  const open = new Set<Request>()
  awaited.set(page, open)
  page.on('request', (request) => open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}
