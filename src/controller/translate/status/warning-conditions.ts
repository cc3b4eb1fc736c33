import type { StatusCondition } from './status-condition.ts'

/**
 * The condition of an object that is in force and does what is hardly meant: the warnings that a configuration file would
 * get for the same. Absent if there are none.
 */
export const warningConditions = (warnings: readonly string[]): readonly StatusCondition[] =>
  warnings.length === 0
    ? []
    : [
        {
          type: 'agentgateway.dev/Warning',
          status: 'True',
          reason: 'ConfigurationWarning',
          message: [...new Set(warnings)].join('; ').slice(0, MESSAGE_LIMIT),
        },
      ]

/** Characters. The API server refuses statuses with longer messages than 32768. */
const MESSAGE_LIMIT = 4096
