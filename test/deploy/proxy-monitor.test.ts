import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { parseManifest } from '../kubernetes/lab/apply-manifest.ts'

interface PodMonitor {
  readonly kind: string
  readonly spec: {
    readonly selector: {
      readonly matchExpressions: readonly {
        readonly key: string
        readonly operator: string
        readonly values: readonly string[]
      }[]
    }
    readonly podMetricsEndpoints: readonly { readonly port: string; readonly path: string }[]
  }
}

interface Proxies {
  readonly kind: string
  readonly spec: {
    readonly template: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>
        readonly annotations: Readonly<Record<string, string>>
      }
      readonly spec: {
        readonly containers: readonly {
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
        }[]
      }
    }
  }
}

// The chart writes the monitor, and the control plane the pods: neither knows the other.
test('the PodMonitor of the chart selects the proxies of Gateways, and a port that they have', () => {
  const rendered = parseManifest(readFileSync('test/deploy/chart/golden/monitoring/out.yaml', 'utf8'))
  const monitor = rendered.find(({ kind }) => kind === 'PodMonitor') as unknown as PodMonitor
  const golden = 'test/controller/translate/deployment/golden/tls-default/out.yaml'
  const { objects } = parse(readFileSync(golden, 'utf8')) as { readonly objects: readonly Proxies[] }
  const { metadata, spec } = objects.find(({ kind }) => kind === 'Deployment')!.spec.template

  const { matchExpressions } = monitor.spec.selector
  assert.ok(matchExpressions.length > 0)
  for (const { key, operator, values } of matchExpressions) {
    assert.equal(operator, 'In')
    assert.ok(values.includes(metadata.labels[key] ?? ''), key)
  }
  const ports = spec.containers.flatMap(({ ports }) => ports)
  assert.ok(monitor.spec.podMetricsEndpoints.length > 0)
  for (const { port, path } of monitor.spec.podMetricsEndpoints) {
    assert.deepEqual(
      ports.filter(({ name }) => name === port).map(({ containerPort }) => String(containerPort)),
      [metadata.annotations['prometheus.io/port']],
    )
    assert.equal(path, metadata.annotations['prometheus.io/path'])
  }
})
