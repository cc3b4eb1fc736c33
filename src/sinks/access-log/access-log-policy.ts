import type { Exchange } from '../../model/exchange/exchange.ts'
import type { AccessLog } from '../../model/resources/frontend-policies.ts'

/** An `accessLog` policy, compiled for what lines are about: exchanges, unless said otherwise. */
export interface AccessLogRules<X = Exchange> {
  readonly filter: ((x: X) => boolean) | undefined
  /** Fields to append. One that is called like a field of our own takes its place. */
  readonly add: readonly AddedField<X>[]
  /** Fields of our own not to write. */
  readonly omit: ReadonlySet<string>
}

/** A field of the user's. */
export interface AddedField<X = Exchange> {
  /** Free of what would have to be escaped. */
  readonly name: string
  /** Undefined and null make no field. */
  readonly value: (x: X) => unknown
}

/** How expressions become functions. What they make does not throw. */
export interface AccessLogCompiler<X = Exchange> {
  test(expression: string): (x: X) => boolean
  /** The value as CEL has it. */
  value(expression: string): (x: X) => unknown
}

/** Compiles a policy. */
export const accessLogRules = <X = Exchange>(
  policy: AccessLog,
  compile: AccessLogCompiler<X>,
): AccessLogRules<X> => ({
  filter: policy.filter === undefined ? undefined : compile.test(policy.filter),
  add: [...new Map(policy.add.map(([name, expression]) => [plain(name), expression]))].map(
    ([name, expression]) => ({ name, value: compile.value(expression) }),
  ),
  omit: new Set([...policy.remove, ...policy.add.map(([name]) => plain(name))]),
})

const plain = (name: string): string => name.replace(/[^\w.$/@:-]/g, '_')
