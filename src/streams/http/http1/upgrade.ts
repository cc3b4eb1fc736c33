import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { PacedReading } from './paced-reading.ts'

/**
 * The response to a request for which Node released the socket, an upgrade or a CONNECT: either the connection switches
 * protocols, or this is an ordinary reply and the last one.
 */
export const responseAfterSwitch = (
  req: IncomingMessage,
  socket: Socket,
  head: Buffer,
  paced: PacedReading | undefined,
): ServerResponse => {
  if (head.length > 0) socket.unshift(head)
  // Its unparsed bytes follow `head`.
  paced?.release()
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  socket.on('drain', () => res.emit('drain'))
  res.on('finish', () => socket.destroySoon())
  // Reading on detects a client that disconnects before its reply.
  socket.read(0)
  return res
}

/** The first protocol of an Upgrade field that is allowed. Never `h2c`: it would bypass every policy. */
export const allowedUpgrade = (
  upgrade: string | undefined,
  allowed: ReadonlySet<string>,
): string | undefined =>
  upgrade
    ?.split(',')
    .map((protocol) => protocol.trim().toLowerCase())
    .find((protocol) => protocol !== 'h2c' && allowed.has(protocol))
