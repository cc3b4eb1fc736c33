import type { SchemaField, StructuralSchema } from './field.ts'

/** A kind of ours, and how it is shown. */
export interface CustomResource {
  readonly kind: string
  readonly plural: string
  readonly shortName: string
  readonly description: string
  readonly spec: SchemaField
  readonly status: SchemaField
  /** What `kubectl get` prints between name and age. */
  readonly columns: readonly PrinterColumn[]
  /** Whether it is a policy of the Gateway API that applies to its targets alone. */
  readonly isDirectPolicy: boolean
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string
  readonly jsonPath: string
  readonly description: string
}

/** The group of our kinds. */
export const CUSTOM_RESOURCE_GROUP = 'agentgateway.dev'

/** Their version. */
export const CUSTOM_RESOURCE_VERSION = 'v1alpha1'

/** The CustomResourceDefinition of a kind. */
export const customResourceDefinition = (resource: CustomResource) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${resource.plural}.${CUSTOM_RESOURCE_GROUP}`,
    labels: {
      app: 'agentgateway',
      'app.kubernetes.io/name': 'agentgateway',
      ...(resource.isDirectPolicy ? { 'gateway.networking.k8s.io/policy': 'Direct' } : {}),
    },
  },
  spec: {
    group: CUSTOM_RESOURCE_GROUP,
    names: {
      categories: ['agentgateway'],
      kind: resource.kind,
      listKind: `${resource.kind}List`,
      plural: resource.plural,
      shortNames: [resource.shortName],
      singular: resource.kind.toLowerCase(),
    },
    scope: 'Namespaced',
    versions: [
      {
        name: CUSTOM_RESOURCE_VERSION,
        served: true,
        storage: true,
        additionalPrinterColumns: [
          ...resource.columns.map((column) => ({ ...column, type: 'string' })),
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Its age.' },
        ],
        schema: { openAPIV3Schema: rootSchema(resource) },
        subresources: { status: {} },
      },
    ],
  },
})

const rootSchema = ({ description, spec, status }: CustomResource): StructuralSchema => ({
  type: 'object',
  description,
  properties: {
    apiVersion: { type: 'string', description: 'Version of the schema of this object.' },
    kind: { type: 'string', description: 'Kind of this object.' },
    metadata: { type: 'object' },
    spec: spec.schema,
    status: status.schema,
  },
  required: ['spec'],
})
