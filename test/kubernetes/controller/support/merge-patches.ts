import type { JsonMap } from '../../../../src/controller/translate/strategic-merge/directives.ts'

/** The objects that the patches are for. */
export const mergedObjects = {
  Deployment: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', labels: { a: '1' } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
      template: {
        metadata: { labels: { app: 'web' }, annotations: { a: '1', b: '2' }, finalizers: ['f/a', 'f/b'] },
        spec: {
          serviceAccountName: 'web',
          nodeSelector: { a: '1' },
          securityContext: { runAsUser: 2, sysctls: [{ name: 's', value: '0' }] },
          tolerations: [{ key: 'a', operator: 'Exists' }],
          hostAliases: [{ ip: '1.1.1.1', hostnames: ['one'] }],
          containers: [
            {
              name: 'agentgateway',
              image: 'proxy:1',
              args: ['-f', 'config.yaml'],
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
                { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              ],
              ports: [{ name: 'metrics', containerPort: 15020, protocol: 'TCP' }],
              resources: { requests: { cpu: '100m', memory: '128Mi' } },
              securityContext: { runAsUser: 10101, capabilities: { drop: ['ALL'] } },
              volumeMounts: [
                { name: 'x', mountPath: '/a' },
                { name: 'y', mountPath: '/b' },
              ],
            },
            { name: 'sidecar', image: 'sidecar:1' },
          ],
          volumes: [
            { name: 'x', configMap: { name: 'web' } },
            { name: 'y', emptyDir: {} },
          ],
        },
      },
    },
  },
  Service: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      type: 'LoadBalancer',
      selector: { app: 'web' },
      ports: [
        { name: 'listener-80', port: 80, protocol: 'TCP', targetPort: 80 },
        { name: 'listener-443', port: 443, protocol: 'TCP', targetPort: 443 },
      ],
    },
  },
  PodDisruptionBudget: {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  },
  HorizontalPodAutoscaler: {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 2,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }],
    },
  },
} satisfies Readonly<Record<string, JsonMap>>

/** A patch of one of them. */
interface MergePatch {
  readonly kind: keyof typeof mergedObjects
  /** YAML. */
  readonly patch: string
  readonly isRefused?: boolean
}

const deployment = (patch: string, isRefused = false): MergePatch => ({
  kind: 'Deployment',
  patch,
  isRefused,
})
const pod = (spec: string, isRefused = false) =>
  deployment(`{ spec: { template: { spec: ${spec} } } }`, isRefused)
const container = (fields: string, isRefused = false) =>
  pod(`{ containers: [{ name: agentgateway, ${fields} }] }`, isRefused)

/** Patches by what they do. */
export const mergePatches: Readonly<Record<string, MergePatch>> = {
  'sets a scalar': deployment('{ spec: { replicas: 3 } }'),
  'changes a scalar': pod('{ serviceAccountName: other }'),
  'deletes a scalar by null': pod('{ serviceAccountName: null }'),
  'deletes a scalar that is not there': pod('{ priorityClassName: null }'),
  'deletes an object by null': pod('{ securityContext: null }'),
  'deletes a list by null': pod('{ tolerations: null }'),
  'merges labels': deployment('{ spec: { template: { metadata: { labels: { b: "2" } } } } }'),
  'deletes an annotation': deployment('{ spec: { template: { metadata: { annotations: { a: null } } } } }'),
  'adds an object': pod('{ affinity: { nodeAffinity: {} } }'),
  'adds an object with nulls': pod('{ affinity: { nodeAffinity: null, podAffinity: { a: null } } }'),
  'replaces a list without a key': pod('{ tolerations: [{ key: b }, { key: c }] }'),
  'empties a list without a key': pod('{ tolerations: [] }'),
  'keeps a list with a key that is empty': pod('{ containers: [] }'),
  'replaces arguments': container('args: [-v]'),
  'adds a variable before others': container('env: [{ name: D, value: "4" }]'),
  'changes a variable': container('env: [{ name: B, value: "9" }]'),
  'changes and adds variables': container('env: [{ name: D }, { name: B, value: "9" }, { name: E }]'),
  'orders variables of the patch': container('env: [{ name: C }, { name: A }]'),
  'changes a variable from a field to a value': container('env: [{ name: C, value: c, valueFrom: null }]'),
  'deletes a variable': container('env: [{ name: B, $patch: delete }]'),
  'deletes a variable that is not there': container('env: [{ name: Z, $patch: delete }]'),
  'deletes one variable and adds another': container('env: [{ name: B, $patch: delete }, { name: D }]'),
  'replaces all variables': container('env: [{ $patch: replace }, { name: D, value: "4" }]'),
  'deletes all variables': container('env: [{ $patch: replace }]'),
  'orders variables by a directive': container(
    'env: [{ name: D }], $setElementOrder/env: [{ name: C }, { name: D }, { name: A }]',
  ),
  'orders variables and adds none': container('$setElementOrder/env: [{ name: C }, { name: A }]'),
  'an order without a list': container('$setElementOrder/volumeDevices: [{ devicePath: /x }]'),
  'an order that contradicts the list': container(
    'env: [{ name: A }, { name: B }], $setElementOrder/env: [{ name: B }, { name: A }]',
    true,
  ),
  'an order that lacks an element': container(
    'env: [{ name: D }], $setElementOrder/env: [{ name: A }]',
    true,
  ),
  'an order that ends before an element with a directive': container(
    'env: [{ name: A }, { name: B, $patch: replace }], $setElementOrder/env: [{ name: A }]',
    true,
  ),
  'an order with an element that is deleted': container(
    'env: [{ name: A }, { name: B, $patch: delete }], $setElementOrder/env: [{ name: A }]',
  ),
  'an order with an element that replaces': container(
    'env: [{ name: B, $patch: replace }, { name: A }], $setElementOrder/env: [{ name: A }]',
  ),
  'an order with an element that is new and one that is deleted': container(
    'env: [{ name: D }, { name: E }, { name: A, $patch: delete }], $setElementOrder/env: [{ name: D }, { name: E }]',
  ),
  'an order of nothing': container('env: [{ name: D }, { name: A }], $setElementOrder/env: []'),
  'an order that names an element twice': container(
    'env: [{ name: A }, { name: B }], $setElementOrder/env: [{ name: A }, { name: A }, { name: B }]',
  ),
  'merges ports by number': container('ports: [{ containerPort: 15020, name: stats }]'),
  'adds a port': container('ports: [{ containerPort: 8080 }]'),
  'merges mounts by path': container('volumeMounts: [{ mountPath: /b, readOnly: true }, { mountPath: /c }]'),
  'merges requests': container('resources: { requests: { cpu: 200m }, limits: { memory: 1Gi } }'),
  'replaces an object': container('securityContext: { $patch: replace, runAsUser: 1 }'),
  'deletes the fields of an object': container('securityContext: { $patch: delete }'),
  'replaces an object that is not there': container('lifecycle: { $patch: replace, preStop: {} }'),
  'deletes an object that is not there': container('lifecycle: { $patch: delete }'),
  'replaces a list in an object': container('securityContext: { capabilities: { drop: [A], add: [B] } }'),
  'an element with a directive that is not there': container('env: [{ name: A, $patch: merge }]', true),
  'an object with a directive that is not there': container('securityContext: { $patch: merge }', true),
  'an element without its key': pod('{ containers: [{ image: a }] }', true),
  'adds a container': pod('{ containers: [{ name: new, image: n, env: null }] }'),
  'adds a container with directives within': pod(
    '{ containers: [{ name: new, securityContext: { $patch: replace, runAsUser: 1 } }] }',
  ),
  'deletes a container': pod('{ containers: [{ name: sidecar, $patch: delete }] }'),
  'adds init containers': pod('{ initContainers: [{ name: init, image: i }] }'),
  'adds a list with a deleted element': pod(
    '{ imagePullSecrets: [{ name: a }, { name: b, $patch: delete }] }',
  ),
  'replaces the source of a volume': pod('{ volumes: [{ name: x, configMap: null, emptyDir: {} }] }'),
  'keeps some fields of a volume': pod(
    '{ volumes: [{ name: x, emptyDir: {}, $retainKeys: [name, emptyDir] }] }',
  ),
  'keeps fields without naming its own': pod(
    '{ volumes: [{ name: x, emptyDir: {}, $retainKeys: [name] }] }',
    true,
  ),
  'keeps the type of a strategy': deployment(
    '{ spec: { strategy: { type: Recreate, $retainKeys: [type] } } }',
  ),
  'removes a finalizer': deployment(
    '{ spec: { template: { metadata: { $deleteFromPrimitiveList/finalizers: [f/a] } } } }',
  ),
  'adds a finalizer': deployment('{ spec: { template: { metadata: { finalizers: [f/c, f/b] } } } }'),
  'adds a host': pod('{ hostAliases: [{ ip: 2.2.2.2 }, { ip: 1.1.1.1, hostnames: [two] }] }'),
  'an object in place of a list': pod('{ tolerations: { a: 1 } }'),
  'a scalar in place of an object': pod('{ securityContext: 1 }'),
  'a list of different elements': container('env: [{ name: A }, B]', true),
  'the port of a Service': { kind: 'Service', patch: '{ spec: { ports: [{ port: 80, nodePort: 30080 }] } }' },
  'another port of a Service': { kind: 'Service', patch: '{ spec: { ports: [{ port: 81 }] } }' },
  'the type of a Service': { kind: 'Service', patch: '{ spec: { type: ClusterIP } }' },
  'the selector of a Service': { kind: 'Service', patch: '{ spec: { selector: { b: "2" } } }' },
  'the selector of a budget, which is replaced': {
    kind: 'PodDisruptionBudget',
    patch: '{ spec: { selector: { matchExpressions: [] }, minAvailable: null, maxUnavailable: 1 } }',
  },
  'the metrics of an autoscaler, which are replaced': {
    kind: 'HorizontalPodAutoscaler',
    patch: '{ spec: { maxReplicas: 5, metrics: [{ type: Pods }], behavior: { scaleUp: {} } } }',
  },
}
