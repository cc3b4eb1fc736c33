import type { Exchange } from '../model/exchange.ts'
import type { AccessLog } from '../model/frontend-policies.ts'

/** An `accessLog` policy, compiled. */
export interface AccessLogRules {
  readonly filter: ((x: Exchange) => boolean) | undefined
  /** Fields to append. One that is called like a field of our own takes its place. */
  readonly add: readonly AddedField[]
  /** Fields of our own not to write. */
  readonly omit: ReadonlySet<string>
}

/** A field of the user's. */
export interface AddedField {
  /** Free of what would have to be escaped. */
  readonly name: string
  /** Undefined and null make no field. */
  readonly value: (x: Exchange) => unknown
}

/** How expressions become functions. What they make does not throw. */
export interface AccessLogCompiler {
  test(expression: string): (x: Exchange) => boolean
  /** The value as CEL has it. */
  value(expression: string): (x: Exchange) => unknown
}

/** Compiles a policy. */
export const accessLogRules = (policy: AccessLog, compile: AccessLogCompiler): AccessLogRules => ({
  filter: policy.filter === undefined ? undefined : compile.test(policy.filter),
  add: policy.add.map(([name, expression]) => ({
    name: name.replace(/[^\w.$/@:-]/g, '_'),
    value: compile.value(expression),
  })),
  omit: new Set([...policy.remove, ...policy.add.map(([name]) => name)]),
})
