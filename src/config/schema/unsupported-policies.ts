import { notYet, type Properties, type SchemaNode } from './builders.ts'

const later = (description: string): SchemaNode => notYet({ description })

/** Policies that are known and not supported yet. */
const policies = {
  inferenceRouting: later('Lets an endpoint picker choose the endpoint.'),
} as const satisfies Properties

/** Some of them, as fields of a container. */
export function laterPolicies(...names: readonly (keyof typeof policies)[]): Properties {
  return Object.fromEntries(names.map((name) => [name, policies[name]]))
}
