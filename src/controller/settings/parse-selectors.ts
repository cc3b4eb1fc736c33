import { isJsonObject } from '../../protocols/json/json-object.ts'
import type { LabelSelector } from '../kinds/object.ts'

const operators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist']

/** Parses a JSON array of label selectors. */
export const parseSelectors = (
  text: string,
): { readonly value: readonly LabelSelector[] } | { readonly expected: string } => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { expected: 'a JSON array of label selectors' }
  }
  if (!Array.isArray(value)) return { expected: 'a JSON array of label selectors' }
  return value.every(isSelector)
    ? { value }
    : { expected: 'an array of objects with matchLabels and matchExpressions {key, operator, values}' }
}

const isSelector = (value: unknown): value is LabelSelector => {
  if (!isJsonObject(value)) return false
  const { matchLabels = {}, matchExpressions = [], ...others } = value
  return (
    Object.keys(others).length === 0 &&
    isJsonObject(matchLabels) &&
    Object.values(matchLabels).every((label) => typeof label === 'string') &&
    Array.isArray(matchExpressions) &&
    matchExpressions.every(isExpression)
  )
}

const isExpression = (value: unknown): boolean => {
  if (!isJsonObject(value)) return false
  const { key, operator, values, ...others } = value
  if (Object.keys(others).length > 0 || typeof key !== 'string') return false
  if (!operators.includes(String(operator))) return false
  const hasValues = operator === 'In' || operator === 'NotIn'
  const given: unknown = values ?? []
  return (
    Array.isArray(given) && given.length > 0 === hasValues && given.every((one) => typeof one === 'string')
  )
}
