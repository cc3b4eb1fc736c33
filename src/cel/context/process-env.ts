import type { EnvFacts } from './context.ts'

/** What the environment says of where this process runs; nothing else of it is in reach of expressions. */
export const envFacts = (environment: Readonly<Record<string, string | undefined>>): EnvFacts => ({
  podName: given(environment.POD_NAME),
  namespace: given(environment.NAMESPACE),
  gateway: given(environment.GATEWAY),
})

/** An empty variable counts as not set. */
const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value)
