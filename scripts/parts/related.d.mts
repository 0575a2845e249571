export function importersOf(texts: Iterable<readonly [file: string, text: string]>): Map<string, Set<string>>
export function relatedTests(
  changed: readonly string[],
  importers: ReadonlyMap<string, ReadonlySet<string>>,
  took?: ReadonlyMap<string, number>,
): string[]
