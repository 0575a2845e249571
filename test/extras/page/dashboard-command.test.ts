/** `dashboard`: what it prints and takes. That it serves until Ctrl+C is test/extras/page/server/program.test.ts's subject. */
import { describe, expect, it } from 'vitest'
import { runDashboard, startDashboard } from '../../../src/extras/page/commands/dashboard.ts'
import type { Door } from '../../../src/extras/page/door.ts'
import { type CliWorld, type Context, openContext } from '../../../src/kernel/memory/commands/context.ts'
import { makeProject, now } from '../../support/project.ts'

const URL = 'http://127.0.0.1:1/?token=x'

interface Opened extends Partial<Door> {
  env?: Record<string, string>
  json?: boolean
  canBrowse?: boolean
}

/** A door whose page ends at once. */
function opened({ env = {}, json = false, canBrowse = true, ...more }: Opened = {}) {
  const project = makeProject()
  const said = { out: '', err: '', browsed: 0, root: project.root }
  const asked: Parameters<Door['open']>[0][] = []
  const door: Door = {
    open: async (options) => {
      asked.push(options)
      const openPage = async (): Promise<boolean> => {
        said.browsed++
        return canBrowse
      }
      return { url: URL, port: 1, ended: Promise.resolve('closed'), close: () => undefined, openPage }
    },
    onInterrupt: () => undefined,
    start: async () => URL,
    ...more,
  }
  const streams = {
    out: (text: string) => {
      said.out += text
    },
    err: (text: string) => {
      said.err += text
    },
    isErrTerminal: false,
  }
  const world = { around: project.around, env, cwd: project.root, now, streams, columns: 100 }
  const context: Context = openContext(world as unknown as CliWorld, { json })
  return { context, said, asked, door }
}

describe('dashboard', () => {
  it('prints its address with the token, and opens no browser by itself', async () => {
    const { context, door, said, asked } = opened()

    expect(await runDashboard(context, {}, door)).toBe(0)
    expect(said.out).toMatch(/\n {2}http:\/\/127\.0\.0\.1:1\/\?token=x\n[\s\S]*Ctrl\+C/)
    expect([said.err, said.browsed, asked[0]?.isInside]).toEqual(['', 0, false])
  })

  it('only shows where it is started inside Claude Code, and says so', async () => {
    const { context, door, said, asked } = opened({ env: { CLAUDECODE: '1' } })
    await runDashboard(context, {}, door)

    expect(asked[0]?.isInside).toBe(true)
    expect(said.err).toContain('looking only')
  })

  it('prints one JSON value for programs', async () => {
    const { context, door, said } = opened({ json: true })
    await runDashboard(context, {}, door)

    expect(JSON.parse(said.out)).toEqual({ url: URL, port: 1 })
  })

  it('opens the browser when it is asked to, and says so when there is none', async () => {
    const { context, door, said } = opened({ canBrowse: false })
    await runDashboard(context, { open: true }, door)

    expect(said.browsed).toBe(1)
    expect(said.err).toContain('open the address yourself')
  })

  it.each(['x', '70000', '-1'])('refuses the port %s', async (port) => {
    const { context, door } = opened()

    await expect(runDashboard(context, { port }, door)).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('the skill dashboard', () => {
  it('says where the page of its project is and when it ends, or what to do where it does not start', async () => {
    const { context, door, said } = opened({ start: async (root) => (root === said.root ? URL : null) })

    expect(await startDashboard(context, door)).toBe(0)
    expect(said.out).toMatch(/^Memory Keeper: the page of .*\n {2}http:\/\/127\.0\.0\.1:1\/\?token=x\n.*30 minutes/)
    const none = opened({ start: async () => null })
    await expect(startDashboard(none.context, none.door)).rejects.toMatchObject({ code: 'no-page' })
  })
})
