import { fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  Server,
  ServerCredentials,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
} from '../../../protocols/xds/discovery.gen.ts'
import { DELTA_PATH, STREAM_PATH } from '../../../protocols/xds/types.ts'
import {
  type Authenticate,
  AuthenticationError,
  tokenOfHeader,
  type ServiceAccount,
} from './authentication.ts'
import { type DeltaCall, DeltaStream, failCall, type XdsRejection } from './delta-stream.ts'
import type { ResourceSets } from './resource-sets.ts'
import { openXdsPort, type XdsPort, type XdsPortOptions } from './xds-port.ts'

/** Options of the server. */
export interface XdsServerOptions extends XdsPortOptions {
  readonly sets: ResourceSets
  /** Undefined trusts every caller: for networks that only proxies can reach. */
  readonly authenticate?: Authenticate | undefined
  /** Streams at a time; 2,000 by default. */
  readonly maxStreams?: number
  readonly events: XdsServerEvents
}

/** What the server reports. */
export interface XdsServerEvents {
  /** A client has refused resources. */
  readonly onRejected: (rejection: XdsRejection) => void
  /** A caller was authenticated, or was not. */
  readonly onAuthenticated: (succeeded: boolean, error?: unknown) => void
}

/** A running server. */
export interface XdsServer extends Pick<XdsPort, 'port'> {
  /** Streams that are open. */
  readonly streams: number
  /** Ends every stream. */
  close(): Promise<void>
}

const DEFAULT_STREAMS = 2_000
/** The first request of a client that comes back names everything that it has. */
const REQUEST_BYTES = 16 * 2 ** 20

/** Serves discovery to the proxies of all gateways. */
export const openXdsServer = async (options: XdsServerOptions): Promise<XdsServer> => {
  const server = new Server({
    'grpc.max_receive_message_length': REQUEST_BYTES,
    'grpc.max_concurrent_streams': 16,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  })
  const streams = new Set<DeltaStream>()
  const opening = { count: 0 }
  server.addService(service, {
    delta: (call: DeltaCall) => {
      void admit(call, options, streams, opening)
    },
    stream: (call: DeltaCall) => {
      failCall(call, status.UNIMPLEMENTED, 'not supported')
    },
  } satisfies UntypedServiceImplementation)
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  const opened = await openXdsPort(options, (socket) => {
    injector.injectConnection(socket)
  })
  return {
    port: opened.port,
    get streams() {
      return streams.size
    },
    close: async () => {
      for (const stream of [...streams]) stream.close()
      injector.drain(GRACE_MS)
      await opened.close()
      injector.destroy()
      server.forceShutdown()
    },
  }
}

const GRACE_MS = 1_000
/** How long a stream lasts at most; a client that comes back is sent only what has changed. */
const STREAM_MS = 30 * 60_000

const admit = async (
  call: DeltaCall,
  { sets, authenticate, maxStreams = DEFAULT_STREAMS, events }: XdsServerOptions,
  streams: Set<DeltaStream>,
  opening: { count: number },
): Promise<void> => {
  if (!sets.isSynced) {
    failCall(call, status.UNAVAILABLE, 'server is not ready to serve discovery information')
    return
  }
  if (streams.size + opening.count >= maxStreams) {
    failCall(call, status.RESOURCE_EXHAUSTED, `there are ${maxStreams} streams already`)
    return
  }
  let account: ServiceAccount | undefined
  if (authenticate) {
    opening.count++
    try {
      // Nothing is read before: an unknown caller costs what the flow control of one stream admits.
      const [header] = call.metadata.get('authorization')
      const token = tokenOfHeader(typeof header === 'string' ? header : undefined)
      if (token === undefined) throw new AuthenticationError('there is no bearer token')
      account = await authenticate(token)
      events.onAuthenticated(true)
    } catch (error) {
      events.onAuthenticated(false, error)
      // Failures of the API server are not shown to the caller.
      const isAboutToken = error instanceof AuthenticationError
      failCall(
        call,
        isAboutToken ? status.UNAUTHENTICATED : status.UNAVAILABLE,
        `authentication failed: ${isAboutToken ? error.message : 'the token cannot be reviewed now'}`,
      )
      return
    } finally {
      opening.count--
    }
  }
  if (call.cancelled) return
  const stream = new DeltaStream(call, { sets, account, onRejected: events.onRejected })
  streams.add(stream)
  // A client whose token is no longer valid must not keep its stream: it connects again, and its token is reviewed.
  const expiry = setTimeout(
    () => {
      stream.close()
    },
    STREAM_MS * (1 - Math.random() / 5),
  ).unref()
  for (const event of ['cancelled', 'error', 'close', 'finish'])
    call.once(event, () => {
      clearTimeout(expiry)
      streams.delete(stream)
    })
}

const serialize = (message: DeltaDiscoveryResponse): Buffer => {
  const { buffer, byteOffset, length } = toBinary(DeltaDiscoveryResponseSchema, message)
  return Buffer.from(buffer, byteOffset, length)
}

const method = (path: string) => ({
  path,
  requestStream: true,
  responseStream: true,
  requestSerialize: (message: DeltaDiscoveryRequest) =>
    Buffer.from(toBinary(DeltaDiscoveryRequestSchema, message)),
  requestDeserialize: (bytes: Buffer) => fromBinary(DeltaDiscoveryRequestSchema, bytes),
  responseSerialize: serialize,
  responseDeserialize: (bytes: Buffer) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
})

const service: ServiceDefinition = { delta: method(DELTA_PATH), stream: method(STREAM_PATH) }
