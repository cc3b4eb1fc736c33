import { cpuProfileReport, heapProfileReport } from '../profiling/profile-reports.ts'
import type { HeapSampling } from '../profiling/heap-sampling.ts'
import { replyText, type AdminCall, type AdminEndpoint, type EndpointResponse } from '../endpoint.ts'
import { nextTurn } from '../../model/event-loop/next-turn.ts'
import type { AdminParameter } from '../parameters.ts'
import { readReport } from '../process-report.ts'

/** What the profile endpoints need. */
export interface ProfileEndpointOptions {
  /** Undefined if this process does not sample its allocations. */
  readonly heapSampling: HeapSampling | undefined
  /** Aborts when the gateway shuts down. */
  readonly shutdown: AbortSignal
  /** The name of the system. Default: that of this process. */
  readonly platform?: string
}

/**
 * `/debug/pprof/profile` and `/debug/pprof/heap`: profiles of the process in the format of pprof. The CPU profile needs
 * Linux; elsewhere it has no endpoint.
 */
export const profileEndpoints = ({
  heapSampling,
  shutdown,
  platform = process.platform,
}: ProfileEndpointOptions): readonly AdminEndpoint[] => {
  const heap = heapProfileEndpoint(heapSampling, shutdown)
  return platform === 'linux' ? [cpuProfileEndpoint(shutdown), heap] : [heap]
}

const cpuProfileEndpoint = (shutdown: AbortSignal): AdminEndpoint => {
  let isBusy = false
  return {
    path: '/debug/pprof/profile',
    methods: ['GET', 'HEAD'],
    summary: 'profiles CPU use, for go tool pprof',
    group: 'process',
    parameters,
    handle: async ({ req, res, query }) => {
      if (req.method === 'HEAD') sendProfile(res, 'cpu')
      else if (isBusy) replyText(res, 409, 'a CPU profile is being taken: try again when it has ended\n')
      else {
        isBusy = true
        const [seconds, frequency] = [
          Number(query.get('seconds') ?? 10),
          Number(query.get('frequency') ?? 100),
        ]
        const take = (signal: AbortSignal) => readReport(cpuProfileReport, { seconds, frequency, signal })
        await reply(res, 'cpu', shutdown, take).finally(() => (isBusy = false))
      }
    },
  }
}

const heapProfileEndpoint = (sampling: HeapSampling | undefined, shutdown: AbortSignal): AdminEndpoint => {
  const report = heapProfileReport(sampling)
  let current: Promise<Uint8Array> | undefined
  /** Callers at the same time share one profile. */
  const shared = async (): Promise<Uint8Array> => {
    await nextTurn()
    return (current ??= readReport(report, shutdown).finally(() => (current = undefined)))
  }
  return {
    path: '/debug/pprof/heap',
    methods: ['GET', 'HEAD'],
    summary: 'samples of the allocations in use, for go tool pprof',
    group: 'process',
    handle: ({ req, res }: AdminCall) => {
      if (req.method !== 'HEAD') return reply(res, 'heap', shutdown, shared)
      sendProfile(res, 'heap')
      return undefined
    },
  }
}

/** Sends what `take` makes. A client that leaves aborts its signal, and so does the shutdown of the gateway. */
const reply = async (
  res: EndpointResponse,
  kind: 'cpu' | 'heap',
  shutdown: AbortSignal,
  take: (signal: AbortSignal) => Promise<Uint8Array>,
): Promise<void> => {
  const gone = new AbortController()
  const onClose = () => gone.abort(new Error('the client has left'))
  res.once('close', onClose)
  try {
    const profile = await take(AbortSignal.any([gone.signal, shutdown]))
    if (!gone.signal.aborted) sendProfile(res, kind, profile)
  } catch (error) {
    if (shutdown.aborted) replyText(res, 503, 'the gateway shuts down\n', { connection: 'close' })
    else if (!gone.signal.aborted) throw error
  } finally {
    res.off('close', onClose)
  }
}

const sendProfile = (res: EndpointResponse, kind: 'cpu' | 'heap', profile?: Uint8Array): void => {
  res.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="agentgateway-${kind}.pb.gz"`,
    'cache-control': 'no-store',
    ...(profile && { 'content-length': profile.length }),
  })
  res.end(profile)
}

const parameters: readonly AdminParameter[] = [
  { name: 'seconds', summary: 'duration; default 10', values: { from: 1, to: 300 } },
  { name: 'frequency', summary: 'samples per second; default 100', values: { from: 1, to: 1_000 } },
]
