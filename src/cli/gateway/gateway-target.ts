import type { AdminClient } from './admin-client.ts'

/** A port that can be reached from here until it is closed. */
export interface ReachablePort {
  readonly host: string
  readonly port: number
  /** Why it works no longer, as far as known; undefined while it does. */
  readonly failure?: () => string | undefined
  readonly close: () => void
}

/** A gateway that a command inspects. */
export interface GatewayTarget {
  /** `name.namespace` of the pod, or the address of the admin server. */
  readonly name: string
  readonly isPod: boolean
  /** Makes a port of the gateway reachable. */
  readonly reach: (port: number) => Promise<ReachablePort>
  /** Calls a function with a client of the admin server, and closes what was opened for it. */
  readonly withAdmin: <T>(use: (admin: AdminClient) => Promise<T>) => Promise<T>
}
