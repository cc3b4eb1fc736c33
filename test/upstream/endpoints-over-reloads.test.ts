import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackendPolicies } from '../../src/model/resources/policies.ts'
import type { Resources } from '../../src/model/resources/resources.ts'
import type { Snapshot } from '../../src/model/resources/snapshot.ts'
import { exchange } from '../../src/testing/exchange.ts'
import type { Endpoint } from '../../src/upstream/load-balancing/endpoint.ts'
import type { Endpoints } from '../../src/upstream/load-balancing/endpoints.ts'
import { Registry } from '../../src/upstream/registry.ts'
import type { RegistryTransaction } from '../../src/upstream/registry-transaction.ts'
import { upstreamClients } from '../../src/upstream/upstream-clients.ts'
import type { HttpUpstream } from '../../src/upstream/upstream.ts'
import { callUpstream } from '../support/call-upstream.ts'
import { sessionOf } from '../support/changing-service.ts'
import { backendsAt, snapshotOf } from '../support/resources.ts'
import { until } from '../support/stream-body.ts'
import { httpServer, type UpstreamServer } from '../support/upstream-servers.ts'

const SERVICES = ['a', 'b']
const PORTS = [80, 81]
/** Each makes connections of its own. */
const POLICIES: readonly BackendPolicies[] = [{}, { pool: { poolIdleTimeoutMs: 5_000 } } as BackendPolicies]
const COMMITS = 80

/** A way to the port of a service, which configurations have or not. */
interface Way {
  readonly service: string
  readonly port: number
  readonly policies: BackendPolicies
}

/** What a configuration has compiled for a way, at a version of its service. */
interface Part {
  readonly way: Way
  readonly version: object
  readonly session: RegistryTransaction
  readonly upstream: HttpUpstream
  readonly endpoints: readonly Endpoint[]
}

/** The servers behind the ports of a service; a new object with each change. */
type Service = Readonly<Record<number, readonly UpstreamServer[]>>

const WAYS: readonly Way[] = SERVICES.flatMap((service) =>
  PORTS.flatMap((port) => POLICIES.map((policies) => ({ service, port, policies }))),
)

/** Configurations that follow each other at random, as a seed has it. */
class Reloads {
  readonly #registry: Registry
  readonly #servers: readonly UpstreamServer[]
  readonly #random: () => number
  readonly #services = new Map<string, Service>()
  #parts: readonly Part[] = []
  /** Snapshots with requests, and their parts. */
  #held: readonly { readonly snapshot: Snapshot; readonly parts: readonly Part[] }[] = []
  /** What was in force last for each way. */
  readonly #inForce = new Map<Way, readonly Endpoint[]>()

  constructor(registry: Registry, servers: readonly UpstreamServer[], random: () => number) {
    this.#registry = registry
    this.#servers = servers
    this.#random = random
  }

  async next(): Promise<void> {
    if (this.#chance(0.3)) this.#discarded()
    this.#change()
    this.#commit(WAYS.filter(({ service }) => this.#services.has(service) && this.#chance(0.8)))
    for (const part of this.#parts) await this.#call(part)
    const { parts = [] } = this.#some(this.#held) ?? {}
    for (const part of parts) await this.#call(part)
    while (this.#held.length > 0 && this.#chance(0.45)) this.#release()
  }

  end(): void {
    this.#commit([])
    while (this.#held.length > 0) this.#release()
  }

  #change(): void {
    for (const name of SERVICES)
      if (this.#chance(0.15)) this.#services.delete(name)
      else if (this.#chance(0.6))
        this.#services.set(name, Object.fromEntries(PORTS.map((port) => [port, this.#subset()])))
  }

  #subset(): readonly UpstreamServer[] {
    const share = this.#random()
    const some = this.#servers.filter(() => this.#chance(share))
    // Two workloads may have one address.
    return this.#chance(0.2) ? [...some, ...some.slice(0, 1)] : some
  }

  #commit(ways: readonly Way[]): void {
    const resources = this.#resources()
    const before = new Map(this.#parts.map(({ way }) => [way, this.#inForce.get(way)]))
    const parts = ways.map((way) => {
      const version = this.#services.get(way.service)
      const known = this.#parts.find((part) => part.way === way && part.version === version)
      return known && this.#chance(0.8) ? known : this.#compile(way, resources)
    })
    const snapshot = { ...snapshotOf(resources), exchanges: this.#chance(0.5) ? 1 : 0 }
    this.#registry.commit(
      snapshot,
      parts.map(({ session }) => session),
    )
    this.#held = snapshot.exchanges > 0 ? [...this.#held, { snapshot, parts }] : this.#held
    this.#parts = parts
    for (const { way, endpoints } of parts) this.#inForce.set(way, endpoints)
    for (const { endpoints } of parts) for (const one of endpoints) assert.equal(one.isRemoved, false)
    const listed = new Set([...this.#inForce.values()].flat())
    for (const { way } of parts)
      for (const one of before.get(way) ?? []) assert.equal(one.isRemoved || listed.has(one), true)
  }

  #compile(way: Way, resources: Resources): Part {
    const { service, port, policies } = way
    const session = sessionOf(this.#registry, resources)
    const upstream = session.upstream({ kind: 'service', name: `shop/${service}`, port }, policies)
    assert.ok(upstream)
    const endpoints = (session.reported[0]?.endpoints as Endpoints).current(0) ?? []
    return { way, version: this.#services.get(service)!, session, upstream, endpoints }
  }

  /** A configuration that is rejected. */
  #discarded(): void {
    const services = new Map(this.#services)
    this.#change()
    const resources = this.#resources()
    for (const way of WAYS)
      if (this.#services.has(way.service)) this.#compile(way, resources).session.discard()
    this.#services.clear()
    for (const [name, service] of services) this.#services.set(name, service)
  }

  async #call({ way, upstream, endpoints }: Part): Promise<void> {
    const { response, text } = await callUpstream(upstream, exchange())
    const now = this.#parts.find((part) => part.way === way)?.endpoints ?? []
    const allowed = endpoints.length > 0 && now.length > 0 ? ['ok'] : ['ok', 'no_endpoint']
    assert.ok(allowed.includes(response.fault?.code ?? text), response.fault?.message)
  }

  #release(): void {
    const one = this.#some(this.#held)!
    one.snapshot.exchanges = 0
    this.#held = this.#held.filter((other) => other !== one)
    this.#registry.sweep()
  }

  #resources(): Resources {
    const names = [...this.#services.keys()]
    return {
      ...backendsAt({}),
      services: names.map((name) => ({ name, namespace: 'shop', hostname: name, ports: {}, vips: [] })),
      workloads: names.flatMap((name) =>
        PORTS.flatMap((port) =>
          this.#services.get(name)![port]!.map((server, i) => ({
            uid: `${name} ${port} ${i}`,
            name,
            namespace: 'shop',
            addresses: ['127.0.0.1'],
            services: { [`shop/${name}`]: { [port]: server.port } },
            status: 'healthy' as const,
          })),
        ),
      ),
    }
  }

  #chance(share: number): boolean {
    return this.#random() < share
  }

  #some<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)]
  }
}

/** Numbers that look random, the same ones for each seed. */
const numbersOf = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

for (const seed of [1, 2, 94])
  test(`endpoints in force can be called after each of many configurations, and none is left at the end (${seed})`, async () => {
    const servers = await Promise.all(Array.from({ length: 5 }, () => httpServer((_, res) => res.end('ok'))))
    const random = numbersOf(seed)
    const registry = new Registry({ random })
    try {
      const reloads = new Reloads(registry, servers, random)
      for (let i = 0; i < COMMITS; i++) await reloads.next()
      reloads.end()
      await until(() => registry.size === 0, 'the release of all resources')
      await until(() => servers.every(({ sockets }) => sockets.size === 0), 'the end of all connections')
      const names = new Set(servers.map(({ port }) => `127.0.0.1:${port}`))
      assert.deepEqual(
        [...upstreamClients].filter(({ name }) => names.has(name)),
        [],
      )
    } finally {
      await registry.close()
      for (const server of servers) await server[Symbol.asyncDispose]()
    }
  })
