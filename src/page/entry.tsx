/** One entry of a session: what you said, what Claude answered, or what was done with a tool. */
import type { JSX } from 'preact'
import type { EntryItem } from '../dashboard/api.ts'
import { askForget } from './acts.ts'
import { sayClock, sayMoment } from './say.ts'
import { Act } from './shown.tsx'
import { useMayChange } from './source.ts'
import { Prose } from './text/prose.tsx'
import { useHasWord, WithWords } from './text/words.tsx'

interface Props {
  entry: EntryItem
  isWanted: boolean
}

const WHO: Record<EntryItem['role'], string> = {
  user: 'You',
  assistant: 'Claude',
  tool: 'Tool',
  subagent: 'Subagent',
  teammate: 'Message',
  summary: 'Compaction',
  tombstone: 'Forgotten',
}

export function EntryRow({ entry, isWanted }: Props): JSX.Element {
  if (entry.tool !== undefined) {
    return (
      <ul class="tools">
        <ToolLine entry={entry} isWanted={isWanted} />
      </ul>
    )
  }
  return (
    <div id={`entry-${entry.n}`} tabIndex={-1} class={`entry is-${entry.role}${isWanted ? ' is-wanted' : ''}`}>
      <p class="entry-head">
        <b>{whoSaid(entry)}</b>
        <time dateTime={entry.at} title={sayMoment(entry.at)}>
          {sayClock(entry.at)}
        </time>
        <code>#{entry.n}</code>
        <ForgetEntry entry={entry} />
      </p>
      {entry.role === 'tombstone' ? (
        <p class="muted">This entry was forgotten; only its number is left.</p>
      ) : (
        <Long text={entry.text} isWanted={isWanted} />
      )}
    </div>
  )
}

/** A sender may call itself anything, also "You". */
function whoSaid({ role, from, notUsers }: EntryItem): string {
  if (role === 'teammate') return `Message from ${from}`
  return notUsers === undefined ? WHO[role] : `Prompt (${notUsers})`
}

function ForgetEntry({ entry }: { entry: EntryItem }): JSX.Element | null {
  const mayChange = useMayChange()
  if (!mayChange || entry.role === 'tombstone') return null
  const subject = entry.text || `${entry.tool?.name} ${entry.tool?.cmd}`
  return <Act name="Forget…" look="quiet is-bad on-hover" does={() => askForget(entry.id, subject)} />
}

/** More than a screen: folded, the beginning is seen. */
const LONG_CHARS = 2400

function Long({ text, isWanted }: { text: string; isWanted: boolean }): JSX.Element {
  const hasWord = useHasWord()
  if (text.length <= LONG_CHARS) return <Prose text={text} />
  const cut = text.lastIndexOf('\n', LONG_CHARS)
  const at = cut > LONG_CHARS / 2 ? cut : LONG_CHARS
  return (
    <>
      <Prose text={text.slice(0, at)} />
      <details class="fold" open={isWanted && hasWord(text.slice(at))}>
        <summary>{`The rest: ${(text.length - at).toLocaleString('en-GB')} characters`}</summary>
        <Prose text={text.slice(at)} />
      </details>
    </>
  )
}

const VERDICTS = {
  'no result': { look: 'is-open', sign: '…', word: 'no result' },
  ok: { look: 'is-ok', sign: '✓', word: 'done' },
  refused: { look: 'is-failed', sign: '⊘', word: 'refused' },
  failed: { look: 'is-failed', sign: '✗', word: 'failed' },
} as const

export function ToolLine({ entry, isWanted }: Props): JSX.Element {
  const { name = '', cmd = '', outcome = 'no result', output = '' } = entry.tool ?? {}
  const hasWord = useHasWord()
  const line = (
    <>
      <span class={`verdict ${VERDICTS[outcome].look}`}>{VERDICTS[outcome].sign}</span>
      <span class={outcome === 'refused' ? '' : 'hidden'}>{VERDICTS[outcome].word} </span>
      <b>{name}</b>{' '}
      <span class="cmd">
        <WithWords text={cmd} />
      </span>
    </>
  )
  return (
    <li
      id={`entry-${entry.n}`}
      tabIndex={-1}
      class={`tool${isWanted ? ' is-wanted' : ''}`}
      title={`#${entry.n} · ${sayMoment(entry.at)}`}
    >
      {output === '' && cmd.length < 200 ? (
        <p dir="ltr">{line}</p>
      ) : (
        <details open={isWanted && hasWord(cmd.length < 200 ? output : `${cmd}\n${output}`)}>
          <summary dir="ltr">{line}</summary>
          {cmd.length < 200 ? null : (
            <pre dir="ltr">
              <WithWords text={cmd} />
            </pre>
          )}
          {output === '' ? null : (
            <pre dir="auto">
              <WithWords text={output} />
            </pre>
          )}
        </details>
      )}
    </li>
  )
}
