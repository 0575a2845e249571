/** A model's own tokens: reads tokenizer.json and cuts a text into the numbers of its vocabulary, WordPiece or Unigram. */
import { listIn, notKnown, objectIn, readNormaliser, readSplitter } from '../search/embedding-text.ts'

/** Numbers of the vocabulary in their order; what it does not know is left out, since it says nothing. */
export type Tokeniser = (text: string) => number[]

/** As many as the models were made for. */
const MAX_TOKENS = 512
/** Below the least likely piece: an unknown character is taken only where nothing fits. */
const UNKNOWN_PENALTY = 10

type Cut = (word: string) => number[]

export function readTokeniser(raw: unknown): Tokeniser {
  const json = objectIn(raw, 'tokenizer.json')
  const model = objectIn(json.model, 'model')
  const rewrite = readNormaliser(json.normalizer)
  const split = readSplitter(json.pre_tokenizer)
  const cut = cutterOf(model)
  return (text) => {
    const tokens: number[] = []
    for (const word of split(rewrite(text))) {
      tokens.push(...cut(word))
      if (tokens.length >= MAX_TOKENS) break
    }
    return tokens.slice(0, MAX_TOKENS)
  }
}

function cutterOf(model: Readonly<Record<string, unknown>>): Cut {
  // Older files name no type; their vocabularies tell.
  const type = model.type ?? (Array.isArray(model.vocab) ? 'Unigram' : 'WordPiece')
  if (type === 'WordPiece') return wordPiece(model)
  if (type === 'Unigram') return unigram(model)
  throw notKnown('model', type)
}

/** The longest beginning that is in the vocabulary, then the longest continuation; a word is known as a whole or not at all. */
function wordPiece(model: Readonly<Record<string, unknown>>): Cut {
  const vocabulary = new Map(Object.entries(objectIn(model.vocab, 'vocab')).map(([piece, id]) => [piece, Number(id)]))
  const unknown = vocabulary.get(String(model.unk_token))
  const prefix = typeof model.continuing_subword_prefix === 'string' ? model.continuing_subword_prefix : '##'
  const maxChars = typeof model.max_input_chars_per_word === 'number' ? model.max_input_chars_per_word : 100
  return (word) => {
    const characters = [...word]
    if (characters.length > maxChars) return []
    const ids: number[] = []
    for (let from = 0; from < characters.length; ) {
      let to = characters.length
      let id: number | undefined
      for (; to > from; to--) {
        id = vocabulary.get((from === 0 ? '' : prefix) + characters.slice(from, to).join(''))
        if (id !== undefined) break
      }
      if (id === undefined) return []
      if (id !== unknown) ids.push(id)
      from = to
    }
    return ids
  }
}

interface Best {
  score: number
  from: number
  id: number
}

/** Of all ways to cut the word, the one whose pieces are the most likely together. */
function unigram(model: Readonly<Record<string, unknown>>): Cut {
  const unknown = typeof model.unk_id === 'number' ? model.unk_id : -1
  const { pieces, scores, longest, least } = readPieces(listIn(model.vocab, 'vocab'))
  return (word) => {
    const best: (Best | undefined)[] = [{ score: 0, from: 0, id: unknown }]
    const offer = (to: number, way: Best): void => {
      const other = best[to]
      if (other === undefined || way.score > other.score) best[to] = way
    }
    for (let from = 0; from < word.length; from++) {
      const before = best[from]
      if (before === undefined) continue
      const step = (word.codePointAt(from) ?? 0) > 0xffff ? 2 : 1
      const most = Math.min(word.length, from + Math.max(step, longest.get(word.charCodeAt(from)) ?? 0))
      let hasSingle = false
      for (let to = from + step; to <= most; to++) {
        const id = pieces.get(word.slice(from, to))
        if (id === undefined) continue
        if (to === from + step) hasSingle = true
        offer(to, { score: before.score + (scores[id] ?? least), from, id })
      }
      if (!hasSingle) offer(from + step, { score: before.score + least - UNKNOWN_PENALTY, from, id: unknown })
    }
    return walkBack(best, word.length).filter((id) => id !== unknown)
  }
}

function walkBack(best: readonly (Best | undefined)[], end: number): number[] {
  const ids: number[] = []
  for (let at = end; at > 0; ) {
    const way = best[at]
    if (way === undefined) return []
    ids.push(way.id)
    at = way.from
  }
  return ids.reverse()
}

interface Pieces {
  pieces: Map<string, number>
  scores: Float64Array
  /** The longest piece that begins with this UTF-16 unit: no longer one has to be looked up. */
  longest: Map<number, number>
  least: number
}

function readPieces(vocabulary: readonly unknown[]): Pieces {
  const read: Pieces = {
    pieces: new Map(),
    scores: new Float64Array(vocabulary.length),
    longest: new Map(),
    least: 0,
  }
  vocabulary.forEach((entry, id) => {
    const [piece, score] = listIn(entry, 'vocab')
    if (typeof piece !== 'string' || piece === '') return
    read.pieces.set(piece, id)
    read.scores[id] = Number(score)
    read.least = Math.min(read.least, Number(score))
    const first = piece.charCodeAt(0)
    read.longest.set(first, Math.max(read.longest.get(first) ?? 0, piece.length))
  })
  return read
}
