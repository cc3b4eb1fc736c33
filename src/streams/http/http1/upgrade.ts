import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The response to a request for which Node let go of the socket, an upgrade or a CONNECT: either its connection changes
 * hands, or this is an ordinary answer and the last one.
 */
export const responseAfterSwitch = (req: IncomingMessage, socket: Socket, head: Buffer): ServerResponse => {
  if (head.length > 0) socket.unshift(head)
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  socket.on('drain', () => res.emit('drain'))
  res.on('finish', () => socket.destroySoon())
  // Reading on is how a client that leaves before its answer is noticed.
  socket.read(0)
  return res
}

/** The first of the protocols of an Upgrade field that is allowed. `h2c` is none: it would lead past every policy. */
export const allowedUpgrade = (
  upgrade: string | undefined,
  allowed: ReadonlySet<string>,
): string | undefined =>
  upgrade
    ?.split(',')
    .map((protocol) => protocol.trim().toLowerCase())
    .find((protocol) => protocol !== 'h2c' && allowed.has(protocol))
