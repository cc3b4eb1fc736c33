import type { Listener } from './resources.ts'

/** Whether the clients of a listener speak TLS with the backend, and not with the gateway. */
export const isPassthrough = ({ protocol, tls }: Listener): boolean => protocol === 'TLS' && tls === undefined
