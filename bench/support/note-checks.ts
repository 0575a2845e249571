/** What a program can check of a note: every word of it is somebody's, nothing is missing that must not be. */
import type { Numbered } from '../../src/notes/digest.ts'

const WRITING = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
const MACHINE =
  /<system-reminder|<command-|<local-command|task-notification|toolu_|tool_use_id|\[Request interrupted|Caveat: The messages|This session is being continued|Stop hook feedback|hook_success/
/** Labels whose text was said by somebody. */
const SAID = /^(?:Asked|Went on|Decided|Fixed|Open|Result): (.*)$/

/** Empty: the note keeps all its promises. */
export function checkNote(note: string, entries: readonly Numbered[], redact: (text: string) => string): string[] {
  return [
    ...(/^(?:Asked|Went on): \S/.test(note) || !entries.some(({ entry }) => entry.role === 'user')
      ? []
      : ['names no goal']),
    ...unnamedFiles(note, entries),
    ...foreignSentences(note, entries),
    ...foreignCommands(note, entries),
    ...(MACHINE.test(note) ? ['holds machine text'] : []),
    ...(redact(note) === note ? [] : ['holds a secret']),
    ...(/^#|<!--/m.test(note) ? ['could be taken for a heading or a comment'] : []),
  ]
}

/** Each changed file is named, or counted in "and N more". */
function unnamedFiles(note: string, entries: readonly Numbered[]): string[] {
  const changed = new Set(
    entries.flatMap(({ entry }) =>
      'name' in entry && WRITING.has(entry.name) && entry.ok === true && !entry.cmd.includes('/.claude/')
        ? [entry.cmd]
        : [],
    ),
  )
  const line = /^Changed: .*$/m.exec(note)?.[0] ?? ''
  const rest = Number(/ and (\d+) more$/.exec(line)?.[1] ?? 0)
  const root = /; in (\/\S+): |: in (\/\S+): /.exec(line)
  const prefix = `${root?.[1] ?? root?.[2] ?? ''}/`
  const missing = [...changed].filter((file) => !line.includes(file) && !line.includes(file.replace(prefix, '')))
  return missing.length > rest ? [`does not name ${missing.join(', ')}`] : []
}

/** A sentence that nobody said, or that ends inside a word, is not found in what was said. */
function foreignSentences(note: string, entries: readonly Numbered[]): string[] {
  const source = ` ${entries.map(({ entry }) => words(everything(entry))).join(' | ')} `
  return note.split('\n').flatMap((line) => {
    const said = SAID.exec(line)?.[1]
    if (said === undefined) return []
    const parts = said
      .replace(/(^| )Then: /, '\n')
      .split(/(?<=[.!?…。！？)])\s+|\s[→–]\s|\s\(Claude: |\n/)
      .filter((part) => words(part) !== '')
    return parts.filter((part) => !source.includes(` ${words(part)} `)).map((part) => `nobody said: ${part}`)
  })
}

function foreignCommands(note: string, entries: readonly Numbered[]): string[] {
  const line = /^Ran: (.*)$/m.exec(note)?.[1] ?? ''
  const source = ` ${entries.map(({ entry }) => ('name' in entry ? words(entry.cmd) : '')).join(' | ')} `
  const commands = [...line.matchAll(/(?:^|; )(?:`` (.+?) ``|`([^`]+)`) \(/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  )
  return commands.filter((command) => !source.includes(` ${words(command)} `)).map((one) => `nobody ran: ${one}`)
}

/** Letters and digits only: what markdown and line breaks do to a text does not matter. */
function words(text: string): string {
  return text
    .replace(/\]\([^)\s]*\)/g, '] ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function everything(entry: Numbered['entry']): string {
  if (entry.role === 'tombstone') return ''
  if ('text' in entry)
    return entry.text
      .replace(/\[(?:Image|image)[^\]\n]*\]/g, ' ')
      .replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return `${entry.cmd}\n${entry.output ?? ''}`
}
