/** Which files the git calls of a command line revert, and which they stage. Names with variables, wildcards or quotes are not certain and left out. */
import { callOf, commandsOf } from '../../kernel/transcript/shell.ts'

const PLAIN = /^[\p{L}\p{N}._/@+-]*[\p{L}\p{N}][\p{L}\p{N}._/@+-]*$/u
const ALL: ReadonlySet<string> = new Set(['-A', '--all', '-u', '--update', '.'])

interface GitCall {
  verb: string
  words: readonly string[]
  /** The directory that the command line changed to, with a slash at its end; empty: none. */
  dir: string
}

function gitCalls(line: string): GitCall[] {
  const calls: GitCall[] = []
  let dir: string | null = ''
  for (const command of commandsOf(line)) {
    const [program = '', verb = '', ...words] = callOf(command).split(' ')
    if (program === 'cd') dir = dir !== null && PLAIN.test(verb) ? `${verb.startsWith('/') ? '' : dir}${verb}/` : null
    if (program === 'git' && dir !== null && !command.includes(' -C ')) calls.push({ verb, words, dir })
  }
  return calls
}

function filesAmong(words: readonly string[], dir: string): string[] {
  return words.filter((word) => !word.startsWith('-') && PLAIN.test(word)).map((word) => dir + word)
}

/** `git checkout -- file` and `git restore file`; not from another commit, and not what was only staged. */
export function revertsIn(line: string): string[] {
  return gitCalls(line).flatMap(({ verb, words, dir }) => {
    const end = words.indexOf('--')
    if (verb === 'checkout') {
      const from = words.slice(0, end).filter((word) => word !== 'HEAD')
      return end < 0 || from.length > 0 ? [] : filesAmong(words.slice(end + 1), dir)
    }
    const isOther = words.some(
      (word) => word === '-s' || word.startsWith('--source') || word === '-S' || word === '--staged',
    )
    return verb !== 'restore' || isOther ? [] : filesAmong(words, dir)
  })
}

/** `all`: whatever was changed. A directory stands for what is in it. */
export function stagedBy(line: string): { all: boolean; files: string[] } {
  const calls = gitCalls(line)
  const adds = calls.filter(({ verb }) => verb === 'add')
  const isWhole = ({ verb, words }: GitCall): boolean =>
    verb === 'add'
      ? words.some((word) => ALL.has(word))
      : verb === 'commit' && words.some((word) => word === '--all' || /^-[a-z]*a[a-z]*$/.test(word))
  return { all: calls.some(isWhole), files: adds.flatMap(({ words, dir }) => filesAmong(words, dir)) }
}
