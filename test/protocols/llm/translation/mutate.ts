import fc from 'fast-check'

/** Values that are invalid at most positions. */
const oddities: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  3.5,
  '',
  'x',
  '{"a":',
  [],
  {},
  [null],
  ['x'],
  [[]],
  { a: 1 },
  { type: 'x' },
]

/** A change of a JSON value: the index of the changed position in document order, and its new value or its removal. */
export interface Mutation {
  readonly place: number
  readonly oddity: number
}

export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({ place: fc.nat(400), oddity: fc.nat(oddities.length) }),
  { minLength: 1, maxLength: 2 },
)

/** The value with one position changed. */
export const mutated = (value: unknown, { place, oddity }: Mutation): unknown => {
  const all = count(value)
  let left = place % all
  const change = (here: unknown): unknown => {
    if (left-- === 0) return oddity === oddities.length ? undefined : oddities[oddity]
    if (Array.isArray(here)) return here.map(change)
    if (typeof here !== 'object' || here === null) return here
    return Object.fromEntries(Object.entries(here).map(([name, inside]) => [name, change(inside)]))
  }
  // As JSON, without members that are undefined.
  const [changed] = JSON.parse(JSON.stringify([change(value)])) as readonly unknown[]
  return changed
}

const count = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inside) => sum + count(inside), 1)
    : 1
