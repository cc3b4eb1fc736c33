import type { AdminClient } from './admin-client.ts'
import type { CommandFailure } from '../command-failure.ts'

/** A port that can be reached from here until it is closed. */
export interface ReachablePort {
  readonly host: string
  readonly port: number
  /** Why it does not work, beginning with what was tried; undefined while it does. */
  readonly failure?: (what: string) => Promise<CommandFailure | undefined>
  /** Rejects once what has the port is gone for good: whoever connects again would do so in vain. */
  readonly gone?: Promise<never>
  readonly close: () => void
}

/** A gateway that a command inspects. */
export interface GatewayTarget {
  /** `name.namespace` of the pod, or the address of the admin server. */
  readonly name: string
  /** Of a pod: whether it serves, and why not, as far as known. */
  readonly pod?: { readonly isReady: boolean; readonly problem: string | undefined }
  /** Makes a port of the gateway reachable. */
  readonly reach: (port: number) => Promise<ReachablePort>
  /** Calls a function with a client of the admin server, and closes what was opened for it. */
  readonly withAdmin: <T>(use: (admin: AdminClient) => Promise<T>) => Promise<T>
}
