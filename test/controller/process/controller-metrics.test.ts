import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ControllerMetrics,
  type ControllerNumbers,
} from '../../../src/controller/process/controller-metrics.ts'
import { watchNumbers } from '../../../src/controller/process/controller-telemetry.ts'
import { ReflectorRecords } from '../../../src/controller/streams/reflector-observer.ts'

const numbersOf = (records: ReflectorRecords): ControllerNumbers => ({
  objects: () => [],
  watches: () => watchNumbers(records),
  streams: () => 3,
  isLeader: () => false,
})

/** The value of a metric in the text of a scrape. */
const valueOf = async ({ registry }: ControllerMetrics, series: string): Promise<number> => {
  const line = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length))
}

test('metrics show how long a watch has been silent, and how often it was begun again', async () => {
  let now = performance.now() - 90_000
  const records = new ReflectorRecords(() => now)
  const metrics = new ControllerMetrics(numbersOf(records))
  const of = (name: string) => valueOf(metrics, `agentgateway_controller_watch_${name}{kind="Gateway"}`)
  records.onList('Gateway')
  assert.ok((await of('silence_seconds')) >= 90)
  records.onRestart('Gateway')
  assert.ok((await of('silence_seconds')) >= 90, 'a failure is no sign of life')
  assert.equal(await of('failures'), 1)
  assert.equal(await of('lists'), 1)
  now = performance.now()
  records.onWatchEvent('Gateway')
  assert.ok((await of('silence_seconds')) < 60)
})

test('metrics name the build, and have those of the process where they are asked for', async () => {
  const records = new ReflectorRecords()
  const text = await new ControllerMetrics(numbersOf(records)).registry.metrics()
  assert.match(
    text,
    /^agentgateway_controller_build_info\{version="[^"]+",git_commit="[^"]+",node_version="24\.[^"]+",platform="linux-[^"]+"\} 1$/m,
  )
  assert.match(text, /^agentgateway_controller_xds_streams 3$/m)
  assert.doesNotMatch(text, /^process_/m)
  const more = await new ControllerMetrics(numbersOf(records), true).registry.metrics()
  assert.match(more, /^process_resident_memory_bytes \d+$/m)
})
