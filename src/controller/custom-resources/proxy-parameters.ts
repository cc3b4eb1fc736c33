import type { CustomResource } from '../schema/custom-resource.ts'
import { objectField } from '../schema/object-fields.ts'

/** ProxyParameters: how the proxies of a Gateway or a class are deployed. */
export const proxyParametersResource: CustomResource = {
  kind: 'ProxyParameters',
  plural: 'proxyparameters',
  shortName: 'ppar',
  description: 'How the proxies of a Gateway, or of all Gateways of a class, are deployed.',
  spec: objectField('What differs from the default.', {}),
  status: objectField('Empty.', {}),
  columns: [],
  isDirectPolicy: true,
}
