import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { backendName } from '../normalize/references.ts'
import type { Check, ValidationContext } from './context.ts'
import { httpRoutes } from './route-locations.ts'

/** A kind of backend that has policies of its own, by the field that makes one. */
type BackendKind = 'mcp' | 'ai'

type PolicyOfKind = 'mcpAuthorization' | 'mcpGuardrails' | 'ai'

const kinds: Readonly<
  Record<BackendKind, { readonly policies: readonly PolicyOfKind[]; readonly label: string }>
> = {
  mcp: { policies: ['mcpAuthorization', 'mcpGuardrails'], label: 'MCP servers' },
  ai: { policies: ['ai'], label: 'language models' },
}

/** Warns of policies for MCP servers or language models, guards among them, where none of these is behind them. */
export const checkPoliciesOfBackendKinds: Check = (view) => {
  for (const kind of ['mcp', 'ai'] as const) {
    for (const { value, pointer } of httpRoutes(view)) {
      const backends = view.items(value.backends, child(pointer, 'backends'))
      const isOfKind = backends.map((backend) => leadsTo(view, kind, backend.value))
      backends.forEach((backend, i) => {
        if (isOfKind[i] === false)
          warn(view, kind, backend.value.policies, child(backend.pointer, 'policies'))
      })
      if (isOfKind.length > 0 && isOfKind.every((one) => one === false))
        warn(view, kind, value.policies, child(pointer, 'policies'))
    }
    for (const { value, pointer } of view.items(view.file.backends, '/backends'))
      if (value[kind] === undefined) warn(view, kind, value.policies, child(pointer, 'policies'))
  }
}

/** Whether requests reach backends of a kind. Undefined for groups of routes, whose routes have their own backends. */
export function leadsTo(
  view: ValidationContext,
  kind: BackendKind,
  { [kind]: own, backend, routeGroup }: File.RouteBackend,
): boolean | undefined {
  if (routeGroup !== undefined) return undefined
  if (backend === undefined) return own !== undefined
  const named = view.file.backends?.find(({ name }) => name === backendName(backend))
  return named === undefined ? undefined : named[kind] !== undefined
}

function warn(
  view: ValidationContext,
  kind: BackendKind,
  policies: Pick<File.BackendPolicies, PolicyOfKind> = {},
  pointer: string,
): void {
  const { policies: names, label } = kinds[kind]
  for (const name of names)
    if (policies[name] !== undefined)
      view.warning(
        child(pointer, name),
        'no_effect',
        `${name} has an effect on ${label} only, and there are none behind it`,
      )
}
