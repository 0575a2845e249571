/** The filters of the search: each is a part of the address. */
import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { currentRoute, goQuietly, type Route, withQuery } from '../route.ts'
import { ViewChoice } from '../shown.tsx'

const LAYERS = [
  ['', 'everything'],
  ['L2,L3', 'notes and knowledge'],
  ['L1', 'sessions'],
  ['L2', 'notes'],
  ['L3', 'facts and summaries'],
] as const

const TYPES = [
  ['', 'any'],
  ...[
    'prompt',
    'answer',
    'tool',
    'note',
    'decision',
    'pattern',
    'issue',
    'rule',
    'summary',
    'session',
    'page',
    'concept',
  ].map((type) => [type, type] as const),
] as const

const MORE = ['type', 'since', 'until', 'file', 'session'] as const

export function SearchFilters({ route }: { route: Route }): JSX.Element {
  const value = (key: string): string => route.query.get(key) ?? ''
  const inUse = MORE.filter((key) => value(key) !== '').length
  const [isOpen, setOpen] = useState(inUse > 0)
  const set = (key: string, next: string): void => goQuietly(withQuery({ ...currentRoute(), id: '' }, { [key]: next }))
  return (
    <search class="search-filters">
      <div class="filters">
        <ViewChoice label="In" value={value('layer')} of={LAYERS} onChoose={(next) => set('layer', next)} />
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters{inUse > 0 ? ` (${inUse})` : ''}
        </button>
      </div>
      {isOpen ? (
        <div class="filters">
          <ViewChoice label="Type" value={value('type')} of={TYPES} onChoose={(next) => set('type', next)} />
          <Field label="Since" type="date" value={value('since')} onSet={(next) => set('since', next)} />
          <Field label="Until" type="date" value={value('until')} onSet={(next) => set('until', next)} />
          <Field label="File" type="text" value={value('file')} onSet={(next) => set('file', next)} />
          <Field label="Session" type="text" value={value('session')} onSet={(next) => set('session', next)} />
        </div>
      ) : null}
    </search>
  )
}

interface FieldProps {
  label: string
  type: 'date' | 'text'
  value: string
  onSet: (value: string) => void
}

/** Taken when it is left or Enter is pressed: half a date finds nothing. */
function Field({ label, type, value, onSet }: FieldProps): JSX.Element {
  const id = useId()
  const taken = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => onSet(currentTarget.value.trim())
  return (
    <span class="field">
      <label for={id}>{label}</label>
      {type === 'date' ? (
        <input id={id} type="date" value={value} onChange={taken} />
      ) : (
        <input id={id} type="text" value={value} dir="auto" onChange={taken} />
      )}
    </span>
  )
}
