import { conditionField, listOf, type Properties, record, ref, type SchemaNode } from './builders.ts'

/** Larger lists are refused. */
const MAX_CONDITIONAL = 64

/**
 * A policy that may also be a list of alternatives, of which the first one whose condition is true applies. Makes the
 * definitions `Name`, `NameEntry` and `ConditionalName` of a policy.
 */
export function conditionalDefinitions(name: string, policy: SchemaNode): Properties {
  const entry: SchemaNode = {
    ...policy,
    description: 'One of the alternatives.',
    properties: {
      condition: conditionField('Expression that selects this alternative. Required for all but the last.'),
      ...policy.properties,
    },
  }
  return {
    [name]: policy,
    [`${name}Entry`]: entry,
    [`${name}Choice`]: record(
      'Alternatives. The first one whose condition is true applies.',
      {
        conditional: listOf(ref(`${name}Entry`), 'Alternatives, evaluated in order.', {
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
