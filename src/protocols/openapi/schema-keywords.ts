import { plainValue } from './own-property.ts'

/** Converts the value of a keyword; undefined if it is invalid, so that the keyword is dropped. */
export type ConvertKeyword = (value: unknown) => unknown

/** Longer descriptions are cut. */
const MAX_TEXT = 4_096
/** Longer expressions are dropped. */
const MAX_PATTERN = 1_024

/** A text of limited length; undefined for other values. */
export const shortText = (value: unknown, most = MAX_TEXT): string | undefined => {
  if (typeof value !== 'string') return undefined
  const text = value.toWellFormed()
  if (text.length <= most) return text
  // Half a surrogate pair is no text.
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const text: ConvertKeyword = (value) => shortText(value)
const number: ConvertKeyword = (value) => (Number.isFinite(value) ? value : undefined)
const count: ConvertKeyword = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined
const flag: ConvertKeyword = (value) => (typeof value === 'boolean' ? value : undefined)
const list: ConvertKeyword = (value) =>
  Array.isArray(value) && value.length > 0 ? plainValue(value) : undefined
const types = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const type: ConvertKeyword = (value) => {
  if (!Array.isArray(value)) return types.has(value as string) ? value : undefined
  const known = [...new Set(value.filter((one) => types.has(one as string)))]
  return known.length > 0 ? known : undefined
}

/** Keywords whose values are not schemas. Keywords in neither map are dropped. */
export const plainKeywords: ReadonlyMap<string, ConvertKeyword> = new Map<string, ConvertKeyword>([
  ['type', type],
  ['title', text],
  ['description', text],
  ['format', text],
  ['contentEncoding', text],
  ['contentMediaType', text],
  ['pattern', (value) => (typeof value === 'string' && value.length <= MAX_PATTERN ? value : undefined)],
  ['default', plainValue],
  ['const', plainValue],
  ['enum', list],
  ['examples', list],
  ['maximum', number],
  ['minimum', number],
  ['exclusiveMaximum', number],
  ['exclusiveMinimum', number],
  ['multipleOf', (value) => (Number.isFinite(value) && (value as number) > 0 ? value : undefined)],
  ['maxLength', count],
  ['minLength', count],
  ['maxItems', count],
  ['minItems', count],
  ['maxContains', count],
  ['minContains', count],
  ['maxProperties', count],
  ['minProperties', count],
  ['uniqueItems', flag],
  ['deprecated', flag],
  ['writeOnly', flag],
])

/** Keywords whose values contain schemas, and whether these apply to the same value as their owner. */
export const schemaKeywords: ReadonlyMap<
  string,
  { readonly shape: 'one' | 'list' | 'map'; readonly isInPlace: boolean }
> = new Map([
  ['allOf', { shape: 'list', isInPlace: true }],
  ['anyOf', { shape: 'list', isInPlace: true }],
  ['oneOf', { shape: 'list', isInPlace: true }],
  ['not', { shape: 'one', isInPlace: true }],
  ['if', { shape: 'one', isInPlace: true }],
  ['then', { shape: 'one', isInPlace: true }],
  ['else', { shape: 'one', isInPlace: true }],
  ['dependentSchemas', { shape: 'map', isInPlace: true }],
  ['items', { shape: 'one', isInPlace: false }],
  ['prefixItems', { shape: 'list', isInPlace: false }],
  ['contains', { shape: 'one', isInPlace: false }],
  ['additionalProperties', { shape: 'one', isInPlace: false }],
  ['unevaluatedProperties', { shape: 'one', isInPlace: false }],
  ['unevaluatedItems', { shape: 'one', isInPlace: false }],
  ['propertyNames', { shape: 'one', isInPlace: false }],
  ['properties', { shape: 'map', isInPlace: false }],
  ['patternProperties', { shape: 'map', isInPlace: false }],
])
