import { type AdminEndpoint, replyJson, replyText } from '../../admin/endpoint.ts'
import { indexPage } from '../../admin/handlers/index-page.ts'
import { profileEndpoints } from '../../admin/handlers/profiles.ts'
import type { HeapSampling } from '../../admin/profiling/heap-sampling.ts'
import { serveEndpoints } from '../../admin/server/endpoint-server.ts'
import type { ListeningServer } from '../../admin/server/listen.ts'
import type { ModuleLog } from '../../model/log/module-log.ts'
import { cannotListen, StartFailure } from '../../model/resources/start-failure.ts'
import { buildInfo } from '../../version.ts'
import type { ControllerSettings } from '../settings/controller-settings.ts'
import type { ComponentLevels } from './component-levels.ts'
import type { ControllerMetrics } from './controller-metrics.ts'
import { controllerLoggingEndpoint } from './logging-endpoint.ts'

/** What the servers of the control plane show. */
export interface ControllerPages {
  readonly metrics: ControllerMetrics
  readonly levels: ComponentLevels
  readonly heapSampling: HeapSampling | undefined
  /** Aborts when the control plane shuts down. */
  readonly shutdown: AbortSignal
  /** What must happen before the control plane is ready; empty when it is. */
  readonly pending: () => readonly string[]
  /** The resources of each Gateway, without secrets. */
  readonly snapshots: () => unknown
  readonly log: ModuleLog
}

/**
 * Opens the servers: health and metrics on all addresses, admin on loopback.
 *
 * @throws StartFailure if a port cannot be opened; those opened before are closed again.
 */
export const controllerServers = async (
  { health, metrics, admin }: ControllerSettings['ports'],
  pages: ControllerPages,
): Promise<{ close(): Promise<void> }> => {
  const open: ListeningServer[] = []
  const close = async () => {
    await Promise.all(open.map((server) => server.close()))
  }
  const servers = [
    { name: 'health', host: '0.0.0.0', port: health, endpoints: healthEndpoints(pages.pending) },
    { name: 'metrics', host: '0.0.0.0', port: metrics, endpoints: [metricsEndpoint(pages.metrics)] },
    { name: 'admin', host: '127.0.0.1', port: admin, endpoints: adminEndpoints(pages), hosts: [] },
  ]
  try {
    for (const { host, port, ...server } of servers) {
      const listening = serveEndpoints({
        ...server,
        address: { host, port },
        log: pages.log,
        onError: (error, path) => {
          pages.log.error?.('an endpoint failed', { error, path })
        },
      })
      open.push(
        await listening.catch((error: unknown) => {
          throw new StartFailure(cannotListen(server.name, `${host}:${String(port)}`, error), {
            cause: error,
          })
        }),
      )
    }
  } catch (error) {
    await close()
    throw error
  }
  return { close }
}

const healthEndpoints = (pending: () => readonly string[]): readonly AdminEndpoint[] => [
  {
    path: '/healthz',
    methods: ['GET'],
    summary: 'whether the process runs',
    parameters: 'ignored',
    handle: ({ res }) => {
      replyText(res, 200, 'ok\n')
    },
  },
  {
    path: '/readyz',
    methods: ['GET'],
    summary: 'whether every kind has been listed, and xDS serves',
    parameters: 'ignored',
    handle: ({ res }) => {
      const tasks = pending()
      if (tasks.length === 0) replyText(res, 200, 'ok\n')
      else replyText(res, 500, `not synced: ${tasks.join(', ')}\n`)
    },
  },
]

const metricsEndpoint = ({ registry }: ControllerMetrics): AdminEndpoint => ({
  path: '/metrics',
  methods: ['GET'],
  summary: 'metrics as Prometheus text',
  parameters: 'ignored',
  handle: async ({ res }) => {
    replyText(res, 200, await registry.metrics(), { 'content-type': registry.contentType })
  },
})

const adminEndpoints = (pages: ControllerPages): readonly AdminEndpoint[] => {
  const endpoints: readonly AdminEndpoint[] = [
    controllerLoggingEndpoint(pages.levels),
    {
      path: '/snapshots',
      methods: ['GET'],
      summary: 'the resources of each Gateway',
      group: 'configuration',
      handle: ({ res }) => {
        replyJson(res, 200, pages.snapshots())
      },
    },
    {
      path: '/version',
      methods: ['GET'],
      summary: 'version of the program',
      group: 'process',
      handle: ({ res }) => {
        replyJson(res, 200, buildInfo)
      },
    },
    ...profileEndpoints({ heapSampling: pages.heapSampling, shutdown: pages.shutdown }),
  ]
  return [indexPage(buildInfo.version, endpoints), ...endpoints]
}
