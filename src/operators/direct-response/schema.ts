import { atMostOneOf, cel, type Properties, record, text, whole } from '../../config/schema/builders.ts'
import { conditionalDefinitions } from '../../config/schema/conditional.ts'
import type { Cel } from '../../model/resources/policies.ts'
import { headerExpressions } from '../headers/schema.ts'

/** Replies without a backend. `bodyExpression` takes precedence over `body`. */
export interface DirectResponse {
  readonly status: number
  readonly body?: string
  readonly bodyExpression?: Cel
  readonly headers: readonly (readonly [name: string, value: Cel])[]
}

const directResponse = record(
  'Replies directly, without a backend.',
  {
    status: whole('Status code.', 200, 599),
    body: text('Body.'),
    bodyExpression: cel('Expression that returns the body.'),
    headers: headerExpressions('Headers of the reply.', 'settableHeader'),
  },
  { required: ['status'], ...atMostOneOf(['body', 'bodyExpression']) },
)

/** Definitions of `directResponse`. */
export const directResponseDefinitions: Properties = conditionalDefinitions('DirectResponse', directResponse)
