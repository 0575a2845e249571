/** The line under the prompt, as a program of its own: the host requests it several times a minute, and the command line program is large. */
import { printStatusline } from '../../core/health/commands/statusline.ts'
import { findSurroundings } from '../../kernel/platform/disk/locate.ts'
import { readStdin, writeStdout } from '../../kernel/platform/disk/stdio.ts'

const { env } = process

try {
  const around = env.MEMORY_KEEPER_CHILD === '1' ? null : findSurroundings(env, process.platform)
  if (around !== null) {
    const startDir = env.CLAUDE_PROJECT_DIR ?? process.cwd()
    writeStdout(printStatusline(readStdin(), { around, startDir, now: new Date().toISOString() }))
  }
} catch {
  // The output is closed, or the directory is gone: no line is better than an error under every prompt.
  process.exitCode = 0
}
