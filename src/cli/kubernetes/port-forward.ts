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
  const onFailure = (error: unknown) => {
    failure ??= clusterReason(error)
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
    failure: () => failure,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

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

/** The failure of a forwarded port. */
export const portForwardFailure = (what: string, reason: string, cause: unknown): CommandFailure =>
  new CommandFailure(`${what}: failure running port forward process: ${reason}`, {
    hint: 'The account of the kubeconfig needs to create pods/portforward, and the gateway to listen on the port: -p chooses that of its admin server.',
    exitCode: exitCode.unreachable,
    cause,
  })
