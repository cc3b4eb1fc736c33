import { toPlain } from '../../cel/values/values.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { PayloadLog } from '../../model/resources/frontend-policies.ts'
import { hideSecrets, redactText, Redaction } from '../../model/trace/redact.ts'
import type { AccessLogCompiler } from '../access-log/access-log-policy.ts'
import { exchangeSecrets } from '../access-log/custom-fields.ts'
import { JsonLine, type LogLine, TextLogLine } from '../access-log/line.ts'
import type { LogDestination } from '../log/destination.ts'
import { boundedJson } from './bounded-json.ts'

/** A compiled log of payloads. */
export interface PayloadRules {
  readonly filter: ((x: Exchange) => boolean) | undefined
  /** What is logged, by the name of the field. Each gets half of what the ones before it left, the last one the rest. */
  readonly values: readonly (readonly [field: string, value: (x: Exchange) => unknown])[]
  readonly mask: (text: string) => string
  readonly maxBytes: number
  readonly destination: LogDestination | undefined
}

/** Compiles the policy. @param mask Masks the matches of its patterns. @param destination Its own file. */
export const payloadRules = (
  policy: PayloadLog,
  compile: AccessLogCompiler,
  mask: (text: string) => string,
  destination: LogDestination | undefined,
): PayloadRules => ({
  filter: policy.filter === undefined ? undefined : compile.test(policy.filter),
  values: [
    ['gen_ai.completion', compile.value(policy.completion)],
    ['gen_ai.tool_calls', compile.value(policy.toolCalls)],
    ['gen_ai.prompt', compile.value(policy.prompt)],
  ],
  mask,
  maxBytes: policy.maxBytes,
  destination,
})

/** Format and destination of the log of payloads. */
export interface PayloadLogOptions {
  readonly format: 'text' | 'json'
  readonly destination: LogDestination
  readonly redaction?: Redaction
  /** Returns the rules of an exchange; undefined if payloads are not logged. */
  readonly rules: (x: Exchange) => PayloadRules | undefined
}

/**
 * Writes one line with prompt, completion and tool calls for an ended exchange with a language model in a chat format.
 * The response to a stream is put together from its events; of one that was cut, the part that was received is logged.
 *
 * Known credentials of the exchange and everything that looks like one are redacted, then the patterns of the policy are
 * masked. An expression that cannot be evaluated omits its field.
 */
export const payloadLog = (options: PayloadLogOptions): ((x: Exchange) => void) => {
  const { destination, rules, redaction = new Redaction() } = options
  return (x) => {
    const { llm } = x.protocol
    if (llm?.operation !== 'chat') return
    const rule = rules(x)
    if (!rule || (rule.filter && !rule.filter(x))) return
    const line =
      options.format === 'json' ? new JsonLine(undefined, 'payload') : new TextLogLine(undefined, 'payload')
    writeCall(line, x)
    if (!writePayload(line, x, rule, redaction)) return
    const to = rule.destination ?? destination
    to.write(line.whole())
  }
}

const writeCall = (line: LogLine, x: Exchange): void => {
  const { llm } = x.protocol
  line.text('request.id', String(x.request.id))
  line.text('gateway', x.labels.gateway)
  line.text('route', x.labels.route)
  line.text('gen_ai.provider.name', llm?.provider)
  line.text('gen_ai.request.model', llm?.requestModel?.slice(0, MODEL_LENGTH))
  line.text('gen_ai.response.model', llm?.responseModel?.slice(0, MODEL_LENGTH))
  if (x.reply && x.downstream.committed) line.number('http.status', x.reply.status)
}

/** Returns whether there was anything to write. */
const writePayload = (line: LogLine, x: Exchange, rule: PayloadRules, redaction: Redaction): boolean => {
  const secrets = exchangeSecrets(x, redaction)
  const mask = (text: string) => rule.mask(redactText(hideSecrets(text, secrets)))
  let left = rule.maxBytes
  let isCut = false
  let hasValue = false
  const last = rule.values.at(-1)
  for (const field of rule.values) {
    const [name, value] = field
    const plain = toPlain(value(x))
    if (plain === undefined || plain === null) continue
    hasValue = true
    if (Array.isArray(plain) && plain.length === 0) continue
    const shown = boundedJson(plain, field === last ? left : left / 2, mask)
    isCut ||= shown?.isCut ?? true
    if (!shown) continue
    line.json(name, shown.json)
    left -= Buffer.byteLength(shown.json)
  }
  if (isCut) line.json('cut', 'true')
  return hasValue
}

/** Clients choose the names. */
const MODEL_LENGTH = 256
