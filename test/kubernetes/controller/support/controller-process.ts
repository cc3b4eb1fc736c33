import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cleanEnvironment } from '../../../support/command.ts'
import { freePort } from '../../../support/free-port.ts'

/** A line of the log of a control plane. */
export interface ControllerLogLine {
  readonly message: string
  /** RFC 3339. */
  readonly time: string
  readonly [field: string]: unknown
}

/** The ports of a control plane. */
export interface ControllerPorts {
  readonly xds: number
  readonly health: number
  readonly metrics: number
  readonly admin: number
}

/** A control plane in a process of its own. */
export interface ControllerProcess extends AsyncDisposable {
  readonly pid: number
  readonly ports: ControllerPorts
  /** Its log so far. */
  readonly lines: readonly ControllerLogLine[]
  /** Resolves with the first line, past or future, that is accepted; rejects when the process has ended before. */
  logged(accept: (line: ControllerLogLine) => boolean): Promise<ControllerLogLine>
  /** Sends a signal and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** Free ports, for a control plane that starts again at the same ones. */
export const controllerPorts = async (): Promise<ControllerPorts> => ({
  xds: await freePort(),
  health: await freePort(),
  metrics: await freePort(),
  admin: await freePort(),
})

const program = new URL('../../../../src/controller/main.ts', import.meta.url).pathname

/**
 * Starts a control plane from its sources, without TLS and authentication of proxies. Resolves when it begins to work:
 * loading hundreds of files takes most of a minute beside other load, which is no part of what tests wait for.
 */
export const startControllerProcess = async (
  kubeconfig: string,
  {
    ports,
    env = {},
  }: { readonly ports?: ControllerPorts; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ControllerProcess> => {
  const at = ports ?? (await controllerPorts())
  const child = spawn(process.execPath, ['--conditions=agentgateway-source', program], {
    env: {
      ...cleanEnvironment(),
      KUBECONFIG: kubeconfig,
      POD_NAMESPACE: 'default',
      AGW_XDS_MODE: 'plaintext',
      AGW_XDS_AUTH: 'false',
      AGW_LOG_LEVEL: 'debug',
      AGW_AGENTGATEWAY_XDS_SERVICE_PORT: String(at.xds),
      AGW_HEALTH_PORT: String(at.health),
      AGW_METRICS_PORT: String(at.metrics),
      AGW_ADMIN_PORT: String(at.admin),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const lines: ControllerLogLine[] = []
  const reader = createInterface(child.stderr)
  reader.on('line', (text) => {
    // What Node itself prints is no line of the log.
    if (text.startsWith('{')) lines.push(JSON.parse(text) as ControllerLogLine)
    else console.error(text)
  })
  const end = async (signal: NodeJS.Signals) => {
    if (child.kill(signal)) await exited
  }
  const logged = (accept: (line: ControllerLogLine) => boolean): Promise<ControllerLogLine> =>
    new Promise((resolve, reject) => {
      let next = 0
      const look = () => {
        const found = lines.slice(next).find(accept)
        next = lines.length
        if (!found) return
        reader.off('line', look).off('close', refuse)
        resolve(found)
      }
      const refuse = () => {
        reject(new Error(`the control plane has ended: ${JSON.stringify(lines.at(-1))}`))
      }
      reader.on('line', look).on('close', refuse)
      look()
    })
  await logged(() => true)
  return { pid: child.pid ?? 0, ports: at, lines, logged, end, [Symbol.asyncDispose]: () => end('SIGKILL') }
}
