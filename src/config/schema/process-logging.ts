import { defaults } from '../defaults.ts'
import { cel, condition, either, formatted, listOf, mapOf, noEffect, record, text, words } from './kinds.ts'

const logFields = record('Changes to log fields.', {
  remove: listOf(text('A field.'), 'Fields to leave out.'),
  add: mapOf(cel('Gives the value.'), 'Fields to add.'),
})

/** The log of the process: `config.logging`. */
export const processLogging = record('The log of the process.', {
  level: {
    ...either(
      'Least level that is written, or a list such as `info,config=debug`.',
      formatted('logLevel', 'A level, or several with commas.'),
      listOf(formatted('logLevel', 'A level.'), 'Levels.'),
    ),
    default: defaults.logLevel,
  },
  format: words('How lines are written.', ['text', 'json'], defaults.logFormat),
  filter: {
    ...condition('Which exchanges are logged. Now `frontendPolicies.accessLog.filter`.'),
    deprecated: true,
  },
  fields: {
    ...logFields,
    description: 'Fields of the access log. Now `frontendPolicies.accessLog`.',
    deprecated: true,
  },
  database: noEffect({ description: 'A database for log lines.' }),
})
