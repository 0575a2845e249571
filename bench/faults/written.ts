/** Transcripts in the host's format, with a token in everything that is said or done. */
import type { Turn } from './programs.ts'

/** `words`: what the answer is about. */
export function writeTurn(session: string, cwd: string, at: number, token: string, words: string): Turn {
  const prompt = `Order ${token}: please look at ${words.slice(0, 120)}`
  const file = `${cwd}/src/${token}.ts`
  const base = { isSidechain: false, userType: 'external', cwd, sessionId: session, version: '2.1.325' }
  let step = 0
  const line = (type: 'user' | 'assistant', content: unknown, more: object = {}): string => {
    const timestamp = new Date(at + ++step * 4_000).toISOString()
    const message = { role: type, content }
    return `${JSON.stringify({ parentUuid: null, ...base, type, message, uuid: `${session}-${at}-${step}`, timestamp, ...more })}\n`
  }
  const use = (id: string, name: string, input: object): string =>
    line('assistant', [{ type: 'tool_use', id: `${token}-${id}`, name, input }])
  const result = (id: string, content: string): string =>
    line('user', [{ tool_use_id: `${token}-${id}`, type: 'tool_result', content }], { toolUseResult: content })
  const lines = [
    line('user', prompt),
    use('a', 'Read', { file_path: file }),
    result('a', words.repeat(8)),
    use('b', 'Edit', { file_path: file, old_string: 'a', new_string: 'b' }),
    result('b', 'The file has been updated.'),
    use('c', 'Bash', { command: `npm test -- ${token}` }),
    result('c', `${words.slice(0, 200)} 12 tests passed`),
    line('assistant', [{ type: 'text', text: `For ${token}: ${words}` }]),
  ]
  return { prompt, lines: lines.join('') }
}
