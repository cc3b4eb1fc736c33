import {
  modelMatchField,
  modelProviderFields,
  modelProviderRules,
} from '../../operators/llm/kubernetes/model-fields.ts'
import { virtualModelField } from '../../operators/llm/kubernetes/virtual-model-field.ts'
import type { CustomResource } from '../schema/custom-resource.ts'
import { requiredField, ruledField } from '../schema/field.ts'
import { listField, objectField } from '../schema/object-fields.ts'
import { enumField } from '../schema/scalar-fields.ts'
import { parentReferenceField, routeStatusField } from '../schema/status-fields.ts'
import { exactlyOneOf, validationRule } from '../schema/validation-rule.ts'
import { modelPoliciesField } from './model-policies.ts'

const parentRefField = ruledField(
  parentReferenceField('A Gateway or a ListenerSet, or one of its listeners, or an HTTPRoute.'),
  validationRule(
    'parents are Gateways, ListenerSets or HTTPRoutes',
    "self.group == 'gateway.networking.k8s.io' && self.kind in ['Gateway', 'ListenerSet', 'HTTPRoute']",
  ),
)

const specField = objectField(
  'What the model is.',
  {
    parentRefs: requiredField(
      listField('What the model is served by.', parentRefField, { minItems: 1, maxItems: 16 }),
    ),
    match: modelMatchField,
    visibility: enumField(
      'Whether clients may request it, or virtual models alone.',
      ['Internal', 'Public'],
      {
        default: 'Public',
      },
    ),
    ...modelProviderFields,
    virtualModel: virtualModelField,
    policies: modelPoliciesField,
  },
  {
    rules: [
      exactlyOneOf('provider', 'virtualModel'),
      ...modelProviderRules,
      validationRule(
        'policies cannot be set with virtualModel',
        '!has(self.policies) || !has(self.virtualModel)',
      ),
      validationRule(
        'a virtual model must be Public',
        "!has(self.virtualModel) || self.visibility == 'Public'",
      ),
      validationRule(
        'a virtual model cannot have a pattern',
        "!has(self.virtualModel) || !has(self.match) || !has(self.match.model) || !self.match.model.contains('*')",
      ),
    ],
  },
)

/** ProxyModel: a language model that clients may name. */
export const proxyModelResource: CustomResource = {
  kind: 'ProxyModel',
  plural: 'proxymodels',
  shortName: 'pmodel',
  description: 'A language model that clients may name.',
  spec: specField,
  status: routeStatusField,
  columns: [
    { name: 'Model Match', jsonPath: '.spec.match.model', description: 'Names of models that it is for.' },
  ],
  isDirectPolicy: false,
}
