import { conditionField, listOf, type Properties, record, ref, type SchemaNode } from './builders.ts'

/** A limit on the entries of one policy. */
const MAX_CONDITIONAL = 64

/**
 * A policy that may also be written as a list of alternatives, of which the first whose condition holds applies.
 * Gives the definitions `Name`, `NameEntry` and `ConditionalName` for a policy.
 */
export function conditionalDefinitions(name: string, policy: SchemaNode): Properties {
  const entry: SchemaNode = {
    ...policy,
    description: 'One alternative.',
    properties: {
      condition: conditionField('When this alternative applies. Only the last one may do without.'),
      ...policy.properties,
    },
  }
  return {
    [name]: policy,
    [`${name}Entry`]: entry,
    [`${name}Choice`]: record(
      'Alternatives: the first whose condition holds applies.',
      {
        conditional: listOf(ref(`${name}Entry`), 'The alternatives, in order.', {
          minItems: 1,
          maxItems: MAX_CONDITIONAL,
        }),
      },
      { required: ['conditional'] },
    ),
    [`Conditional${name}`]: {
      description: policy.description ?? '',
      if: { type: 'object', required: ['conditional'] },
      then: ref(`${name}Choice`),
      else: ref(name),
    },
  }
}
