import type { CustomResource } from '../schema/custom-resource.ts'
import { objectField } from '../schema/object-fields.ts'
import { routeStatusField } from '../schema/status-fields.ts'

/** ProxyModel: a language model that clients may name. */
export const proxyModelResource: CustomResource = {
  kind: 'ProxyModel',
  plural: 'proxymodels',
  shortName: 'pmodel',
  description: 'A language model that clients may name.',
  spec: objectField('What the model is.', {}),
  status: routeStatusField,
  columns: [
    { name: 'Model Match', jsonPath: '.spec.match.model', description: 'Names of models that it is for.' },
  ],
  isDirectPolicy: false,
}
