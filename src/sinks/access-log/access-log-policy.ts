import type { Exchange } from '../../model/exchange/exchange.ts'
import type { AccessLog } from '../../model/resources/frontend-policies.ts'
import type { LogDestination } from '../log/destination.ts'
import { sampler } from './sampling.ts'

/** A compiled `accessLog` policy, for exchanges by default. */
export interface AccessLogRules<X = Exchange> {
  readonly filter: ((x: X) => boolean) | undefined
  /** Decides which records that pass the filter are written; all if absent. */
  readonly sample?: ((x: X) => boolean) | undefined
  /** Whether to write the ids of connections and requests, which other lines refer to. */
  readonly withIds?: boolean
  /** The file of the policy; the destination of the log otherwise. */
  readonly destination?: LogDestination | undefined
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
  readonly test: (expression: string) => (x: X) => boolean
  /** The value as CEL returns it. */
  readonly value: (expression: string) => (x: X) => unknown
}

/** What a compiled policy needs besides its expressions. */
export interface AccessLogContext<X> {
  /** Whether an exchange counts as failed for sampling. */
  readonly hasFailed: (x: X) => boolean
  /** Opens the file at a path. */
  readonly file?: (path: string) => LogDestination
}

/** Compiles a policy. */
export const accessLogRules = <X = Exchange>(
  policy: AccessLog,
  compile: AccessLogCompiler<X>,
  { hasFailed, file }: AccessLogContext<X> = { hasFailed: () => false },
): AccessLogRules<X> => ({
  sample: policy.sampling && sampler(policy.sampling, compile.value, hasFailed),
  withIds: policy.payloads !== undefined,
  destination: policy.file === undefined ? undefined : file?.(policy.file),
  filter: policy.filter === undefined ? undefined : compile.test(policy.filter),
  add: [...new Map(policy.add.map(([name, expression]) => [plain(name), expression]))].map(
    ([name, expression]) => ({ name, value: compile.value(expression) }),
  ),
  omit: new Set([...policy.remove, ...policy.add.map(([name]) => plain(name))]),
})

const plain = (name: string): string => name.replace(/[^\w.$/@:-]/g, '_')
