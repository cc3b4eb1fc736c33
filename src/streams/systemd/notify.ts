import { spawn } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'

/** Informs the supervisor of the process: systemd (`sd_notify(3)`), or a parent that passed `READY_FD`. */
export interface ServiceManager {
  /** Reports that the gateway serves. From now on a watchdog is fed, as long as the event loop turns. */
  ready(): void
  /** Stops feeding the watchdog. */
  close(): void
}

/** Options of a service manager. */
export interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pid: number
  /** Called once if a message could not be sent. */
  readonly onFailure: (error: Error) => void
}

/** Variables that concern this process alone. Programs that the gateway starts must not inherit them. */
export const serviceManagerVariables = [
  'LISTEN_FDS',
  'LISTEN_FDNAMES',
  'LISTEN_PID',
  'NOTIFY_SOCKET',
  'READY_FD',
  'WATCHDOG_PID',
  'WATCHDOG_USEC',
] as const

/**
 * The service manager that environment variables name; without them nothing is sent. Messages to systemd go through
 * its program `systemd-notify`, because Node has no datagram sockets in the file system: the unit needs
 * `NotifyAccess=all`.
 */
export const serviceManager = ({ env, pid, onFailure }: ServiceManagerOptions): ServiceManager => {
  const { NOTIFY_SOCKET, READY_FD, WATCHDOG_PID = String(pid), WATCHDOG_USEC } = env
  let timer: NodeJS.Timeout | undefined
  let hasFailed = false
  const failed = (error: Error): void => {
    if (!hasFailed) onFailure(error)
    hasFailed = true
  }
  const notify = (message: string): void => {
    if (NOTIFY_SOCKET === undefined || NOTIFY_SOCKET === '') return
    const child = spawn('systemd-notify', [message], {
      env: { ...env, NOTIFY_SOCKET },
      stdio: 'ignore',
    })
    child.unref()
    child.once('error', failed).once('exit', (code) => {
      if (code !== 0) failed(new Error(`systemd-notify exited with ${code}`))
    })
  }
  const watchdogMs = WATCHDOG_PID === String(pid) ? Number(WATCHDOG_USEC ?? 0) / 1000 : 0
  return {
    ready: () => {
      notify('READY=1')
      if (READY_FD !== undefined && READY_FD !== '') writeReady(Number(READY_FD), failed)
      // Half the time, as sd_watchdog_enabled(3) recommends.
      if (watchdogMs > 0) timer = setInterval(() => notify('WATCHDOG=1'), watchdogMs / 2).unref()
    },
    close: () => clearInterval(timer),
  }
}

/** Writes a line to the descriptor and closes it, as s6 and others expect. */
const writeReady = (fd: number, failed: (error: Error) => void): void => {
  try {
    if (!(Number.isInteger(fd) && fd > 2)) throw new Error(`READY_FD is ${fd}, not a descriptor above 2`)
    writeSync(fd, 'ready\n')
    closeSync(fd)
  } catch (error) {
    failed(error as Error)
  }
}
