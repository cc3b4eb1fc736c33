import type { ProxyParametersSpec } from '../kinds/proxy-parameters.ts'
import type { CustomResource } from '../schema/custom-resource.ts'
import { requiredField, type SchemaField } from '../schema/field.ts'
import { listField, objectField, openObjectField } from '../schema/object-fields.ts'
import { enumField, integerField, stringField } from '../schema/scalar-fields.ts'
import { validationRule } from '../schema/validation-rule.ts'
import { meshParameterFields } from './proxy-parameters-mesh.ts'
import { overlayFields, overlayRules } from './proxy-parameters-overlays.ts'
import { containerParameterFields } from './proxy-parameters-container.ts'

const SECONDS_OF_A_YEAR = 31_536_000

const seconds = (description: string) =>
  requiredField(integerField(description, { minimum: 0, maximum: SECONDS_OF_A_YEAR }))

const spec: SchemaField<ProxyParametersSpec> = objectField(
  'What differs from the default.',
  {
    workload: objectField('What runs the pods.', {
      kind: enumField('`Deployment`, the default, or `DaemonSet`.', ['Deployment', 'DaemonSet']),
    }),
    logging: objectField('The log of proxies.', {
      level: stringField('A level, or levels by module: `info`, `info,config=debug`.', { maxLength: 1024 }),
      format: enumField('Format of lines.', ['json', 'text']),
    }),
    rawConfig: openObjectField(
      'What is added to the configuration file of proxies, in its notation. Fields that are generated win.',
    ),
    shutdown: objectField(
      'How long proxies take to end, in seconds.',
      {
        min: seconds('How long no connection is closed, while load balancers remove the proxy.'),
        max: seconds('When what is left is closed; the grace period of pods.'),
      },
      { rules: [validationRule('min must not be greater than max', 'self.min <= self.max')] },
    ),
    modelCatalog: objectField('Prices of language models. Of the parameters of Gateways only.', {
      sources: listField(
        'Where they are; for each model the last source applies.',
        objectField('A source.', {
          configMap: objectField('A ConfigMap in the namespace of the Gateway.', {
            name: requiredField(stringField('Its name.', { minLength: 1, maxLength: 253 })),
            key: stringField('Key of its data. Default: `catalog.json`.', { maxLength: 253 }),
          }),
        }),
        { maxItems: 16 },
      ),
    }),
    ...containerParameterFields,
    ...meshParameterFields,
    ...overlayFields,
  },
  { rules: overlayRules },
)

/** ProxyParameters: how the proxies of a Gateway or a class are deployed. */
export const proxyParametersResource: CustomResource = {
  kind: 'ProxyParameters',
  plural: 'proxyparameters',
  shortName: 'ppar',
  description: 'How the proxies of a Gateway, or of all Gateways of a class, are deployed.',
  spec,
  status: objectField('Empty.', {}),
  columns: [],
  isDirectPolicy: true,
}
