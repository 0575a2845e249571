/** Whether our MCP server starts and answers: asked once, as the host asks, within a few seconds. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { statOf } from '../../platform/disk/files.ts'
import type { Check } from './check.ts'

/** Longer than any start takes, also on a busy machine. */
const LONGEST_MS = 5_000

/** `programs`: where our built programs lie. */
export function probeServer(
  store: Store,
  { programs, env }: { programs: string; env: Readonly<Record<string, string | undefined>> },
): Check {
  const name = 'MCP server'
  const file = path.join(programs, 'mcp.cjs')
  if (statOf(file) === null) return failed(name, `${file} is not there`)
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const began = performance.now()
  const done = spawnSync(process.execPath, [file], {
    input: `${JSON.stringify(HELLO)}\n`,
    env: { ...env, CLAUDE_PROJECT_DIR: store.places.project.root, MEMORY_KEEPER_CHILD: undefined },
    timeout: LONGEST_MS,
    encoding: 'utf8',
    windowsHide: true,
  })
  const ms = Math.round(performance.now() - began)
  if (isAnswer(done.stdout ?? '')) return { name, verdict: 'ok', finding: `starts and answers (${ms} ms with its end)` }
  const [line = ''] = (done.stderr ?? '').trim().split('\n')
  return failed(name, line === '' ? `it did not answer within ${LONGEST_MS / 1000} s` : line)
}

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'doctor', version: '1' } },
}

function isAnswer(out: string): boolean {
  return out.split('\n').some((line) => {
    try {
      return (JSON.parse(line) as { result?: { serverInfo?: unknown } }).result?.serverInfo !== undefined
    } catch {
      return false
    }
  })
}

function failed(name: string, finding: string): Check {
  return {
    name,
    verdict: 'problem',
    finding,
    fix: 'install the plugin anew: claude plugin uninstall and install; without it Claude cannot search, all else works',
  }
}
