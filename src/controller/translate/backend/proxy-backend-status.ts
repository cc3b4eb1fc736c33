import { defineQuery, type Query } from '../../graph/query.ts'
import {
  observedConditions,
  type ObservedCondition,
  type StatusCondition,
} from '../status/status-condition.ts'
import { warningConditions } from '../status/warning-conditions.ts'
import { translatedBackend } from './translated-backend.ts'
import { unservedBackendProblem } from './unserved-backend.ts'

/** The status of a ProxyBackend, by its key. */
export const proxyBackendStatus: Query<{ readonly conditions: readonly ObservedCondition[] } | undefined> =
  defineQuery('proxyBackendStatus', (reads, key) => {
    const backend = reads.object('ProxyBackend', key)
    const translated = reads.query(translatedBackend, key)
    if (!backend || !translated) return undefined
    const unserved = reads.query(unservedBackendProblem, key)
    const problems = unserved === undefined ? translated.problems : [...translated.problems, unserved]
    const conditions = [acceptedCondition(problems), ...warningConditions(translated.warnings)]
    return { conditions: observedConditions(conditions, backend.metadata.generation) }
  })

const acceptedCondition = (problems: readonly string[]): StatusCondition =>
  problems.length === 0
    ? { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Backend successfully accepted' }
    : {
        type: 'Accepted',
        status: 'False',
        reason: 'TranslationError',
        message: `failed to translate backend: ${problems.join('; ')}`,
      }
