/** `demo`: the memory cycle on a sample session, in a temporary project, without Claude and without a model. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import { hostSlug, SESSIONS_DIR } from '../core/layout.ts'
import { parseSession } from '../core/session.ts'
import { isComplete } from '../core/verify.ts'
import { catchUp } from '../store/catch-up.ts'
import { disk, list, makeDir, readText, removeTree, sizeOf } from '../store/files.ts'
import { locate } from '../store/locate.ts'
import { COMMAND_WAIT_MS, openStore } from '../store/store.ts'
import { verifySession } from '../store/verify.ts'
import type { CliWorld, CommonOptions } from './context.ts'
import { SAMPLE_SESSION, sampleTranscript } from './demo-sample.ts'
import { bold, bytes, createOutput, dim, good, percent } from './output.ts'

export function runDemo(world: CliWorld, options: CommonOptions): number {
  const out = createOutput(world.streams, options.json === true)
  const dir = path.join(world.tempDir, `memory-keeper-demo-${world.now().replace(/\D/g, '')}`)
  try {
    const project = path.join(dir, 'shop')
    makeDir(project)
    const places = locate(project, { home: path.join(dir, 'home'), configDir: undefined })
    const transcript = path.join(places.hostDir, 'projects', hostSlug(places.project.root), `${SAMPLE_SESSION}.jsonl`)
    const secret = `ghp_${'Zk3vW9qLx2Tn7Rb5Yc8M'.repeat(2).slice(0, 36)}`
    disk.replace(transcript, sampleTranscript(places.project.root, secret))

    const store = openStore(places, { now: world.now })
    const captured = catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'all' })
    const file = path.join(store.dir, SESSIONS_DIR, list(path.join(store.dir, SESSIONS_DIR))[0] ?? '')
    const text = readText(file) ?? ''
    const verified = verifySession(store, store.readState(), SAMPLE_SESSION, transcript)
    const before = sizeOf(transcript) ?? 0
    const after = Buffer.byteLength(text)
    const isSafe = !text.includes(secret)
    if (!isComplete(verified) || !isSafe)
      throw new KeeperError(
        'demo',
        'The demo went wrong: something is missing or a secret was kept. Please report this.',
      )

    out.json({
      entries: captured.entries,
      bytesIn: before,
      bytesOut: after,
      redactions: captured.redactions,
      complete: true,
    })
    out.say(
      bold('1. A session was recorded by Claude Code'),
      `   ${path.relative(dir, transcript)}  ${bytes(before)}`,
      '',
      bold('2. Memory Keeper captured it, by plain code'),
      `   ${path.relative(dir, file)}  ${bytes(after)}, ${percent(before - after, before)} smaller, every word kept`,
      '',
      ...parseSession(text).entries.map((entry) => `   ${renderShort(entry)}`),
      '',
      bold('3. Secrets never reached the disk'),
      `   ${captured.redactions} replaced before writing`,
      '',
      bold('4. Proof: transcript against memory'),
      `   ${good('complete')}: prompts ${verified.prompts.captured}/${verified.prompts.present}, answers ${verified.answers.captured}/${verified.answers.present}, tool uses ${verified.tools.captured}/${verified.tools.present}`,
    )
    return 0
  } finally {
    removeTree(dir)
  }
}

function renderShort(entry: ReturnType<typeof parseSession>['entries'][number]): string {
  if (entry.role === 'tombstone') return dim('removed')
  if ('text' in entry) return `${dim(entry.role.padEnd(9))} ${entry.text}`
  const outcome = entry.ok ? '' : ' (failed)'
  return `${dim('tool'.padEnd(9))} ${entry.name}: ${entry.cmd}${outcome}${entry.output ? dim(` → ${entry.output.replace(/\n/g, ' ⏎ ')}`) : ''}`
}
