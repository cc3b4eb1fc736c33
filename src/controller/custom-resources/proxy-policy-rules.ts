import type { SchemaFields } from '../schema/field.ts'
import { hasField, type ValidationRule, validationRule } from '../schema/validation-rule.ts'

/** The fields of the sections of a ProxyPolicy: rules about fields that a section does not have are left out. */
export interface PolicySections {
  readonly frontend: SchemaFields
  readonly traffic: SchemaFields
  readonly backend: SchemaFields
}

/** The rules that fields and targets of a ProxyPolicy obey together. */
export const proxyPolicyRules = (sections: PolicySections): readonly ValidationRule[] => [
  ...frontendRules(sections),
  ...trafficRules(sections),
  ...backendRules(sections),
]

const frontendRules = ({ frontend }: PolicySections): readonly ValidationRule[] => {
  const ofPorts = Object.keys(frontend).filter((name) => !ofListeners.includes(name))
  return [
    validationRule(
      'frontend can only be set with targets of kind Gateway',
      `!has(self.frontend) || ${everyTarget("t.kind == 'Gateway'")}`,
    ),
    validationRule(
      'port can only be set where frontend is the only section',
      `${everyTarget('!has(t.port)')} || (has(self.frontend) && !has(self.traffic) && !has(self.backend))`,
    ),
    validationRule(
      `sectionName can only be set with the frontend fields [${ofListeners.join(' ')}]`,
      `!has(self.frontend) || !(${ofPorts.map((name) => `has(self.frontend.${name})`).join(' || ')}) || ${everyTarget('!has(t.sectionName)')}`,
    ),
  ]
}

const trafficRules = ({ traffic, backend }: PolicySections): readonly ValidationRule[] => {
  const afterRouting = Object.keys(traffic).filter(
    (name) => name !== 'phase' && !beforeRouting.includes(name),
  )
  return [
    validationRule(
      'strategy.inheritance can only be set where traffic is the only section',
      '!has(self.strategy) || !has(self.strategy.inheritance) || (has(self.traffic) && !has(self.frontend) && !has(self.backend))',
    ),
    validationRule(
      'traffic can only be set with targets of kind Gateway, ListenerSet, HTTPRoute, GRPCRoute or InferencePool',
      `!has(self.traffic) || ${everyTarget("t.kind in ['Gateway', 'ListenerSet', 'HTTPRoute', 'GRPCRoute', 'InferencePool']")}`,
    ),
    validationRule(
      'phase PreRouting can only be set with targets of kind Gateway or ListenerSet',
      `${notBeforeRouting} || ${everyTarget("t.kind in ['Gateway', 'ListenerSet']")}`,
    ),
    ...(afterRouting.length === 0
      ? []
      : [
          validationRule(
            `phase PreRouting can only be set with the fields [${beforeRouting.join(' ')}]`,
            `${notBeforeRouting} || !(${afterRouting.map((name) => `has(self.traffic.${name})`).join(' || ')})`,
          ),
        ]),
    ...('jwtAuthentication' in traffic && 'mcp' in backend
      ? [
          validationRule(
            'traffic.jwtAuthentication and backend.mcp.authentication cannot both be set',
            '!has(self.traffic) || !has(self.traffic.jwtAuthentication) || !has(self.backend) || !has(self.backend.mcp) || !has(self.backend.mcp.authentication)',
          ),
        ]
      : []),
  ]
}

const backendRules = ({ backend }: PolicySections): readonly ValidationRule[] => [
  ...('mcp' in backend
    ? [
        validationRule(
          'backend.mcp cannot be set with targets of kind Service',
          `!has(self.backend) || !has(self.backend.mcp) || ${everyTarget("t.kind != 'Service'")}`,
        ),
        validationRule(
          'backend.mcp cannot be set with the sectionName of a ProxyBackend',
          `!has(self.backend) || !has(self.backend.mcp) || ${everyTarget("t.kind != 'ProxyBackend' || !has(t.sectionName)")}`,
        ),
      ]
    : []),
  ...('ai' in backend
    ? [
        validationRule(
          'backend.ai cannot be set with targets of kind Service',
          `!has(self.backend) || !has(self.backend.ai) || ${everyTarget("t.kind != 'Service'")}`,
        ),
      ]
    : []),
]

/** Fields of `frontend` that one listener may have; the others are those of a port. */
const ofListeners: readonly string[] = ['accessLog', 'tracing', 'metrics']

/** Fields of `traffic` that may apply before a route is known. */
const beforeRouting: readonly string[] = [
  'extAuth',
  'authorization',
  'transformation',
  'extProc',
  'jwtAuthentication',
  'basicAuthentication',
  'apiKeyAuthentication',
  'cors',
]

const notBeforeRouting =
  "!has(self.traffic) || !has(self.traffic.phase) || self.traffic.phase != 'PreRouting'"

/** A condition on `t` that all targets fulfil, whichever way they are given. */
const everyTarget = (condition: string): string =>
  `((!has(self.targetRefs) || self.targetRefs.all(t, ${condition})) && (!has(self.targetSelectors) || self.targetSelectors.all(t, ${condition})))`

/** The rule that an object has one of its fields at least; `phase` is none that does anything. */
export const someFieldOf = (fields: SchemaFields, ...except: readonly string[]): ValidationRule => {
  const names = Object.keys(fields)
    .filter((name) => !except.includes(name))
    .sort()
  return validationRule(
    `at least one of the fields in [${names.join(' ')}] must be set`,
    names.map(hasField).join(' || '),
  )
}
