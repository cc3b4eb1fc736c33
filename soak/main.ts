/**
 * Soak test: traffic of all kinds at a gateway that is reloaded every ten seconds. Prints a table, and exits non-zero
 * if a reply was unexpected, or anything grows or is left.
 */
import { parseArgs } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { makeAuthority } from '../test/support/certificates.ts'
import { type Addresses, configurationOf, invalidConfiguration } from './configuration.ts'
import { startDashboardQueries } from './dashboards.ts'
import { type ResourceUse, type SoakGateway, startSoakGateway } from './gateway.ts'
import { type Load, startLoad } from './load.ts'
import type { Sample } from './sampling.ts'
import { startHttpService } from './services/http-service.ts'
import { type KeyService, startKeyService } from './services/key-service.ts'
import { checksOf, descriptorsOfUse, inMegabytes } from './verdict.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } })
const minutes = Number(values.minutes)
if (!(minutes >= 1 && minutes <= 10_000)) throw new Error('--minutes must be a number from 1 to 10000')

const reloadMs = 10_000
const samplingMs = Math.max(5_000, (minutes * 60_000) / 40)
/** Everything must be gone so long after the load. */
const goneMs = 120_000

/** Replaces the configuration again and again; each fifth one is invalid, and the keys of tokens change with it. */
const reload = async (
  gateway: SoakGateway,
  addresses: Addresses,
  keys: KeyService,
  state: { readonly isRunning: boolean },
): Promise<number> => {
  let count = 0
  while (state.isRunning) {
    await wait(reloadMs)
    count++
    if (count % 5 === 4) {
      gateway.write(invalidConfiguration)
      keys.rotate()
    } else gateway.write(configurationOf(addresses, count))
  }
  return count
}

const takeSamples = async (gateway: SoakGateway, load: Load): Promise<readonly Sample[]> => {
  const began = performance.now()
  const samples: Sample[] = []
  while (performance.now() - began < minutes * 60_000) {
    await wait(samplingMs)
    const seconds = Math.round((performance.now() - began) / 1000)
    const sample = { seconds, ...(await gateway.resourceUse()) }
    samples.push(sample)
    const calls = load.counts.reduce((sum, count) => sum + count.calls, 0)
    console.log(`${seconds} s\t${shown(sample)}\t${calls} calls`)
  }
  return samples
}

/** Waits until nothing of the load is left, or the time is over. */
const afterLoad = async (gateway: SoakGateway, before: ResourceUse): Promise<ResourceUse> => {
  const deadline = performance.now() + goneMs
  for (;;) {
    const now = await gateway.resourceUse()
    const isGone =
      now.exchanges === 0 && now.children === 0 && now.descriptors <= before.descriptors + descriptorsOfUse
    if (isGone || performance.now() > deadline) return now
    await wait(1_000)
  }
}

const shown = ({ heapBytes, residentBytes, descriptors, children, exchanges }: ResourceUse): string =>
  [
    `heap ${inMegabytes(heapBytes)}`,
    `RSS ${inMegabytes(residentBytes)}`,
    `${descriptors} descriptors`,
    `${children} children`,
    `${exchanges} exchanges`,
  ].join('\t')

const http = await startHttpService()
const keys = await startKeyService()
using authority = makeAuthority()
const { certFile, keyFile } = authority.issue('soak.example')
const addresses = { http: http.host, keys: keys.host, certFile, keyFile }
const gateway = await startSoakGateway(configurationOf(addresses, 0))
const { default: url = '', secure: secureUrl = '', admin: adminUrl = '', stats: statsUrl = '' } = gateway.urls
console.log(`gateway ${url}, admin ${adminUrl}, metrics ${statsUrl}/metrics`)
const before = await gateway.resourceUse()
console.log(`before\t${shown(before)}`)
const dashboards = await startDashboardQueries(statsUrl)
if (!dashboards) console.log('not run: the queries of the dashboards, because Prometheus is not installed')
const load = startLoad({ url, secureUrl, adminUrl, statsUrl, keys })
const state = { isRunning: true }
const reloads = reload(gateway, addresses, keys, state)
const samples = await takeSamples(gateway, load)
const emptyPanels = await dashboards?.emptyPanels()
await dashboards?.[Symbol.asyncDispose]()
state.isRunning = false
await load.stop()
const reloadCount = await reloads
const after = await afterLoad(gateway, before)
console.log(`after\t${shown(after)}`)
const exitCode = await gateway.stop()
await Promise.all([http.close(), keys.close()])

console.log(`\n${reloadCount} reloads\n`)
for (const { name, calls, failures, firstFailure } of load.counts)
  console.log(
    `${name.padEnd(20)} ${String(calls).padStart(8)} calls ${String(failures).padStart(6)} unexpected${firstFailure === undefined ? '' : `: ${firstFailure}`}`,
  )
console.log('')
const checks = checksOf({
  counts: load.counts,
  samples,
  errors: gateway.errors,
  before,
  after,
  exitCode,
  emptyPanels,
})
for (const { name, isMet, measured } of checks) console.log(`${isMet ? '✔' : '✖'} ${name}: ${measured}`)
process.exitCode = checks.every(({ isMet }) => isMet) ? 0 : 1
