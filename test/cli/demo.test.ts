/** `demo` finds again what its sample sessions held: by a search, and with a prompt of another day. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import type { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { CLI, envOf, runCommandJson } from '../support/process.ts'
import { makeProject } from '../support/project.ts'

describe('demo', () => {
  it('plays the whole cycle, finds an answer by its words, and recalls it with a prompt of another day', () => {
    const { json, code } = runCommandJson(makeProject(), ['demo'])

    expect(code).toBe(0)
    expect(json).toMatchObject({ complete: true, redactions: 2, notes: 5 })
    expect(json.found[0]).toBe('L1:de30de30#4')
    expect(json.found).toHaveLength(3)
    expect(json.recalled).toMatch(/^<memory-keeper-recall>\n[\s\S]*2026-01-13 de30de30\n[\s\S]*^#3 /m)
    expect(json.recalled).toContain('rounds half a cent up')
    expect(runCommandJson(makeProject(), ['demo']).json).toEqual(json)
  })

  it('ends with the page of its own project, and leaves nothing behind', async () => {
    const project = makeProject()
    const demo = spawn(process.execPath, [CLI, 'demo', '--dashboard'], { env: envOf(project), stdio: 'pipe' })
    const ended = once(demo, 'exit')
    const url = await addressFrom(demo.stdout)
    const entered = await fetch(url, { redirect: 'manual' })
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    const overview = await fetch(new URL('/api/overview', url), { headers: { cookie } })

    expect(await overview.json()).toMatchObject({ sessions: 5, standing: 'ours' })
    demo.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    expect(fs.readdirSync(project.base).filter((name) => name.includes('demo'))).toEqual([])
  })
})

async function addressFrom(stdout: Readable): Promise<string> {
  let said = ''
  for await (const piece of stdout) {
    said += String(piece)
    const url = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+\n/.exec(said)?.[0]
    if (url !== undefined) return url.trim()
  }
  throw new Error(`no address: ${said}`)
}
