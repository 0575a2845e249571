/** The words of a text that tell what it is about, by their stems, as numbers that can be compared. */
import { stemOf } from './token.ts'
import { tokenise } from './words.ts'

/** In their order; words that stand everywhere are left out. */
export function stemsOf(text: string): number[] {
  return Array.from(tokenise(text), stemOf)
}

/** What Korean words end with: it tells how something is said, not what. */
const ENDINGS: ReadonlySet<number> = new Set(
  stemsOf(
    '습니다 했습니다 합니다 입니다 됩니다 되었습니다 됐습니다 었습니다 았습니다 겠습니다 하였다 했다 한다 된다 이다 해야 해야해 하자 해줘 해주세요 하기로 에서 으로 에는 에도 까지 부터 에게 하고 해서 하는 되는 있는 없는 이고 이며 하지 지만 니까 으니 므로 때문 문에 라서 어서 아서 않는 않도록 도록',
  ),
)

export function tellingWords(text: string): ReadonlySet<number> {
  return new Set(stemsOf(text).filter((stem) => !ENDINGS.has(stem)))
}
