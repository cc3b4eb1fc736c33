import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { ConfigError } from '../../src/config/errors.ts'
import { parseConfig } from '../../src/config/parse.ts'
import type { XdsResource } from '../../src/config/xds/xds-resource.ts'
import { gatewayRouteResources } from '../../src/controller/translate/gateway-route-resources.ts'
import { goldenCertificates } from './support/golden-certificates.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'

const root = join(import.meta.dirname, 'golden')
const certificates = goldenCertificates()
after(() => {
  certificates[Symbol.dispose]()
})

/** A configuration file for each route and policy, with all Services. Rules of a route share a name, which files forbid. */
const configurations = (resources: readonly XdsResource[]): readonly string[] => {
  const models = (kind: XdsResource['kind']): readonly unknown[] =>
    resources.filter((resource) => resource.kind === kind).map(({ model }) => model)
  const services = { services: models('service'), workloads: models('workload') }
  return [
    services,
    ...models('route').map((route) => ({
      ...services,
      binds: [{ port: 3000, listeners: [{ routes: [route] }] }],
    })),
    ...models('policy').map((policy) => ({ ...services, policies: [policy] })),
  ].map((one) => JSON.stringify(one))
}

const problems = (configuration: string): string => {
  try {
    parseConfig(configuration, 'case.json', {})
    return ''
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

describe('what a Gateway gets for its routes is a valid configuration:', () => {
  const read = (path: string): ReturnType<typeof readGoldenObjects> =>
    readGoldenObjects(readFileSync(path, 'utf8'), (text) => certificates.fill(text))
  const common = read(join(root, 'cluster.yaml'))
  for (const name of readdirSync(root).sort()) {
    const path = join(root, name, 'in.yaml')
    if (!existsSync(path)) continue
    test(name, () => {
      const graph = goldenGraph([...common, ...read(path)])
      for (const { metadata } of graph.objects('Gateway')) {
        const resources = graph.read(gatewayRouteResources, `${metadata.namespace ?? ''}/${metadata.name}`)
        for (const configuration of configurations(resources)) assert.equal(problems(configuration), '')
      }
    })
  }
})
