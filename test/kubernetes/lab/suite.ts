import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { repository } from './build.ts'
import { GATEWAY_CLASS } from './controller.ts'
import type { GatewayApiChannel } from './gateway-api.ts'
import { INFERENCE_PROFILE } from './inference-extension.ts'
import type { LabAccess } from './lab.ts'
import { programPath } from './programs.ts'

/** What of the conformance suite runs, and how. */
export interface SuiteOptions {
  readonly channel: GatewayApiChannel
  /** As the suite names it: `GATEWAY-HTTP`. Several are separated by commas: one process runs all of them. */
  readonly profile: string
  /** One test only; there is no report then. */
  readonly test?: string | undefined
  /** Short timeouts, for development: what fails, fails soon. */
  readonly fast: boolean
  /** After this time a run is cancelled. */
  readonly limitMinutes: number
}

/** Names of tests. */
export interface SuiteOutcome {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  readonly skipped: readonly string[]
}

/** An address for load balancers, and one that the lab never gives away. */
const ADDRESSES = { usable: '10.245.200.1', unusable: '10.245.255.254' }

/** Runs the suite in the lab, until the signal; a full run leaves its report in `conformance/`. */
export const runSuite = async (
  lab: LabAccess,
  options: SuiteOptions & { readonly signal: AbortSignal },
): Promise<SuiteOutcome> => {
  const program = await programPath(isInference(options) ? 'inference-conformance' : 'conformance')
  // Both ends with this process: that which enters the lab, and the suite in there.
  const endWithParent = ['setpriv', '--pdeathsig=KILL', '--']
  const [first = '', ...args] = [
    ...endWithParent,
    ...lab.enter([...endWithParent, program, ...flagsOf(options)]),
  ]
  const child = spawn(first, args, {
    env: { ...process.env, KUBECONFIG: lab.kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C is for this process.
    detached: true,
    signal: options.signal,
    killSignal: 'SIGKILL',
  })
  const log = createWriteStream(join(lab.folder, 'logs', 'suite.log'))
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const outcome = { passed: [] as string[], failed: [] as string[], skipped: [] as string[] }
  createInterface(child.stdout).on('line', (line) => {
    const { result, name } = testLine.exec(line)?.groups ?? {}
    if (name !== undefined) outcome[lists[result as keyof typeof lists]].push(name)
    if (interesting.test(line)) console.log(line.slice(0, 300))
  })
  const [status] = (await once(child, 'close')) as [number | null]
  log.end()
  // The others were not selected.
  if (options.test !== undefined) outcome.skipped.length = 0
  // What fails outside of the tests is a failure as well.
  if (status !== 0 && outcome.failed.length === 0) outcome.failed.push('the suite itself')
  return outcome
}

const testLine = /^ {4}--- (?<result>PASS|FAIL|SKIP): TestConformance\/(?<name>[^/ ]+) /
const interesting = /^ {0,8}--- (PASS|FAIL)|Error:|Messages:|^panic:|Test Setup/
const lists = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' } as const

const flagsOf = (options: SuiteOptions): readonly string[] => [
  '-test.v',
  `-test.timeout=${options.limitMinutes}m`,
  `-gateway-class=${GATEWAY_CLASS}`,
  ...(isInference(options) ? ['-allow-crds-mismatch'] : profileFlags(options)),
  // The lab is removed as a whole.
  '-cleanup-base-resources=false',
  ...(options.fast && !isInference(options) ? [`-timeout-config-overrides=${shortTimeouts}`] : []),
  ...(options.test === undefined ? reportFlags(options) : [`-run-test=${options.test}`]),
]

const isInference = ({ profile }: SuiteOptions): boolean => profile === INFERENCE_PROFILE

const profileFlags = ({ profile }: SuiteOptions): readonly string[] => [
  `-conformance-profiles=${profile}`,
  `-usable-address=${ADDRESSES.usable}`,
  `-unusable-address=${ADDRESSES.unusable}`,
]

/** Seconds by the names of the suite. */
const shortTimeouts = Object.entries({
  CreateTimeout: 10,
  GatewayMustHaveAddress: 15,
  GatewayMustHaveCondition: 15,
  GatewayStatusMustHaveListeners: 10,
  GatewayListenersMustHaveConditions: 10,
  ListenerSetMustHaveCondition: 10,
  ListenerSetListenersMustHaveConditions: 10,
  GWCMustBeAccepted: 10,
  HTTPRouteMustHaveCondition: 10,
  RouteMustHaveParents: 10,
  MaxTimeToConsistency: 10,
  NamespacesMustBeReady: 60,
  LatestObservedGenerationSet: 10,
})
  .map(([name, seconds]) => `${name}:${seconds}`)
  .join(';')

/** The profiles that are claimed. */
export const ALL_PROFILES = 'GATEWAY-HTTP,GATEWAY-GRPC,GATEWAY-TLS,GATEWAY-TCP,GATEWAY-UDP'

/** The report of all profiles is that of the channel. */
const reportName = (channel: GatewayApiChannel, profile: string): string =>
  profile === ALL_PROFILES
    ? channel
    : `${channel}-${profile.toLowerCase().replaceAll('gateway-', '').replaceAll(',', '-')}`

const reportFlags = ({ channel, profile }: SuiteOptions): readonly string[] => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    version: string
  }
  const folder = join(repository, 'conformance')
  mkdirSync(folder, { recursive: true })
  const url = 'https://github.com/agentgateway/agentgateway-ts'
  return [
    '-organization=agentgateway',
    '-project=agentgateway',
    `-url=${url}`,
    `-contact=${url}/issues/new`,
    `-version=${version}`,
    `-report-output=${join(folder, `${reportName(channel, profile)}.yaml`)}`,
  ]
}
