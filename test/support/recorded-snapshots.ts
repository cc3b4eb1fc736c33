import { OfflineRegistry } from '../../src/cli/offline/offline-registry.ts'
import { recordingUpstream, type RecordedCall } from '../../src/cli/offline/recording-upstream.ts'
import { ConfigurationCompiler } from '../../src/config/compile.ts'
import type { Resources } from '../../src/model/resources/resources.ts'
import type { Snapshot } from '../../src/model/resources/snapshot.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { ofExchange } from '../../src/pipeline/of-exchange.ts'
import { ListenerTable } from '../../src/streams/http/port/listener-table.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { healthReport } from '../../src/upstream/load-balancing/health-report.ts'

/** The requests by which snapshots are compared. */
export interface Probes {
  readonly bind: string
  readonly paths: readonly string[]
  readonly hosts: readonly string[]
  readonly replyHeaders: readonly string[]
}

/** A compiler whose upstreams record what they are called with. */
export class RecordedSnapshots {
  readonly registry: OfflineRegistry
  readonly compiler: ConfigurationCompiler
  readonly #probes: Probes
  #calls: RecordedCall[] = []

  constructor(probes: Probes) {
    this.#probes = probes
    this.registry = new OfflineRegistry({
      upstream: (real) => recordingUpstream(real, (call) => this.#calls.push(call)),
      onCallout: () => undefined,
    })
    this.compiler = new ConfigurationCompiler({ registry: this.registry, rescuer: faultReply() })
  }

  /** Everything that can be seen of a snapshot: its resources, its endpoints, and what becomes of requests. */
  async view(snapshot: Snapshot): Promise<object> {
    const requests: object[] = []
    for (const path of this.#probes.paths)
      for (const authority of this.#probes.hosts) requests.push(await this.#send(snapshot, path, authority))
    const endpoints = healthReport(this.registry.reported, 0).map(({ backend, endpoint }) => [
      backend,
      endpoint,
    ])
    return { resources: withoutOrigins(snapshot.resources), endpoints: endpoints.sort(), requests }
  }

  #send(snapshot: Snapshot, path: string, authority: string): Promise<object> {
    this.#calls = []
    const bind = snapshot.binds.get(this.#probes.bind)
    const listener = bind && new ListenerTable(bind).cleartext(authority)
    if (!listener) return Promise.resolve({})
    const x = exchange({ path, authority, snapshot, labels: listener.labels })
    const { promise, resolve, reject } = Promise.withResolvers<object>()
    listener.pipeline(ofExchange(x)).subscribe({
      next: () => {
        x.reply?.body.drop()
        resolve({
          labels: x.labels,
          status: x.reply?.status,
          headers: this.#probes.replyHeaders.map((name) => x.reply?.headers.all(name)),
          calls: this.#calls.map(({ backend, x: { request } }) => [backend, request.headers.get('x-route')]),
        })
      },
      error: reject,
    })
    return promise
  }
}

const withoutOrigins = (resources: Resources): unknown =>
  JSON.parse(JSON.stringify(resources, (key, value: unknown) => (key === 'origin' ? undefined : value)))
