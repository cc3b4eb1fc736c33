import type { ProcessSettings } from '../model/resources/process-settings.ts'
import type { Telemetry } from './telemetry.ts'
import type { mcpRuntime } from '../upstream/mcp/mcp-runtime.ts'
import { buildInfo } from '../version.ts'

/** The options of the MCP runtime: settings, and callbacks that write to the log and the metrics. */
export const mcpOptions = (
  { mcp: { sessionTtlMs, maxPrograms, maxProgramsPerTarget }, sessionKeys, sessionAddress }: ProcessSettings,
  telemetry: () => Telemetry,
): Parameters<typeof mcpRuntime>[0] => ({
  version: buildInfo.version,
  sessionTtlMs,
  childLimits: { perTarget: maxProgramsPerTarget, inAll: maxPrograms },
  sessionsMove: sessionKeys.length > 0,
  address: sessionAddress,
  // The log is made after the runtime, and its functions change with the levels.
  events: {
    get error() {
      return telemetry().logs.mcp.error
    },
    get warn() {
      return telemetry().logs.mcp.warn
    },
    get info() {
      return telemetry().logs.mcp.info
    },
    get debug() {
      return telemetry().logs.mcp.debug
    },
    get trace() {
      return telemetry().logs.mcp.trace
    },
  },
  log: ({ text, ...fields }) => {
    telemetry().logs.mcp.info?.(text, fields)
  },
  onCallTimed: (seconds) => {
    telemetry().metrics.upstreamCall('Primary', 'Mcp', seconds)
  },
  onMessageDropped: () => {
    telemetry().metrics.queueDropped('mcp_messages')
  },
  onStatusChange: ({ backend, target, state, error }) => {
    const { log } = telemetry()
    if (state === 'failing') log.warn('an MCP server cannot be used', { backend, target, error })
    else log.info('an MCP server can be used again', { backend, target })
  },
  onCollision: ({ backend, kind, name, targets }) => {
    const text = 'several MCP servers use one name, which is offered of none of them'
    telemetry().log.warn(text, { backend, kind, name, targets: targets.join(',') })
  },
  onListTruncated: ({ backend, target, method, pages }) => {
    telemetry().log.warn('a list of an MCP server has more pages than are read', {
      backend,
      target,
      method,
      pages,
    })
  },
})
