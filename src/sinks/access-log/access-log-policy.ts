import type { Exchange } from '../../model/exchange/exchange.ts'
import type { AccessLog } from '../../model/resources/frontend-policies.ts'

/** A compiled `accessLog` policy, for exchanges by default. */
export interface AccessLogRules<X = Exchange> {
  readonly filter: ((x: X) => boolean) | undefined
  /** Fields to append. One with the name of a built-in field replaces it. */
  readonly add: readonly AddedField<X>[]
  /** Built-in fields to omit. */
  readonly omit: ReadonlySet<string>
}

/** A field added by the configuration. */
export interface AddedField<X = Exchange> {
  /** Contains no characters that need escaping. */
  readonly name: string
  /** Undefined and null omit the field. */
  readonly value: (x: X) => unknown
}

/** Compiles expressions to functions that do not throw. */
export interface AccessLogCompiler<X = Exchange> {
  test(expression: string): (x: X) => boolean
  /** The value as CEL returns it. */
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
