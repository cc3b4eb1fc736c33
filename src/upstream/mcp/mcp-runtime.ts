import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { McpCollision, McpLongList, McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import { type ModuleLog, silentLog } from '../../model/log/module-log.ts'
import { ChildCount, type ChildLimits } from './stdio/child-limits.ts'
import { McpStatusRegistry } from './status-registry.ts'
import { OpenStreams } from './open-streams.ts'
import { StdioBackoff } from './stdio/restart-backoff.ts'
import type { StdioLine } from './stdio/stderr.ts'
import type { OnCallTimed } from './timed-transport.ts'

/** State of the process that MCP servers share. */
export interface McpRuntime {
  readonly children: ChildCount
  readonly backoff: StdioBackoff
  /** The log of sessions and programs. */
  readonly events: ModuleLog
  /** Logs what servers write outside the protocol. */
  readonly log: (line: StdioLine) => void
  /** Status of servers and sessions, for the admin pages. */
  readonly statusRegistry: McpStatusRegistry
  /** Responses that end with the process at the latest. */
  readonly streams: OpenStreams
  /** Called with the duration of each call to a server. */
  readonly onCallTimed: OnCallTimed
  /** Called for each message of a server that was dropped because nobody reads them. */
  readonly onMessageDropped: () => void
  /** Called when a server begins to fail, and when it has recovered. */
  readonly onStatusChange: (status: McpTargetStatus) => void
  /** Called once for each name that several servers of a backend use. */
  readonly onCollision: (collision: McpCollision & { readonly backend: string }) => void
  /** Called once for each list of a server that has more pages than are read. */
  readonly onListTruncated: (list: McpLongList & { readonly backend: string }) => void
  /** The name of this process among its replicas. */
  readonly replica: string
  /** Its address for the others: an origin. */
  readonly address: string | undefined
  /** Of the gateway. */
  readonly version: string
  /** Sessions end after this idle time. */
  readonly sessionTtlMs: number
  /** Other processes have the session key, and may continue sessions of this one. */
  readonly sessionsMove: boolean
}

/**
 * Makes the runtime of a process. The replica name is new after each start, since state of the earlier process is gone.
 */
export const mcpRuntime = ({
  log = () => undefined,
  events = silentLog,
  version = '0',
  sessionTtlMs = 1_800_000,
  sessionsMove = false,
  onCallTimed = () => undefined,
  onMessageDropped = () => undefined,
  onStatusChange = () => undefined,
  onCollision = () => undefined,
  onListTruncated = () => undefined,
  childLimits,
  address,
}: Partial<
  Pick<
    McpRuntime,
    | 'log'
    | 'events'
    | 'version'
    | 'sessionTtlMs'
    | 'sessionsMove'
    | 'onCallTimed'
    | 'onMessageDropped'
    | 'onStatusChange'
    | 'onCollision'
    | 'onListTruncated'
    | 'address'
  >
> & { readonly childLimits?: ChildLimits } = {}): McpRuntime => ({
  children: new ChildCount(childLimits, events),
  backoff: new StdioBackoff(),
  log,
  events,
  statusRegistry: new McpStatusRegistry(),
  streams: new OpenStreams(),
  onCallTimed,
  onMessageDropped,
  onStatusChange,
  onCollision,
  onListTruncated,
  replica: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
  address,
  version,
  sessionTtlMs,
  sessionsMove,
})
