import type { Socket } from 'node:net'
import { type Dialled, timedOut } from './dial.ts'
import { refusedByProxy } from '../faults.ts'

/** Longest response head of a proxy. */
const MAX_HEAD_BYTES = 16_384

/**
 * Sends a CONNECT request to the proxy at the other end of a connection (RFC 9110 §9.3.6). After the response head the
 * connection is the tunnel. The body of a refusal is not read.
 *
 * @param authority `host:port` of the target.
 * @param authorization Value of `Proxy-Authorization`.
 * @returns Cancels; `dialled` is then not called.
 */
export const exchangeConnect = (
  socket: Socket,
  authority: string,
  authorization: string | undefined,
  timeoutMs: number,
  dialled: Dialled,
): (() => void) => {
  const parts: Buffer[] = []
  let sizeBytes = 0
  const finish = (error: Error | null) => {
    stop()
    if (error) socket.destroy()
    dialled(error, error ? null : socket)
  }
  const read = () => {
    for (let chunk = socket.read() as Buffer | null; chunk; chunk = socket.read() as Buffer | null) {
      parts.push(chunk)
      sizeBytes += chunk.length
    }
    if (parts.length === 0) return
    const verdict = parseResponse(Buffer.concat(parts, sizeBytes))
    if (verdict === undefined) return
    if (verdict instanceof Error) {
      finish(verdict)
      return
    }
    stop()
    if (verdict.length) socket.unshift(verdict)
    dialled(null, socket)
  }
  const ended = () =>
    finish(proxyError('PROXY_CLOSED', 'the proxy closed the connection instead of answering CONNECT'))
  const broke = (error: Error) =>
    finish(proxyError('PROXY_CLOSED', 'the connection to the proxy broke', error))
  const timer = setTimeout(() => finish(timedOut(timeoutMs)), timeoutMs)
  const stop = () => {
    clearTimeout(timer)
    socket.off('readable', read).off('end', ended).off('close', ended).off('error', broke)
  }
  socket.on('readable', read).on('end', ended).on('close', ended).on('error', broke)
  const credential = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credential}\r\n`, 'latin1')
  return () => {
    stop()
    socket.destroy()
  }
}

/** An error of a connection through a proxy. */
export const proxyError = (code: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code })

/**
 * The bytes after the head of a 2xx response, or why there is no tunnel; undefined while the response is incomplete.
 */
const parseResponse = (bytes: Buffer): Buffer | Error | undefined => {
  // 1xx heads count towards the limit: there may be endlessly many.
  for (let start = 0; ;) {
    const end = bytes.indexOf('\r\n\r\n', start)
    if ((end < 0 ? bytes.length : end) > MAX_HEAD_BYTES) return nonsense('with a head beyond all measure')
    const begin = bytes.toString('latin1', start, start + STATUS_LINE.length)
    if (!STATUS_LINE.startsWith(begin)) return nonsense('in something that is not HTTP/1')
    if (end < 0) return undefined
    const head = bytes.toString('latin1', start, end + 2)
    const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |\r\n)/.exec(head)?.[1]
    if (status === undefined) return nonsense('without a status')
    start = end + 4
    if (status.startsWith('2')) return bytes.subarray(start)
    if (!status.startsWith('1')) return refusedByProxy(Number(status))
  }
}

const STATUS_LINE = 'HTTP/1.'

const nonsense = (how: string): Error => proxyError('PROXY_MALFORMED', `the proxy answered CONNECT ${how}`)
