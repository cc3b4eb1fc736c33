import { mapField, objectField, openObjectField } from '../schema/object-fields.ts'
import { stringField } from '../schema/scalar-fields.ts'
import { validationRule } from '../schema/validation-rule.ts'

const metadata = objectField('Labels and annotations that are added.', {
  labels: mapField('Labels.', stringField('Value.', { maxLength: 63 }), { maxProperties: 256 }),
  annotations: mapField('Annotations.', stringField('Value.', { maxLength: 262_144 }), {
    maxProperties: 256,
  }),
})

const overlay = (description: string) =>
  objectField(description, { metadata, spec: openObjectField('A strategic merge patch of its spec.') })

/** Patches of what is deployed. */
export const overlayFields = {
  deployment: overlay('Changes the Deployment.'),
  daemonSet: overlay('Changes the DaemonSet.'),
  service: overlay('Changes the Service.'),
  serviceAccount: objectField('Changes the ServiceAccount, which has no spec.', { metadata }),
  podDisruptionBudget: overlay('Creates a PodDisruptionBudget for the pods.'),
  horizontalPodAutoscaler: overlay('Creates a HorizontalPodAutoscaler for the Deployment.'),
}

const isDaemonSet = "has(self.workload) && has(self.workload.kind) && self.workload.kind == 'DaemonSet'"

/** Which of them go together with what runs the pods. */
export const overlayRules = [
  validationRule(
    'deployment can only be set when workload.kind is Deployment',
    `!has(self.deployment) || !(${isDaemonSet})`,
  ),
  validationRule(
    'daemonSet can only be set when workload.kind is DaemonSet',
    `!has(self.daemonSet) || (${isDaemonSet})`,
  ),
  validationRule(
    'horizontalPodAutoscaler cannot be set when workload.kind is DaemonSet',
    `!has(self.horizontalPodAutoscaler) || !(${isDaemonSet})`,
  ),
]
