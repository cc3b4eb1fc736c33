import { cel, formatted, listOf, mapOf, type Properties, record, ref } from '../../config/schema/builders.ts'
import { conditionalDefinitions } from '../../config/schema/conditional.ts'
import type { Cel } from '../../model/resources/policies.ts'
import { headerExpressions } from '../headers/schema.ts'

/** Changes by expression, on the way to the backend and back. */
export interface Transformations {
  readonly request?: Transformation
  readonly response?: Transformation
}

/** Applied in the order metadata, replace, add, set, remove, body. */
export interface Transformation {
  readonly add: readonly (readonly [name: string, value: Cel])[]
  readonly set: readonly (readonly [name: string, value: Cel])[]
  readonly remove: readonly string[]
  readonly replace?: Cel
  readonly body?: Cel
  readonly metadata: readonly (readonly [key: string, value: Cel])[]
}

const transformation = record(
  'Changes to one message, in the order metadata, replace, add, set, remove, body.',
  {
    metadata: mapOf(cel('Gives the value.'), 'Values that later expressions read as `metadata.name`.'),
    replace: cel('Gives all headers, as a map.'),
    add: headerExpressions('Headers to add.', 'settableOrPseudo'),
    set: headerExpressions(
      'Headers to set. An expression that fails removes its header.',
      'settableOrPseudo',
    ),
    remove: listOf(formatted('headerName', 'A header.'), 'Headers to remove.'),
    body: cel('Gives the body.'),
  },
)

const transformations = record('Changes requests and answers by expressions.', {
  request: ref('Transformation'),
  response: ref('Transformation'),
})

/** Definitions about `transformations`. */
export const transformationDefinitions: Properties = {
  Transformation: transformation,
  ...conditionalDefinitions('Transformations', transformations),
}
