import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { grpcServer, unary } from '../grpc-server.ts'
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
  LogsService,
} from './opentelemetry/proto/collector/logs/v1/logs_service.gen.ts'
import {
  type ExportTraceServiceRequest,
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
  TraceService,
} from './opentelemetry/proto/collector/trace/v1/trace_service.gen.ts'
import type { ExportLogsServiceRequest } from './opentelemetry/proto/collector/logs/v1/logs_service.gen.ts'
import {
  checkSpan,
  type DecodedLog,
  type DecodedSpan,
  decodeAttributes,
  decodeLog,
  decodeSpan,
} from './decode.ts'

/** A collector that decodes with the official messages, and checks what it gets. */
export interface Collector extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string
  readonly spans: DecodedSpan[]
  readonly logs: DecodedLog[]
  /** Resources of all exports. */
  readonly resources: Readonly<Record<string, unknown>>[]
  /** Header fields or metadata of each export. */
  readonly exports: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  /** Resolves with the spans of a trace once there are so many. */
  trace(traceId: string, count: number): Promise<readonly DecodedSpan[]>
  /** Resolves once a condition holds, checked at each export. */
  until(condition: () => boolean): Promise<void>
}

/** What a collector over HTTP responds with; undefined: success. */
export type CollectorReply = (
  path: string,
) => { status: number; headers?: Record<string, string>; body?: Uint8Array } | undefined

class Received {
  readonly spans: DecodedSpan[] = []
  readonly logs: DecodedLog[] = []
  readonly resources: Readonly<Record<string, unknown>>[] = []
  readonly exports: Collector['exports'] = []
  #waiting: (() => void)[] = []

  traces({ resourceSpans }: ExportTraceServiceRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.push(decodeAttributes(resource?.attributes ?? []))
      for (const { spans } of scopeSpans)
        for (const span of spans) {
          checkSpan(span)
          this.spans.push(decodeSpan(span))
        }
    }
  }

  logRecords({ resourceLogs }: ExportLogsServiceRequest): void {
    for (const { resource, scopeLogs } of resourceLogs) {
      this.resources.push(decodeAttributes(resource?.attributes ?? []))
      for (const { logRecords } of scopeLogs)
        for (const record of logRecords) this.logs.push(decodeLog(record))
    }
  }

  arrived(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const check of waiting) check()
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition())
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
  }

  async trace(traceId: string, count: number): Promise<readonly DecodedSpan[]> {
    const own = () => this.spans.filter((span) => span.traceId === traceId)
    await this.until(() => own().length >= count)
    return own()
  }

  collector(host: string, close: () => Promise<void>): Collector {
    const { spans, logs, resources, exports } = this
    return {
      ...{ host, spans, logs, resources, exports },
      trace: (traceId, count) => this.trace(traceId, count),
      until: (condition) => this.until(condition),
      [Symbol.asyncDispose]: close,
    }
  }
}

/** A collector over HTTP. */
export const startHttpCollector = async (reply: CollectorReply = () => undefined): Promise<Collector> => {
  const received = new Received()
  const take = <D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> =>
    fromBinary(schema, bytes)
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const path = req.url ?? ''
      received.exports.push({ path, headers: req.headers })
      const refusal = reply(path)
      const sent = Buffer.concat(chunks)
      const bytes = req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      if (!refusal || refusal.status < 300) {
        if (path.includes('log')) received.logRecords(take(ExportLogsServiceRequestSchema, bytes))
        else received.traces(take(ExportTraceServiceRequestSchema, bytes))
      }
      const schema = path.includes('log') ? ExportLogsServiceResponseSchema : ExportTraceServiceResponseSchema
      res.writeHead(refusal?.status ?? 200, { 'content-type': 'application/x-protobuf', ...refusal?.headers })
      res.end(refusal?.body ?? toBinary(schema, create(schema)))
      received.arrived()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return received.collector(`127.0.0.1:${port}`, async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
}

/** A collector over gRPC. */
export const startGrpcCollector = async (): Promise<Collector> => {
  const received = new Received()
  const taken = (path: string, metadata: { getMap(): Record<string, unknown> }): void => {
    received.exports.push({ path, headers: metadata.getMap() as IncomingHttpHeaders })
    queueMicrotask(() => received.arrived())
  }
  const server = await grpcServer([
    unary(TraceService.method.export, (request, call) => {
      received.traces(request)
      taken('traces', call.metadata)
      return {}
    }),
    unary(LogsService.method.export, (request, call) => {
      received.logRecords(request)
      taken('logs', call.metadata)
      return {}
    }),
  ])
  return received.collector(server.host, async () => server[Symbol.asyncDispose]())
}
