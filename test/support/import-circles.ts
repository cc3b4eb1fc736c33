import { posix } from 'node:path'
import type { Source } from './source.ts'

/** Groups of files that import each other, directly or through others; each sorted, and with two files or more. */
export const importCircles = (sources: readonly Source[], { types }: { types: boolean }): string[][] => {
  const imports = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports
        .filter(({ specifier, typesOnly }) => specifier.startsWith('.') && (types || !typesOnly))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier)),
    ]),
  )
  const reach = new Map([...imports.keys()].map((path) => [path, reachable(imports, path)]))
  const seen = new Set<string>()
  const circles: string[][] = []
  for (const [path, there] of reach) {
    if (seen.has(path) || !there.has(path)) continue
    const circle = [...there].filter((other) => reach.get(other)?.has(path)).sort()
    for (const one of circle) seen.add(one)
    circles.push(circle)
  }
  return circles
}

/** Everything that a file imports, directly or through others. */
const reachable = (imports: ReadonlyMap<string, readonly string[]>, from: string): Set<string> => {
  const found = new Set<string>()
  const pending = [from]
  for (let path = pending.pop(); path !== undefined; path = pending.pop())
    for (const next of imports.get(path) ?? [])
      if (!found.has(next)) {
        found.add(next)
        pending.push(next)
      }
  return found
}
