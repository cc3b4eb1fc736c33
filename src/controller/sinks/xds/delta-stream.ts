import { create } from '@bufbuild/protobuf'
import { Metadata, type ServerDuplexStream, type StatusObject, status } from '@grpc/grpc-js'
import { randomUUID } from 'node:crypto'
import {
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
} from '../../../protocols/xds/discovery.gen.ts'
import { RESOURCE_TYPE } from '../../../protocols/xds/types.ts'
import type { ServiceAccount } from './authentication.ts'
import { DecodingQueue } from './decoding-queue.ts'
import type { ReceivedRequest } from './received-request.ts'
import type { ResourceSet, ResourceSets } from './resource-sets.ts'
import { roleOf, roleProblem } from './stream-role.ts'
import { Subscription } from './subscription.ts'

/** A client has refused resources. */
export interface XdsRejection {
  /** What the client belongs to, as `namespace/name`. */
  readonly role: string
  /** The id of the client. */
  readonly node: string
  readonly message: string
}

/** What a stream depends on. */
export interface DeltaStreamOptions {
  readonly sets: ResourceSets
  /** Undefined without authentication: the role is trusted then. */
  readonly account: ServiceAccount | undefined
  readonly onRejected: (rejection: XdsRejection) => void
  /** How long the client may take to read a response. */
  readonly readMs: number
  /** The client does not read: nothing can be sent on its stream, not even the end. */
  readonly onSlow: () => void
}

/** The server's side of a stream of gRPC; requests are not decoded yet. */
export type DeltaCall = ServerDuplexStream<Uint8Array, DeltaDiscoveryResponse>

/** Larger updates are split. */
const RESPONSE_BYTES = 2 * 2 ** 20
/** Unacknowledged responses of a type that a client may have; then it is sent nothing. */
const MAX_UNANSWERED = 4
const MAX_TYPES = 8
const MAX_NAMES = 200_000
const MAX_NAME_BYTES = 32 * 2 ** 20
const LONGEST_MESSAGE = 16_384

/** One client: its subscriptions, and the responses under way. One response is written at a time. */
export class DeltaStream {
  readonly #call: DeltaCall
  readonly #options: DeltaStreamOptions
  readonly #subscriptions = new Map<string, SubscribedType>()
  #role = ''
  #node = ''
  #release: () => void = () => undefined
  /** Names that the client has sent so far; ours subscribes to everything, and names only what it has. */
  #names = 0
  #nameBytes = 0
  #isWriting = false
  readonly #requests: DecodingQueue
  #slow: NodeJS.Timeout | undefined = undefined
  #hasEnded = false

  constructor(call: DeltaCall, options: DeltaStreamOptions) {
    this.#call = call
    this.#options = options
    this.#requests = new DecodingQueue(
      call,
      (request) => {
        this.#receive(request)
      },
      () => {
        this.fail(status.INTERNAL, 'the request cannot be decoded')
      },
    )
    call.on('data', (bytes: Uint8Array) => {
      this.#requests.add(bytes)
    })
    call.on('end', () => {
      this.close()
    })
    for (const event of ['cancelled', 'error', 'close'])
      call.on(event, () => {
        this.#over()
      })
  }

  /** Ends the stream in order. */
  close(): void {
    if (this.#hasEnded) return
    this.#over()
    this.#call.end()
  }

  /** Refuses the stream. */
  fail(code: status, details: string): void {
    if (this.#hasEnded) return
    this.#over()
    failCall(this.#call, code, details)
  }

  #over(): void {
    this.#hasEnded = true
    this.#requests.end()
    clearTimeout(this.#slow)
    this.#release()
    this.#subscriptions.clear()
  }

  #receive(request: ReceivedRequest): void {
    if (this.#role === '' && !this.#identify(request)) return
    const problem = this.#nameProblem(request)
    if (problem !== undefined) {
      this.fail(status.RESOURCE_EXHAUSTED, problem)
      return
    }
    const known = this.#subscriptions.get(request.typeUrl)
    const set = this.#setOf(request.typeUrl)
    if (!known) {
      if (this.#subscriptions.size >= MAX_TYPES) {
        this.fail(status.RESOURCE_EXHAUSTED, `more than ${MAX_TYPES} types of resources`)
        return
      }
      this.#subscriptions.set(request.typeUrl, {
        subscription: new Subscription(request, set),
        unanswered: new Set(),
        isFirst: true,
      })
    } else {
      if (known.unanswered.delete(request.responseNonce) && request.errorDetail)
        this.#options.onRejected({
          role: this.#role,
          node: this.#node,
          message: request.errorDetail.message.slice(0, LONGEST_MESSAGE),
        })
      known.subscription.update(request, set)
    }
    this.#write()
  }

  /** Names are kept for each stream, with their versions: a client must not fill the memory with them. */
  #nameProblem({ resourceNamesSubscribe, versions }: ReceivedRequest): string | undefined {
    for (const name of resourceNamesSubscribe) {
      this.#names++
      this.#nameBytes += name.length
    }
    for (const [name, version] of versions) {
      this.#names++
      this.#nameBytes += name.length + version.length
    }
    if (this.#names > MAX_NAMES) return `more than ${MAX_NAMES} names of resources`
    return this.#nameBytes > MAX_NAME_BYTES
      ? `more than ${MAX_NAME_BYTES} bytes of names of resources`
      : undefined
  }

  /** Whether the first request says who the client is, and it may be. */
  #identify({ node }: ReceivedRequest): boolean {
    const { account, sets } = this.#options
    if (!node?.id) {
      this.fail(status.INVALID_ARGUMENT, 'missing node information')
      return false
    }
    const role = roleOf(node)
    if (role === undefined) {
      this.fail(status.INVALID_ARGUMENT, 'node.metadata.role must be <namespace>~<gateway>')
      return false
    }
    const problem = account && roleProblem(role, account)
    if (problem !== undefined) {
      this.fail(status.PERMISSION_DENIED, problem)
      return false
    }
    if (sets.isWithheld(role)) {
      this.fail(
        status.UNAVAILABLE,
        'the resources of this gateway are not known: its class is gone, or see the log of the control plane',
      )
      return false
    }
    this.#role = role
    this.#node = node.id.slice(0, 512)
    this.#release = sets.follow(role, (names) => {
      this.#subscriptions.get(RESOURCE_TYPE)?.subscription.changed(names)
      this.#write()
    })
    return true
  }

  /** Other types exist, and have no resources. */
  #setOf(typeUrl: string): ResourceSet {
    return typeUrl === RESOURCE_TYPE ? this.#options.sets.of(this.#role) : new Map()
  }

  #write(): void {
    if (this.#isWriting || this.#hasEnded) return
    for (const [typeUrl, type] of this.#subscriptions) {
      const { subscription, unanswered } = type
      if (unanswered.size >= MAX_UNANSWERED || !(type.isFirst || subscription.isPending)) continue
      const part = subscription.take(this.#setOf(typeUrl), RESPONSE_BYTES)
      const isEmpty = part.resources.length + part.removed.length === 0
      if (isEmpty && !type.isFirst && !type.isContinued) continue
      type.isFirst = false
      type.isContinued = part.more
      const nonce = randomUUID()
      unanswered.add(nonce)
      this.#isWriting = true
      // One response is on its way at a time, and what changes meanwhile is merged: all that is bounded is the time.
      const slow = setTimeout(this.#options.onSlow, this.#options.readMs)
      this.#slow = slow
      this.#call.write(
        create(DeltaDiscoveryResponseSchema, {
          systemVersionInfo: new Date().toISOString(),
          typeUrl,
          nonce,
          resources: part.resources,
          removedResources: part.removed,
          more: part.more,
        }),
        () => {
          clearTimeout(slow)
          this.#isWriting = false
          this.#write()
        },
      )
      return
    }
  }
}

/** One type of resources on a stream. */
interface SubscribedType {
  readonly subscription: Subscription
  /** Nonces of responses that the client has neither accepted nor refused. */
  readonly unanswered: Set<string>
  /** Whether it was not answered yet: the first request always is. */
  isFirst: boolean
  /** Whether the last response announced another one. */
  isContinued?: boolean
}

/** Ends a call with an error. */
export const failCall = (call: DeltaCall, code: status, details: string): void => {
  const error: Partial<StatusObject> = { code, details, metadata: new Metadata() }
  call.emit('error', error)
}
