import { emptyBody } from '../../model/exchange/body.ts'
import type { HttpCheck } from '../load-balancing/schema/normal-form.ts'
import { parseStatusRange } from '../../protocols/http/status-range.ts'
import { callEndpoint } from '../load-balancing/call-endpoint.ts'
import type { HealthProbe } from './health-probe.ts'
import { ProbeCall } from './check-call.ts'

/** Longer bodies are cut off: only the status counts. */
const LIMIT_BYTES = 65_536

/** Healthy is an expected status. */
export const probeHttp = ({ path, expect, host }: HttpCheck): HealthProbe => {
  const ranges = expect.flatMap((text) => [parseStatusRange(text) ?? []])
  const isExpected = (status: number) =>
    ranges.some(([from = Infinity, to = 0]) => from <= status && status <= to)
  const evaluate = ({ status }: { readonly status: number }) =>
    isExpected(status) ? undefined : `check: status ${status}`
  return (endpoint, timeoutMs, onResult) => {
    const name = host ?? ('unix' in endpoint.address ? 'localhost' : endpoint.name)
    const headers = ['host', name, 'user-agent', 'agentgateway-health-check', 'accept', '*/*']
    return new ProbeCall({ evaluate, timeoutMs, limitBytes: LIMIT_BYTES }, onResult).start((events) =>
      callEndpoint(endpoint, { method: 'GET', target: path, headers, body: emptyBody }, events),
    )
  }
}
