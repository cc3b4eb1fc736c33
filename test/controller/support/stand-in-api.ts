import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { accountInToken } from '../../support/xds/xds-token.ts'
import { merged, type StoredChange, type StoredObject, StoredObjects } from './stored-objects.ts'

/** An API server that keeps objects: it serves lists, watches and writes of any kind, without a schema. */
export interface StandInApi extends AsyncDisposable {
  readonly origin: string
  readonly objects: StoredObjects
  /** Requests that write, such as `PATCH apps/deployments infra/web`, in their order; renewals of leases aside. */
  readonly writes: readonly string[]
  /** Watches that are open. */
  readonly watches: number
  /** Requests for a collection get no response until released; watches and lists as well. */
  hold(collection: string): () => void
  /** The object, once it is as it should be. */
  until(collection: string, key: string, isRight?: (object: StoredObject) => boolean): Promise<StoredObject>
}

/** Starts the server. Tokens are those of the service account that they name. */
export const startStandInApi = async (): Promise<StandInApi> => {
  const objects = new StoredObjects()
  const writes: string[] = []
  const watches = new Set<ServerResponse>()
  const held = new Map<string, PromiseWithResolvers<undefined>>()
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const call = parseCall(request, body)
      await held.get(call.collection)?.promise
      if (call.collection === 'authentication.k8s.io/tokenreviews') reply(response, 201, reviewed(body))
      else if (call.isWatch) watch(objects, call, response, watches)
      else {
        if (call.method !== 'GET' && !call.collection.endsWith('/leases'))
          writes.push(`${call.method} ${call.collection} ${call.key}${call.isStatus ? ' status' : ''}`)
        perform(objects, call, response)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    writes,
    get watches() {
      return watches.size
    },
    hold: (collection) => {
      const released = Promise.withResolvers<undefined>()
      held.set(collection, released)
      return () => {
        held.delete(collection)
        released.resolve(undefined)
      }
    },
    until: async (collection, key, isRight = () => true) => {
      for (;;) {
        const object = objects.get(collection, key)
        if (object && isRight(object)) return object
        await objects.changed
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface ApiCall {
  readonly method: string
  /** `group/plural`; the core group has no name. */
  readonly collection: string
  readonly namespace: string | undefined
  /** `namespace/name`, or the name; that of the body for a new object. */
  readonly key: string
  readonly isOne: boolean
  readonly isStatus: boolean
  readonly isWatch: boolean
  readonly position: number
  readonly body: StoredObject
}

const PATH =
  /^\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(\/status)?$/

const parseCall = ({ method = 'GET', url = '/' }: IncomingMessage, body: StoredObject): ApiCall => {
  const { pathname, searchParams } = new URL(url, 'http://api')
  const [, group = '', namespace, plural = '', name, status] = PATH.exec(pathname) ?? []
  const named = name ?? (body.metadata as { readonly name: string } | undefined)?.name ?? ''
  return {
    method,
    collection: `${group}/${plural}`,
    namespace,
    key: namespace === undefined ? named : `${namespace}/${named}`,
    isOne: name !== undefined,
    isStatus: status !== undefined,
    isWatch: searchParams.get('watch') === 'true',
    position: Number(searchParams.get('resourceVersion') ?? 0),
    body,
  }
}

const readBody = async (request: IncomingMessage): Promise<StoredObject> => {
  const text = (await request.toArray()).join('')
  const { stringData, ...object } = (text === '' ? {} : JSON.parse(text)) as StoredObject
  if (stringData === undefined) return object
  const data = Object.entries(stringData as Readonly<Record<string, string>>).map(([name, value]) => [
    name,
    Buffer.from(value).toString('base64'),
  ])
  return { ...object, data: Object.fromEntries(data) as unknown }
}

const perform = (objects: StoredObjects, call: ApiCall, response: ServerResponse): void => {
  const { method, collection, namespace, key, isOne, isStatus, body } = call
  const live = objects.get(collection, key)
  if (method === 'GET' && !isOne) {
    const metadata = { resourceVersion: String(objects.version) }
    reply(response, 200, { metadata, items: objects.list(collection, namespace) })
  } else if (method === 'POST') {
    if (live) fail(response, 409, 'AlreadyExists')
    else reply(response, 201, objects.set(collection, key, body))
  } else if (method === 'PATCH' && !isStatus) {
    reply(response, 200, objects.set(collection, key, merged(live ?? {}, body) as StoredObject))
  } else if (!live) fail(response, 404, 'NotFound')
  else if (method === 'GET') reply(response, 200, live)
  else if (method === 'PATCH') {
    const status = merged(live.status, body.status)
    reply(response, 200, objects.set(collection, key, { ...live, status }))
  } else if (method === 'PUT') {
    if (body.metadata.resourceVersion !== live.metadata.resourceVersion) fail(response, 409, 'Conflict')
    else reply(response, 200, objects.set(collection, key, body))
  } else reply(response, 200, objects.delete(collection, key))
}

const watch = (
  objects: StoredObjects,
  { collection, position }: ApiCall,
  response: ServerResponse,
  watches: Set<ServerResponse>,
): void => {
  watches.add(response)
  response.once('close', () => watches.delete(response))
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
  void (async () => {
    let next = 0
    while (watches.has(response)) {
      const due = objects.history.slice(next).filter(isOf(collection, position))
      next = objects.history.length
      for (const { type, object } of due) response.write(`${JSON.stringify({ type, object })}\n`)
      await objects.changed
    }
  })()
}

const isOf =
  (collection: string, position: number) =>
  (change: StoredChange): boolean =>
    change.collection === collection && change.version > position

const reply = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const fail = (response: ServerResponse, code: number, reason: string): void => {
  reply(response, code, { kind: 'Status', status: 'Failure', code, reason, message: reason })
}

const reviewed = (review: StoredObject): unknown => {
  const { token } = review.spec as { readonly token: string }
  const username = `system:serviceaccount:${accountInToken(token)}`
  return { ...review, status: { authenticated: true, audiences: ['agentgateway'], user: { username } } }
}
