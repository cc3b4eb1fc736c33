import type { EncodeRecords } from './export-queue.ts'
import { sdkResource, type SpanOrigin } from './encode-spans.ts'
import type { LogRecord } from './log-record.ts'

export type { LogRecord } from './log-record.ts'

/** As `loadSpanEncoder`, for log records. */
export const loadLogEncoder = async ({
  clock,
  version,
  resource,
}: SpanOrigin): Promise<EncodeRecords<LogRecord>> => {
  const { ProtobufLogsSerializer } = await import('./otlp-library.ts')
  const instrumentationScope = { name: 'agentgateway.access', version }
  return (records) => {
    clock.synchronize()
    const shared = { resource: sdkResource(resource()), instrumentationScope, droppedAttributesCount: 0 }
    const bytes = ProtobufLogsSerializer.serializeRequest(
      records.map(({ at, severity, attributes, context }) => ({
        ...shared,
        hrTime: clock.hrTime(at),
        hrTimeObserved: clock.hrTime(at),
        severityText: severity,
        severityNumber: severityNumbers[severity],
        body: 'request',
        attributes,
        ...(context && { spanContext: context }),
      })),
    )
    if (!bytes) throw new TypeError('log records were not encoded')
    return bytes
  }
}

/** `SeverityNumber` of the data model of logs. */
const severityNumbers = { INFO: 9, WARN: 13, ERROR: 17 } as const
