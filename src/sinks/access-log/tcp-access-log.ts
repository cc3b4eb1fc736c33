import { connectionNumber } from '../../model/exchange/connection-number.ts'
import type { RawSession } from '../../model/exchange/raw-session.ts'
import { redactText, Redaction } from '../../model/trace/redact.ts'
import { writeDuration, writeLocation } from './access-log.ts'
import { writeFields } from './custom-fields.ts'
import { JsonLine, TextLogLine } from './line.ts'
import type { AccessLogRules } from './access-log-policy.ts'
import type { LogDestination } from '../log/destination.ts'
import { hostPortText } from '../../protocols/ip/host-port.ts'

/** Format and destination of the log of raw connections. */
export interface RawAccessLogOptions {
  readonly format: 'text' | 'json'
  readonly destination: LogDestination
  /** Returns the rules of a session, which the callback compiles once and caches; undefined means the default line. */
  readonly rules?: (session: RawSession) => AccessLogRules<RawSession> | undefined
  readonly redaction?: Redaction
  /** Whether to write `connection.id`. */
  readonly withIds?: boolean
}

/**
 * Writes one line for a raw connection, or a session of datagrams, that ended: as `accessLog` does for a request, without the fields that only
 * requests have. Such connections are few and long, so nothing is cached between them.
 */
export const rawAccessLog = (options: RawAccessLogOptions): ((session: RawSession) => void) => {
  const { destination, rules, redaction = new Redaction(), withIds = false } = options
  const Line = options.format === 'json' ? JsonLine : TextLogLine
  return (session) => {
    const rule = rules?.(session)
    if (rule?.filter && !rule.filter(session)) return
    if (rule?.sample && !rule.sample(session)) return
    const line = new Line(rule?.omit)
    if (withIds) line.text('connection.id', String(connectionNumber(session.connection)))
    writeLocation(line, session.labels)
    writeSession(line, session)
    if (rule) {
      const added = new Line()
      // The only header fields that expressions can read here are those of a CONNECT request.
      const secrets = redaction.secrets(session.connection.connectHeaders ?? [])
      writeFields(added, session, rule.add, secrets)
      line.ready(added.fields)
    }
    const to = rule?.destination ?? destination
    to.write(line.whole())
  }
}

const writeSession = (line: JsonLine | TextLogLine, session: RawSession): void => {
  const { connection, startedAt, endedAt } = session
  line.text('endpoint', session.endpoint)
  line.text('src.addr', hostPortText(connection.sourceAddress, connection.sourcePort))
  line.text('src.identity', connection.tls?.client?.spiffeId)
  line.text('tls.sni', session.serverName)
  line.text('protocol', session.transport)
  line.text('error', session.error && redactText(session.error))
  line.text('reason', session.reason)
  line.text('code', session.code)
  writeDuration(line, endedAt - startedAt)
}
