/** What shared modules leave behind is removed by themselves: they say here how. It imports nothing, since every test file loads it. */

type When = 'each test' | 'each file'

const removers: Record<When, Set<() => void>> = { 'each test': new Set(), 'each file': new Set() }

export function tidyBehind(when: When, remove: () => void): void {
  removers[when].add(remove)
}

export function tidyUp(when: When): void {
  for (const remove of removers[when]) remove()
}
