import { compile } from './cel/compile.ts'
import type { CustomFunctions } from './cel/custom/custom-functions.ts'
import { functionsOf } from './cel/custom/functions-of.ts'
import type { CelContext, EnvFacts } from './cel/context.ts'
import { ExchangeContext } from './cel/exchange-context.ts'
import { defaultSensitiveHeaders } from './cel/headers-view.ts'
import { RawContext } from './cel/raw-context.ts'
import type { Exchange } from './model/exchange.ts'
import type { ProcessSettings } from './model/process-settings.ts'
import type { RawSession } from './model/raw-session.ts'
import { Redaction } from './model/redact.ts'
import type { Snapshot } from './model/snapshot.ts'
import type { Checked } from './operators/guard/guards.ts'
import { Trace } from './pipeline/trace.ts'
import { type AccessLogCompiler, type AccessLogRules, accessLogRules } from './sinks/access-log-rules.ts'
import { accessLog } from './sinks/access-log.ts'
import { type LogDestination, logDestination } from './sinks/log-destination.ts'
import { allows, levelOf, parseLogLevels } from './sinks/log-levels.ts'
import { ExchangeEnds } from './sinks/exchange-ends.ts'
import { type Log, processLog } from './sinks/log.ts'
import { Metrics, type MetricSources } from './sinks/metrics.ts'
import { rawAccessLog } from './sinks/raw-access-log.ts'
import type { mcpWorkplace } from './upstream/mcp/workplace.ts'
import { buildInfo } from './version.ts'

/** Everybody who is told what happens. */
export interface Observers {
  readonly log: Log
  readonly destination: LogDestination
  readonly redaction: Redaction
  readonly trace: Trace
  readonly metrics: Metrics
  /** Exchanges that are over: the log, the metrics and the trace listen to it. */
  readonly ends: ExchangeEnds
  /** To be called once for every raw connection that is over: the log and the metrics are told. */
  readonly rawEnded: (session: RawSession) => void
  /** To be called for every call of a policy's service. */
  readonly policyCalled: (kind: string, seconds: number) => void
  /** To be called for every check of a guard: the metrics are told, and the log of those without a verdict. */
  readonly guardChecked: (checked: Checked, requestId: number) => void
  /** Makes a filter of an expression; throws what is wrong with it. */
  readonly filter: (expression: string) => (x: Exchange) => boolean
}

/**
 * Makes the log, the metrics and the trace of a process.
 *
 * @param version The version that runs.
 * @param sources What the metrics read when somebody scrapes them.
 * @param definitions The functions that expressions may call now; labels of metrics keep those of the beginning.
 * @param env Where this process runs.
 */
export const observers = (
  settings: ProcessSettings,
  version: string,
  sources: MetricSources = {},
  definitions: () => string | undefined = () => undefined,
  env: EnvFacts = {},
): Observers => {
  const { format, level } = settings.logging
  const levels = parseLogLevels(level)
  const destination = logDestination({
    onDropped: () => {
      metrics.logLineDropped()
    },
  })
  const redaction = new Redaction(settings.sensitiveHeaders)
  const trace = new Trace(redaction)
  const named = settings.sensitiveHeaders.map((name) => name.toLowerCase())
  const facts = { env, sensitiveHeaders: new Set([...defaultSensitiveHeaders, ...named]) }
  const compiler = expressionCompiler((x: Exchange) => new ExchangeContext(x, facts))
  const rawCompiler = expressionCompiler((session: RawSession) => new RawContext(session, env))
  const functions = functionsOf(definitions())
  const metrics = new Metrics({
    tag: version,
    redaction,
    remove: settings.metrics.remove,
    add: settings.metrics.add.map(([name, value]) => ({
      name,
      value: compiler(functions).value(value),
      rawValue: rawCompiler(functions).value(value),
    })),
    sources: { ...sources, traceWatchers: () => trace.watching },
  })
  const ends = new ExchangeEnds()
  const requestLevel = levelOf(levels, 'request')
  const withIds = allows(requestLevel, 'debug')
  const writeLine = allows(requestLevel, 'info')
    ? accessLog({
        format,
        destination,
        redaction,
        rules: rulesBySnapshot(compiler),
        withIds,
      })
    : undefined
  const writeRawLine = allows(requestLevel, 'info')
    ? rawAccessLog({ format, destination, redaction, rules: rulesBySnapshot(rawCompiler), withIds })
    : undefined
  ends.ends$.subscribe((x) => {
    metrics.ended(x)
    writeLine?.(x)
    trace.ended(x)
  })
  const log = processLog({ levels, format, destination }, 'gateway')
  return {
    log,
    destination,
    redaction,
    trace,
    metrics,
    ends,
    rawEnded: (session) => {
      metrics.rawEnded(session)
      writeRawLine?.(session)
    },
    policyCalled: (kind, seconds) => {
      metrics.upstreamCall('Policy', kind, seconds)
    },
    guardChecked: ({ guard, phase, action, reason }, requestId) => {
      metrics.guardChecked(phase, action)
      if (action === 'FailOpen' || action === 'FailClosed')
        log.warn('a guard has no verdict', { guard, phase, action, reason, requestId })
    },
    filter: (expression) => compiler(functionsOf(definitions())).test(expression),
  }
}

/** What is told of MCP servers, and to whom. */
export const watchedMcp = (
  { mcp: { sessionTtlMs, maxPrograms, maxProgramsPerTarget }, cookieKeys, sessionAddress }: ProcessSettings,
  to: () => Observers,
): Parameters<typeof mcpWorkplace>[0] => ({
  version: buildInfo.version,
  sessionTtlMs,
  childLimits: { perTarget: maxProgramsPerTarget, inAll: maxPrograms },
  sessionsMove: cookieKeys.length > 0,
  address: sessionAddress,
  log: ({ text, ...facts }) => {
    to().log.info(text, { scope: 'mcp', ...facts })
  },
  timed: (seconds) => {
    to().metrics.upstreamCall('Primary', 'Mcp', seconds)
  },
  changed: ({ backend, target, state, error }) => {
    const { log } = to()
    if (state === 'failing') log.warn('an MCP server cannot be used', { backend, target, error })
    else log.info('an MCP server can be used again', { backend, target })
  },
  collided: ({ backend, kind, name, targets }) => {
    const text = 'several MCP servers use one name, which is offered of none of them'
    to().log.warn(text, { backend, kind, name, targets: targets.join(',') })
  },
})

type Compiler<X> = (functions: CustomFunctions) => AccessLogCompiler<X>

const expressionCompiler =
  <X>(contextOf: (x: X) => CelContext): Compiler<X> =>
  (functions) => ({
    test: (text) => {
      const expression = compile(text, { types: ['bool'], functions })
      return (x) => expression.test(contextOf(x))
    },
    value: (text) => {
      const expression = compile(text, { functions })
      return (x) => {
        const { value, error } = expression.evaluate(contextOf(x))
        return error ? undefined : value
      }
    },
  })

/** The access log policy of an exchange, or of a raw connection, is that of the snapshot it began under. */
const rulesBySnapshot = <X extends { readonly snapshot: Snapshot }>(
  compiler: Compiler<X>,
): ((x: X) => AccessLogRules<X> | undefined) => {
  const known = new WeakMap<Snapshot, AccessLogRules<X>>()
  return ({ snapshot }) => {
    const { frontend, functions } = snapshot.resources
    const policy = frontend.accessLog
    if (!policy) return undefined
    let rules = known.get(snapshot)
    if (!rules) known.set(snapshot, (rules = accessLogRules(policy, compiler(functionsOf(functions)))))
    return rules
  }
}
