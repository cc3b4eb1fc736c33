import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { startStandInAdmin } from '../test/support/cli/admin-server.ts'
import { startKubernetesApi } from '../test/support/cli/kubernetes-api.ts'
import { type Figure, median } from './support/report.ts'

const rounds = 7
const run = promisify(execFile)

/** How long `agctl` takes from its start to its end: without and with a cluster. */
export const agctlFigures = async (): Promise<Figure[]> => {
  // `npm run build` writes what users run; the sources take some milliseconds longer.
  const program = existsSync('dist/programs/agctl.js') ? 'dist/programs/agctl.js' : 'src/cli/agctl.ts'
  const measure = async (...args: string[]): Promise<number> => {
    const tookMs: number[] = []
    for (let i = 0; i < rounds; i++) {
      const start = performance.now()
      await run(process.execPath, [program, ...args])
      tookMs.push(performance.now() - start)
    }
    return median(tookMs)
  }
  await using admin = await startStandInAdmin((_req, res) => res.end('{"binds":[]}'))
  await using api = await startKubernetesApi({
    objects: {
      'api/v1/namespaces/apps/pods/web-1': {
        metadata: { name: 'web-1', namespace: 'apps' },
        status: { phase: 'Running' },
      },
    },
    ports: { 'web-1:15000': admin.port },
  })
  const note = program
  return [
    { name: 'agctl.help.ms', value: await measure('--help'), unit: 'ms', note },
    { name: 'agctl.version.ms', value: await measure('version'), unit: 'ms', note },
    {
      name: 'agctl.file.ms',
      value: await measure('proxy', 'config', 'routes', '--file', 'test/vectors/reference/config_dump.json'),
      unit: 'ms',
      note,
    },
    {
      name: 'agctl.cluster.ms',
      value: await measure('proxy', 'config', 'routes', 'web-1', '-k', api.kubeconfig),
      unit: 'ms',
      note,
    },
  ]
}
