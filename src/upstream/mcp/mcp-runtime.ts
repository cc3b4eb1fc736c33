import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { McpCollision, McpTargetStatus } from '../../model/mcp-status.ts'
import { ChildCount, type ChildLimits } from './child-count.ts'
import { McpBook } from './mcp-book.ts'
import { OpenStreams } from './open-streams.ts'
import { StdioBackoff } from './stdio-backoff.ts'
import type { StdioLine } from './stdio-log.ts'
import type { CallTimed } from './timed-wire.ts'

/** What MCP servers need of the process that they are reached from. */
export interface McpWorkplace {
  readonly children: ChildCount
  readonly backoff: StdioBackoff
  /** Takes what servers write where no protocol is. */
  readonly log: (line: StdioLine) => void
  /** How it stands with servers and sessions, for those who look. */
  readonly book: McpBook
  /** Answers that end with the process at the latest. */
  readonly streams: OpenStreams
  /** Told of each call to a server how long it took. */
  readonly timed: CallTimed
  /** Told when a server begins to fail, and when it is well again. */
  readonly changed: (status: McpTargetStatus) => void
  /** Told once of each name that several servers of a backend use. */
  readonly collided: (collision: McpCollision & { readonly backend: string }) => void
  /** The name of this process among its replicas. */
  readonly replica: string
  /** Where the others reach it: an origin. */
  readonly address: string | undefined
  /** Of the gateway. */
  readonly version: string
  /** Sessions that lie idle longer than this end. */
  readonly sessionTtlMs: number
  /** Other processes have the key of sessions, and may go on with those of this one. */
  readonly sessionsMove: boolean
}

/** Makes it for a process. The name is another one after each start: what the process held is gone then. */
export const mcpWorkplace = ({
  log = () => undefined,
  version = '0',
  sessionTtlMs = 1_800_000,
  sessionsMove = false,
  timed = () => undefined,
  changed = () => undefined,
  collided = () => undefined,
  childLimits,
  address,
}: Partial<
  Pick<
    McpWorkplace,
    'log' | 'version' | 'sessionTtlMs' | 'sessionsMove' | 'timed' | 'changed' | 'collided' | 'address'
  >
> & { readonly childLimits?: ChildLimits } = {}): McpWorkplace => ({
  children: new ChildCount(childLimits),
  backoff: new StdioBackoff(),
  log,
  book: new McpBook(),
  streams: new OpenStreams(),
  timed,
  changed,
  collided,
  replica: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
  address,
  version,
  sessionTtlMs,
  sessionsMove,
})
