import { readFileSync } from 'node:fs'
import { type Daemon, startDaemon } from './daemon.ts'

/**
 * Runs `examples/<story>/config.yaml`, or another file there, as a user would.
 *
 * @param env The variables of the configuration. Ports without a value are free ones.
 */
export const startExample = (
  story: string,
  env: Readonly<Record<string, string>> = {},
  file = 'config.yaml',
): Promise<Daemon> =>
  startDaemon(readFileSync(`examples/${story}/${file}`, 'utf8'), { env: { ...freePorts, ...env } })

const freePorts = {
  PORT: '0',
  ADMIN_ADDR: '127.0.0.1:0',
  STATS_ADDR: '127.0.0.1:0',
  READINESS_ADDR: '127.0.0.1:0',
}
