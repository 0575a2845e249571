/** The mutants of a source file: each is one small change that some test ought to notice. */
import { isFunction, lineAt, parse, visit } from './syntax.mjs'

/** Where a mutant would only change what is said, or how a failure is told. */
const TOLD = /^(?:log|warn|say|note(?:Failure)?|console|print|help|usage|hint)|Failure$|Warning$/i
const SAID_KEYS = new Set([
  'summary',
  'description',
  'usage',
  'help',
  'title',
  'says',
  'hint',
  'about',
  'examples',
  'flags',
])
/** A text with words in it is read by somebody; one without is compared, parsed or written. */
const IS_SENTENCE = /[\p{L}.,:]\s+[\p{L}\d]/u

const FLIPPED = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
}
/** What comes out has the form of what went in: a mutant goes without. */
const SAME_FORM = new Set([
  ...['trim', 'trimEnd', 'trimStart', 'toLowerCase', 'toUpperCase', 'normalize', 'replace', 'replaceAll'],
  ...['filter', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed'],
])

/** In the order of the source: `{ start, end, text, what, line }`, `text` being put in place of what was between start and end. */
export function mutantsOf(code, file = 'a.ts') {
  const found = new Map()
  const add = (start, end, text, what) => {
    const before = code.slice(start, end)
    if (before !== text)
      found.set(`${start} ${end} ${text}`, { start, end, before, text, what, line: lineAt(code, start) })
  }
  visit(parse(code, file), (node, parents) => {
    if (isTold(node, parents)) return false
    for (const make of [ofOperator, ofCondition, ofLiteral, ofResult, ofStatement, ofCall])
      make(node, parents, code, add)
    return undefined
  })
  return [...found.values()].toSorted((a, b) => a.start - b.start || a.end - b.end)
}

export function withMutant(code, { start, end, text }) {
  return code.slice(0, start) + text + code.slice(end)
}

/** An error that is thrown, a line that is logged, a text for a screen. */
function isTold(node, parents) {
  const parent = parents.at(-1)
  if (node.type === 'ThrowStatement' || (node.type === 'NewExpression' && /Error$/.test(calleeName(node)))) return true
  if (node.type === 'Literal' && typeof node.value === 'string' && IS_SENTENCE.test(node.value)) return true
  if (node.type === 'TemplateLiteral' && isCallOf(parent, TOLD)) return true
  if (node.type === 'ExpressionStatement' && node.expression.type === 'CallExpression')
    if (/^(?:log|console)|Failure$/i.test(calleeName(node.expression))) return true
  return parent?.type === 'Property' && parent.value === node && SAID_KEYS.has(parent.key.name)
}

function isCallOf(node, names) {
  return node?.type === 'CallExpression' && names.test(calleeName(node))
}

/** `log` of `log(…)`, `say` of `out.say(…)`, `console` of `console.error(…)`. */
function calleeName({ callee }) {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression') return ''
  return callee.object.name === 'console' ? 'console' : (callee.property.name ?? '')
}

function ofOperator(node, _, code, add) {
  if (node.type !== 'BinaryExpression' && node.type !== 'LogicalExpression') return
  const isSum = node.operator === '+' && [node.left, node.right].some(({ value }) => typeof value === 'number')
  const text = isSum ? '-' : FLIPPED[node.operator]
  if (text === undefined) return
  const start = code.indexOf(node.operator, node.left.end)
  if (start < node.right.start) add(start, start + node.operator.length, text, `${node.operator} → ${text}`)
}

/** One that is a comparison is negated by its operator. */
function ofCondition(node, _, code, add) {
  if (node.type !== 'IfStatement' && node.type !== 'ConditionalExpression') return
  const { start, end, type, operator, argument } = node.test
  if (type === 'BinaryExpression' && /^[!=]==$/.test(operator)) return
  if (type === 'UnaryExpression' && operator === '!')
    add(start, end, code.slice(argument.start, argument.end), 'condition negated')
  else add(start, end, `!(${code.slice(start, end)})`, 'condition negated')
}

function ofLiteral(node, parents, _, add) {
  if (node.type !== 'Literal') return
  const { start, end, value } = node
  const parent = parents.at(-1)
  if (parent.key === node && !parent.computed) return
  if (typeof value === 'boolean') add(start, end, String(!value), `${value} → ${!value}`)
  if (typeof value === 'number')
    add(start, end, String(otherNumber(value, start)), `${value} → ${otherNumber(value, start)}`)
  const isType =
    parent.type === 'BinaryExpression' && [parent.left, parent.right].some((one) => one.operator === 'typeof')
  const isMessage = parents.slice(-3).some((one) => isCallOf(one, TOLD))
  if (typeof value === 'string' && value !== '' && !isType && !isMessage) add(start, end, "''", 'text emptied')
}

/** No test has to notice one more or less of 20,000 characters, or of a tuned weight; half of it is something else. */
const LARGE = 100

function otherNumber(value, place) {
  if (value > LARGE || !Number.isInteger(value)) return value > LARGE ? Math.floor(value / 2) : value / 2
  // Alternately, so that both occur.
  return place % 2 === 0 || value === 0 ? value + 1 : value - 1
}

/** What a function gives is emptied, by the form that it has or that its type names. */
function ofResult(node, parents, code, add) {
  const isArrow = node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement'
  const given = node.type === 'ReturnStatement' ? node.argument : isArrow ? node.body : null
  if (given === null) return
  const owner = isArrow ? node : parents.findLast(isFunction)
  const text = emptyOf(given) ?? emptyOfType(owner?.returnType?.typeAnnotation, code, given.start)
  if (text === null || (given.type === 'Literal' && typeof given.value !== 'string')) return
  // In parentheses, which are no part of the expression, an object would be a block.
  add(given.start, given.end, text, `gives ${text}`)
}

function emptyOf({ type, value }) {
  if (type === 'ArrayExpression') return '[]'
  if (type === 'TemplateLiteral' || typeof value === 'string') return "''"
  return null
}

function emptyOfType(annotation, code, place) {
  if (annotation === undefined) return null
  const type = code.slice(annotation.start, annotation.end)
  if (/\|\s*null$/.test(type)) return 'null'
  if (/\|\s*undefined$/.test(type)) return 'undefined'
  if (/\[\]$/.test(type)) return '[]'
  if (/^(?:Readonly)?Set\b/.test(type)) return 'new Set()'
  if (/^(?:Readonly)?Map\b/.test(type)) return 'new Map()'
  if (type === 'string') return "''"
  if (type === 'number') return '0'
  if (type === 'boolean' || / is /.test(type)) return place % 2 === 0 ? 'false' : 'true'
  return null
}

function ofStatement(node, _, __, add) {
  const { type, start, end } = node
  if (type === 'ContinueStatement') add(start, end, ';', 'statement dropped')
  if (type !== 'ExpressionStatement') return
  const inner = node.expression.type === 'AwaitExpression' ? node.expression.argument : node.expression
  const isWork = ['CallExpression', 'AssignmentExpression', 'UpdateExpression', 'UnaryExpression'].includes(inner.type)
  if (isWork) add(start, end, ';', 'statement dropped')
}

function ofCall(node, _, code, add) {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return
  const { object, property } = node.callee
  if (SAME_FORM.has(property.name)) add(object.end, node.end, closing(code, object.end), `.${property.name}() dropped`)
}

/** The parenthesis that ends the object is no part of it. */
function closing(code, end) {
  return /^\s*\)*/.exec(code.slice(end))[0].trimEnd()
}

/** The same for the same seed: `mulberry32`. */
export function sample(items, most, seed) {
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const rest = [...items]
  const chosen = []
  while (chosen.length < most && rest.length > 0) chosen.push(...rest.splice(Math.floor(random() * rest.length), 1))
  return chosen
}

const SHOWN = 100

/** What was dropped, or the line as it is in the mutant, without what is far from the change. */
export function showMutant(code, mutant) {
  const onOneLine = (text) => text.replace(/\s+/g, ' ').trim().slice(0, SHOWN)
  if (mutant.text === ';') return onOneLine(mutant.before)
  const made = withMutant(code, mutant)
  const from = made.lastIndexOf('\n', mutant.start - 1) + 1
  const to = made.indexOf('\n', mutant.start + mutant.text.length)
  const line = made.slice(from, to < 0 ? undefined : to)
  const begin = Math.max(0, Math.min(mutant.start - from - SHOWN / 2, line.length - SHOWN))
  return onOneLine(line.slice(begin))
}
