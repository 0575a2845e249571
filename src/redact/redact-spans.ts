/** Where secrets stand in a text, and the text with a marker in place of each. */

export interface Span {
  start: number
  end: number
  kind: string
}

const MARKER_HINT = /\[redacted:|\[private\]/
const MARKER = /\[redacted:[\w-]{1,40}\]|\[private\]/g

interface Ranked extends Span {
  rank: number
}

/** Spans that overlap become one. The kind is that of the one found first: the order of the array. */
export function replaceSpans(text: string, spans: readonly Span[]): { text: string; count: number } {
  if (spans.length === 0) return { text, count: 0 }
  const sorted = spans.map((span, rank) => ({ ...span, rank })).sort((a, b) => a.start - b.start)
  const merged = mergeSpans(withoutMarkers(text, sorted))
  let kept = ''
  let from = 0
  for (const { start, end, kind } of merged) {
    kept += `${text.slice(from, start)}[redacted:${kind}]`
    from = end
  }
  return { text: kept + text.slice(from), count: merged.length }
}

function mergeSpans(sorted: readonly Ranked[]): Ranked[] {
  const merged: Ranked[] = []
  for (const span of sorted) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) {
      merged.push({ ...span })
      continue
    }
    last.end = Math.max(last.end, span.end)
    if (span.rank > last.rank) continue
    last.kind = span.kind
    last.rank = span.rank
  }
  return merged
}

/** A span that touches a marker of an earlier pass is left out, or a second pass would change the text. A key goes whole. */
function withoutMarkers(text: string, sorted: readonly Ranked[]): readonly Ranked[] {
  if (!MARKER_HINT.test(text)) return sorted
  const markers = [...text.matchAll(MARKER)].map((marker) => ({
    from: marker.index,
    to: marker.index + marker[0].length,
  }))
  let first = 0
  return sorted.filter((span) => {
    while (first < markers.length && (markers[first]?.to ?? 0) <= span.start) first++
    for (let index = first; index < markers.length; index++) {
      const { from, to } = markers[index] ?? { from: span.end, to: span.end }
      if (from >= span.end) return true
      if (span.kind !== 'private-key' || from < span.start || to >= span.end) return false
    }
    return true
  })
}
