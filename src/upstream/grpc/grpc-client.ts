import {
  create,
  type DescMessage,
  type DescMethodBiDiStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { Client, type ClientOptions, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import { abandoned } from '../faults.ts'
import { type GrpcConnections, GrpcCredentials } from './channel-credentials.ts'
import { GrpcConnectivity } from './connectivity.ts'
import { type GrpcEvents, GrpcStream, type MessageStream } from './grpc-stream.ts'
import type { Closable } from '../draining.ts'
import { listClient, unlistClient, type UpstreamClient, type UpstreamSockets } from '../upstream-clients.ts'

/** Options of one call. */
export interface GrpcCallOptions {
  /** Undefined is unlimited. */
  readonly timeoutMs: number | undefined
  /** The exchange that the call is about; none for calls that serve many. */
  readonly about?: Exchange | undefined
  /** Aborted when the result is no longer needed. */
  readonly signal?: AbortSignal | undefined
  /** Sent before the first message; names are lower-case. */
  readonly metadata?: readonly (readonly [name: string, value: string])[] | undefined
}

/** Calls of a gRPC service, independent of its connections. */
export interface GrpcService {
  /**
   * A unary call. Rejects with a `Fault`: `upstream_connect` if the service cannot be reached, `upstream_timeout`,
   * `upstream_failed` with its message, `abandoned` once the signal has aborted.
   */
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    message: MessageInitShape<I>,
    options: GrpcCallOptions,
  ): Promise<MessageShape<O>>
  /** A bidirectional stream. No callback comes before this has returned, and none after `ended`. */
  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    events: GrpcEvents<MessageShape<O>>,
    options: GrpcCallOptions,
  ): MessageStream<MessageInitShape<I>>
  /**
   * Calls back once the service is connected, at once if it is. Only a call makes the client connect.
   *
   * @returns Stops waiting; must be called where the call has ended before.
   */
  onConnected(then: () => void): () => void
}

/** The address of a gRPC service, and how connections to it are made. */
export interface GrpcClientOptions extends GrpcConnections {
  /** As in `GrpcAddress`; that of the proxy, if there is one. */
  readonly target: string
  /** The authority of requests; the address if the service has no name. */
  readonly authority: string | undefined
  /** How often a connection with a call is probed; more often than some servers accept, if it is small. */
  readonly probeMs?: number
}

/** A client of a gRPC service. Its connections open with the first call, and close with the client. */
export class GrpcClient implements GrpcService, Closable, UpstreamClient {
  readonly kind = 'grpc'
  readonly name: string
  readonly #client: Client
  readonly #reach: GrpcConnectivity
  /** Calls under way. */
  readonly #calls = new Set<{ cancel(): void }>()
  #closing: (() => void) | undefined = undefined
  #closed: Promise<void> | undefined = undefined

  constructor({ target, authority, probeMs, ...dial }: GrpcClientOptions) {
    this.#client = new Client(target, new GrpcCredentials(dial), {
      ...channelOptions,
      ...(authority === undefined ? {} : { 'grpc.default_authority': authority }),
      ...(probeMs === undefined ? {} : { 'grpc.keepalive_time_ms': probeMs }),
    })
    this.#reach = new GrpcConnectivity(this.#client.getChannel())
    this.name = authority ?? target
    listClient(this)
  }

  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    message: MessageInitShape<I>,
    { timeoutMs, signal, metadata, about }: GrpcCallOptions,
  ): Promise<MessageShape<O>> {
    if (signal?.aborted) return Promise.reject(abandoned)
    return new Promise((resolve, reject) => {
      const cancel = () => call.cancel()
      const call = this.#client.makeUnaryRequest<MessageInitShape<I>, MessageShape<O>>(
        pathOf(method),
        serialize(method.input),
        deserialize(method.output),
        message,
        metadataOf(metadata, about),
        timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
        (error, response) => {
          signal?.removeEventListener('abort', cancel)
          this.#over(call)
          if (response) resolve(response)
          else reject(signal?.aborted ? abandoned : grpcFault(error))
        },
      )
      this.#calls.add(call)
      signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    events: GrpcEvents<MessageShape<O>>,
    { timeoutMs, signal, metadata, about }: GrpcCallOptions,
  ): GrpcStream<MessageInitShape<I>, MessageShape<O>> {
    const call = this.#client.makeBidiStreamRequest<MessageInitShape<I>, MessageShape<O>>(
      pathOf(method),
      serialize(method.input),
      deserialize(method.output),
      metadataOf(metadata, about),
      timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
    )
    const cancel = () => call.cancel()
    this.#calls.add(call)
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    const ended = (error: ServiceError | undefined) => {
      signal?.removeEventListener('abort', cancel)
      this.#over(call)
      if (signal?.aborted) events.ended(abandoned)
      else events.ended(error && grpcFault(error))
    }
    return new GrpcStream(call, (message) => events.message(message), ended)
  }

  onConnected(then: () => void): () => void {
    return this.#reach.wait(then)
  }

  /** The library tells whether it is connected, not with how many sockets. */
  *sockets(): Generator<undefined, UpstreamSockets> {
    yield undefined
    const open = this.#reach.isConnected ? 1 : 0
    const calls = this.#calls.size
    return { open, idle: calls === 0 ? open : 0, calls, pendingCalls: 0 }
  }

  /** Finishes the calls under way, then closes the connections. */
  close(): Promise<void> {
    return (this.#closed ??= new Promise((resolve) => {
      this.#closing = () => {
        this.#client.close()
        unlistClient(this)
        resolve()
      }
      if (this.#calls.size === 0) this.#closing()
    }))
  }

  async destroy(): Promise<void> {
    for (const call of this.#calls) call.cancel()
    await this.close()
  }

  #over(call: { cancel(): void }): void {
    this.#calls.delete(call)
    if (this.#calls.size === 0) this.#closing?.()
  }
}

const channelOptions: ClientOptions = {
  // The configured address is dialled, whatever proxy the environment names.
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // Otherwise closing a client would leave its connections to clients with equal settings.
  'grpc.use_local_subchannel_pool': 1,
  // A service should be used as soon as it is back; the default waits for up to two minutes.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // Servers treat more frequent keepalives as an attack.
  'grpc.keepalive_time_ms': 310_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_receive_message_length': 16 * 2 ** 20,
  'grpc.primary_user_agent': 'agentgateway',
}

const pathOf = ({ parent, name }: DescMethodUnary | DescMethodBiDiStreaming): string =>
  `/${parent.typeName}/${name}`

const serialize =
  <D extends DescMessage>(schema: D) =>
  (message: MessageInitShape<D>): Buffer => {
    const { buffer, byteOffset, length } = toBinary(schema, create(schema, message))
    return Buffer.from(buffer, byteOffset, length)
  }

const deserialize =
  <D extends DescMessage>(schema: D) =>
  (bytes: Buffer): MessageShape<D> =>
    fromBinary(schema, bytes)

const metadataOf = (pairs: GrpcCallOptions['metadata'] = [], about: Exchange | undefined): Metadata => {
  const metadata = new Metadata()
  for (const [name, value] of pairs) metadata.add(name, value)
  const cdnLoop = about?.request.cdnLoop
  if (cdnLoop !== undefined) metadata.set('cdn-loop', cdnLoop)
  return metadata
}

const grpcFault = (error: ServiceError | null): Fault => {
  if (error?.code === status.DEADLINE_EXCEEDED)
    return new Fault('upstream_timeout', 'upstream call timeout', {
      status: 504,
      reason: 'Timeout',
      cause: error,
    })
  const unreachable = error?.code === status.UNAVAILABLE
  return new Fault(
    unreachable ? 'upstream_connect' : 'upstream_failed',
    `upstream call failed: ${unreachable ? 'the service cannot be reached' : 'the service answered with an error'}`,
    { status: 503, reason: 'UpstreamFailure', cause: error },
  )
}
