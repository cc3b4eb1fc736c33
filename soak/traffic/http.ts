import { Agent, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { expectOneOf, type Traffic, type TrafficTarget, withTimeout } from './traffic.ts'

/** Requests whose response is read to its end. */
const read = (
  name: string,
  path: string,
  statuses: readonly number[],
  options: { readonly method?: string; readonly body?: string; readonly clients?: number } = {},
): Traffic => ({
  name,
  clients: options.clients ?? 1,
  pauseMs: 40,
  call: ({ url }) =>
    withTimeout(name, async (signal) => {
      const { method = 'GET', body } = options
      const response = await fetch(`${url}${path}`, { method, signal, ...(body !== undefined && { body }) })
      await response.arrayBuffer()
      expectOneOf('the status', response.status, ...statuses)
    }),
})

/** A response that the upstream breaks off must arrive as broken. */
const brokenResponse: Traffic = {
  name: 'broken response',
  clients: 1,
  pauseMs: 100,
  call: ({ url }) =>
    withTimeout('broken response', async (signal) => {
      const response = await fetch(`${url}/broken`, { signal })
      const bytes = await response.arrayBuffer().then(
        ({ byteLength }) => byteLength,
        () => undefined,
      )
      signal.throwIfAborted()
      expectOneOf('the length of a broken body', bytes, undefined)
    }),
}

/** Clients that leave: before the head, within the body, or within an endless stream. */
const leavingClient: Traffic = {
  name: 'leaving client',
  clients: 2,
  pauseMs: 30,
  call: async ({ url }, count) => {
    const controller = new AbortController()
    const paths = ['/slow', '/large', '/events', '/ok']
    const { signal } = controller
    const response = fetch(`${url}${paths[count % paths.length] ?? ''}`, { signal })
    response.catch(() => undefined)
    if (count % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    else {
      const reader = (await response).body?.getReader()
      await reader?.read()
    }
    controller.abort()
  },
}

/** Uploads that are broken off. */
const leavingUpload: Traffic = {
  name: 'leaving upload',
  clients: 1,
  pauseMs: 100,
  call: (target) =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(target.url)
      const upload = request({ hostname, port, path: '/ok', method: 'POST', agent: uploadAgent })
      upload.setHeader('content-length', 10_000_000)
      upload.on('error', () => undefined).once('close', () => resolve())
      upload.write(Buffer.alloc(256 * 1024), () => upload.destroy())
    }),
}
const uploadAgent = new Agent()

/** Requests over TLS, each with a handshake of its own. */
const overTls: Traffic = {
  name: 'TLS',
  clients: 1,
  pauseMs: 100,
  call: ({ secureUrl }) =>
    withTimeout('TLS', async (signal) => {
      const options = { signal, agent: false, rejectUnauthorized: false }
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const req = secureRequest(`${secureUrl}/ok`, options, (res) => {
          res.resume().once('close', () => resolve(res.statusCode))
        })
        req.once('error', reject).end()
      })
      expectOneOf('the status', status, 200)
    }),
}

/** Requests with a token, which is new for every request; each twentieth is forged. */
const authenticated: Traffic = {
  name: 'new tokens',
  clients: 2,
  pauseMs: 40,
  call: ({ url, keys }: TrafficTarget, count) =>
    withTimeout('new tokens', async (signal) => {
      const isForged = count % 20 === 7
      const token = isForged ? `${keys.token().slice(0, -8)}AAAAAAAA` : keys.token()
      const response = await fetch(`${url}/private`, {
        signal,
        headers: { authorization: `Bearer ${token}` },
      })
      await response.arrayBuffer()
      expectOneOf('the status', response.status, isForged ? 401 : 200)
    }),
}

/** Kinds of plain HTTP traffic. */
export const httpTraffic: readonly Traffic[] = [
  read('GET', '/ok', [200], { clients: 4 }),
  read('POST', '/ok', [200], { method: 'POST', body: 'x'.repeat(10_000) }),
  read('retried', '/flaky', [200, 503]),
  read('dead upstream', '/dead', [503]),
  read('ejected upstream', '/balanced', [200]),
  read('reset by upstream', '/reset', [502, 503]),
  read('large download', '/large', [200]),
  brokenResponse,
  leavingClient,
  leavingUpload,
  overTls,
  authenticated,
]
