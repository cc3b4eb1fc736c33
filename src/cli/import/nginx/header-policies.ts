import type { RoutePolicies } from '../../../config/schema/file-types.gen.ts'
import type { NginxScope } from './nginx-scope.ts'
import { nginxText } from './nginx-text.ts'

/** What `proxy_set_header`, `add_header` and `proxy_hide_header` become, and what becomes of the host. */
export interface HeaderPolicies {
  readonly policies: Pick<
    RoutePolicies,
    'requestHeaderModifier' | 'responseHeaderModifier' | 'transformations'
  >
  /** `keep`: that of the client; `default`: that of the upstream, as nginx does without a directive. */
  readonly host: 'keep' | 'default' | { readonly full: string }
  /** Whether X-Forwarded-For is continued. */
  readonly appendsForwarded: boolean
}

/** Header changes of a location. */
export const headerPolicies = (scope: NginxScope): HeaderPolicies => {
  const { report } = scope
  const set: Record<string, string> = {}
  const remove: string[] = []
  const computed: Record<string, string> = {}
  let host: HeaderPolicies['host'] = 'default'
  let appendsForwarded = false
  for (const { args, at } of scope.inherited('proxy_set_header')) {
    const [name = '', value = ''] = args
    const key = name.toLowerCase()
    if (key === 'host') {
      if (['$host', '$http_host', '$host:$server_port'].includes(value)) host = 'keep'
      else if (['$proxy_host', ''].includes(value)) host = 'default'
      else if (value.includes('$'))
        report.dropped(at, `proxy_set_header ${name}`, `the host cannot be ${value}`)
      else host = { full: value }
    } else if (key === 'upgrade' || key === 'connection') continue
    else if (value.includes('$proxy_add_x_forwarded_for')) appendsForwarded = true
    else if (value === '') remove.push(key)
    else {
      const text = nginxText(value)
      if (text.kind === 'literal') set[key] = text.text
      else if (text.kind === 'expression') computed[key] = text.expression
      else report.dropped(at, `proxy_set_header ${name}`, `${text.variable} has no counterpart`)
    }
  }
  // The gateway continues these together with X-Forwarded-For.
  const kept = Object.fromEntries(
    Object.entries(computed).filter(([name]) => !appendsForwarded || !FORWARDED.has(name)),
  )
  const response = responseHeaders(scope)
  const request = {
    ...(Object.keys(set).length > 0 ? { set } : {}),
    ...(remove.length > 0 ? { remove } : {}),
  }
  const transformations = {
    ...(Object.keys(kept).length > 0 ? { request: { set: kept } } : {}),
    ...(Object.keys(response.computed).length > 0 ? { response: { add: response.computed } } : {}),
  }
  return {
    host,
    appendsForwarded,
    policies: {
      ...(Object.keys(request).length > 0 ? { requestHeaderModifier: request } : {}),
      ...(Object.keys(response.modifier).length > 0 ? { responseHeaderModifier: response.modifier } : {}),
      ...(Object.keys(transformations).length > 0 ? { transformations } : {}),
    },
  }
}

const FORWARDED: ReadonlySet<string> = new Set(['x-forwarded-proto', 'x-forwarded-host'])

const responseHeaders = (
  scope: NginxScope,
): {
  readonly modifier: NonNullable<RoutePolicies['responseHeaderModifier']>
  readonly computed: Record<string, string>
} => {
  const added: Record<string, string> = {}
  const computed: Record<string, string> = {}
  for (const { args, at } of scope.inherited('add_header')) {
    const [name = '', value = '', always] = args
    if (always !== 'always')
      scope.report.changed(at, `add_header ${name}`, 'is added to responses of every status, as with always')
    const key = name.toLowerCase()
    const text = nginxText(value)
    if (key in added || key in computed)
      scope.report.dropped(at, `add_header ${name}`, 'the header is set twice')
    else if (text.kind === 'literal') added[key] = text.text
    else if (text.kind === 'expression') computed[key] = text.expression
    else scope.report.dropped(at, `add_header ${name}`, `${text.variable} has no counterpart`)
  }
  const hidden = scope.inherited('proxy_hide_header').map(({ args: [name = ''] }) => name.toLowerCase())
  const replaced = Object.entries(added).filter(([name]) => hidden.includes(name))
  const kept = Object.entries(added).filter(([name]) => !hidden.includes(name))
  const remove = hidden.filter((name) => !(name in added))
  const modifier = {
    ...(kept.length > 0 ? { add: Object.fromEntries(kept) } : {}),
    ...(replaced.length > 0 ? { set: Object.fromEntries(replaced) } : {}),
    ...(remove.length > 0 ? { remove } : {}),
  }
  return { modifier, computed }
}
