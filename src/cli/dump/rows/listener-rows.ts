import { dumpItems, type DumpMembers, dumpMembers, dumpText, dumpVariant } from '../json-access.ts'

/** A listener of a bind. */
export interface ListenerRow {
  readonly name: string
  readonly gateway: string
  readonly address: string
  readonly protocol: string
  readonly hostname: string
  readonly routes: number
  /** Names of the policies of the listener itself. */
  readonly policies: readonly string[]
  readonly key: string
}

/** All listeners, in the order of the dump. */
export const listenerRows = (dump: DumpMembers): readonly ListenerRow[] =>
  dumpItems(dump.binds).flatMap((value) => {
    const bind = dumpMembers(value)
    return dumpItems(bind.listeners).map((one) => listenerRow(dumpText(bind.address), dumpMembers(one)))
  })

const listenerRow = (address: string, listener: DumpMembers): ListenerRow => ({
  name: dumpText(listener.listenerName),
  gateway: [listener.gatewayNamespace, listener.gatewayName].map(dumpText).join('/'),
  address,
  protocol: typeof listener.protocol === 'string' ? listener.protocol : dumpVariant(listener.protocol)[0],
  hostname: dumpText(listener.hostname) || '*',
  routes: [listener.routes, listener.tcpRoutes, listener.udpRoutes].flatMap(dumpItems).length,
  policies: inlinePolicyNames(listener),
  key: dumpText(listener.key),
})

/** The names of the policies that a resource itself has. */
export const inlinePolicyNames = (resource: DumpMembers): readonly string[] =>
  dumpItems(resource.inlinePolicies).flatMap((policy) => Object.keys(dumpMembers(policy)))
