import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Client, type ClientOptions, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Exchange } from '../model/exchange.ts'
import { Fault } from '../model/fault.ts'
import type { DialOptions } from './dial.ts'
import { abandoned } from './fault.ts'
import { GrpcCredentials } from './grpc-credentials.ts'
import { GrpcReach } from './grpc-reach.ts'
import { type GrpcEvents, GrpcStream, type MessageStream } from './grpc-stream.ts'
import type { Closable } from './leaving.ts'

/** What a call of a gRPC service may be told. */
export interface GrpcCallOptions {
  /** Undefined may take for ever. */
  readonly timeoutMs: number | undefined
  /** The exchange that the call is about; none for what serves many. */
  readonly about?: Exchange | undefined
  /** Nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
  /** Sent before the first message; names are lower-case. */
  readonly metadata?: readonly (readonly [name: string, value: string])[] | undefined
}

/** Calls of a gRPC service, for those who need to know nothing about connections. */
export interface GrpcService {
  /**
   * One message for another. Rejects with a `Fault`: `upstream_connect` if the service cannot be reached,
   * `upstream_timeout`, `upstream_failed` with what it said, `abandoned` once the signal has aborted.
   */
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    message: MessageInitShape<I>,
    options: GrpcCallOptions,
  ): Promise<MessageShape<O>>
  /** Messages both ways. Nothing is told before this has returned, and nothing after `ended`. */
  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    events: GrpcEvents<MessageShape<O>>,
    options: GrpcCallOptions,
  ): MessageStream<MessageInitShape<I>>
  /**
   * Calls back once there is a connection, at once if there is one. It takes a call to look for one.
   *
   * @returns Stops waiting; to be called where the call has ended before.
   */
  whenReached(then: () => void): () => void
}

/** Where a gRPC service is, and how connections to it are made. */
export interface GrpcClientOptions extends DialOptions {
  /** As a `GrpcPlace` has it. */
  readonly target: string
  /** What the service is called in requests; its address if it has no name. */
  readonly authority: string | undefined
}

/** A client of a gRPC service. Its connections open with the first call, and close with the client. */
export class GrpcClient implements GrpcService, Closable {
  readonly #client: Client
  readonly #reach: GrpcReach
  /** Calls under way. */
  readonly #calls = new Set<{ cancel(): void }>()
  #closing: (() => void) | undefined = undefined
  #closed: Promise<void> | undefined = undefined

  constructor({ target, authority, ...dial }: GrpcClientOptions) {
    this.#client = new Client(target, new GrpcCredentials(dial), {
      ...channelOptions,
      ...(authority === undefined ? {} : { 'grpc.default_authority': authority }),
    })
    this.#reach = new GrpcReach(this.#client.getChannel())
  }

  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    message: MessageInitShape<I>,
    { timeoutMs, signal, metadata }: GrpcCallOptions,
  ): Promise<MessageShape<O>> {
    if (signal?.aborted) return Promise.reject(abandoned)
    return new Promise((resolve, reject) => {
      const leave = () => call.cancel()
      const call = this.#client.makeUnaryRequest<MessageInitShape<I>, MessageShape<O>>(
        pathOf(method),
        serialize(method.input),
        deserialize(method.output),
        message,
        metadataOf(metadata),
        timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
        (error, answer) => {
          signal?.removeEventListener('abort', leave)
          this.#over(call)
          if (answer) resolve(answer)
          else reject(signal?.aborted ? abandoned : grpcFault(error))
        },
      )
      this.#calls.add(call)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
    events: GrpcEvents<MessageShape<O>>,
    { timeoutMs, signal, metadata }: GrpcCallOptions,
  ): GrpcStream<MessageInitShape<I>, MessageShape<O>> {
    const call = this.#client.makeBidiStreamRequest<MessageInitShape<I>, MessageShape<O>>(
      pathOf(method),
      serialize(method.input),
      deserialize(method.output),
      metadataOf(metadata),
      timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
    )
    const leave = () => call.cancel()
    this.#calls.add(call)
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave, { once: true })
    const ended = (error: ServiceError | undefined) => {
      signal?.removeEventListener('abort', leave)
      this.#over(call)
      if (signal?.aborted) events.ended(abandoned)
      else events.ended(error && grpcFault(error))
    }
    return new GrpcStream(call, (message) => events.message(message), ended)
  }

  whenReached(then: () => void): () => void {
    return this.#reach.wait(then)
  }

  /** Calls under way finish, then the connections close. */
  close(): Promise<void> {
    return (this.#closed ??= new Promise((resolve) => {
      this.#closing = () => {
        this.#client.close()
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
  // What is configured is what is dialled, whatever the environment or the name service would have.
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // Else closing one client would leave its connections to others that happen to look alike.
  'grpc.use_local_subchannel_pool': 1,
  // A service that was away is needed again as soon as it is back; the default waits for up to two minutes.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // Servers take more frequent probes for an attack.
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

const metadataOf = (pairs: GrpcCallOptions['metadata'] = []): Metadata => {
  const metadata = new Metadata()
  for (const [name, value] of pairs) metadata.add(name, value)
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
