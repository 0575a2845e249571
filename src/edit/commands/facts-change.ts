/** `facts add`, `edit`, `resolve`, `reopen`, `reject`, `supersede`, `restore`: facts by hand. What a person says needs no proof. */

import type { Context } from '../../memory/commands/context.ts'
import { harmless } from '../../memory/commands/output.ts'
import { KeeperError } from '../../platform/error.ts'
import { perform } from './by-hand.ts'

interface AddOptions {
  reason?: string
  file?: readonly string[]
  concept?: string
  status?: string
  resolution?: string
  anyway?: boolean
}

export function runFactsAdd(context: Context, type: string, text: string, options: AddOptions): number {
  const { file, anyway, ...given } = options
  return perform(context, {
    ...only(given, ['reason', 'concept', 'status', 'resolution']),
    do: 'add-fact',
    type,
    text,
    ...(file === undefined ? {} : { files: file }),
    ...(anyway === undefined ? {} : { isAnyway: anyway }),
  })
}

interface EditOptions {
  text?: string
  reason?: string
  file?: readonly string[]
  concept?: string
}

export function runFactsEdit(context: Context, id: string, options: EditOptions): number {
  const { file, ...given } = options
  return perform(context, {
    ...only(given, ['text', 'reason', 'concept']),
    do: 'edit-fact',
    id,
    ...(file === undefined ? {} : { files: file }),
  })
}

export function runFactsResolve(context: Context, id: string, resolution: string): number {
  return perform(context, { do: 'resolve', id, resolution })
}

export function runFactsReopen(context: Context, id: string): number {
  return perform(context, { do: 'reopen', id })
}

export function runFactsReject(context: Context, id: string, { why }: { why?: string }): number {
  return perform(context, { do: 'reject', id, ...(why === undefined ? {} : { why }) })
}

export function runFactsSupersede(context: Context, id: string, { by, why }: { by?: string; why?: string }): number {
  if (by === undefined) {
    throw new KeeperError(
      'usage',
      `Name the fact in its place: memory-keeper facts supersede ${harmless(id)} --by ID (memory-keeper facts list shows them). If nothing is: memory-keeper facts reject ${harmless(id)}`,
    )
  }
  return perform(context, { do: 'supersede', id, other: by, ...(why === undefined ? {} : { why }) })
}

export function runFactsRestore(context: Context, id: string): number {
  return perform(context, { do: 'restore', id })
}

/** Of the options, which hold more than these. */
function only<K extends string>(options: Partial<Record<K, string>>, names: readonly K[]): Partial<Record<K, string>> {
  const given = names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]))
  return Object.fromEntries(given) as Partial<Record<K, string>>
}
