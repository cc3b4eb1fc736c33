import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './build.ts'
import type { LabAccess } from './lab.ts'
import { programPath } from './programs.ts'

/** The chart of the control plane. */
export const chartFolder = join(repository, 'deploy', 'charts', 'agentgateway')

/** As what a chart is installed. */
export interface Release {
  readonly name?: string
  readonly namespace?: string
  /** Arguments of Helm, such as `--values FILE`. */
  readonly args?: readonly string[]
}

/** Installs the chart in a lab, or upgrades what is installed: with what Helm reports if that fails. */
export const installChart = (
  lab: LabAccess,
  { name = 'agentgateway', namespace = 'agentgateway-system', args = [] }: Release = {},
): Promise<string> =>
  helmIn(lab, ['upgrade', name, chartFolder, '--install', '--create-namespace', `-n=${namespace}`, ...args])

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
