import { locateRecorded, type ExtraFields } from '../recorded/explain-recorded.ts'
import { fromTrace } from '../recorded/from-trace.ts'
import type { RecordedOutcome, RecordedRequest } from '../recorded/recorded-request.ts'
import type { Bind } from '../../model/resources/resources.ts'
import { replayChanges, type ReplayedRequest } from './replayed-request.ts'
import type { ReplayGateway } from './replay-gateway.ts'
import { sendRecorded } from './send-recorded.ts'
import type { StandIn } from './stand-in.ts'

/** Where recorded requests are sent. */
export interface ReplayTarget {
  readonly gateway: ReplayGateway
  readonly standIn: StandIn
  /** The sockets of the configuration, as written. */
  readonly binds: readonly Bind[]
}

/** How requests are changed before they are sent. */
export interface ReplayChoices {
  /** Gets all requests. */
  readonly gateway: string | undefined
  readonly extra: ExtraFields
}

/** Sends requests one after the other, in the order in which they were recorded. */
export async function* replayRequests(
  requests: readonly RecordedRequest[],
  target: ReplayTarget,
  choices: ReplayChoices,
): AsyncGenerator<ReplayedRequest> {
  for (const recorded of requests) yield await replay(recorded, target, choices)
}

const replay = async (
  recorded: RecordedRequest,
  { gateway, standIn, binds }: ReplayTarget,
  choices: ReplayChoices,
): Promise<ReplayedRequest> => {
  const { method, url, redacted, isCut } = recorded
  const missing = redacted.filter((name) => !choices.extra.some(([other]) => other.toLowerCase() === name))
  const failed = (failure: string): ReplayedRequest => ({
    method,
    url,
    outcome: {},
    changes: [],
    failure,
    missing,
    isCut,
  })
  const located = locateRecorded(recorded, binds, choices.gateway, choices.extra)
  if (typeof located === 'string') return failed(located)
  const port = gateway.portOf(located.bind.key)
  if (port === undefined) return failed(`${located.bind.key} has no socket`)
  standIn.respondWith(recorded.response)
  let status: number
  try {
    status = await sendRecorded(port, located.bind.port ?? 0, located.request)
  } catch (error) {
    await gateway.takeEvents()
    return failed(`no response: ${error instanceof Error ? error.message : String(error)}`)
  }
  const [traced] = fromTrace(await gateway.takeEvents())
  const outcome: RecordedOutcome = { ...traced?.outcome, status }
  return { method, url, outcome, changes: replayChanges(recorded, outcome), missing, isCut }
}
