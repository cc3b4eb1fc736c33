import type { ProcessSettings, ServerAddress } from '../../model/process-settings.ts'
import { formatDuration } from '../format/duration.ts'
import { shown, shownFields } from './value.ts'
import type { Hiding, Shown } from './value.ts'

/** The settings of the process, named as in dumps of the reference. */
export function dumpProcess(settings: ProcessSettings, hiding: Hiding): Shown {
  const { guardrailWebhook, metrics, upstream } = settings
  return {
    ipv6Enabled: settings.ipv6Enabled,
    terminationMaxDeadline: formatDuration(settings.terminationDeadlineMs),
    terminationMinDeadline: formatDuration(settings.minTerminationDeadlineMs),
    adminAddr: serverAddress(settings.adminAddr),
    statsAddr: serverAddress(settings.statsAddr),
    readinessAddr: serverAddress(settings.readinessAddr),
    adminHosts: settings.adminHosts,
    dns: { lookupFamily: settings.dnsLookupFamily },
    metrics: {
      metric_fields: {
        add: Object.fromEntries(metrics.add.map(([label, cel]) => [label, shown(cel, hiding)])),
      },
      excluded_metrics: metrics.remove,
    },
    logging: settings.logging,
    storage: { mode: 'file' },
    sensitiveHeaders: settings.sensitiveHeaders,
    backend: { poolMaxSize: null, ...shownFields(upstream, hiding) },
    guardrailWebhook: { poolMaxSize: null, ...shownFields(guardrailWebhook, hiding) },
    ...(settings.sessionAddress !== undefined && { session: { address: settings.sessionAddress } }),
    mcp: shownFields(settings.mcp, hiding),
  }
}

function serverAddress(address: ServerAddress): unknown {
  if (address === 'off') return 'Off'
  if ('unix' in address) return { Unix: address.unix }
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return { SocketAddr: `${host}:${String(address.port)}` }
}
