import { notYet } from './kinds.ts'
import type { Properties, Schema } from './kinds.ts'

const later = (description: string): Schema => notYet({ description })

/** Policies of the reference that have no function here so far, by name. */
const policies = {
  authorization: later('Rules about who may do what.'),
  inferenceRouting: later('Lets an endpoint picker choose the endpoint.'),
} as const satisfies Properties

/** Some of them, to be put among the fields of a container. */
export function laterPolicies(...names: readonly (keyof typeof policies)[]): Properties {
  return Object.fromEntries(names.map((name) => [name, policies[name]]))
}
