/** What was looked up by its id, as it is printed. */

import { bold, dim, harmless } from '../../memory/commands/output.ts'
import type { LookedUp } from '../disk/lookup.ts'

export function renderFound({ title, parts, source }: LookedUp): string[] {
  return [
    dim(harmless(title)),
    ...parts.flatMap(({ id, at, kind, text }) => [
      `${bold(harmless(id))} ${dim(harmless([at.slice(0, 16).replace('T', ' '), kind].filter((each) => each !== '').join(' ')))}`,
      harmless(text),
      '',
    ]),
    ...(source === null ? [] : [harmless(source)]),
  ]
}
