import type { LogDirective } from '../model/log/log-directive.ts'
import type { LogLevel } from '../model/log/log-level.ts'
import type { LogModule } from '../model/log/log-modules.ts'
import type { ModuleLog } from '../model/log/module-log.ts'
import type { LogLevelControl } from '../sinks/log/level-control.ts'
import type { ProcessCommand } from './process-command.ts'
import type { ProcessReport } from './process-report.ts'

/** The levels of the log, as `/logging` shows them. */
export interface LogLevelReport {
  /** Such as `info,upstream=debug`. */
  readonly directive: string
  readonly modules: readonly (readonly [name: LogModule, level: LogLevel])[]
}

/** Sets levels of the log. */
export interface SetLogLevels {
  /** Whether to return to the levels of the start first. */
  readonly isReset: boolean
  readonly directive: LogDirective
}

/** The levels of the log: how they are read and set, in each process. */
export interface LogLevelAccess {
  readonly report: ProcessReport<LogLevelReport>
  readonly command: ProcessCommand<SetLogLevels>
}

/** Access to the levels of this process. @param log Gets every change. */
export const logLevelAccess = (levels: LogLevelControl, log: ModuleLog): LogLevelAccess => ({
  report: {
    name: 'log-levels',
    collect: () => ({ directive: levels.directive, modules: levels.modules }),
    // Commands reach all processes, so that they agree.
    merge: ([first]) => first ?? { directive: 'off', modules: [] },
  },
  command: {
    name: 'set-log-levels',
    apply: ({ isReset, directive }) => {
      const before = levels.directive
      levels.apply(directive, isReset)
      log.info?.('the log levels are set', { levels: levels.directive, before })
    },
  },
})
