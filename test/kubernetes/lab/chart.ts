import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './build.ts'
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

/** The objects of the chart, as `helm template` writes them. Rejects with what Helm reports if it refuses the values. */
export const renderChart = ({
  name = 'agentgateway',
  namespace = 'agentgateway-system',
  args = [],
}: Release = {}): Promise<string> =>
  runHelm(['template', name, chartFolder, '--namespace', namespace, ...args])

/** Runs Helm, without the settings and plugins of this user. */
export const runHelm = async (args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(await programPath('helm'), args, {
    env: { HOME: '/nonexistent' },
    maxBuffer: 64 << 20,
  })
  return stdout
}
