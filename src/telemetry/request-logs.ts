import { functionsOf } from '../cel/custom/functions-of.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { TcpSession } from '../model/exchange/tcp-connection.ts'
import type { ModuleLogs } from '../model/log/module-log.ts'
import type { PayloadLog } from '../model/resources/frontend-policies.ts'
import type { Snapshot } from '../model/resources/snapshot.ts'
import type { Redaction } from '../model/trace/redact.ts'
import { compileRule, maskText } from '../operators/llm/guardrails/regex/pattern.ts'
import {
  type AccessLogContext,
  type AccessLogRules,
  accessLogRules,
} from '../sinks/access-log/access-log-policy.ts'
import { accessLog } from '../sinks/access-log/access-log.ts'
import type { ExpressionCompiler } from '../sinks/access-log/expression-compiler.ts'
import { connectionFailed, exchangeFailed } from '../sinks/access-log/sampling.ts'
import { rawAccessLog } from '../sinks/access-log/tcp-access-log.ts'
import type { LogDestination } from '../sinks/log/destination.ts'
import type { LogFiles } from '../sinks/log/log-files.ts'
import { payloadLog, payloadRules } from '../sinks/payload-log/payload-log.ts'

/** What the logs of requests need. */
export interface RequestLogOptions {
  readonly format: 'text' | 'json'
  readonly destination: LogDestination
  readonly files: LogFiles
  readonly redaction: Redaction
  readonly logs: ModuleLogs
  readonly compiler: ExpressionCompiler<Exchange>
  readonly rawCompiler: ExpressionCompiler<TcpSession>
}

/** The access log and the log of payloads. */
export interface RequestLogs {
  readonly ended: (x: Exchange) => void
  readonly rawEnded: (session: TcpSession) => void
}

/** Makes the logs of requests. They follow the levels of their modules, and the policies of each exchange's snapshot. */
export const openRequestLogs = (options: RequestLogOptions): RequestLogs => {
  const { logs, compiler, rawCompiler, files, redaction } = options
  const file = (path: string) => files.writer(path)
  const rules = bySnapshot(rulesOf(compiler, { hasFailed: exchangeFailed, file }))
  const rawRules = bySnapshot(rulesOf(rawCompiler, { hasFailed: connectionFailed, file }))
  const payloads = bySnapshot(({ resources: { frontend, functions } }: Snapshot) => {
    const policy = frontend.accessLog?.payloads
    const path = policy?.file ?? frontend.accessLog?.file
    return (
      policy &&
      payloadRules(
        policy,
        compiler(functionsOf(functions)),
        masking(policy),
        path === undefined ? undefined : file(path),
      )
    )
  })
  const line = { ...options, redaction, rules }
  const rawLine = { ...options, redaction, rules: rawRules }
  const [write, writeWithIds] = [accessLog(line), accessLog({ ...line, withIds: true })]
  const [writeRaw, writeRawWithIds] = [rawAccessLog(rawLine), rawAccessLog({ ...rawLine, withIds: true })]
  const writePayload = payloadLog({ ...options, rules: payloads })
  return {
    ended: (x) => {
      if (logs.request.debug) writeWithIds(x)
      else if (logs.request.info) write(x)
      if (x.protocol.llm && logs.payload.info) writePayload(x)
    },
    rawEnded: (session) => {
      if (logs.request.debug) writeRawWithIds(session)
      else if (logs.request.info) writeRaw(session)
    },
  }
}

/** Masks as the guard `regex` does, each pattern what the one before it left. */
const masking = ({ mask }: PayloadLog): ((text: string) => string) => {
  const patterns = mask.map(compileRule)
  return (text) => patterns.reduce((left, pattern) => maskText(pattern, left), text)
}

const rulesOf =
  <X>(compiler: ExpressionCompiler<X>, context: AccessLogContext<X>) =>
  ({ resources: { frontend, functions } }: Snapshot): AccessLogRules<X> | undefined =>
    frontend.accessLog && accessLogRules(frontend.accessLog, compiler(functionsOf(functions)), context)

/** Compiles once for each snapshot; exchanges use the one under which they began. */
const bySnapshot = <Rules>(
  make: (snapshot: Snapshot) => Rules | undefined,
): ((x: Pick<Exchange, 'snapshot'>) => Rules | undefined) => {
  const known = new WeakMap<Snapshot, { readonly rules: Rules | undefined }>()
  return ({ snapshot }) => {
    // Most configurations have no policy: nothing is looked up then.
    if (!snapshot.resources.frontend.accessLog) return undefined
    let found = known.get(snapshot)
    if (!found) known.set(snapshot, (found = { rules: make(snapshot) }))
    return found.rules
  }
}
