/** A model2vec folder as an embedder: a token's vector is a row of a matrix on disk, and only the rows needed are read. */
import path from 'node:path'
import { readPart, readText, realPath, sizeOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { clip, type Embedder, meanOf } from '../../search/embedding.ts'
import { readTokeniser, type Tokeniser } from '../embedding-tokens.ts'

const MATRIX_FILE = 'model.safetensors'
const TOKENISER_FILE = 'tokenizer.json'
/** What the matrix is called by model2vec, and by Sentence Transformers. */
const MATRIX_NAMES = ['embeddings', 'embedding.weight']
/** The format's own limit. */
const MAX_HEADER_BYTES = 100_000_000
/** Rows kept from search to search: 4 MB for 256 numbers a row. */
const MAX_KEPT_ROWS = 4096

interface Model {
  tokenise: Tokeniser
  size: number
  row(token: number): Float32Array
  weight(token: number): number
}

/** Nothing is read before the first text comes. */
export function openFolder(dir: string): Embedder {
  let model: Model | undefined
  return {
    name: `model2vec, ${path.basename(dir)}`,
    async embed(texts) {
      model ??= loadModel(dir)
      const { tokenise, size, row, weight } = model
      return texts.map((text) => {
        const tokens = tokenise(clip(text))
        return meanOf(tokens.map(row), tokens.map(weight), size)
      })
    },
  }
}

function loadModel(dir: string): Model {
  const missing = [MATRIX_FILE, TOKENISER_FILE].filter((name) => sizeOf(path.join(dir, name)) === null)
  if (missing.length > 0) {
    throw broken(
      `${dir} has no ${missing.join(' and no ')}. The setting embedder names a model2vec folder, which has both`,
    )
  }
  // Downloads are often links into a folder that holds every version.
  const file = realPath(path.join(dir, MATRIX_FILE))
  const tensors = readTensors(file)
  const matrix = MATRIX_NAMES.map((name) => tensors.get(name)).find((tensor) => tensor !== undefined)
  if (matrix === undefined) throw broken(`${file} has no tensor "${MATRIX_NAMES[0]}"`)
  const [, size] = matrix.shape
  if (size === undefined || matrix.shape.length !== 2) throw broken(`the embeddings in ${file} are no matrix`)
  const weights = readWhole(file, tensors.get('weights'))
  const rowOf = readWhole(file, tensors.get('mapping'))
  const readRow = keepRows((at) => readNumbers(file, matrix, at * size, size))
  return {
    tokenise: readTokeniser(readJson(path.join(dir, TOKENISER_FILE))),
    size,
    row: (token) => readRow(rowOf?.[token] ?? token),
    weight: (token) => weights?.[token] ?? 1,
  }
}

function keepRows(read: (at: number) => Float32Array): (at: number) => Float32Array {
  const kept = new Map<number, Float32Array>()
  return (at) => {
    const known = kept.get(at)
    if (known !== undefined) return known
    if (kept.size >= MAX_KEPT_ROWS) kept.clear()
    const row = read(at)
    kept.set(at, row)
    return row
  }
}

interface Tensor {
  type: NumberType
  shape: readonly number[]
  /** Where its numbers begin and end in the file. */
  from: number
  to: number
}

interface NumberType {
  bytes: number
  read(bytes: Buffer, at: number): number
}

const TYPES: Readonly<Record<string, NumberType>> = {
  F64: { bytes: 8, read: (bytes, at) => bytes.readDoubleLE(at) },
  F32: { bytes: 4, read: (bytes, at) => bytes.readFloatLE(at) },
  F16: { bytes: 2, read: (bytes, at) => halfOf(bytes.readUInt16LE(at)) },
  // A scale that all numbers share makes no difference to a cosine.
  I8: { bytes: 1, read: (bytes, at) => bytes.readInt8(at) },
  I32: { bytes: 4, read: (bytes, at) => bytes.readInt32LE(at) },
  I64: { bytes: 8, read: (bytes, at) => Number(bytes.readBigInt64LE(at)) },
}

/** Eight bytes with the header's length, the header as JSON, then the numbers it points at. */
function readTensors(file: string): Map<string, Tensor> {
  const size = sizeOf(file) ?? 0
  const prefix = readPart(file, 0, 8)
  const length = prefix?.length === 8 ? Number(prefix.readBigUInt64LE(0)) : 0
  if (length === 0 || length > MAX_HEADER_BYTES || 8 + length > size) throw broken(`${file} is no safetensors file`)
  const header = parseJson(String(readPart(file, 8, length)), file)
  const tensors = new Map<string, Tensor>()
  for (const name of [...MATRIX_NAMES, 'weights', 'mapping']) {
    const raw = Object.hasOwn(header, name) ? header[name] : undefined
    if (raw !== undefined) tensors.set(name, readTensor(raw, 8 + length, size, `${name} in ${file}`))
  }
  return tensors
}

function readTensor(raw: unknown, begin: number, fileSize: number, what: string): Tensor {
  const { dtype, shape, data_offsets } = raw as Readonly<Record<string, unknown>>
  const type = Object.hasOwn(TYPES, String(dtype)) ? TYPES[String(dtype)] : undefined
  if (type === undefined) throw broken(`${what}: numbers of type ${JSON.stringify(dtype)} are not supported`)
  if (!isNumbers(shape) || !isNumbers(data_offsets)) throw broken(`${what} has no shape or no place`)
  const [from = 0, to = 0] = data_offsets
  const count = shape.reduce((all, side) => all * side, 1)
  if (to - from !== count * type.bytes || begin + to > fileSize)
    throw broken(`${what} is not all there: a download cut off?`)
  return { type, shape, from: begin + from, to: begin + to }
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isInteger(item) && item >= 0)
}

function readWhole(file: string, tensor: Tensor | undefined): Float64Array | null {
  if (tensor === undefined) return null
  return Float64Array.from(numbersIn(file, tensor, 0, (tensor.to - tensor.from) / tensor.type.bytes))
}

function readNumbers(file: string, tensor: Tensor, first: number, count: number): Float32Array {
  return Float32Array.from(numbersIn(file, tensor, first, count))
}

function numbersIn(file: string, { type, from, to }: Tensor, first: number, count: number): number[] {
  const begin = from + first * type.bytes
  const length = count * type.bytes
  const bytes = begin + length <= to ? readPart(file, begin, length) : null
  if (bytes?.length !== length) {
    throw broken(`${file} has fewer rows than ${TOKENISER_FILE} has tokens: they do not belong together`)
  }
  return Array.from({ length: count }, (_, at) => type.read(bytes, at * type.bytes))
}

/** Sixteen bits as a number: a sign, five bits of exponent, ten of fraction. Node 20 has no reader for them. */
function halfOf(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? fraction === 0
          ? Number.POSITIVE_INFINITY
          : Number.NaN
        : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits >> 15 === 0 ? size : -size
}

function readJson(file: string): Readonly<Record<string, unknown>> {
  return parseJson(readText(file) ?? '', file)
}

function parseJson(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json !== null) return json as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw new KeeperError('embedder', `${file} is no valid JSON.`, { cause })
  }
  throw broken(`${file} is no JSON object`)
}

function broken(why: string): KeeperError {
  return new KeeperError('embedder', `${why}.`)
}
