import { notYet, type Properties, type SchemaNode } from './builders.ts'

const later = (description: string): SchemaNode => notYet({ description })

/** Policies of the reference that are not implemented, by name. */
const policies = {
  authorization: later('Authorization rules.'),
  inferenceRouting: later('Endpoint selection by an endpoint picker.'),
} as const satisfies Properties

/** Some of them, as fields. */
export function laterPolicies(...names: readonly (keyof typeof policies)[]): Properties {
  return Object.fromEntries(names.map((name) => [name, policies[name]]))
}
