import { compile } from '../../cel/compile.ts'
import type { CelContext } from '../../cel/context/context.ts'
import type { CustomFunctions } from '../../cel/custom/custom-functions.ts'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { AccessLogCompiler } from './access-log-policy.ts'

/** Compiles expressions of logs, metrics and filters, with the custom functions of a configuration. */
export type ExpressionCompiler<X> = (functions: CustomFunctions) => AccessLogCompiler<X>

/**
 * Makes a compiler for expressions about exchanges or raw connections. At `debug` the log has each value that cannot
 * be computed.
 */
export const expressionCompiler =
  <X>(contextOf: (x: X) => CelContext, log: ModuleLog): ExpressionCompiler<X> =>
  (functions) => ({
    test: (text) => {
      const expression = compile(text, { types: ['bool'], functions })
      return (x) => expression.test(contextOf(x))
    },
    value: (text) => {
      const expression = compile(text, { functions })
      return (x) => {
        const { value, error } = expression.evaluate(contextOf(x))
        if (!error) return value
        log.debug?.('an expression of a log or a metric has no value', {
          expression: text,
          error: error.message,
        })
        return undefined
      }
    },
  })
