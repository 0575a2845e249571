/** Which transcripts the host wrote itself. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isHostTranscript } from '../../../src/sessions/disk/transcripts.ts'
import { tempDir, write } from '../../support/project.ts'

function hostIn(base = tempDir()): { base: string; host: string; own: string; elsewhere: string } {
  const host = path.join(base, '.claude')
  const own = path.join(host, 'projects', '-app', 'a.jsonl')
  const elsewhere = path.join(base, 'other', 'b.jsonl')
  write(own, '{}\n')
  write(elsewhere, '{}\n')
  return { base, host, own, elsewhere }
}

describe('a transcript of the host', () => {
  it('lies in one of its project directories', () => {
    const { host, own, elsewhere } = hostIn()

    expect(isHostTranscript(host, own)).toBe(true)
    expect(isHostTranscript(host, path.join(host, 'projects', '-app', 'a', 'subagents', 'agent-1.jsonl'))).toBe(true)
    expect(isHostTranscript(host, path.join(host, 'projects', '..', '..', 'other', 'b.jsonl'))).toBe(false)
    expect(isHostTranscript(host, path.join(host, 'projects-of-mine', 'a.jsonl'))).toBe(false)
    expect(isHostTranscript(host, elsewhere)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('is no link to a file elsewhere', () => {
    const { host, elsewhere } = hostIn()
    const link = path.join(host, 'projects', '-app', 'c.jsonl')
    fs.symlinkSync(elsewhere, link)

    expect(isHostTranscript(host, link)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('may lie on another disk, behind a link of the user’s', () => {
    const { base, host, own } = hostIn()
    const linked = path.join(base, 'home')
    fs.symlinkSync(host, linked)
    const moved = path.join(base, 'disk', '-app')
    write(path.join(moved, 'd.jsonl'), '{}\n')
    fs.symlinkSync(moved, path.join(host, 'projects', '-moved'))

    expect(isHostTranscript(linked, own)).toBe(true)
    expect(isHostTranscript(host, path.join(linked, 'projects', '-app', 'a.jsonl'))).toBe(true)
    expect(isHostTranscript(host, path.join(host, 'projects', '-moved', 'd.jsonl'))).toBe(true)
  })
})
