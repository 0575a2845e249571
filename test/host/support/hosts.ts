/** Where the pinned Claude Code binaries are. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `current` is what we develop against; `older` is the oldest host we promise to work with. */
export type HostName = 'current' | 'older'

const modules = join(import.meta.dirname, '..', 'node_modules')

export function findHost(host: HostName): string {
  const found = candidates(host).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`No Claude Code host "${host}" below ${modules}. Run: npm run test:host`)
  return found
}

/** The platform package is the real thing; `bin/claude.exe` is a copy that only install scripts make. */
function candidates(host: HostName): string[] {
  const alias = join(modules, `claude-${host}`)
  const native = join('@anthropic-ai', `claude-code-${process.platform}-${process.arch}`)
  const binary = process.platform === 'win32' ? 'claude.exe' : 'claude'
  const nested = join(alias, 'node_modules', native, binary)
  const copied = join(alias, 'bin', 'claude.exe')
  // npm hoists the platform package of only one of the two versions: the current one.
  return host === 'current' ? [nested, join(modules, native, binary), copied] : [nested, copied]
}
