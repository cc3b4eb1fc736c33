import type { V1LabelSelector } from '@kubernetes/client-node'

/** A selector of labels as the query of a list has it; undefined if it selects by nothing. */
export const labelSelectorText = ({
  matchLabels = {},
  matchExpressions = [],
}: V1LabelSelector): string | undefined => {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`)
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`
  })
  const all = [...labels, ...expressions]
  return all.length === 0 ? undefined : all.join(',')
}
