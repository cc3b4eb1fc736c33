import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServerCredentials, ServerDuplexStream } from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import {
  ExternalProcessor,
  type ProcessingRequest,
  type ProcessingResponseSchema,
} from '../../src/protocols/grpc/ext-proc.gen.ts'
import type { GrpcService } from '../../src/upstream/grpc/grpc-client.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { bidi, type GrpcServer, grpcServer } from './grpc-server.ts'
import { backendsAt, snapshotOf } from './resources.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'

/** A response of a processor. */
export type ProcessorResponse = MessageInitShape<typeof ProcessingResponseSchema>

/** The processor's side of one stream. */
export type ProcessorStream = ServerDuplexStream<ProcessingRequest, ProcessorResponse>

/** A real processor on 127.0.0.1, controlled by the test. */
export interface Processor extends GrpcServer {
  /** Called with each stream when it begins; by default each message is passed unchanged. */
  onStream: (stream: ProcessorStream) => void
  /** All received messages, in order. */
  readonly received: ProcessingRequest[]
  /** Streams that have begun, and those that are open. */
  readonly counts: { begun: number; open: number }
  /** Ends all open streams. */
  hangUp(): void
  /** Resolves when no stream is open. */
  idle(): Promise<void>
}

/** Starts a processor; without credentials it has no TLS. */
export const startProcessor = async (credentials?: ServerCredentials): Promise<Processor> => {
  const counts = { begun: 0, open: 0 }
  const received: ProcessingRequest[] = []
  const changes = new EventEmitter()
  const streams = new Set<ProcessorStream>()
  const processor = {
    onStream: respondingTo(() => asItIs),
    received,
    counts,
    hangUp: () => {
      for (const stream of streams) stream.end()
    },
    idle: async () => {
      while (counts.open) await once(changes, 'closed')
    },
  }
  const handler = bidi(ExternalProcessor.method.process, (stream) => {
    counts.begun++
    counts.open++
    streams.add(stream)
    const close = () => {
      if (!streams.delete(stream)) return
      counts.open--
      changes.emit('closed')
    }
    stream.on('cancelled', close).on('close', close).on('finish', close)
    stream.on('error', close)
    stream.on('data', (message: ProcessingRequest) => received.push(message))
    processor.onStream(stream)
  })
  const server = await grpcServer([handler], credentials)
  return Object.assign(processor, server)
}

/** Responds to each message as it arrives, and ends when the gateway does; undefined sends nothing. */
export const respondingTo =
  (
    respond: (message: ProcessingRequest, stream: ProcessorStream) => ProcessorResponse | undefined,
  ): ((stream: ProcessorStream) => void) =>
  (stream) => {
    stream.on('data', (message: ProcessingRequest) => {
      const response = respond(message, stream)
      const sent = response === asItIs ? unchanged(message) : response
      if (sent) stream.write(sent)
    })
    stream.on('end', () => stream.end())
  }

/** The response of a processor that changes nothing. */
export const asItIs: ProcessorResponse = {}

/** The same for one message, in its wire format. */
export const unchanged = ({ request }: ProcessingRequest): ProcessorResponse => {
  switch (request.case) {
    case 'requestHeaders':
    case 'responseHeaders':
    case 'requestBody':
    case 'responseBody':
    case 'requestTrailers':
    case 'responseTrailers':
      return { response: { case: request.case, value: {} } }
    default:
      return {}
  }
}

/** The kinds of messages, in order. */
export const casesOf = (messages: readonly ProcessingRequest[]): (string | undefined)[] =>
  messages.map(({ request }) => request.case)

/** A service at this port, as policies get it, and the registry that keeps it. */
export const serviceAt = (port: number): { readonly service: GrpcService; readonly registry: Registry } => {
  const registry = new Registry()
  const session = registry.session(resourceIndex(backendsAt({})), () => assert.fail())
  const service = session.grpc({ kind: 'host', target: { host: '127.0.0.1', port } }, {}) ?? assert.fail()
  session.commit(snapshotOf(backendsAt({})))
  return { service, registry }
}
