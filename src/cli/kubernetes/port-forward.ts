import type { EventEmitter } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { clusterReason } from './cluster-failure.ts'
import type { Cluster } from './load-cluster.ts'
import { CommandFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'
import type { ReachablePort } from '../gateway/gateway-target.ts'

/** A port of a pod. */
export interface PodPort {
  readonly namespace: string
  readonly pod: string
  readonly port: number
}

/**
 * Forwards a free port of 127.0.0.1 to a port of a pod, one WebSocket to the API server for each connection, until it
 * is closed.
 */
export const forwardPodPort = async (cluster: Cluster, target: PodPort): Promise<ReachablePort> => {
  let failure: string | undefined
  const sockets = new Set<Socket>()
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => undefined)
  const onFailure = (error: unknown) => {
    const reason = clusterReason(isErrorEvent(error) ? new Error(error.message) : error)
    failure ??= reason
    if (!isGone(reason)) return
    failure = reason
    gone.reject(new Error(reason))
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket))
    forwardConnection(cluster, target, socket, onFailure).catch((error: unknown) => {
      onFailure(error)
      socket.destroy()
    })
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      resolve((server.address() as { readonly port: number }).port)
    })
  })
  return {
    host: '127.0.0.1',
    port,
    failure: async (what) =>
      failure === undefined ? undefined : portForwardFailure(cluster, target, what, failure),
    gone: gone.promise,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A pod that was ended, with its node perhaps. */
const isGone = (reason: string): boolean => reason.includes('Unexpected server response: 404')

/** What a WebSocket emits when its handshake is refused. */
const isErrorEvent = (error: unknown): error is { readonly message: string } =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'

const forwardConnection = async (
  { client, config }: Cluster,
  { namespace, pod, port }: PodPort,
  socket: Socket,
  onFailure: (error: unknown) => void,
): Promise<void> => {
  const forward = new client.PortForward(config)
  const errors = new ErrorChannel(onFailure)
  const connection = (await forward.portForward(
    namespace,
    pod,
    [port],
    socket,
    errors,
    socket,
  )) as ForwardConnection
  connection.on('error', onFailure)
  connection.on('message', () => {
    // The library writes without regard to the pace of the reader.
    if (!socket.writableNeedDrain || connection.isPaused) return
    connection.pause()
    socket.once('drain', () => connection.resume())
  })
  connection.once('close', () => socket.end())
  socket.once('close', () => connection.terminate())
  if (socket.destroyed) connection.terminate()
}

/** What is used of the WebSocket, whose package is one of the library's. */
interface ForwardConnection extends EventEmitter {
  readonly isPaused: boolean
  pause(): void
  resume(): void
  terminate(): void
}

/** The error channel of a forwarded port: its first text is the reason. */
class ErrorChannel extends Writable {
  constructor(onFailure: (error: unknown) => void) {
    super({
      write: (chunk: Buffer, _encoding, done) => {
        if (chunk.length > 0) onFailure(new Error(chunk.toString('utf8')))
        done()
      },
    })
  }
}

/** The failure of a forwarded port, by what the API server or the node says. */
const portForwardFailure = async (
  cluster: Cluster,
  { namespace, pod, port }: PodPort,
  what: string,
  reason: string,
): Promise<CommandFailure> => {
  const message = `${what}: failure running port forward process`
  if (reason.includes('Unexpected server response: 403')) {
    const verbs = await missingForwardVerbs(cluster, namespace)
    const permissions = verbs.map((verb) => `kubectl auth can-i ${verb} pods/portforward -n ${namespace}`)
    return new CommandFailure(
      `${message}: the account may not ${verbs.join(' and ')} pods/portforward in namespace "${namespace}"`,
      { hint: `It needs the permission: ${permissions.join('; ')}` },
    )
  }
  if (isGone(reason))
    return new CommandFailure(`${message}: pod "${pod}" is gone`, { hint: 'Try again: it was replaced.' })
  const isRefused = reason.includes('refused')
  return new CommandFailure(`${message}: ${reason}`, {
    hint: isRefused
      ? `Nothing in the pod listens on port ${String(port)}.`
      : 'The API server must reach the node of the pod.',
    exitCode: exitCode.unreachable,
  })
}

/** A refused handshake does not say what is missing: a WebSocket begins with GET, and newer API servers want both. */
const missingForwardVerbs = async (
  { client, config }: Cluster,
  namespace: string,
): Promise<readonly string[]> => {
  const reviews = config.makeApiClient(client.AuthorizationV1Api)
  const verbs = ['create', 'get']
  try {
    const allowed = await Promise.all(
      verbs.map(async (verb) => {
        const resourceAttributes = { namespace, verb, resource: 'pods', subresource: 'portforward' }
        const { status } = await reviews.createSelfSubjectAccessReview({
          body: { spec: { resourceAttributes } },
        })
        return status?.allowed === true
      }),
    )
    const missing = verbs.filter((_, i) => allowed[i] !== true)
    return missing.length > 0 ? missing : verbs
  } catch {
    return verbs
  }
}
