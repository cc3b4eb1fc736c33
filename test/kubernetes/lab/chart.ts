import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './build.ts'
import type { LabAccess } from './lab.ts'
import { programPath } from './programs.ts'

/** The chart of the control plane. */
export const chartFolder = join(repository, 'deploy', 'charts', 'agentgateway')

/** The chart of the custom resources, which is installed before. */
export const crdsChartFolder = join(repository, 'deploy', 'charts', 'agentgateway-crds')

/** As what a chart is installed. */
export interface Release {
  readonly name?: string
  readonly namespace?: string
  /** The folder of another chart than that of the control plane. */
  readonly chart?: string
  /** Arguments of Helm, such as `--values FILE`. */
  readonly args?: readonly string[]
}

/** Installs the control plane in a lab, or upgrades it. Rejects with what Helm reports. */
export const installChart = (
  lab: LabAccess,
  { name = 'agentgateway', namespace = 'agentgateway-system', chart = chartFolder, args = [] }: Release = {},
): Promise<string> =>
  helmIn(lab, ['upgrade', name, chart, '--install', '--create-namespace', `-n=${namespace}`, ...args])

/** Installs the custom resources in a lab, or upgrades them. */
export const installCrdsChart = (lab: LabAccess): Promise<string> =>
  installChart(lab, { name: 'agentgateway-crds', chart: crdsChartFolder })

/** Runs Helm in the network of a lab. */
export const helmIn = async (lab: LabAccess, args: readonly string[]): Promise<string> => {
  const command = lab.enter([await programPath('helm'), `--kubeconfig=${lab.kubeconfig}`, ...args])
  return await run(command)
}

/** The objects of the chart, as `helm template` writes them. Rejects with what Helm reports if it refuses the values. */
export const renderChart = ({
  name = 'agentgateway',
  namespace = 'agentgateway-system',
  args = [],
}: Release = {}): Promise<string> =>
  runHelm(['template', name, chartFolder, '--namespace', namespace, ...args])

/** Runs Helm, without the settings and plugins of this user. */
export const runHelm = async (args: readonly string[]): Promise<string> =>
  await run([await programPath('helm'), ...args])

const run = async ([program = '', ...args]: readonly string[]): Promise<string> => {
  const { PATH } = process.env
  const { stdout } = await promisify(execFile)(program, args, {
    env: { HOME: '/nonexistent', ...(PATH !== undefined && { PATH }) },
    maxBuffer: 64 << 20,
  })
  return stdout
}
