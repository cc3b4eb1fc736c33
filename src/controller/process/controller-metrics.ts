import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { buildInfo } from '../../version.ts'

/** How well a kind is followed. */
export interface WatchNumbers {
  readonly kind: string
  /** Since the last event. */
  readonly silenceSeconds: number
  /** Complete lists so far. */
  readonly lists: number
  /** Watches so far that ended with an error. */
  readonly failures: number
}

/** Current numbers of the control plane, read for each scrape. */
export interface ControllerNumbers {
  /** Objects by kind. */
  objects(): Iterable<readonly [kind: string, count: number]>
  /** How well the API server is followed, by kind. */
  watches(): Iterable<WatchNumbers>
  /** Connected proxies. */
  streams(): number
  isLeader(): boolean
}

const PREFIX = 'agentgateway_controller_'

/** The metrics of the control plane. Labels are kinds and outcomes, which are few. */
export class ControllerMetrics {
  readonly registry = new Registry()
  readonly #options = { registers: [this.registry] }

  readonly translation = new Histogram({
    ...this.#options,
    name: `${PREFIX}translation_duration_seconds`,
    help: 'Duration of translating a batch of changes.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
  })

  readonly statusWrites = new Counter({
    ...this.#options,
    name: `${PREFIX}status_writes_total`,
    help: 'Statuses written.',
    labelNames: ['kind', 'outcome'],
  })

  readonly deployments = new Counter({
    ...this.#options,
    name: `${PREFIX}deployments_total`,
    help: 'Attempts to deploy the proxies of a Gateway.',
    labelNames: ['outcome'],
  })

  readonly authentications = new Counter({
    ...this.#options,
    name: 'agentgateway_xds_authentications_total',
    help: 'Proxies that connected, by the outcome of their authentication.',
    labelNames: ['outcome'],
  })

  readonly connectionsEnded = new Counter({
    ...this.#options,
    name: 'agentgateway_xds_connections_ended_total',
    help: 'Connections to xDS that were refused or ended for what they did.',
    labelNames: ['reason'],
  })

  readonly rejects = new Counter({
    ...this.#options,
    name: 'agentgateway_xds_rejects_total',
    help: 'Resources that a proxy rejected.',
  })

  constructor(numbers: ControllerNumbers, hasProcessMetrics = false) {
    if (hasProcessMetrics) collectDefaultMetrics({ register: this.registry })
    const build = ['version', 'git_commit', 'node_version', 'platform']
    this.#gauge('build_info', 'The build that runs.', build, (gauge) => {
      const { version, gitRevision, nodeVersion, buildTarget } = buildInfo
      gauge.set({ version, git_commit: gitRevision, node_version: nodeVersion, platform: buildTarget }, 1)
    })
    this.#gauge('objects', 'Objects known, by kind.', ['kind'], (gauge) => {
      for (const [kind, count] of numbers.objects()) gauge.set({ kind }, count)
    })
    const watches = (name: string, help: string, value: (watch: WatchNumbers) => number): void => {
      this.#gauge(name, help, ['kind'], (gauge) => {
        for (const watch of numbers.watches()) gauge.set({ kind: watch.kind }, value(watch))
      })
    }
    watches('watch_silence_seconds', 'Time since the last event of a watch.', (watch) => watch.silenceSeconds)
    watches('watch_lists', 'Complete lists so far.', (watch) => watch.lists)
    watches('watch_failures', 'Watches so far that ended with an error.', (watch) => watch.failures)
    this.#gauge('xds_streams', 'Connected proxies.', [], (gauge) => {
      gauge.set(numbers.streams())
    })
    this.#gauge('leader', 'Whether this replica leads.', [], (gauge) => {
      gauge.set(Number(numbers.isLeader()))
    })
  }

  #gauge(name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void): void {
    new Gauge({
      ...this.#options,
      name: `${PREFIX}${name}`,
      help,
      labelNames,
      collect() {
        this.reset()
        collect(this)
      },
    })
  }
}
