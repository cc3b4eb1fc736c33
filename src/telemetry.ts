import { compile } from './cel/compile.ts'
import type { CustomFunctions } from './cel/custom/custom-functions.ts'
import { functionsOf } from './cel/custom/functions-of.ts'
import type { CelContext, EnvAttributes } from './cel/context/context.ts'
import { ExchangeContext } from './cel/context/exchange-context.ts'
import { defaultSensitiveHeaders } from './cel/context/headers-view.ts'
import { RawContext } from './cel/context/tcp-context.ts'
import type { EndpointStatus } from './model/resources/endpoint-status.ts'
import type { Exchange } from './model/exchange/exchange.ts'
import type { ProcessSettings } from './model/resources/process-settings.ts'
import type { TcpSession } from './model/exchange/tcp-connection.ts'
import { Redaction } from './model/trace/redact.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import type { GuardCheck } from './operators/llm/guardrails/guard.ts'
import { Trace } from './pipeline/trace.ts'
import {
  type AccessLogCompiler,
  type AccessLogRules,
  accessLogRules,
} from './sinks/access-log/access-log-policy.ts'
import { accessLog } from './sinks/access-log/access-log.ts'
import { type LogDestination, logDestination } from './sinks/log/destination.ts'
import { logsLevel, levelOf, parseLogLevels } from './sinks/log/levels.ts'
import { ExchangeEnds } from './sinks/completed-exchanges.ts'
import { type Log, processLog } from './sinks/log/log.ts'
import { Metrics, type MetricSources } from './sinks/metrics/metrics.ts'
import { rawAccessLog } from './sinks/access-log/tcp-access-log.ts'
import type { mcpRuntime } from './upstream/mcp/mcp-runtime.ts'
import { buildInfo } from './version.ts'

/** Logs, metrics and the trace of a gateway. */
export interface Telemetry {
  readonly log: Log
  readonly destination: LogDestination
  readonly redaction: Redaction
  readonly trace: Trace
  readonly metrics: Metrics
  /** Exchanges that have ended: the log, the metrics and the trace subscribe to it. */
  readonly ends: ExchangeEnds
  /** Records an ended raw connection in the log and the metrics. To be called once for each. */
  readonly rawEnded: (session: TcpSession) => void
  /** Records a callout. */
  readonly policyCalled: (kind: string, seconds: number) => void
  /** Records that an endpoint is taken out, or used again. */
  readonly healthChanged: (status: EndpointStatus) => void
  /** Records a check of a guard in the metrics, and in the log if it has no verdict. */
  readonly guardChecked: (checked: GuardCheck, requestId: number) => void
  /** Compiles an expression to a filter; throws if it is invalid. */
  readonly filter: (expression: string) => (x: Exchange) => boolean
}

/** Dependencies of telemetry. */
export interface TelemetryOptions {
  readonly version: string
  /** Attributes of this process, for expressions. */
  readonly env: EnvAttributes
  /** Read at each scrape of the metrics. */
  readonly sources: MetricSources
  /** The custom functions in force. Metric labels keep those of the start. */
  readonly definitions: () => string | undefined
  /** The log destination; standard output by default. */
  readonly destination?: LogDestination | undefined
}

/** Makes the log, the metrics and the trace of a gateway. */
export const openTelemetry = (
  settings: ProcessSettings,
  { version, env, sources, definitions, destination: given }: TelemetryOptions,
): Telemetry => {
  const { format, level } = settings.logging
  const levels = parseLogLevels(level)
  const destination =
    given ??
    logDestination({
      onDropped: () => {
        metrics.logLineDropped()
      },
    })
  const redaction = new Redaction(settings.sensitiveHeaders)
  const trace = new Trace(redaction)
  const named = settings.sensitiveHeaders.map((name) => name.toLowerCase())
  const processAttributes = { env, sensitiveHeaders: new Set([...defaultSensitiveHeaders, ...named]) }
  const compiler = expressionCompiler((x: Exchange) => new ExchangeContext(x, processAttributes))
  const rawCompiler = expressionCompiler((session: TcpSession) => new RawContext(session, env))
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
  const withIds = logsLevel(requestLevel, 'debug')
  const writeLine = logsLevel(requestLevel, 'info')
    ? accessLog({
        format,
        destination,
        redaction,
        rules: rulesBySnapshot(compiler),
        withIds,
      })
    : undefined
  const writeRawLine = logsLevel(requestLevel, 'info')
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
    ...policyEvents(log, metrics),
    filter: (expression) => compiler(functionsOf(definitions())).test(expression),
  }
}

/** Callbacks of policies, written to the log and the metrics. */
const policyEvents = (
  log: Log,
  metrics: Metrics,
): Pick<Telemetry, 'policyCalled' | 'healthChanged' | 'guardChecked'> => ({
  policyCalled: (kind, seconds) => {
    metrics.upstreamCall('Policy', kind, seconds)
  },
  healthChanged: ({ backend, endpoint, state, reason }) => {
    if (state === 'healthy') log.info('an endpoint is used again', { backend, endpoint })
    else {
      metrics.endpointLeft(backend, state)
      log.warn('an endpoint is left out', { backend, endpoint, state, reason })
    }
  },
  guardChecked: ({ guard, phase, action, reason }, requestId) => {
    metrics.guardChecked(phase, action)
    if (action === 'FailOpen' || action === 'FailClosed')
      log.warn('a guard has no verdict', { guard, phase, action, reason, requestId })
  },
})

/** The options of the MCP runtime: settings, and callbacks that write to the log and the metrics. */
export const mcpOptions = (
  { mcp: { sessionTtlMs, maxPrograms, maxProgramsPerTarget }, sessionKeys, sessionAddress }: ProcessSettings,
  telemetry: () => Telemetry,
): Parameters<typeof mcpRuntime>[0] => ({
  version: buildInfo.version,
  sessionTtlMs,
  childLimits: { perTarget: maxProgramsPerTarget, inAll: maxPrograms },
  sessionsMove: sessionKeys.length > 0,
  address: sessionAddress,
  log: ({ text, ...fields }) => {
    telemetry().log.scope('mcp').info(text, fields)
  },
  onCallTimed: (seconds) => {
    telemetry().metrics.upstreamCall('Primary', 'Mcp', seconds)
  },
  onStatusChange: ({ backend, target, state, error }) => {
    const { log } = telemetry()
    if (state === 'failing') log.warn('an MCP server cannot be used', { backend, target, error })
    else log.info('an MCP server can be used again', { backend, target })
  },
  onCollision: ({ backend, kind, name, targets }) => {
    const text = 'several MCP servers use one name, which is offered of none of them'
    telemetry().log.warn(text, { backend, kind, name, targets: targets.join(',') })
  },
  onListTruncated: ({ backend, target, method, pages }) => {
    telemetry().log.warn('a list of an MCP server has more pages than are read', {
      backend,
      target,
      method,
      pages,
    })
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

/** The access log policy of an exchange or a raw connection, from the snapshot under which it began. */
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
