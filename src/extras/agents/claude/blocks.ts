/** The content blocks of a message: texts, images, tool uses and their results. */
import { isObject } from '../../../kernel/platform/json.ts'
import {
  decode,
  decodeHead,
  decodeOpen,
  decodeString,
  isString,
  isTrue,
  type RawJson,
} from '../../../kernel/transcript/raw-json.ts'
import { keysOf, nextKey, skipValue, startWalk } from '../../../kernel/transcript/scan.ts'
import type { Block } from '../../../kernel/transcript/transcript.ts'
import { denialOf } from './author.ts'
import { type BlockFields, blockType, type LineFields, type RareFields, readBlocks } from './raw-line.ts'
import { answersIn, reportOf } from './record.ts'

const WRITING_TOOLS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
const PATH_KEYS = keysOf(['file_path', 'notebook_path', 'path'])
const OPEN_BRACKET = 0x5b

export function readableBlocks(raw: readonly BlockFields[], line: LineFields, rare: RareFields | null): Block[] {
  const blocks: Block[] = []
  for (const fields of raw) {
    const block = readBlock(fields, line, rare)
    if (block !== null) blocks.push(block)
  }
  return blocks
}

/** Null for blocks that are not kept, such as thinking. */
function readBlock(fields: BlockFields, line: LineFields, rare: RareFields | null): Block | null {
  // A message that is a plain string is a text block without a type.
  const type = fields.type ? blockType(fields.type) : 'text'
  if (type === 'text')
    return { type: 'text', text: decodeString(fields.text) ?? '', shape: fields.type ? 'block' : 'string' }
  if (type === 'image' || type === 'document') return { type: 'image' }
  const result = decodeString(fields.tool_use_id)
  if (result !== null) {
    return {
      type: 'result',
      id: result,
      failed: isTrue(fields.is_error),
      bytes: fields.content === undefined ? 0 : fields.content.to - fields.content.from,
      denial: () => denialOf(line, rare),
      answers: () => answersIn(decodeOpen(line.toolUseResult)),
      report: () => reportOf(decodeOpen(line.toolUseResult)),
      text: (max) => readableText(fields.content, max),
    }
  }
  if (!type?.endsWith('tool_use')) return null
  const id = decodeString(fields.id) ?? ''
  const name = decodeString(fields.name) ?? 'tool'
  const input = fields.input ? readInput(name, fields.input) : {}
  return { type: 'use', id, name, input: isObject(input) ? input : {} }
}

/** For tools that write files only the path is kept: the new contents are not decoded. */
function readInput(name: string, raw: RawJson): unknown {
  if (!WRITING_TOOLS.has(name)) return decode(raw)
  const input: Record<string, unknown> = {}
  const walk = startWalk(raw.from)
  for (
    let key = nextKey(walk, raw.bytes, raw.to, PATH_KEYS);
    key !== null;
    key = nextKey(walk, raw.bytes, raw.to, PATH_KEYS)
  ) {
    const from = walk.at
    walk.at = skipValue(raw.bytes, from, raw.to)
    input[key] = decodeString({ bytes: raw.bytes, from, to: walk.at })
  }
  if (walk.isBroken) throw new SyntaxError('broken input')
  return input
}

/** Results are decoded later than the line. Damage in one must not lose more than this result. */
function readableText(content: RawJson | undefined, max: number): string {
  if (content === undefined) return ''
  for (const value of [() => content, () => cleaned(content)]) {
    try {
      return resultText(value(), max)
    } catch {
      // Broken JSON: try again without control characters.
    }
  }
  return ''
}

/** A result is a string or an array of blocks; only text blocks are used. */
function resultText(content: RawJson, max: number): string {
  if (isString(content)) return decodeHead(content, max)
  if (content.bytes[content.from] !== OPEN_BRACKET) return ''
  const blocks: BlockFields[] = []
  readBlocks(content.bytes, content.from, content.to, blocks)
  const texts = blocks.map(({ text }) => (text && isString(text) ? decodeHead(text, max) : ''))
  return texts.filter((text) => text !== '').join('\n')
}

/** Without raw control characters. */
export function cleaned({ bytes, from, to }: RawJson): RawJson {
  const clean = Buffer.from(bytes.toString('utf8', from, to).replace(/[\u0000-\u001f]+/g, ' '))
  return { bytes: clean, from: 0, to: clean.length }
}
