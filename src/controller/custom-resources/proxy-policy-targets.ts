import { requiredField } from '../schema/field.ts'
import { listField, mapField, objectField } from '../schema/object-fields.ts'
import { groupField, kindField, objectNameField, sectionNameField } from '../schema/reference-fields.ts'
import { stringField } from '../schema/scalar-fields.ts'
import { portField } from '../schema/value-fields.ts'
import { noneOrOneOf, type ValidationRule, validationRule } from '../schema/validation-rule.ts'

const kinds = {
  group: requiredField(groupField('Group of the kind; empty for Services.')),
  kind: requiredField(kindField('Kind of the targets.')),
}

const parts = {
  port: portField('Port of a Gateway; for `frontend` alone.'),
  sectionName: sectionNameField(
    'A listener of a Gateway or ListenerSet, a rule of a route, the port of a Service as a number, a provider or MCP target of a ProxyBackend.',
  ),
}

const knownKind = validationRule(
  'targets are Gateways, ListenerSets, HTTPRoutes, GRPCRoutes, Services, ProxyBackends or InferencePools',
  "(self.group == 'gateway.networking.k8s.io' && self.kind in ['Gateway', 'ListenerSet', 'HTTPRoute', 'GRPCRoute']) || (self.group == '' && self.kind == 'Service') || (self.group == 'agentgateway.dev' && self.kind == 'ProxyBackend') || (self.group == 'inference.networking.k8s.io' && self.kind == 'InferencePool')",
)

const servicePort = validationRule(
  'sectionName of a Service must be a port from 1 to 65535',
  "self.kind != 'Service' || !has(self.sectionName) || (self.sectionName.matches('^[0-9]{1,5}$') && int(self.sectionName) >= 1 && int(self.sectionName) <= 65535)",
)

const targetRules: readonly ValidationRule[] = [noneOrOneOf('sectionName', 'port'), knownKind, servicePort]

const oneKind = validationRule(
  'all targets must be of the same kind',
  'self.all(t, t.group == self[0].group && t.kind == self[0].kind)',
)

/** The fields of a ProxyPolicy that say what it applies to. */
export const proxyPolicyTargetFields = {
  targetRefs: listField(
    'What the policy applies to, by name. All are of the namespace of the policy.',
    objectField(
      'A target.',
      { ...kinds, name: requiredField(objectNameField('Name of the target.')), ...parts },
      {
        rules: targetRules,
      },
    ),
    { minItems: 1, maxItems: 16, rules: [oneKind] },
  ),
  targetSelectors: listField(
    'What the policy applies to, by labels. All are of the namespace of the policy.',
    objectField(
      'Targets that have all of the labels.',
      {
        ...kinds,
        matchLabels: requiredField(
          mapField('Labels.', stringField('Value.', { maxLength: 63 }), { maxProperties: 64 }),
        ),
        ...parts,
      },
      { rules: targetRules },
    ),
    { minItems: 1, maxItems: 16, rules: [oneKind] },
  ),
}
