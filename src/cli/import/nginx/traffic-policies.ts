import type { RoutePolicies } from '../../../config/schema/file-types.gen.ts'
import { formatDuration } from '../../../config/format/duration.ts'
import { nginxBytes, nginxDuration } from './nginx-quantities.ts'
import type { NginxScope } from './nginx-scope.ts'
import type { ProxyTarget } from './proxy-backends.ts'

/** Timeouts, retries, body sizes and rate limits. */
export const nginxTraffic = (
  scope: NginxScope,
  target: ProxyTarget,
): Pick<RoutePolicies, 'timeout' | 'retry' | 'buffer' | 'localRateLimit'> => {
  for (const backend of target.backends) {
    const connect = nginxDuration(scope.value('proxy_connect_timeout'))
    if (connect !== undefined) backend.policies = { tcp: { connectTimeout: connect } }
  }
  const read = scope.inherited('proxy_read_timeout').at(-1)
  const duration = nginxDuration(read?.args[0])
  if (read)
    scope.report.changed(
      read.at,
      `proxy_read_timeout ${read.args[0] ?? ''}`,
      'limits the time until the response begins, not the time between two parts of it',
    )
  const retry = retryPolicy(scope, target)
  const buffer = bufferPolicy(scope)
  const limits = rateLimits(scope)
  return {
    ...(duration === undefined ? {} : { timeout: { backendRequestTimeout: duration } }),
    ...(retry ? { retry } : {}),
    ...(buffer ? { buffer } : {}),
    ...(limits.length > 0 ? { localRateLimit: limits } : {}),
  }
}

const retryPolicy = (scope: NginxScope, { serverCount }: ProxyTarget): RoutePolicies['retry'] => {
  const next = scope.inherited('proxy_next_upstream').at(-1)
  const tries = Number(scope.value('proxy_next_upstream_tries') ?? 0)
  if (!next || next.args.includes('off')) return undefined
  const codes = next.args.flatMap((arg) => /^http_(\d{3})$/.exec(arg)?.[1] ?? []).map(Number)
  const attempts = tries > 0 ? tries - 1 : serverCount - 1
  if (attempts < 1 || codes.length === 0) return undefined
  return {
    attempts,
    codes,
    ...(next.args.includes('non_idempotent')
      ? {}
      : { precondition: '!(request.method in ["POST", "LOCK", "PATCH"])' }),
  }
}

/** Larger bodies would be kept in the memory of the gateway. */
const LARGEST_BUFFER = 64 * 1024 * 1024

const bufferPolicy = (scope: NginxScope): RoutePolicies['buffer'] => {
  const size = scope.inherited('client_max_body_size').at(-1)
  if (!size) return undefined
  const subject = `client_max_body_size ${size.args[0] ?? ''}`
  const bytes = nginxBytes(size.args[0] ?? '')
  if (bytes === 0) return undefined
  if (bytes === undefined || bytes > LARGEST_BUFFER) {
    scope.report.dropped(
      size.at,
      subject,
      'bodies of this size are streamed, without a limit',
      'buffer.request.maxBytes limits them, and keeps them in memory',
    )
    return undefined
  }
  return { request: { maxBytes: bytes } }
}

const rateLimits = (scope: NginxScope): Extract<RoutePolicies['localRateLimit'], unknown[]> => {
  const zones = new Map(
    scope.inherited('limit_req_zone').map((zone) => {
      const option = (name: string): string | undefined =>
        zone.args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1)
      return [
        option('zone')?.split(':')[0] ?? '',
        { key: zone.args[0] ?? '', rate: option('rate') ?? '' },
      ] as const
    }),
  )
  return scope.inherited('limit_req').flatMap(({ args, at }) => {
    const option = (name: string): string | undefined =>
      args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1)
    const name = option('zone') ?? ''
    const zone = zones.get(name)
    const rate = /^(\d+)r\/([sm])$/.exec(zone?.rate ?? '')
    if (!zone || !rate || !SHARED_KEYS.has(zone.key)) {
      scope.report.dropped(
        at,
        `limit_req zone=${name}`,
        `buckets of localRateLimit are not per ${zone?.key ?? 'key'}`,
        'use remoteRateLimit with a descriptor such as source.address',
      )
      return []
    }
    if (scope.value('limit_req_dry_run') === 'on') {
      scope.report.dropped(at, `limit_req zone=${name}`, 'with limit_req_dry_run nothing is limited')
      return []
    }
    const changes = [
      ...(scope.value('limit_req_status') === '429' ? [] : ['the status is 429']),
      ...(option('burst') === undefined || args.includes('nodelay')
        ? []
        : ['requests of a burst are not delayed']),
      'each location has a bucket of its own',
    ]
    scope.report.changed(at, `limit_req zone=${name}`, changes.join('; '))
    return [
      {
        maxTokens: Number(option('burst') ?? 0) + 1,
        // One by one: a bucket of the size of the burst takes no more than that from a larger fill.
        tokensPerFill: 1,
        fillInterval: formatDuration((rate[2] === 's' ? 1000 : 60_000) / Number(rate[1])),
      },
    ]
  })
}

/** Keys that are the same for all clients of a server. */
const SHARED_KEYS: ReadonlySet<string> = new Set([
  '$server_name',
  '$host',
  '$server_addr',
  '$server_port',
  'global',
])
