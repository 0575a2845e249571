/** `demo` finds again what its sample sessions held: by a search, and with a prompt of another day. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import type { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { CLI, envOf, runCommand, runCommandJson } from '../support/process.ts'
import { makeProject } from '../support/project.ts'

describe('demo', () => {
  it('finds the answer of a session by its words', () => {
    const { json, code } = runCommandJson(makeProject(), ['demo'])

    expect(code).toBe(0)
    expect(json.found[0]).toBe('L1:de30de30#4')
    expect(json.found).toHaveLength(3)
  })

  it('recalls with a prompt of another day what went wrong, with day and id, and stays silent otherwise', () => {
    const { json } = runCommandJson(makeProject(), ['demo'])

    expect(json.recalled).toMatch(/^<memory-keeper-recall>\n/)
    expect(json.recalled).toContain('1.015 is stored as 1.01499')
    expect(json.recalled).toContain('2026-01-13 de30de30')
    expect(json.recalled).toMatch(/^#4 /m)
    expect(runCommand(makeProject(), ['demo']).out).toContain('With "Write a poem about the sea." goes nothing.')
  })

  it('shows both on one screenful, the same on every day', () => {
    const project = makeProject()
    const { out, err, code } = runCommand(project, ['demo'])

    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('memory-keeper search --deep "floating point cents"')
    expect(out).toContain('L1:de30de30#4 2026-01-13 answer: The rounding works on floating point numbers')
    expect(out).toContain('What went wrong with the rounding of prices?')
    // Said once: told as a decision, not as an instruction.
    expect(out).toMatch(/## Core Decisions\n +- d\d{3} 2026-01-17: From now on we release on Tuesdays only/)
    expect(out).not.toContain('Standing Instructions')
    expect(out).toMatch(/facts found their place in \d+ concept/)
    expect(out).toMatch(/r001 .*never round in the templates/i)
    expect(out.split('\n').length).toBeLessThan(80)
    expect(runCommand(project, ['demo']).out.replace(/-demo-\d+/g, '')).toBe(out.replace(/-demo-\d+/g, ''))
    expect(fs.readdirSync(project.base).filter((name) => name.includes('demo'))).toEqual([])
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
