/** The index engine over documents that are no memory: three sources in an object, of which one is a log. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type {
  Document,
  DocumentPiece,
  DocumentSource,
  KnownSource,
  Sources,
} from '../../../../src/core/search/disk/index/documents.ts'
import {
  type DocumentIndex,
  openDocuments,
  removeDocuments,
  stateOfIndex,
} from '../../../../src/core/search/disk/index/index.ts'
import { KIND_NUMBER } from '../../../../src/core/search/engine.ts'
import { parseQuestion } from '../../../../src/core/search/question.ts'
import { rank } from '../../../../src/core/search/rank.ts'
import { fingerprint } from '../../../../src/kernel/text/fingerprint.ts'
import { stemOf } from '../../../../src/kernel/text/token.ts'
import { tokenise } from '../../../../src/kernel/text/words.ts'
import { fastDir, now } from '../../../support/project.ts'

/** A shelf: each source is a text with one document per line. */
let shelf: Record<string, string>
/** What the engine has read, in order. */
let read: string[]
let dir: string

beforeEach(() => {
  shelf = {
    'recipes/soup': 'Leek soup with potatoes\nOnion soup with cheese',
    'recipes/cake': 'Plum cake with cinnamon',
    'orders.log': 'two leeks for table seven\none cake for table nine\n',
  }
  read = []
  dir = path.join(fastDir(), 'index')
})

const ofShelf: Sources = {
  look: (before) => {
    const sources = Object.keys(shelf).map(sourceOn)
    const print = sources.map(({ path: name, mark }) => `${name} ${mark}`).join()
    if (print === before.print) return null
    return { seen: { dirs: '', otherSources: [], print }, sources, isGone: () => true }
  },
  readAll: ({ path: name }) => {
    read.push(name)
    return (shelf[name] ?? '').split('\n').map((text, n) => documentOf(text, n, n))
  },
  readOn: readOrders,
}

function sourceOn(name: string): DocumentSource {
  const text = shelf[name] ?? ''
  return { path: name, file: '', isLog: name.endsWith('.log'), size: text.length, ino: 0, mark: `${text}!` }
}

function documentOf(text: string, n: number, at: number): Document {
  return {
    kind: KIND_NUMBER.prompt,
    time: '',
    text,
    at,
    size: text.length,
    n,
    hash: Number.parseInt(fingerprint(text).slice(-8), 16),
  }
}

/** Complete lines only; an order that was changed makes all of them new. */
function readOrders({ path: name }: DocumentSource, { offset, n, anchor }: KnownSource): DocumentPiece {
  const text = shelf[name] ?? ''
  const isAnew = text.slice(0, offset) !== anchor
  const from = isAnew ? 0 : offset
  read.push(`${name} from ${from}`)
  const end = text.lastIndexOf('\n') + 1
  const documents: Document[] = []
  let at = from
  for (const line of text.slice(from, end).split('\n').slice(0, -1)) {
    documents.push(documentOf(line, (isAnew ? 0 : n) + documents.length, at))
    at += line.length + 1
  }
  const next = (isAnew ? 0 : n) + documents.length
  return { isAnew, documents, isLast: true, to: { offset: end, n: next, anchor: text.slice(0, end), memo: null } }
}

function open(): DocumentIndex {
  return openDocuments(ofShelf, dir, { now })
}

/** Refreshes and asks: where the documents with any of these words stand, as `source#n`, in order of their names. */
function find(words: string, index = open()): string[] {
  index.refresh()
  const { docs } = index.engine.look([...tokenise(words)].map(stemOf), [1, 1, 1, 1], 99, null)
  return docs.map((doc) => `${index.sourceOf(doc)}#${index.rowOf(doc).n}`).sort()
}

it('documents of any kind are found by their words', () => {
  expect(find('soup')).toEqual(['recipes/soup#0', 'recipes/soup#1'])
  expect(find('cake')).toEqual(['orders.log#1', 'recipes/cake#0'])
  expect(find('leek')).toEqual(['orders.log#0', 'recipes/soup#0'])
  expect(find('pizza')).toEqual([])
})

it('documents of any kind are ranked', () => {
  const index = open()
  index.refresh()
  const { rows } = rank(parseQuestion('Which soup is there with cheese?'), index.columns, index.engine, { limit: 9 })

  expect(rows.map(({ doc }) => index.rowOf(doc).n)).toEqual([1, 0])
})

it('a source that did not change is not read again, also by another process', () => {
  find('soup')
  read = []
  find('soup')
  shelf['recipes/cake'] = 'Plum cake with almonds'

  expect(find('almond')).toEqual(['recipes/cake#0'])
  expect(find('cinnamon')).toEqual([])
  expect(read).toEqual(['recipes/cake'])
})

it('a log is read on from where it ended, and anew if it is another one', () => {
  const index = open()
  find('table', index)
  read = []
  const known = shelf['orders.log']?.length
  shelf['orders.log'] += 'three onions for table seven\nhalf a li'

  expect(find('table', index)).toEqual(['orders.log#0', 'orders.log#1', 'orders.log#2'])
  shelf['orders.log'] = 'no soup today\n'
  expect(find('table', index)).toEqual([])
  expect(find('soup', index)).toEqual(['orders.log#0', 'recipes/soup#0', 'recipes/soup#1'])
  expect(read).toEqual([`orders.log from ${known}`, 'orders.log from 0'])
})

it('a source that is gone is not found, until it comes back', () => {
  const index = open()
  find('soup', index)
  const soup = shelf['recipes/soup'] ?? ''
  delete shelf['recipes/soup']

  expect(find('soup', index)).toEqual([])
  shelf['recipes/soup'] = soup
  expect(find('soup', index)).toEqual(['recipes/soup#0', 'recipes/soup#1'])
})

it('a source that cannot be read keeps its documents, and is reported', () => {
  find('soup')
  shelf['recipes/soup'] = 'Pumpkin soup'
  const index = openDocuments({ ...ofShelf, readAll: () => null }, dir, { now })

  expect(find('leek', index)).toEqual(['orders.log#0', 'recipes/soup#0'])
  expect(index.news).toEqual(['recipes/soup cannot be read, and is not searched.'])
})

it('a damaged index is built again from its sources', () => {
  find('soup')
  expect(stateOfIndex(dir)).toMatchObject({ is: 'sound', documents: 5 })
  const segment = fs.readdirSync(dir).find((name) => name.startsWith('segment-')) ?? ''
  fs.truncateSync(path.join(dir, segment), 10)

  expect(stateOfIndex(dir).is).toBe('damaged')
  const index = open()
  expect(find('soup', index)).toEqual(['recipes/soup#0', 'recipes/soup#1'])
  expect(index.news).toEqual(['The search index was damaged and is rebuilt.'])
  expect(stateOfIndex(dir)).toMatchObject({ is: 'sound', documents: 5 })
})

it('an index without a directory, or whose directory was emptied, answers all the same', () => {
  expect(find('soup', openDocuments(ofShelf, null, { now }))).toHaveLength(2)
  find('soup')
  removeDocuments(dir)

  expect(fs.readdirSync(dir)).toEqual([])
  expect(find('soup')).toHaveLength(2)
})
