import type { ServerHttp2Session } from 'node:http2'

/** Pings an HTTP/2 client regularly; one that does not acknowledge in time is disconnected. */
export const pingRegularly = (session: ServerHttp2Session, intervalMs: number, timeoutMs: number): void => {
  const pings = setInterval(() => {
    if (session.destroyed) return
    const timeout = setTimeout(() => session.destroy(), timeoutMs)
    session.ping(() => clearTimeout(timeout))
  }, intervalMs)
  session.once('close', () => clearInterval(pings))
}
