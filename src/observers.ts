import { compile } from './cel/compile.ts'
import { ExchangeContext, type ProcessFacts } from './cel/exchange-context.ts'
import { defaultSensitiveHeaders } from './cel/headers-view.ts'
import { toPlain } from './cel/values.ts'
import type { Exchange } from './model/exchange.ts'
import type { ProcessSettings } from './model/process-settings.ts'
import { Redaction } from './model/redact.ts'
import type { Snapshot } from './model/snapshot.ts'
import { Trace } from './pipeline/trace.ts'
import { type AccessLogCompiler, type AccessLogRules, accessLogRules } from './sinks/access-log-rules.ts'
import { accessLog } from './sinks/access-log.ts'
import { type LogDestination, logDestination } from './sinks/log-destination.ts'
import { allows, levelOf, parseLogLevels } from './sinks/log-levels.ts'
import { type Log, processLog } from './sinks/log.ts'

/** Everybody who is told what happens. */
export interface Observers {
  readonly log: Log
  readonly destination: LogDestination
  readonly redaction: Redaction
  readonly trace: Trace
  /** An exchange is over: the log, the metrics and the trace hear of it. */
  ended(x: Exchange): void
  /** Makes a filter of an expression; throws what is wrong with it. */
  filter(expression: string): (x: Exchange) => boolean
}

/** Makes the log, the metrics and the trace of a process. */
export const observers = (settings: ProcessSettings): Observers => {
  const { format, level } = settings.logging
  const levels = parseLogLevels(level)
  const destination = logDestination()
  const redaction = new Redaction(settings.sensitiveHeaders)
  const trace = new Trace(redaction)
  const named = settings.sensitiveHeaders.map((name) => name.toLowerCase())
  const compiler = expressionCompiler({ sensitiveHeaders: new Set([...defaultSensitiveHeaders, ...named]) })
  const requestLevel = levelOf(levels, 'request')
  const writeLine = allows(requestLevel, 'info')
    ? accessLog({
        format,
        destination,
        redaction,
        rules: rulesBySnapshot(compiler),
        withIds: allows(requestLevel, 'debug'),
      })
    : undefined
  return {
    log: processLog({ levels, format, destination }, 'gateway'),
    destination,
    redaction,
    trace,
    ended(x) {
      writeLine?.(x)
      trace.ended(x)
    },
    filter: (expression) => compiler.test(expression),
  }
}

const expressionCompiler = (facts: ProcessFacts): AccessLogCompiler => ({
  test: (text) => {
    const expression = compile(text, { types: ['bool'] })
    return (x) => expression.test(new ExchangeContext(x, facts))
  },
  value: (text) => {
    const expression = compile(text)
    return (x) => {
      const { value, error } = expression.evaluate(new ExchangeContext(x, facts))
      return error ? undefined : toPlain(value)
    }
  },
})

/** The access log policy of an exchange is that of the snapshot it began under. */
const rulesBySnapshot = (compiler: AccessLogCompiler): ((x: Exchange) => AccessLogRules | undefined) => {
  const known = new WeakMap<Snapshot, AccessLogRules>()
  return ({ snapshot }) => {
    const policy = snapshot.resources.frontend.accessLog
    if (!policy) return undefined
    let rules = known.get(snapshot)
    if (!rules) known.set(snapshot, (rules = accessLogRules(policy, compiler)))
    return rules
  }
}
