/** How rows of others change when something is forgotten. */

import type { KindChanges } from '../../kernel/memory/file-kind.ts'
import {
  type Forgetting,
  type Gone,
  isTouched,
  type Outcome,
  stringsIn,
  unchanged,
} from '../../kernel/memory/forgetting.ts'
import { parseObject } from '../../kernel/platform/json.ts'

export const OTHERS_CHANGES: readonly KindChanges[] = [
  { name: 'shared', title: 'shared with your team', isKept: false },
  {
    name: 'others',
    title: 'what your other machines and teammates remember of it',
    without: (text, _, about) => inRows(text, about),
  },
]

/** Memory of others: a row goes by its id, by the entries that it tells of, or by what it says. */
function inRows(text: string, about: Forgetting): Outcome {
  const gone: Gone[] = []
  const isOut = (line: string): boolean => {
    const row = line === '' ? null : parseObject(line)
    const id = `${row?.who}:${row?.id}`
    const [, id8 = '', from, to] = /^([0-9a-z]{8})#(\d+)-(\d+)$/.exec(String(row?.about)) ?? []
    const isHit =
      row === null
        ? line !== '' && about.traces(line)
        : about.ids.has(id.toLowerCase()) ||
          isTouched(about, id8, Number(from), Number(to) + 1) ||
          stringsIn(row).some(about.repeats)
    if (isHit) gone.push({ id, kind: String(row?.type), text: String(row?.text), at: String(row?.at) })
    return isHit
  }
  const left = text.split('\n').filter((line) => !isOut(line))
  return gone.length === 0 ? unchanged(text) : { text: left.join('\n'), gone }
}
