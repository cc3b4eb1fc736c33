import type { CustomFunctions } from '../cel/custom/custom-functions.ts'
import { functionsOf } from '../cel/custom/functions-of.ts'
import type { EnvAttributes } from '../cel/context/context.ts'
import { ExchangeContext } from '../cel/context/exchange-context.ts'
import { defaultSensitiveHeaders } from '../cel/context/headers-view.ts'
import { RawContext } from '../cel/context/tcp-context.ts'
import type { EndpointStatus } from '../model/resources/endpoint-status.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { FrontendMetrics } from '../model/resources/frontend-policies.ts'
import type { ProcessSettings } from '../model/resources/process-settings.ts'
import type { RawSession } from '../model/exchange/raw-session.ts'
import { Redaction } from '../model/trace/redact.ts'
import type { ModuleLogs } from '../model/log/module-log.ts'
import type { Resources } from '../model/resources/resources.ts'
import type { GuardCheck } from '../operators/llm/guardrails/guard.ts'
import { type OtlpTelemetryOptions, otlpTelemetry } from './otlp-telemetry.ts'
import { Trace } from '../pipeline/trace.ts'
import { rulesByPolicy } from '../sinks/access-log/policy-rules.ts'
import { expressionCompiler } from '../sinks/access-log/expression-compiler.ts'
import type { OtlpExport } from '../sinks/otel/otlp-export.ts'
import { type LogDestination, logDestination } from '../sinks/log/destination.ts'
import { ExchangeLog } from '../sinks/log/exchange-log.ts'
import { LogLevelControl } from '../sinks/log/level-control.ts'
import { parseLogLevels } from '../sinks/log/levels.ts'
import { LogFiles } from '../sinks/log/log-files.ts'
import { moduleLogs } from '../sinks/log/module-logs.ts'
import { ExchangeEnds } from '../sinks/completed-exchanges.ts'
import { type Log, processLog } from '../sinks/log/log.ts'
import { Metrics, type MetricSources } from '../sinks/metrics/metrics.ts'
import { openRequestLogs } from './request-logs.ts'

/** Logs, metrics and the trace of a gateway. */
export interface Telemetry {
  readonly log: Log
  readonly logs: ModuleLogs
  /** The levels in force. */
  readonly levels: LogLevelControl
  /** The files of the logs. */
  readonly logFiles: {
    /**
     * Opens the files of a configuration.
     *
     * @throws StartFailure, naming the file that cannot be opened.
     */
    readonly prepare: (resources: Resources) => void
    /** Closes the files that a configuration in force does not use. */
    readonly keep: (resources: Resources) => void
    /** Opens every file again, after it was renamed. */
    readonly reopen: () => void
  }
  readonly destination: LogDestination
  readonly redaction: Redaction
  readonly trace: Trace
  readonly metrics: Metrics
  /** Spans and access logs for collectors. */
  readonly otlp: OtlpExport
  /** Exchanges that have ended: the log, the metrics and the trace subscribe to it. */
  readonly ends: ExchangeEnds
  /** Records an ended raw connection in the log and the metrics. To be called once for each. */
  readonly rawEnded: (session: RawSession) => void
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
  /** The IP address of this pod, if there is one. */
  readonly podIp?: string | undefined
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
  { version, env, podIp, sources, definitions, destination: given }: TelemetryOptions,
): Telemetry => {
  const { format, level, file } = settings.logging
  const levels = new LogLevelControl(parseLogLevels(level))
  const onDropped = (): void => {
    metrics.logLineDropped()
  }
  const files = new LogFiles(onDropped)
  const destination = given ?? (file === undefined ? logDestination({ onDropped }) : files.at(file))
  const log = processLog({ levels, format, destination }, 'gateway')
  const logs = moduleLogs(log, levels)
  const redaction = new Redaction(settings.sensitiveHeaders)
  const trace = new Trace(redaction)
  const exchangeLog = new ExchangeLog(trace, logs, levels)
  const named = settings.sensitiveHeaders.map((name) => name.toLowerCase())
  const processAttributes = { env, sensitiveHeaders: new Set([...defaultSensitiveHeaders, ...named]) }
  const compiler = expressionCompiler((x: Exchange) => new ExchangeContext(x, processAttributes), logs.cel)
  const rawCompiler = expressionCompiler((session: RawSession) => new RawContext(session, env), logs.cel)
  const functions = functionsOf(definitions())
  const labelsOf = (add: FrontendMetrics['add'], own: CustomFunctions) =>
    add.map(([name, value]) => ({
      name,
      value: compiler(own).value(value),
      rawValue: rawCompiler(own).value(value),
    }))
  const metrics = new Metrics({
    ...settings.metrics,
    tag: version,
    redaction,
    histograms: settings.histograms,
    add: labelsOf(settings.metrics.add, functions),
    addOf: rulesByPolicy(
      ({ metrics: policy }) => policy,
      ({ add }, own) => labelsOf(add, own),
    ),
    sources: { ...sources, traceWatchers: () => trace.watching - Number(exchangeLog.isWatching) },
  })
  const ends = new ExchangeEnds()
  const requestLogs = openRequestLogs({ format, destination, files, redaction, logs, compiler, rawCompiler })
  const process: OtlpTelemetryOptions['process'] = { version, namespace: env.namespace, podIp }
  const otlp = otlpTelemetry({ settings: settings.otel, redaction, compiler, metrics, log, process })
  ends.ends$.subscribe((x) => {
    metrics.ended(x)
    requestLogs.ended(x)
    trace.ended(x)
    otlp.ended(x)
  })
  return {
    log,
    logs,
    levels,
    logFiles: logFilesOf(files, file, logs),
    destination: withFiles(destination, files),
    redaction,
    trace,
    metrics,
    otlp,
    ends,
    rawEnded: (session) => {
      metrics.rawEnded(session)
      requestLogs.rawEnded(session)
    },
    ...policyEvents(log, metrics),
    filter: (expression) => compiler(functionsOf(definitions())).test(expression),
  }
}

/** The log, and when it is flushed the other files too. */
const withFiles = (destination: LogDestination, files: LogFiles): LogDestination => ({
  write: (line) => {
    destination.write(line)
  },
  flushSync: () => {
    destination.flushSync()
    files.flushSync()
  },
})

const logFilesOf = (
  files: LogFiles,
  own: string | undefined,
  { gateway }: ModuleLogs,
): Telemetry['logFiles'] => ({
  prepare: (resources) => {
    for (const path of filesOf(resources)) files.at(path)
  },
  keep: (resources) => {
    files.keep([...(own === undefined ? [] : [own]), ...filesOf(resources)])
  },
  reopen: () => {
    const problems = files.reopen()
    for (const problem of problems) gateway.error?.(problem)
    if (problems.length === 0) gateway.info?.('log files are opened again')
  },
})

const filesOf = ({ frontend, policies }: Resources): readonly string[] =>
  [frontend, ...policies.flatMap((policy) => policy.frontend ?? [])]
    .flatMap(({ accessLog }) => [accessLog?.file, accessLog?.payloads?.file])
    .filter((path) => path !== undefined)

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
