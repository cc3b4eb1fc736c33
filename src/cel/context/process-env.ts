import type { EnvAttributes } from './context.ts'

/** The variables of the environment that expressions can read; all others are out of reach. */
export const envAttributes = (environment: Readonly<Record<string, string | undefined>>): EnvAttributes => ({
  podName: given(environment.POD_NAME),
  namespace: given(environment.NAMESPACE),
  gateway: given(environment.GATEWAY),
})

/** An empty variable counts as not set. */
const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value)
