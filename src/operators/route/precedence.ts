import type { Match } from '../../model/resources/resources.ts'
import { pathText } from './match.ts'

/** What decides between two matchers that both match a request. */
export type Precedence = 'exact path' | 'longer path' | 'method' | 'more headers' | 'more query parameters'

/** In this order; the greater number wins. */
const criteria: readonly (readonly [name: Precedence, of: (match: Match) => number])[] = [
  ['exact path', ({ path }) => Number('exact' in path)],
  ['longer path', ({ path }) => pathText(path).length],
  ['method', ({ method }) => Number(method !== undefined)],
  ['more headers', ({ headers }) => headers?.length ?? 0],
  ['more query parameters', ({ query }) => query?.length ?? 0],
]

/** The numbers of a matcher that decide its precedence, so that sorting computes them once. */
export const precedenceOf = (match: Match): readonly number[] => criteria.map(([, of]) => of(match))

/** Sorts matchers of the same host: the one that precedes comes first. 0 leaves the order of the file. */
export const byPrecedence = (a: Match, b: Match): number =>
  comparePrecedence(precedenceOf(a), precedenceOf(b))

/** The same for what {@link precedenceOf} gives. */
export const comparePrecedence = (a: readonly number[], b: readonly number[]): number => {
  for (let i = 0; i < a.length; i++) {
    const difference = (b[i] ?? 0) - (a[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Why `winner` precedes `loser`; undefined if only their order in the file decides. */
export const precedenceOver = (winner: Match, loser: Match): Precedence | undefined =>
  criteria.find(([, of]) => of(winner) !== of(loser))?.[0]

/**
 * How exactly host names fit a host: a wildcard by its length, a name more than any wildcard, no names at all 0.
 *
 * @returns Undefined if none fits.
 */
export const hostSpecificity = (hostnames: readonly string[], host: string): number | undefined => {
  if (hostnames.length === 0) return 0
  const fitting = hostnames.flatMap((name) => {
    if (name === host) return [Infinity]
    if (name === '*' || name === '') return [0]
    // A wildcard stands for at least one character.
    return name.startsWith('*.') &&
      host.indexOf('.') > 0 &&
      host.length >= name.length &&
      host.endsWith(name.slice(1))
      ? [name.length]
      : []
  })
  return fitting.length === 0 ? undefined : Math.max(...fitting)
}
