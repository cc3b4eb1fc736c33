/** Where answers, log lines, metrics and trace events go. */
export { accessLog, type AccessLogOptions } from './access-log.ts'
export { Http2ClientSink } from './client-h2.ts'
export { clientSinks } from './client-sinks.ts'
export { ClientSink } from './client.ts'
export { logDestination, type LogDestination } from './log-destination.ts'
export { type Log, processLog } from './log.ts'
export { TraceSse, type TraceSseSettings } from './trace-sse.ts'
