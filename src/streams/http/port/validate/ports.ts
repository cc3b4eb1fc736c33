import { child } from '../../../../config/document/json-pointer.ts'
import type { ServerAddress } from '../../../../model/resources/process-settings.ts'
import { isUdp, isUnix, listenerProtocol } from '../normalize/gateways.ts'
import type { ProcessVariables } from '../../../../config/environment-variables.ts'
import { llmPort } from '../../../../operators/llm/normalize/llm-section.ts'
import { mcpPort } from '../../../../operators/mcp/normalize/mcp-section.ts'
import { processSettings } from '../../../../config/normalize/process.ts'
import type { Check } from '../../../../config/validate/context.ts'

/** Reports ports that are used twice. */
export function checkPorts(variables: ProcessVariables): Check {
  return (view) => {
    const taken: Place[] = []
    const take = (label: string, pointer: string, location: Omit<Place, 'label'> | undefined): void => {
      if (location === undefined || location.port === 0) return
      const other = taken.find((one) => clash(one, location))
      taken.push({ label, ...location })
      if (other === undefined) return
      const what = location.port === undefined ? location.address : `port ${String(location.port)}`
      const why = `${what} is configured by both ${other.label} and ${label}; binds, llm, and mcp must use unique ports`
      view.problem(pointer, why, location.hint)
    }
    const settings = processSettings(view.file.config, variables)
    for (const [field, address] of [
      ['adminAddr', settings.adminAddr],
      ['statsAddr', settings.statsAddr],
      ['readinessAddr', settings.readinessAddr],
    ] as const) {
      take(`config.${field}`, `/config/${field}`, locationOf(address))
    }
    for (const { value, index, pointer } of view.items(view.file.binds, '/binds')) {
      if (value.mode === 'internal') continue
      for (const transport of transportsOf(value.listeners))
        take(`binds[${String(index)}]`, child(pointer, 'port'), listening(value, transport))
    }
    for (const [name, gateway] of Object.entries(view.file.gateways ?? {})) {
      for (const transport of transportsOf(gateway.listeners ?? [gateway]))
        take(`gateways.${name}`, child(child('/gateways', name), 'port'), listening(gateway, transport))
    }
    const { mcp, llm, gateways } = view.file
    const hasDefault = Object.hasOwn(gateways ?? {}, 'default')
    const ofMcp = mcp && mcpPort(mcp, hasDefault)
    if (ofMcp !== undefined)
      take('mcp', mcp?.port === undefined ? '/mcp' : '/mcp/port', {
        address: '',
        port: ofMcp,
        hint: hint('mcp'),
      })
    const ofLlm = llm && llmPort(llm, hasDefault)
    if (ofLlm === undefined) return
    const at = llm?.port === undefined ? '/llm' : '/llm/port'
    if (ofLlm !== 0 && ofLlm === ofMcp)
      view.problem(
        at,
        `top-level llm and mcp cannot use the same port ${String(ofLlm)}; attach both to the same gateway instead`,
      )
    else take('llm', at, { address: '', port: ofLlm, hint: hint('llm') })
  }
}

const hint = (section: string): string => `name the gateway it belongs to in ${section}.gateways`

interface Place {
  readonly label: string
  readonly isUdp?: boolean
  /** An IP address, a unix socket, or empty for all addresses. */
  readonly address: string
  readonly port?: number
  /** Advice for a port that is already in use. */
  readonly hint?: string
}

/** A port number may be taken once for connections, and once for datagrams. */
const transportsOf = (
  listeners: readonly { readonly protocol?: string; readonly tls?: unknown }[],
): readonly ('tcp' | 'udp')[] => {
  const datagrams = listeners.filter((one) => isUdp({ protocol: listenerProtocol(one) }))
  return [
    ...(datagrams.length > 0 ? (['udp'] as const) : []),
    ...(datagrams.length < listeners.length || listeners.length === 0 ? (['tcp'] as const) : []),
  ]
}

function listening(
  { address, port }: { address?: string; port?: number },
  transport: 'tcp' | 'udp',
): Omit<Place, 'label'> | undefined {
  if (address !== undefined && isUnix(address)) return { address }
  if (port === undefined) return undefined
  return { address: anywhere(address ?? ''), port, isUdp: transport === 'udp' }
}

function locationOf(address: ServerAddress): Omit<Place, 'label'> | undefined {
  if (address === 'off') return undefined
  if ('unix' in address) return { address: `unix:${address.unix}` }
  return { address: address.host === 'localhost' ? '127.0.0.1' : anywhere(address.host), port: address.port }
}

function anywhere(address: string): string {
  return address === '::' || address === '0.0.0.0' ? '' : address
}

function clash(a: Omit<Place, 'label'>, b: Omit<Place, 'label'>): boolean {
  if (a.port !== b.port || (a.isUdp ?? false) !== (b.isUdp ?? false)) return false
  if (a.port === undefined) return a.address === b.address
  return a.address === b.address || a.address === '' || b.address === ''
}
