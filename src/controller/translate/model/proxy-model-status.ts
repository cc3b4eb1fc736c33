import { defineQuery, type Query } from '../../graph/query.ts'
import { statusParentRef } from '../route/route-indexes.ts'
import type { RouteStatus } from '../route/route-status.ts'
import { observedConditions, type StatusCondition } from '../status/status-condition.ts'
import { warningConditions } from '../status/warning-conditions.ts'
import type { ModelParentVerdict } from './model-candidates.ts'
import { modelParents } from './model-parents.ts'
import { translatedModel } from './translated-model.ts'

/** Our part of the status of a ProxyModel, by its key; undefined if no parent is ours. */
export const proxyModelStatus: Query<RouteStatus | undefined> = defineQuery(
  'proxyModelStatus',
  (reads, key) => {
    const model = reads.object('ProxyModel', key)
    const parents = reads.query(modelParents, key)
    if (!model || parents.length === 0) return undefined
    const { namespace = '', generation } = model.metadata
    const { problems = [], warnings = [] } = reads.query(translatedModel, key) ?? {}
    const common = [resolvedRefs(problems), ...warningConditions(warnings)]
    return {
      parents: parents.map((parent) => ({
        parentRef: statusParentRef(model.spec.parentRefs?.[parent.index], namespace),
        controllerName: reads.settings.controllerName,
        conditions: observedConditions([accepted(parent), ...common], generation),
      })),
    }
  },
)

const accepted = ({ denial }: ModelParentVerdict): StatusCondition =>
  denial
    ? { type: 'Accepted', status: 'False', ...denial }
    : { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Successfully accepted ProxyModel' }

const resolvedRefs = (problems: readonly string[]): StatusCondition =>
  problems.length === 0
    ? {
        type: 'ResolvedRefs',
        status: 'True',
        reason: 'ResolvedRefs',
        message: 'All references were resolved',
      }
    : {
        type: 'ResolvedRefs',
        status: 'False',
        reason: 'Invalid',
        message: [...new Set(problems)].join('; ').slice(0, MESSAGE_LIMIT),
      }

/** Characters. The API server refuses statuses with longer messages than 32768. */
const MESSAGE_LIMIT = 4096
