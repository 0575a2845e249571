/** `dashboard`: what it prints, what it takes, and how it ends. */
import { describe, expect, it } from 'vitest'
import { type Door, runDashboard, startDashboard } from '../../src/cli/dashboard.ts'
import { type CliWorld, openContext } from '../../src/memory/commands/context.ts'
import { open } from '../support/dashboard.ts'
import { makeProject, now, type TestProject } from '../support/project.ts'

interface Started {
  said: () => string
  warned: () => string
  asked: { port: number; idleMs: number; isInside: boolean | undefined }[]
  browsed: string[]
  interrupt: () => void
  code: () => number | Promise<number>
}

function start(
  project: TestProject,
  options: object,
  common: object = {},
  canBrowse = true,
  env: Record<string, string> = {},
): Started {
  const out: string[] = []
  const err: string[] = []
  const asked: Started['asked'] = []
  const browsed: string[] = []
  let end: () => void = () => {}
  const door: Door = {
    open: async ({ port, idleMs, isInside }) => {
      asked.push({ port, idleMs, isInside })
      const opened = await open(project, { port, idleMs })
      const openPage = async (): Promise<boolean> => {
        browsed.push(opened.url)
        return canBrowse
      }
      return { ...opened, openPage }
    },
    onInterrupt: (then) => {
      end = then
    },
    start: async () => 'http://127.0.0.1:1/?token=x',
  }
  const world = {
    around: project.around,
    env,
    platform: process.platform,
    cwd: project.root,
    now,
    streams: { out: (text: string) => out.push(text), err: (text: string) => err.push(text), isErrTerminal: false },
    columns: 100,
    version: '0.0.0-test',
    dashboard: door,
  } as unknown as CliWorld
  const said = (): string => out.join('')
  return {
    said,
    warned: () => err.join(''),
    asked,
    browsed,
    interrupt: () => end(),
    code: () => runDashboard(openContext(world, common), options),
  }
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('dashboard', () => {
  it('prints its address with the token, and serves until Ctrl+C', async () => {
    const started = start(makeProject(), {})
    const code = started.code()
    await until(() => started.said().includes('Ctrl+C'))
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(started.said()) ?? []
    const answered = await fetch(url, { redirect: 'manual' })

    expect(answered.status).toBe(303)
    expect(started.browsed).toEqual([])
    started.interrupt()
    expect(await code).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
  })

  it('only shows where it is started inside Claude Code, and says so', async () => {
    const started = start(makeProject(), {}, {}, true, { CLAUDECODE: '1' })
    const code = started.code()
    await until(() => started.warned() !== '')

    expect(started.asked[0]?.isInside).toBe(true)
    expect(started.warned()).toContain('looking only')
    started.interrupt()
    expect(await code).toBe(0)
  })

  it('prints one JSON value for programs, at once', async () => {
    const started = start(makeProject(), {}, { json: true })
    const code = started.code()
    await until(() => started.said() !== '')
    const { url, port } = JSON.parse(started.said())

    expect(url).toContain(`:${port}/?token=`)
    started.interrupt()
    await code
    expect(started.said().trim().split('\n')).toHaveLength(1)
  })

  it('opens the browser when it is asked to, and says so when there is none', async () => {
    const started = start(makeProject(), { open: true }, {}, false)
    const code = started.code()
    await until(() => started.warned() !== '')

    expect(started.browsed).toHaveLength(1)
    expect(started.warned()).toContain('open the address yourself')
    started.interrupt()
    await code
  })

  it.each(['x', '70000', '-1'])('refuses the port %s', async (port) => {
    await expect(start(makeProject(), { port }).code()).rejects.toThrow(expect.objectContaining({ code: 'usage' }))
  })
})

describe('the skill dashboard', () => {
  const said = async (url: string | null): Promise<string> => {
    const project = makeProject()
    let out = ''
    const world = {
      around: project.around,
      env: {},
      cwd: project.root,
      now,
      streams: {
        out: (text: string) => {
          out += text
        },
        err: () => undefined,
        isErrTerminal: false,
      },
      dashboard: { start: async (root: string) => (root === project.root ? url : null) },
    } as unknown as CliWorld
    expect(await startDashboard(openContext(world, {}))).toBe(0)
    return out
  }

  it('says where the page is, and when it ends', async () => {
    expect(await said('http://127.0.0.1:1/?token=x')).toMatch(
      /^Memory Keeper: the page of .*\n {2}http:\/\/127\.0\.0\.1:1\/\?token=x\n.*30 minutes/,
    )
  })

  it('says what to do where it does not start', async () => {
    await expect(said(null)).rejects.toMatchObject({ code: 'no-page' })
  })
})
