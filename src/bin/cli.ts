/** The command line program for people, skills and agents. */
import os from 'node:os'
import { runCli } from '../cli/run.ts'
import { readStdin } from '../store/files.ts'
import { findSurroundings } from '../store/locate.ts'

declare const __VERSION__: string

const { env, stdin, stdout, stderr } = process

// Who reads along may stop reading (`| head`): then there is nobody to tell, and nothing went wrong.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  stderr.write(`memory-keeper: the output could not be written: ${error.message}\n`)
  process.exitCode = 1
})
stderr.on('error', () => {})

try {
  const around = findSurroundings(env, process.platform)
  if (around === null) throw new Error('this user has no home directory. Set HOME or CLAUDE_CONFIG_DIR.')
  const exitCode = runCli(process.argv.slice(2), {
    around,
    env,
    platform: process.platform,
    cwd: process.cwd(),
    projectDir: env.CLAUDE_PROJECT_DIR,
    now: () => new Date().toISOString(),
    streams: {
      out: (text) => stdout.write(text),
      err: (text) => stderr.write(text),
      isErrTerminal: stderr.isTTY === true,
    },
    columns: Number(env.COLUMNS) || stdout.columns || 100,
    isStdinTerminal: stdin.isTTY === true,
    readStdin,
    version: __VERSION__,
    nodeVersion: process.version,
    tempDir: os.tmpdir(),
    embedderKey: env.MEMORY_KEEPER_EMBEDDER_KEY ?? '',
    fetch,
    isOurChild: env.MEMORY_KEEPER_CHILD === '1',
  })
  if (typeof exitCode === 'number') process.exitCode = exitCode
  else exitCode.then((code) => Object.assign(process, { exitCode: code }), fail)
} catch (error) {
  fail(error)
}

function fail(error: unknown): void {
  stderr.write(
    `memory-keeper: ${(error as Error).message}\nNothing was lost: what is not captured yet is captured later. memory-keeper doctor tells more.\n`,
  )
  process.exitCode = 1
}
