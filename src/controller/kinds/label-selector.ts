import type { LabelSelector } from './object.ts'

/** Whether labels match a selector. A selector without conditions matches everything. */
export const matchesLabels = (
  labels: Readonly<Record<string, string>>,
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labelOf(labels, key)
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value)
      case 'NotIn':
        return value === undefined || !values.includes(value)
      case 'Exists':
        return value !== undefined
      case 'DoesNotExist':
        return value === undefined
      default:
        return false
    }
  })

/** Names of labels may be those of inherited properties. */
const labelOf = (labels: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined
