/** Where a text stops being JSON, for whoever has to mend it: engines name the place in some of their messages only. */

export interface Fault {
  /** Both from 1. */
  line: number
  column: number
  /** `a comma or } is missing`. */
  what: string
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const SPACE = /[ \t\n\r]*/y

type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next'

/** Null: it is JSON. */
export function faultOf(text: string): Fault | null {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = after(SPACE, text, at) ?? at
    if (expected === 'next' && open.length === 0) {
      return at === text.length ? null : faultAt(text, at, 'something stands behind the end')
    }
    const step = stepAt(text, at, expected, open)
    if (step === null) return faultAt(text, at, whatIsWrong(text, at, expected, open.at(-1)))
    at = step.at
    expected = step.expected
  }
}

/** Null: nothing that may stand there. `open` is what encloses it, and changes with it. */
function stepAt(
  text: string,
  at: number,
  expected: Expected,
  open: ('{' | '[')[],
): { at: number; expected: Expected } | null {
  const sign = text[at]
  const closes = open.at(-1) === '{' ? '}' : ']'
  if (expected === 'colon') return sign === ':' ? { at: at + 1, expected: 'value' } : null
  if (expected === 'next' && sign === ',') return { at: at + 1, expected: open.at(-1) === '{' ? 'name' : 'value' }
  if ((expected === 'next' || expected.startsWith('first')) && sign === closes) {
    open.pop()
    return { at: at + 1, expected: 'next' }
  }
  if (expected === 'next') return null
  if (expected === 'name' || expected === 'first name') return found(after(STRING, text, at), 'colon')
  if (sign === '{' || sign === '[') {
    open.push(sign)
    return { at: at + 1, expected: sign === '{' ? 'first name' : 'first value' }
  }
  return found(after(sign === '"' ? STRING : SCALAR, text, at), 'next')
}

function found(at: number | null, expected: Expected): { at: number; expected: Expected } | null {
  return at === null ? null : { at, expected }
}

function whatIsWrong(text: string, at: number, expected: Expected, inside: '{' | '[' | undefined): string {
  if (at >= text.length) return 'it ends too early'
  if (text[at] === '"' && expected !== 'next' && expected !== 'colon')
    return 'a text is not closed, or not as JSON has it'
  switch (expected) {
    case 'colon':
      return 'a colon is missing'
    case 'next':
      return `a comma or ${inside === '{' ? '}' : ']'} is missing`
    case 'name':
    case 'first name':
      return 'a name in quotes is missing'
    default:
      return 'a value is missing, or not as JSON has it'
  }
}

function faultAt(text: string, at: number, what: string): Fault {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n'), what }
}

function after(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
