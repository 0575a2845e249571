/** Converts between one typed line and the arguments of a command, by the quoting rules of a shell. Nothing is expanded or executed. */

/** Needs no quotes in any shell. */
const PLAIN = /^[\p{L}\p{N}_.,:=@%+/-]+$/u

/** An escaped character, a text in double quotes or in single quotes, blanks, any other character. */
const PIECE = /\\([\s\S])|"((?:\\"|\\(?!")|[^"\\])*)"|'([^']*)'|(\s+)|([\s\S])/g

/**
 * Null: a quote is not closed. Outside of quotes a backslash makes the next character literal. Inside double quotes it only
 * escapes a double quote, and inside single quotes nothing, so that Windows paths in quotes stay as they are.
 */
export function parseCommandLine(line: string): string[] | null {
  const args: string[] = []
  let arg: string | null = null
  for (const [, escaped, double, single, blank, other] of line.matchAll(PIECE)) {
    if (other === '"' || other === "'") return null
    if (blank !== undefined) {
      if (arg !== null) args.push(arg)
      arg = null
      continue
    }
    // As in a shell, a backslash at the end of a line joins it with the next one.
    if (escaped !== '\n') arg = (arg ?? '') + (escaped ?? double?.replaceAll('\\"', '"') ?? single ?? other ?? '')
  }
  return arg === null ? args : [...args, arg]
}

/** `parseCommandLine` parses the result back into the same arguments. */
export function formatCommandLine(args: readonly string[]): string {
  return args.map(quoted).join(' ')
}

function quoted(arg: string): string {
  if (PLAIN.test(arg)) return arg
  if (!arg.includes('"') && !arg.endsWith('\\')) return `"${arg}"`
  return `'${arg.replaceAll("'", "'\\''")}'`
}
