import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { makeAuthority } from '../certificates.ts'

/** An object of the stand-in, by its path: `api/v1/namespaces/apps/pods/web-1`. */
export type KubernetesObjects = Readonly<Record<string, object>>

/** A stand-in of the API server of a cluster. */
export interface KubernetesApi extends AsyncDisposable {
  /** A file that gives access. */
  readonly kubeconfig: string
  /** One whose token is wrong. */
  readonly kubeconfigWithWrongToken: string
  /** Protocols of the port-forward WebSockets so far. */
  readonly protocols: readonly string[]
  /** Resolves once no forwarded connection is open. */
  readonly forwardsClosed: () => Promise<void>
}

interface KubernetesApiOptions {
  readonly objects: KubernetesObjects
  /** Local ports by `pod:port`. */
  readonly ports: Readonly<Partial<Record<string, number>>>
  /** The protocol that the server chooses, if it is offered. */
  readonly protocol?: string
  /** Paths that the account may not use, collections and `…/portforward` among them. */
  readonly forbidden?: readonly string[]
}

const token = 'stand-in-token'

/** Starts an API server with TLS and a token: objects, lists with label selectors, and port-forward. */
export const startKubernetesApi = async ({
  objects,
  ports,
  protocol = 'v4.channel.k8s.io',
  forbidden = [],
}: KubernetesApiOptions): Promise<KubernetesApi> => {
  const authority = makeAuthority()
  const { cert, key } = authority.issue('127.0.0.1', ['IP:127.0.0.1'])
  const protocols: string[] = []
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => {
      const chosen = offered.has(protocol) ? protocol : false
      protocols.push(String(chosen))
      return chosen
    },
  })
  const server = createServer({ cert, key }, (req, res) => {
    serveObject(req, res, { objects, forbidden })
  })
  server.on('upgrade', (req, socket, head) => {
    const url = new URL(req.url ?? '', 'https://api')
    const [, pod] = /\/pods\/([^/]+)\/portforward$/.exec(url.pathname) ?? []
    if (!isAllowed(req) || pod === undefined || forbidden.includes(url.pathname.slice(1))) {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
      return
    }
    if (!(url.pathname.slice(1).replace(/\/portforward$/, '') in objects)) {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const port = Number(url.searchParams.get('ports'))
    sockets.handleUpgrade(req, socket, head, (client) => {
      forward(client, port, ports[`${pod}:${String(port)}`])
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const writeConfig = (name: string, secret: string) => {
    const file = join(authority.folder, name)
    writeFileSync(file, JSON.stringify(configOf(port, authority.cert, secret)))
    return file
  }
  return {
    kubeconfig: writeConfig('config', token),
    kubeconfigWithWrongToken: writeConfig('wrong', 'wrong'),
    protocols,
    async forwardsClosed() {
      for (const client of sockets.clients) await once(client, 'close')
    },
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      authority[Symbol.dispose]()
    },
  }
}

const configOf = (port: number, ca: string, secret: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'here',
  clusters: [
    {
      name: 'stand-in',
      cluster: {
        server: `https://127.0.0.1:${String(port)}`,
        'certificate-authority-data': Buffer.from(ca).toString('base64'),
      },
    },
  ],
  users: [{ name: 'tester', user: { token: secret } }],
  contexts: [
    { name: 'here', context: { cluster: 'stand-in', user: 'tester', namespace: 'apps' } },
    { name: 'empty', context: { cluster: 'stand-in', user: 'tester', namespace: 'nothing' } },
  ],
})

const isAllowed = ({ headers }: IncomingMessage): boolean => headers.authorization === `Bearer ${token}`

const serveObject = (
  req: IncomingMessage,
  res: ServerResponse,
  { objects, forbidden }: { readonly objects: KubernetesObjects; readonly forbidden: readonly string[] },
): void => {
  const reply = (status: number, body: object) => {
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const fail = (code: number, message: string) => {
    reply(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code })
  }
  const url = new URL(req.url ?? '', 'https://api')
  const path = url.pathname.slice(1)
  if (!isAllowed(req)) {
    fail(401, 'Unauthorized')
    return
  }
  const [name = '', kind = ''] = path.split('/').toReversed()
  if (forbidden.includes(path)) {
    const plural = collection.test(path) ? name : kind
    const verb = collection.test(path) ? 'list' : 'get'
    const message = `${plural} is forbidden: User "tester" cannot ${verb} resource "${plural}" in API group "" in the namespace "apps"`
    fail(403, message)
    return
  }
  if (path.endsWith('/selfsubjectaccessreviews')) {
    void reviewAccess(req, forbidden).then((body) => {
      reply(201, body)
    })
    return
  }
  const one = objects[path]
  if (one) {
    reply(200, one)
    return
  }
  if (collection.test(path)) {
    const selects = selector(url.searchParams.get('labelSelector') ?? '')
    const items = Object.entries(objects).flatMap(([key, object]) =>
      isIn(key, path) && selects(object) ? [object] : [],
    )
    reply(200, { apiVersion: 'v1', kind: 'List', metadata: {}, items })
    return
  }
  fail(404, `${kind} "${name}" not found`)
}

const collection =
  /\/(pods|gatewayclasses|gateways|listenersets|httproutes|grpcroutes|tlsroutes|backendtlspolicies|proxypolicies|proxybackends|proxymodels|inferencepools)$/

/** Whether an object belongs to the collection of a namespace, of the cluster, or of all namespaces. */
const isIn = (key: string, path: string): boolean => {
  if (key.startsWith(`${path}/`)) return true
  const at = path.lastIndexOf('/')
  return key.startsWith(`${path.slice(0, at)}/namespaces/`) && key.split('/').at(-2) === path.slice(at + 1)
}

/** May everything, but create what may not be used. */
const reviewAccess = async (req: IncomingMessage, forbidden: readonly string[]): Promise<object> => {
  const { spec } = (await json(req)) as {
    readonly spec: { readonly resourceAttributes: { readonly verb: string; readonly subresource: string } }
  }
  const { verb, subresource } = spec.resourceAttributes
  const allowed = verb !== 'create' || !forbidden.some((path) => path.endsWith(`/${subresource}`))
  return { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec, status: { allowed } }
}

/** `a=b`, `a in (b,c)`, `a` and `!a`, with commas. */
const selector = (text: string) => {
  const terms = text === '' ? [] : text.split(/,(?![^(]*\))/)
  return (object: object): boolean => {
    const { labels = {} } = (object as { metadata?: { labels?: Record<string, string> } }).metadata ?? {}
    return terms.every((term) => {
      const [, key = '', values] = /^(\S+) in \((.*)\)$/.exec(term) ?? []
      if (values !== undefined) return values.split(',').includes(labels[key] ?? '')
      if (term.startsWith('!')) return !(term.slice(1) in labels)
      const [name = '', value] = term.split('=')
      return value === undefined ? name in labels : labels[name] === value
    })
  }
}

/** Channel 0 has the data and channel 1 errors; each begins with the port. */
const forward = (client: WebSocket, port: number, target: number | undefined): void => {
  const send = (channel: number, data: Buffer) => {
    client.send(Buffer.concat([Buffer.from([channel]), data]))
  }
  const portBytes = Buffer.alloc(2)
  portBytes.writeUInt16LE(port)
  send(0, portBytes)
  send(1, portBytes)
  const fail = (reason: string) => {
    send(1, Buffer.from(`an error occurred forwarding ${String(port)}: ${reason}`))
    client.close()
  }
  if (target === undefined) {
    fail('connection refused')
    return
  }
  const socket = connect(target, '127.0.0.1')
  socket.on('data', (data) => {
    send(0, data)
  })
  socket.once('error', ({ message }) => {
    fail(message)
  })
  socket.once('close', () => {
    client.close()
  })
  client.on('message', (data: Buffer) => {
    if (data[0] === 0) socket.write(data.subarray(1))
    else if (data[0] === 255) socket.end()
  })
  client.once('close', () => socket.destroy())
}
