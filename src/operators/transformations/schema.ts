import { cel, formatted, listOf, mapOf, type Properties, record, ref } from '../../config/schema/builders.ts'
import { conditionalDefinitions } from '../../config/schema/conditional.ts'
import type { Cel } from '../../model/resources/policies.ts'
import { headerExpressions } from '../headers/schema.ts'

/** Changes by expressions, of requests and responses. */
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
  'Changes to a request or response, applied in the order metadata, replace, add, set, remove, body.',
  {
    metadata: mapOf(
      cel('Expression that returns the value.'),
      'Values that later expressions read as `metadata.name`.',
    ),
    replace: cel('Expression that returns a map that replaces all headers.'),
    add: headerExpressions('Headers to add; existing values are kept.', 'settableOrPseudo'),
    set: headerExpressions(
      'Headers to set; existing values are replaced. A header whose expression fails is removed.',
      'settableOrPseudo',
    ),
    remove: listOf(formatted('headerName', 'Header name.'), 'Headers to remove.'),
    body: cel('Expression that returns the body.'),
  },
)

const transformations = record('Modifies requests and responses by expressions.', {
  request: ref('Transformation'),
  response: ref('Transformation'),
})

/** Definitions of `transformations`. */
export const transformationDefinitions: Properties = {
  Transformation: transformation,
  ...conditionalDefinitions('Transformations', transformations),
}
