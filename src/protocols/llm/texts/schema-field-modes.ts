import type { Mode } from './field-modes.ts'

/**
 * How a member of a JSON schema is searched, by its keyword. Annotations and allowed values are texts, since a model
 * reads them; unknown keywords are too. Names, types and references are not: changing them would break the schema.
 */
export const modeOfSchema = (keyword: string, value: unknown): Mode | undefined => {
  const known = keywords.get(keyword)
  if (known === 'none') return undefined
  return known === undefined || typeof value === 'string' ? 'all' : known
}

/** Their values are schemas or lists of schemas. */
const inner = [
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'contentSchema'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'additional_properties'],
  ...['anyOf', 'allOf', 'oneOf', 'any_of', 'not', 'if', 'then', 'else'],
  // Bedrock's wrapper of a schema.
  'json',
]

/** Their members are schemas, whatever their names. */
const named = [
  'properties',
  'patternProperties',
  '$defs',
  'defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]

const structure = [
  ...[
    'type',
    'format',
    'required',
    'dependentRequired',
    'discriminator',
    'propertyOrdering',
    'property_ordering',
  ],
  ...['$schema', '$id', 'id', '$ref', 'ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary'],
  ...['contentEncoding', 'contentMediaType'],
  // Gemini writes these numbers as strings.
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
  // The largest integer of a language looks like a card number.
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]

const keywords: ReadonlyMap<string, Mode | 'none'> = new Map<string, Mode | 'none'>([
  ...inner.map((keyword) => [keyword, 'schema'] as const),
  ...named.map((keyword) => [keyword, 'schemas'] as const),
  ...structure.map((keyword) => [keyword, 'none'] as const),
])
