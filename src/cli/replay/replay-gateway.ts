import { BackendCounts } from '../../upstream/load-balancing/call-counts.ts'
import { applySnapshot, compileSnapshot } from '../../apply-snapshot.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { TraceEvent } from '../../model/trace/trace-event.ts'
import { openRuntime, type Runtime } from '../../runtime.ts'
import { serve, type Serving } from '../../serve.ts'
import { Endpoint } from '../../upstream/load-balancing/endpoint.ts'
import { endpointOptions } from '../../upstream/load-balancing/endpoint-options.ts'
import { EndpointUpstream } from '../../upstream/load-balancing/endpoint-upstream.ts'
import { FixedEndpoints } from '../../upstream/load-balancing/endpoints.ts'
import { BetterOfTwo } from '../../upstream/load-balancing/balancer.ts'
import { defaultUpstreamSettings } from '../../upstream/registry.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { callerIdentity } from '../offline/caller-identity.ts'
import { mcpBoundary } from '../offline/mcp-boundary.ts'
import { OfflineRegistry } from '../offline/offline-registry.ts'
import type { OfflineResources } from '../offline/offline-resources.ts'
import type { Assumptions } from '../offline/undecided-policies.ts'
import { replayResources } from './replay-resources.ts'

/** A gateway in this process with a configuration whose backends are all a stand-in. */
export class ReplayGateway implements AsyncDisposable {
  readonly offline: OfflineResources
  readonly #runtime: Runtime
  readonly #serving: Serving
  readonly #endpoint: Endpoint
  readonly #events: TraceEvent[] = []

  private constructor(offline: OfflineResources, runtime: Runtime, serving: Serving, endpoint: Endpoint) {
    this.offline = offline
    this.#runtime = runtime
    this.#serving = serving
    this.#endpoint = endpoint
    runtime.telemetry.trace.watch({
      count: Infinity,
      bodies: true,
      receive: (batches) => {
        for (const batch of batches) this.#events.push(...batch.events(true))
      },
    })
  }

  /** @throws StartFailure if a port cannot be opened. */
  static async open(
    loaded: LoadedConfig,
    env: Readonly<Record<string, string | undefined>>,
    assumptions: Assumptions,
    standIn: { readonly ip: string; readonly port: number },
  ): Promise<ReplayGateway> {
    const offline = replayResources(loaded.resources, assumptions)
    const endpoint = new Endpoint(standIn, endpointOptions({}, defaultUpstreamSettings, standIn.ip))
    const config = { ...loaded, resources: offline.resources, process: quiet(loaded.process) }
    const runtime = openRuntime(config, {
      env,
      insertions: [...callerIdentity(offline, assumptions), ...mcpBoundary(offline.resources)],
      destination: nowhere,
      registry: new OfflineRegistry({
        upstream: (real) => standInUpstream(real, endpoint),
        onCallout: () => undefined,
      }),
    })
    const open = async () => applySnapshot(runtime, await compileSnapshot(runtime, config))
    return new ReplayGateway(offline, runtime, await serve(runtime, open, () => undefined), endpoint)
  }

  /** The port that was opened for a bind. */
  portOf(bind: string): number | undefined {
    const address = this.#runtime.ports.addresses().find((one) => one.bind === bind)
    return address && 'port' in address ? address.port : undefined
  }

  /** The events of the request that was served last, once it has ended; none if it did not become an exchange. */
  async takeEvents(): Promise<readonly TraceEvent[]> {
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      this.#runtime.telemetry.trace.flush()
      const isEnded = this.#events.some(({ message }) => message.type === 'requestFinished')
      if (isEnded || (this.#events.length === 0 && turns > QUIET_TURNS)) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    return this.#events.splice(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#serving.quit()
    await this.#serving.ended
    await this.#endpoint.destroy()
  }
}

/** An exchange ends within a few turns of the event loop after its last byte was received. */
const MAX_TURNS = 200
const QUIET_TURNS = 10

const nowhere = { write: () => undefined, flushSync: () => undefined }

const quiet = (process: LoadedConfig['process']): LoadedConfig['process'] => ({
  ...process,
  adminAddr: 'off',
  statsAddr: 'off',
  readinessAddr: 'off',
  minTerminationDeadlineMs: 0,
  terminationDeadlineMs: 100,
  logging: { ...process.logging, level: 'off' },
})

/** The stand-in under the name and with the authority of the real destination. */
const standInUpstream = (real: HttpUpstream, endpoint: Endpoint): HttpUpstream => {
  const options = {
    labels: real.labels,
    endpoints: new FixedEndpoints([endpoint]),
    unhealthy: undefined,
    balancer: new BetterOfTwo(Math.random),
    counts: new BackendCounts(),
  }
  const fixed = new EndpointUpstream({ ...options, authority: undefined })
  return {
    labels: real.labels,
    authority: (x) => real.authority?.(x),
    call: (x, events) => {
      const authority = real.authority?.(x)
      return (authority === undefined ? fixed : new EndpointUpstream({ ...options, authority })).call(
        x,
        events,
      )
    },
  }
}
