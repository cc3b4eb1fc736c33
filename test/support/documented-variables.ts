import { readFileSync } from 'node:fs'

/** The environment variables that the reference lists. */
export const documentedVariables = (): ReadonlySet<string> => {
  const rows = readFileSync('docs/reference/environment.md', 'utf8').matchAll(/^\| (`[^|]+`) *\|/gm)
  return new Set(
    [...rows].flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)),
  )
}
