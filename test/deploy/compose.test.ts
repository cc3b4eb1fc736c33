import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { command } from '../support/command.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { documentedVariables } from '../support/documented-variables.ts'

interface Service {
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly ports?: readonly string[]
  readonly stop_grace_period?: string
  readonly volumes?: readonly string[]
}

const folder = 'deploy/compose'
const read = (file: string): unknown => parse(readFileSync(join(folder, file), 'utf8'))
const { services } = read('compose.yaml') as { readonly services: Readonly<Record<string, Service>> }
const gateway = services.gateway!

/** Sources in the repository and their targets in the container. */
const mountsOf = ({ volumes = [] }: Service): [string, string][] =>
  volumes
    .map((volume) => volume.split(':') as [string, string])
    .filter(([source]) => source.startsWith('.'))
    .map(([source, target]) => [join(folder, source), target])

test('the compose file', async (t) => {
  await t.test('has neighbours that are all valid YAML', () => {
    for (const file of readdirSync(folder)) assert.ok(read(file), file)
  })

  await t.test('mounts files that exist, and starts programs with mounted ones', () => {
    for (const [name, service] of Object.entries(services)) {
      const mounts = mountsOf(service)
      for (const [source] of mounts) assert.ok(existsSync(source), source)
      const named = (service.command ?? []).flatMap((argument) => /\/etc\/[\w./-]+/.exec(argument) ?? [])
      for (const path of named) {
        const [source = '', target = ''] = mounts.find(([, target]) => path.startsWith(target)) ?? []
        assert.ok(existsSync(source + path.slice(target.length)), `${name} ${path}`)
      }
    }
  })

  await t.test('sets variables of the gateway as the reference has them', () => {
    const known = documentedVariables()
    assert.deepEqual(
      Object.keys(gateway.environment ?? {}).filter((name) => !known.has(name)),
      [],
    )
    assert.equal(gateway.stop_grace_period, `${gateway.environment?.TERMINATION_GRACE_PERIOD_SECONDS}s`)
  })

  await t.test('publishes only the port of the gateway to other machines', () => {
    const all = Object.values(services).flatMap(({ ports = [] }) => ports)
    assert.deepEqual(
      all.filter((port) => !port.startsWith('127.0.0.1:')),
      ['3000:3000'],
    )
    const file = parse(readFileSync('config/gateway.yaml', 'utf8')) as {
      gateways: { default: { port: number } }
    }
    assert.equal(file.gateways.default.port, 3000)
  })

  await t.test('lets Prometheus find rules, and scrape by the name that they use', () => {
    const prometheus = read('prometheus.yml') as {
      rule_files: string[]
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[]
    }
    const [[source, target] = ['', '']] = mountsOf(services.prometheus!).filter(([, to]) =>
      to.endsWith('rules'),
    )
    for (const file of prometheus.rule_files) assert.ok(existsSync(file.replace(target, source)), file)
    const [scrape] = prometheus.scrape_configs
    assert.deepEqual(
      [scrape?.job_name, scrape?.static_configs[0]?.targets],
      ['agentgateway', ['gateway:15020']],
    )
  })

  await t.test('has a collector whose pipelines are complete, at the address the gateway uses', () => {
    const { receivers, service, ...parts } = read('collector.yaml') as Record<string, Record<string, object>>
    const { otlp } = receivers as unknown as { otlp: { protocols: { grpc: { endpoint: string } } } }
    for (const pipeline of Object.values(service!.pipelines as Record<string, Record<string, string[]>>)) {
      for (const [kind, names] of Object.entries(pipeline)) {
        for (const name of names) assert.ok(name in ({ receivers, ...parts }[kind] ?? {}), `${kind} ${name}`)
      }
    }
    assert.equal(otlp.protocols.grpc.endpoint, '0.0.0.0:4317')
    assert.equal(gateway.environment?.OTEL_EXPORTER_OTLP_ENDPOINT, 'http://collector:4317')
  })

  await t.test('checks the health of a gateway', async () => {
    const [kind, node, ...args] = gateway.healthcheck!.test
    assert.deepEqual([kind, node], ['CMD', '/nodejs/bin/node'])
    await using daemon = await startDaemon(
      `${anyPorts}gateways:\n  default: { port: 0, address: 127.0.0.1 }\nroutes: [{ backends: [{ host: 127.0.0.1:9 }] }]\n`,
    )
    const { port } = new URL(daemon.url('readiness'))
    const check = () =>
      command(
        process.execPath,
        args.map((argument) => argument.replace('15021', port)),
      )
    assert.equal((await check()).status, 0)
    await daemon.stop()
    assert.equal((await check()).status, 1)
  })
})
