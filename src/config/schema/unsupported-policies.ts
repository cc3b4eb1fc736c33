import { notYet, type Properties, type SchemaNode } from './builders.ts'

const later = (description: string): SchemaNode => notYet({ description })

/** Policies of the reference that have no function here so far, by name. */
const policies = {
  authorization: later('Authorization rules.'),
  inferenceRouting: later('Endpoint selection by an endpoint picker.'),
} as const satisfies Properties

/** Some of them, to be put among the fields of a container. */
export function laterPolicies(...names: readonly (keyof typeof policies)[]): Properties {
  return Object.fromEntries(names.map((name) => [name, policies[name]]))
}
