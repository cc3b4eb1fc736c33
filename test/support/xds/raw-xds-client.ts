import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  ChannelCredentials,
  Client,
  type ClientDuplexStream,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
} from '../../../src/protocols/xds/discovery.gen.ts'
import { EventQueue } from './event-queue.ts'

const TYPE = 'type.googleapis.com/agentgateway.dev.resource.Resource'
const SERVICE = '/envoy.service.discovery.v3.AggregatedDiscoveryService'

/** A request, the type and the node of which are added. */
export type RawRequest = MessageInitShape<typeof DeltaDiscoveryRequestSchema> & { readonly $typeName?: never }

/** One stream of a client that sends what the test says. */
export interface RawXdsClient extends Disposable {
  send(request?: RawRequest): void
  /** The next response. */
  next(): Promise<DeltaDiscoveryResponse>
  /** Accepts a response. */
  accept(response: DeltaDiscoveryResponse): void
  /** How the stream ended: the status, with its details. */
  readonly ended: Promise<string>
}

/** Opens a stream. */
export const openRawClient = (
  port: number,
  {
    role = 'default~web',
    token,
    method = 'DeltaAggregatedResources',
    credentials = ChannelCredentials.createInsecure(),
    serverName = 'localhost',
  }: {
    readonly role?: string
    readonly token?: string
    readonly method?: string
    readonly credentials?: ChannelCredentials
    /** Checked against the certificate. */
    readonly serverName?: string
  } = {},
): RawXdsClient => {
  const client = new Client(`127.0.0.1:${port}`, credentials, {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.ssl_target_name_override': serverName,
  })
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  const call: ClientDuplexStream<DeltaDiscoveryRequest, DeltaDiscoveryResponse> =
    client.makeBidiStreamRequest(
      `${SERVICE}/${method}`,
      (message: DeltaDiscoveryRequest) => Buffer.from(toBinary(DeltaDiscoveryRequestSchema, message)),
      (bytes: Buffer) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
      metadata,
    )
  const responses = new EventQueue<DeltaDiscoveryResponse>()
  call.on('data', (response: DeltaDiscoveryResponse) => {
    responses.push(response)
  })
  const ended = new Promise<string>((resolve) => {
    call.on('error', (error: ServiceError) => resolve(`${error.code} ${error.details}`))
    call.on('end', () => resolve('ended'))
  })
  let isFirst = true
  const send = (request: RawRequest = {}) => {
    const node = isFirst ? { node: { id: 'proxy', metadata: { role } } } : {}
    isFirst = false
    call.write(create(DeltaDiscoveryRequestSchema, { typeUrl: TYPE, ...node, ...request }))
  }
  return {
    send,
    next: () => responses.next(),
    accept: ({ typeUrl, nonce }) => send({ typeUrl, responseNonce: nonce }),
    ended,
    [Symbol.dispose]: () => {
      call.cancel()
      client.close()
    },
  }
}

/** The names of resources, and of removed ones with a minus. */
export const namesIn = ({ resources, removedResources }: DeltaDiscoveryResponse): readonly string[] => [
  ...resources.map(({ name }) => name),
  ...removedResources.map((name) => `-${name}`),
]
