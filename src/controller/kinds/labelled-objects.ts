import { matchesLabels } from './label-selector.ts'
import type { LabelSelector } from './object.ts'

/** Something with labels. */
export interface Labelled {
  readonly labels: Readonly<Record<string, string>>
}

/** Objects by each of their labels, `name=value`, and all of them under an empty text; each list in their order. */
export type LabelledObjects<T extends Labelled> = ReadonlyMap<string, readonly T[]>

/** Groups objects, so that many selectors find theirs without looking at all of them. */
export const groupByLabels = <T extends Labelled>(objects: readonly T[]): LabelledObjects<T> => {
  const groups = new Map<string, T[]>([[ALL, [...objects]]])
  for (const one of objects)
    for (const label of Object.entries(one.labels).map(labelText)) {
      const known = groups.get(label)
      if (known) known.push(one)
      else groups.set(label, [one])
    }
  return groups
}

/** The objects that a selector matches, in their order: among those with the rarest label that it demands. */
export const selectLabelled = <T extends Labelled>(
  groups: LabelledObjects<T>,
  selector: LabelSelector,
): readonly T[] =>
  [ALL, ...demandedLabels(selector)]
    .map((label) => groups.get(label) ?? [])
    .reduce((rarest, one) => (one.length < rarest.length ? one : rarest))
    .filter(({ labels }) => matchesLabels(labels, selector))

const demandedLabels = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly string[] => [
  ...Object.entries(matchLabels).map(labelText),
  ...matchExpressions.flatMap(({ key, operator, values: [value, ...others] = [] }) =>
    operator === 'In' && value !== undefined && others.length === 0 ? [labelText([key, value])] : [],
  ),
]

const ALL = ''

const labelText = ([name, value]: readonly [name: string, value: string]): string => `${name}=${value}`
