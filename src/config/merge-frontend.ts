import type { AttachedFrontend, ListenerFrontend } from '../model/resources/frontend-policies.ts'
import type { PolicyTarget } from '../model/resources/policy-target.ts'
import type { Bind, Listener, TargetedPolicy } from '../model/resources/resources.ts'
import { targetKey } from './attached-policies.ts'
import type { Merging } from './merge-each.ts'

/**
 * The frontend policies that are attached to the gateways of a port, and to the port: the latter win. They act on
 * connections, before a gateway is known: those of several gateways that share the port apply to all of it.
 */
export const attachedToBind = (bind: Bind, { attached, derived }: Merging): AttachedFrontend | undefined => {
  const keys = new Set(bind.listeners.map(gatewayKey))
  const own = attached.to([...keys], 'frontend', (target) =>
    target.kind === 'gateway' && target.listener === undefined ? nearnessOfPort(target, bind) : 0,
  )
  if (own.length === 0) return undefined
  return derived.of('attached frontend', bind.key, own, () => merged(own))
}

/** The logs, traces and labels of metrics of a listener: those of its gateway, of the port, or its own, which win. */
export const attachedToListener = (
  listener: Listener,
  bind: Bind,
  { attached, derived }: Merging,
): ListenerFrontend | undefined => {
  const own = attached
    .to([gatewayKey(listener)], 'frontend', (target) => {
      if (target.kind !== 'gateway') return 0
      const near = nearnessOfPort(target, bind)
      return near > 0 && target.listener !== undefined ? targetedListener(target, listener, 1) : near
    })
    .filter(({ frontend }) => frontend?.accessLog ?? frontend?.tracing ?? frontend?.metrics)
  if (own.length === 0) return undefined
  return derived.of('attached frontend', `${bind.key} ${listener.key}`, own, () => {
    const { accessLog, tracing, metrics } = merged(own)
    return { ...(accessLog && { accessLog }), ...(tracing && { tracing }), ...(metrics && { metrics }) }
  })
}

/** How near a target is that may name a listener: `whole` if it does not. */
export const targetedListener = (
  { listener }: { readonly listener?: string },
  { listenerName, listenerSet }: Listener,
  whole: 1 | 2,
): number => {
  if (listener === undefined) return whole
  // Names of a gateway and of a set are apart: both may have a listener of one name.
  return listener === listenerName && (whole === 2 || !listenerSet) ? 3 : 0
}

const gatewayKey = ({ gatewayNamespace: namespace, gatewayName: name }: Listener): string =>
  targetKey({ kind: 'gateway', namespace, name })

const nearnessOfPort = ({ port }: Extract<PolicyTarget, { kind: 'gateway' }>, bind: Bind): 0 | 1 | 2 => {
  if (port === undefined) return 1
  return port === bind.port ? 2 : 0
}

const merged = (attached: readonly TargetedPolicy[]): AttachedFrontend =>
  Object.assign({}, ...attached.map(({ frontend }) => frontend)) as AttachedFrontend
