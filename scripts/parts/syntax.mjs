/** TypeScript as a tree (by the parser that vitest brings along), and text with changes at places of it. */
import { parseAst } from 'vitest/node'

export function parse(code, file = 'a.ts') {
  return parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' })
}

/** Every node that runs, a parent before what is in it; not types, imports and declarations without code. `see` returns false: nothing below this one. */
export function visit(node, see, parents = []) {
  if (isNoCode(node) || see(node, parents) === false) return
  const inside = [...parents, node]
  for (const [key, value] of Object.entries(node)) {
    if (key === 'typeAnnotation' || key === 'returnType' || key === 'typeParameters' || key === 'typeArguments')
      continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child, see, inside)
    }
  }
}

/** Of TypeScript's own nodes only these contain an expression that runs. */
const AROUND = /^TS(?:As|Satisfies|NonNull)/

function isNoCode({ type, declare, exportKind, body }) {
  if (type.startsWith('TS')) return !AROUND.test(type)
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration' || declare === true) return true
  return exportKind === 'type' || (type === 'FunctionDeclaration' && body === null)
}

export function isFunction({ type }) {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/** The expression of an arrow function begins behind its arrow: a parenthesis around it is no part of it. */
export function bodyOf(code, { type, body, end }) {
  const isBlock = type !== 'ArrowFunctionExpression' || body.type === 'BlockStatement'
  if (isBlock) return { isBlock, from: body.start + 1, to: body.end - 1 }
  return { isBlock, from: code.lastIndexOf('=>', body.start - 1) + 2, to: end }
}

export function lineAt(code, offset) {
  return code.slice(0, offset).split('\n').length
}

/** Puts texts around parts. The parts are nested, outer ones first: where several end, the inner one's text comes first. */
export function wrap(code, parts) {
  const edges = parts.flatMap(({ from, to, before, after }, i) => {
    if (from === to) return [{ at: from, text: before + after, rank: i + 1 }]
    return [
      { at: from, text: before, rank: i + 1 },
      { at: to, text: after, rank: -(i + 1) },
    ]
  })
  edges.sort((a, b) => a.at - b.at || a.rank - b.rank)
  let done = 0
  let made = ''
  for (const { at, text } of edges) {
    made += code.slice(done, at) + text
    done = at
  }
  return made + code.slice(done)
}
