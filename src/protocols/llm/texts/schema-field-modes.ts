import type { Mode } from './field-modes.ts'

/**
 * How a member of a JSON schema is searched, by its keyword. What explains a value, and what a value may be, are texts: a
 * model reads them. So is what nobody has heard of. Names, types and references are none: what refers to them would not
 * find them again.
 */
export const modeOfSchema = (keyword: string, value: unknown): Mode | undefined => {
  const known = keywords.get(keyword)
  if (known === 'none') return undefined
  return known === undefined || typeof value === 'string' ? 'all' : known
}

/** Their values are schemata, or lists of them. */
const inner = [
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'contentSchema'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'additional_properties'],
  ...['anyOf', 'allOf', 'oneOf', 'any_of', 'not', 'if', 'then', 'else'],
  // What Bedrock puts around one.
  'json',
]

/** Their members are schemata, whatever they are called. */
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
  // Gemini writes these numbers as texts.
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
  // The largest whole number of a language looks like that of a card.
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]

const keywords: ReadonlyMap<string, Mode | 'none'> = new Map<string, Mode | 'none'>([
  ...inner.map((keyword) => [keyword, 'schema'] as const),
  ...named.map((keyword) => [keyword, 'schemas'] as const),
  ...structure.map((keyword) => [keyword, 'none'] as const),
])
