import type { ProcessVariables } from '../environment-variables.ts'
import { xdsAddressFormat } from '../xds-variables.ts'
import type { Check } from './context.ts'

/** Checks the control plane: its address, and that the gateway is named to which the resources belong. */
export const checkControlPlane =
  ({ xds = {} }: ProcessVariables): Check =>
  (view) => {
    const { xdsAddress, namespace, gateway } = view.file.config ?? {}
    const complaint = xdsAddress === undefined ? undefined : xdsAddressFormat(xdsAddress)
    if (complaint) view.wrongValue('/config/xdsAddress', complaint.expectation, { value: xdsAddress })
    if ((xds.address ?? xdsAddress) === undefined) return
    const missing = [
      ...((xds.namespace ?? namespace) ? [] : ['namespace']),
      ...((xds.gateway ?? gateway) ? [] : ['gateway']),
    ]
    if (missing.length > 0)
      view.problem(
        view.file.config === undefined ? '' : '/config',
        `a control plane needs ${missing.join(' and ')}`,
        `set ${missing.map((name) => `config.${name} or the variable ${name.toUpperCase()}`).join(', and ')}`,
      )
  }
