/** Inside Claude Code whose memory is read, who reads it and what is set is for the user: they must have typed so. */
import { KeeperError } from '../core/error.ts'
import { type Order, ordersSetting, ordersTo } from '../core/typed-command.ts'
import type { Context } from './context.ts'
import { oneLine } from './output.ts'
import { isInside, typedPrompts } from './users-yes.ts'

const TYPE: Readonly<Record<Order, string>> = {
  trust: 'trust this memory',
  restore: 'restore my own files',
  untrust: 'untrust this memory',
  share: 'share my memory',
}

/** A file of the repository may tell Claude to trust the repository. */
export function needOrder(context: Context, order: Order): void {
  if (
    !isInside(context) ||
    typedPrompts(context)
      .slice(0, LATEST)
      .some((prompt) => ordersTo(prompt, order))
  )
    return
  throw new KeeperError(
    'not-asked',
    `Only the user decides that. Ask them to type: ${TYPE[order]}. Or they run it in a terminal of their own.`,
  )
}

export function needOrderedSetting(context: Context, name: string, value: string): void {
  if (
    !isInside(context) ||
    typedPrompts(context)
      .slice(0, LATEST)
      .some((one) => ordersSetting(one, name, value))
  )
    return
  throw new KeeperError(
    'not-asked',
    `This setting is the user's. Ask them to type: set ${name} to ${oneLine(value, 100)}. Or they run it in a terminal of their own.`,
  )
}

/** Prompts: what was wanted before that was another thing. */
const LATEST = 2
