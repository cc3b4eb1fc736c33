import type { CustomFunctions } from '../cel/custom/custom-functions.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { RawSession } from '../model/exchange/raw-session.ts'
import type { ModuleLogs } from '../model/log/module-log.ts'
import type { AccessLog, FrontendPolicies, PayloadLog } from '../model/resources/frontend-policies.ts'
import type { Redaction } from '../model/trace/redact.ts'
import { compileRule, maskText } from '../operators/llm/guardrails/regex/pattern.ts'
import {
  type AccessLogContext,
  type AccessLogRules,
  accessLogRules,
} from '../sinks/access-log/access-log-policy.ts'
import { accessLog } from '../sinks/access-log/access-log.ts'
import type { ExpressionCompiler } from '../sinks/access-log/expression-compiler.ts'
import { rulesByPolicy } from '../sinks/access-log/policy-rules.ts'
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
  readonly rawCompiler: ExpressionCompiler<RawSession>
}

/** The access log and the log of payloads. */
export interface RequestLogs {
  readonly ended: (x: Exchange) => void
  readonly rawEnded: (session: RawSession) => void
}

/** Makes the logs of requests. They follow the levels of their modules, and the policies of each exchange's listener. */
export const openRequestLogs = (options: RequestLogOptions): RequestLogs => {
  const { logs, compiler, rawCompiler, files, redaction } = options
  const file = (path: string) => files.writer(path)
  const logOf = ({ accessLog: policy }: FrontendPolicies) => policy
  const rules = rulesByPolicy(logOf, rulesOf(compiler, { hasFailed: exchangeFailed, file }))
  const rawRules = rulesByPolicy(logOf, rulesOf(rawCompiler, { hasFailed: connectionFailed, file }))
  const payloads = rulesByPolicy(logOf, (log, functions) => {
    const { payloads: policy } = log
    const path = policy?.file ?? log.file
    const to = path === undefined ? undefined : file(path)
    return policy && payloadRules(policy, compiler(functions), masking(policy), to)
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
  (policy: AccessLog, functions: CustomFunctions): AccessLogRules<X> =>
    accessLogRules(policy, compiler(functions), context)
