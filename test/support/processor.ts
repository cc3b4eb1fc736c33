import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServerDuplexStream } from '@grpc/grpc-js'
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
export type Said = MessageInitShape<typeof ProcessingResponseSchema>

/** The processor's side of one stream. */
export type Talk = ServerDuplexStream<ProcessingRequest, Said>

/** A real processor on 127.0.0.1, controlled by the test. */
export interface Processor extends GrpcServer {
  /** Called with each stream when it begins; by default each message is passed unchanged. */
  talk: (talk: Talk) => void
  /** All received messages, in order. */
  readonly shown: ProcessingRequest[]
  /** Streams that have begun, and those that are open. */
  readonly counts: { begun: number; open: number }
  /** Ends all open streams. */
  hangUp(): void
  /** Resolves when no stream is open. */
  idle(): Promise<void>
}

/** Starts a processor. */
export const startProcessor = async (): Promise<Processor> => {
  const counts = { begun: 0, open: 0 }
  const shown: ProcessingRequest[] = []
  const changes = new EventEmitter()
  const talks = new Set<Talk>()
  const processor = {
    talk: answering(() => asItIs),
    shown,
    counts,
    hangUp: () => {
      for (const talk of talks) talk.end()
    },
    idle: async () => {
      while (counts.open) await once(changes, 'closed')
    },
  }
  const server = await grpcServer([
    bidi(ExternalProcessor.method.process, (talk) => {
      counts.begun++
      counts.open++
      talks.add(talk)
      const close = () => {
        if (!talks.delete(talk)) return
        counts.open--
        changes.emit('closed')
      }
      talk.on('cancelled', close).on('close', close).on('finish', close)
      talk.on('error', close)
      talk.on('data', (message: ProcessingRequest) => shown.push(message))
      processor.talk(talk)
    }),
  ])
  return Object.assign(processor, server)
}

/** Responds to each message as it arrives, and ends when the gateway does; undefined sends nothing. */
export const answering =
  (answer: (message: ProcessingRequest, talk: Talk) => Said | undefined): ((talk: Talk) => void) =>
  (talk) => {
    talk.on('data', (message: ProcessingRequest) => {
      const said = answer(message, talk)
      const given = said === asItIs ? unchanged(message) : said
      if (given) talk.write(given)
    })
    talk.on('end', () => talk.end())
  }

/** The response of a processor that changes nothing. */
export const asItIs: Said = {}

/** The same for one message, in its wire format. */
export const unchanged = ({ request }: ProcessingRequest): Said => {
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
