/** What the first lines of a Claude Code transcript say about the whole file. */
import type { TranscriptHead } from '../../../kernel/transcript/agent.ts'

/** The launch directory and session id in a transcript's first lines. */
export function parseHead(bytes: Buffer): TranscriptHead {
  const text = bytes.toString('utf8')
  return { cwd: firstString(text, 'cwd'), sessionId: firstString(text, 'sessionId') }
}

/** Whether these lines were written for programs alone: each entry point that they name is one, and at least one is named. */
export function isSentThroughout(bytes: Buffer): boolean {
  const named = [...bytes.toString('latin1').matchAll(/"entrypoint":"([^"\\]{1,80})"/g)]
  return named.length > 0 && named.every(([, from = '']) => isForPrograms(from))
}

function firstString(text: string, key: string): string | null {
  const match = new RegExp(`"${key}":("(?:[^"\\\\]|\\\\.){1,4096}")`).exec(text)
  try {
    return match?.[1] ? (JSON.parse(match[1]) as string) : null
  } catch {
    return null
  }
}

/** An entry point without a person. */
export function isForPrograms(entrypoint: string): boolean {
  return /^sdk|github/i.test(entrypoint)
}
