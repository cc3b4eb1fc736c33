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
import { peerAddress, type ConnectionEnd, type ConnectionLimits, XdsConnections } from './connections.ts'
import { type DeltaCall, DeltaStream, failCall, type XdsRejection } from './delta-stream.ts'
import { QueueFull } from './fair-queue.ts'
import type { ResourceSets } from './resource-sets.ts'
import { openXdsPort, type XdsPort, type XdsPortOptions } from './xds-port.ts'

/** Options of the server. */
export interface XdsServerOptions extends XdsPortOptions, ConnectionLimits {
  readonly sets: ResourceSets
  /** Undefined trusts every caller: for networks that only proxies can reach. */
  readonly authenticate?: Authenticate | undefined
  /** Streams at a time; 2,000 by default. */
  readonly maxStreams?: number
  /** Streams of one service account at a time; a quarter of all by default. */
  readonly maxStreamsPerAccount?: number
  /** How long a client may take to read a response; 30 seconds by default. */
  readonly readMs?: number
  readonly events: XdsServerEvents
}

/** What the server reports. */
export interface XdsServerEvents {
  /** A client has refused resources. */
  readonly onRejected: (rejection: XdsRejection) => void
  /** A caller was authenticated, or was not. */
  readonly onAuthenticated: (succeeded: boolean, error?: unknown) => void
  /** A connection was refused or ended for what it did. */
  readonly onConnectionEnded: (reason: ConnectionEnd) => void
}

/** A running server. */
export interface XdsServer extends Pick<XdsPort, 'port'> {
  /** Streams that are open. */
  readonly streams: number
  /** Whether proxies can connect: with TLS, there must be a certificate. */
  readonly isServing: boolean
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
    // It would keep a record of every connection.
    'grpc.enable_channelz': 0,
  })
  const connections = new XdsConnections(options, (reason) => {
    options.events.onConnectionEnded(reason)
  })
  const open: OpenStreams = { streams: new Set(), accounts: new Map() }
  server.addService(service, {
    delta: (call: DeltaCall) => {
      void admit(call, options, open, connections)
    },
    stream: (call: DeltaCall) => {
      failCall(call, status.UNIMPLEMENTED, 'not supported')
    },
  } satisfies UntypedServiceImplementation)
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  const opened = await openXdsPort(options, connections, (socket) => {
    injector.injectConnection(socket)
  })
  return {
    port: opened.port,
    get streams() {
      return open.streams.size
    },
    get isServing() {
      return options.mode === 'plaintext' || options.certificate?.current !== undefined
    },
    close: async () => {
      for (const stream of [...open.streams]) stream.close()
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
const READ_MS = 30_000

interface OpenStreams {
  readonly streams: Set<DeltaStream>
  /** Numbers of streams by service account. */
  readonly accounts: Map<string, number>
}

const admit = async (
  call: DeltaCall,
  options: XdsServerOptions,
  open: OpenStreams,
  connections: XdsConnections,
): Promise<void> => {
  const { sets, authenticate, readMs = READ_MS, events } = options
  // A call that has ended has no peer any more.
  const peer = call.getPeer()
  if (!sets.isSynced) {
    failCall(call, status.UNAVAILABLE, 'server is not ready to serve discovery information')
    return
  }
  // Streams that are being authenticated do not count: whoever has no token could take all of them. They are bounded by
  // the queue of reviews.
  const account = authenticate && (await authenticated(call, peer, authenticate, events))
  if (call.cancelled || (authenticate && !account)) return
  const name = account ? `${account.namespace}/${account.name}` : ''
  const problem = tooManyStreams(open, name, options)
  if (problem !== undefined) {
    failCall(call, status.RESOURCE_EXHAUSTED, problem)
    return
  }
  const release = connections.admit(peer)
  if (!release) return
  const stream = new DeltaStream(call, {
    sets,
    account,
    readMs,
    onRejected: events.onRejected,
    onSlow: () => {
      connections.end(peer, 'slow')
    },
  })
  open.streams.add(stream)
  open.accounts.set(name, (open.accounts.get(name) ?? 0) + 1)
  // A client whose token is no longer valid must not keep its stream: it connects again, and its token is reviewed.
  const expiry = setTimeout(
    () => {
      stream.close()
    },
    STREAM_MS * (1 - Math.random() / 5),
  ).unref()
  for (const event of ['cancelled', 'error', 'close', 'finish'])
    call.once(event, () => {
      if (!open.streams.delete(stream)) return
      clearTimeout(expiry)
      release()
      const left = (open.accounts.get(name) ?? 1) - 1
      if (left > 0) open.accounts.set(name, left)
      else open.accounts.delete(name)
    })
}

/** Why there may be no further stream of an account. */
const tooManyStreams = (
  { streams, accounts }: OpenStreams,
  account: string,
  { authenticate, maxStreams = DEFAULT_STREAMS, maxStreamsPerAccount = maxStreams / 4 }: XdsServerOptions,
): string | undefined => {
  if (streams.size >= maxStreams) return `there are ${maxStreams} streams already`
  return authenticate && (accounts.get(account) ?? 0) >= maxStreamsPerAccount
    ? `there are ${maxStreamsPerAccount} streams of ${account} already`
    : undefined
}

/** The account of the caller; undefined if the call was refused. */
const authenticated = async (
  call: DeltaCall,
  peer: string,
  authenticate: Authenticate,
  events: XdsServerEvents,
): Promise<ServiceAccount | undefined> => {
  try {
    // Nothing is read before: an unknown caller costs what the flow control of one stream admits.
    const [header] = call.metadata.get('authorization')
    const token = tokenOfHeader(typeof header === 'string' ? header : undefined)
    if (token === undefined) throw new AuthenticationError('there is no bearer token')
    const account = await authenticate(token, {
      address: peerAddress(peer),
      isWaiting: () => !call.cancelled,
    })
    events.onAuthenticated(true)
    return account
  } catch (error) {
    events.onAuthenticated(false, error)
    failCall(call, ...refusalOf(error))
    return undefined
  }
}

/** Only what is about the caller is for the caller. */
const refusalOf = (error: unknown): readonly [status, string] => {
  if (error instanceof AuthenticationError)
    return [status.UNAUTHENTICATED, `authentication failed: ${error.message}`]
  return error instanceof QueueFull
    ? [status.RESOURCE_EXHAUSTED, `authentication failed: ${error.message}`]
    : [status.UNAVAILABLE, 'authentication failed: the token cannot be reviewed now']
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
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: serialize,
  responseDeserialize: (bytes: Buffer) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
})

const service: ServiceDefinition = { delta: method(DELTA_PATH), stream: method(STREAM_PATH) }
