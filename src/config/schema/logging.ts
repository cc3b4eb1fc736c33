import { defaults } from '../defaults.ts'
import {
  cel,
  conditionField,
  either,
  formatted,
  listOf,
  mapOf,
  noEffect,
  ours,
  record,
  text,
  words,
} from './builders.ts'

const logFields = record('Changes to log fields.', {
  remove: listOf(text('Field name.'), 'Fields to remove.'),
  add: mapOf(cel('Expression that returns the value.'), 'Fields to add.'),
})

/** The log of the process: `config.logging`. */
export const processLogging = record('Logging of the process.', {
  level: {
    ...either(
      'Minimum level that is logged, or levels per module such as `info,config=debug`.',
      formatted('logLevel', 'A level, or a comma-separated list of levels.'),
      listOf(formatted('logLevel', 'A level, optionally for one module.'), 'List of levels.'),
    ),
    default: defaults.logLevel,
  },
  file: ours(
    text('File to append to, opened again on SIGUSR2 and SIGUSR1. Default: standard output.', {
      minLength: 1,
    }),
  ),
  format: words('Format of log lines.', ['text', 'json'], defaults.logFormat),
  filter: {
    ...conditionField('Which exchanges are logged. Now `frontendPolicies.accessLog.filter`.'),
    deprecated: true,
  },
  fields: {
    ...logFields,
    description: 'Fields of the access log. Now `frontendPolicies.accessLog`.',
    deprecated: true,
  },
  database: noEffect({ description: 'Database for log records.' }),
})
