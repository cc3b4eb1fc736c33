import { xdsResource, type XdsResource } from '../../../src/config/xds/xds-resource.ts'
import type { ConnectionEnd } from '../../../src/controller/sinks/xds/connections.ts'
import type { XdsRejection } from '../../../src/controller/sinks/xds/delta-stream.ts'
import { ResourceSets } from '../../../src/controller/sinks/xds/resource-sets.ts'
import {
  openXdsServer,
  type XdsServer,
  type XdsServerOptions,
} from '../../../src/controller/sinks/xds/xds-server.ts'
import { EventQueue } from './event-queue.ts'

/** A server of discovery on a free port, and what it reports. */
export interface TestXdsServer extends XdsServer, AsyncDisposable {
  readonly sets: ResourceSets
  readonly authenticated: boolean[]
  /** Why the next connection was refused or ended. */
  nextEnd(): Promise<ConnectionEnd>
  /** Resolves with the next refusal that was not taken yet. */
  nextRejection(): Promise<XdsRejection>
}

/** Starts a server that has its resources, unless `sets` has none yet. */
export const startXdsServer = async (options: Partial<XdsServerOptions> = {}): Promise<TestXdsServer> => {
  const sets = options.sets ?? new ResourceSets()
  const rejections = new EventQueue<XdsRejection>()
  const ends = new EventQueue<ConnectionEnd>()
  const authenticated: boolean[] = []
  if (!options.sets) sets.synced()
  const server = await openXdsServer({
    port: 0,
    host: '127.0.0.1',
    mode: 'plaintext',
    ...options,
    sets,
    events: {
      onRejected: (rejection) => {
        rejections.push(rejection)
      },
      onAuthenticated: (succeeded) => {
        authenticated.push(succeeded)
      },
      onConnectionEnded: (reason) => {
        ends.push(reason)
      },
    },
  })
  const close = async () => {
    sets.close()
    await server.close()
  }
  return {
    port: server.port,
    get streams() {
      return server.streams
    },
    get isServing() {
      return server.isServing
    },
    sets,
    authenticated,
    nextEnd: () => ends.next(),
    close,
    [Symbol.asyncDispose]: close,
    nextRejection: () => rejections.next(),
  }
}

/** A port with one listener, of the gateway `default/web`. */
export const portResources = (port: number): readonly XdsResource[] => [
  xdsResource('bind', `bind/${port}`, { port, address: '127.0.0.1' }),
  xdsResource('listener', 'default/web/http', { name: 'http', protocol: 'HTTP' }, [`bind/${port}`]),
]

/** A route of that listener that replies itself. */
export const replyRoute = (name: string, body: string, path = `/${name}`): XdsResource =>
  xdsResource(
    'route',
    `HTTPRoute/default/${name}/00`,
    {
      name,
      namespace: 'default',
      matches: [{ path: { pathPrefix: path } }],
      policies: { directResponse: { status: 200, body } },
    },
    ['default/web/http'],
  )
