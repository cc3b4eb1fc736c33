import type { GatewayListener } from '../../kinds/gateway-api.ts'
import type { KubernetesObject } from '../../kinds/object.ts'

/** Ports without a socket: they are reachable from the gateway itself only. */
export interface InternalPorts {
  readonly ports: readonly number[]
  /** What is wrong with the annotation. Ports that it does name stay internal. */
  readonly error?: string
}

/** The annotation that lists internal ports, separated by commas. */
export const internalPortsAnnotation = 'agentgateway.dev/internal-ports'

/** The internal ports among those of an object's own listeners. */
export const internalPorts = (
  { metadata }: KubernetesObject,
  listeners: readonly GatewayListener[],
): InternalPorts => {
  const tokens = (metadata.annotations?.[internalPortsAnnotation] ?? '')
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '')
  const errors = tokens.flatMap((token) => tokenError(token, listeners))
  const ports = [...new Set(tokens.map(Number).filter((port) => Number.isSafeInteger(port)))]
  return {
    ports: ports.sort((a, b) => a - b),
    ...(errors.length > 0
      ? { error: `invalid ${internalPortsAnnotation} annotation: ${errors.slice(0, maxErrors).join('; ')}` }
      : {}),
  }
}

/** Status messages are limited by the API server. */
const maxErrors = 8

const tokenError = (token: string, listeners: readonly GatewayListener[]): string[] => {
  const shown = JSON.stringify(token.slice(0, 20))
  const port = /^\d{1,5}$/.test(token) ? Number(token) : 0
  if (port < 1 || port > 65_535) return [`${shown} is not a port number`]
  return listeners.some((listener) => listener.port === port) ? [] : [`no listener has port ${shown}`]
}
