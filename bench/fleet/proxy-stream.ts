import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { connect as connectTcp } from 'node:net'
import { connect, type ClientHttp2Stream } from 'node:http2'
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
} from '../../src/protocols/xds/discovery.gen.ts'

/** What a simulated proxy does when it has received a response. */
export type OnResponse = (bytes: Uint8Array, response: DeltaDiscoveryResponse) => void

/**
 * The xDS stream of a simulated proxy: it accepts every response, and when it has lost its connection it comes back
 * with the versions that it has. gRPC on HTTP/2 by hand, because clients of grpc-js cannot choose their own address, and
 * the control plane limits the connections of one address.
 */
export class ProxyStream {
  readonly #versions = new Map<string, string>()
  readonly #options: ProxyStreamOptions
  #end: () => void = () => undefined
  #hasEnded = false

  constructor(options: ProxyStreamOptions) {
    this.#options = options
    this.#open()
  }

  /** Ends the stream for good. */
  end(): void {
    this.#hasEnded = true
    this.#end()
  }

  #open(): void {
    const { port, localAddress, gateway, onResponse } = this.#options
    const session = connect(`http://127.0.0.1:${port}`, {
      createConnection: () => connectTcp({ host: '127.0.0.1', port, localAddress }),
    })
    this.#end = () => {
      session.destroy()
    }
    session.on('error', () => undefined)
    session.on('close', () => {
      if (!this.#hasEnded) setTimeout(() => this.#open(), Math.random() * RETRY_MS)
    })
    const stream = session.request({
      ':method': 'POST',
      ':path': '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.on('error', () => undefined)
    stream.on('end', () => {
      session.destroy()
    })
    send(stream, {
      node: { id: localAddress, metadata: { role: `default~${gateway}` } },
      initialResourceVersions: Object.fromEntries(this.#versions),
    })
    readMessages(stream, (bytes) => {
      const response = fromBinary(DeltaDiscoveryResponseSchema, bytes)
      for (const { name, version } of response.resources) this.#versions.set(name, version)
      for (const name of response.removedResources) this.#versions.delete(name)
      onResponse(bytes, response)
      send(stream, { responseNonce: response.nonce })
    })
  }
}

/** A simulated proxy. */
export interface ProxyStreamOptions {
  readonly port: number
  /** Its own address, out of 127.0.0.0/8. */
  readonly localAddress: string
  /** Name of its Gateway, in the namespace `default`. */
  readonly gateway: string
  readonly onResponse: OnResponse
}

type RequestFields = Partial<Pick<DeltaDiscoveryRequest, 'initialResourceVersions' | 'responseNonce'>> & {
  readonly node?: { readonly id: string; readonly metadata: { readonly role: string } }
}

const send = (stream: ClientHttp2Stream, fields: RequestFields): void => {
  const message = toBinary(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, { typeUrl: TYPE, ...fields }),
  )
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  stream.write(Buffer.concat([prefix, message]))
}

/** Cuts the messages out of a stream of gRPC. */
const readMessages = (stream: ClientHttp2Stream, onMessage: (bytes: Uint8Array) => void): void => {
  let buffered: Buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    buffered = buffered.length ? Buffer.concat([buffered, chunk]) : chunk
    while (buffered.length >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + buffered.readUInt32BE(1)
      if (buffered.length < end) return
      onMessage(buffered.subarray(PREFIX_BYTES, end))
      buffered = buffered.subarray(end)
    }
  })
}

const TYPE = 'type.googleapis.com/agentgateway.dev.resource.Resource'
/** The flag of compression, and the length. */
const PREFIX_BYTES = 5
/** Proxies that have lost a control plane do not come back in one moment. */
const RETRY_MS = 1_000
