import { requiredField } from '../schema/field.ts'
import { listField, mapField, objectField } from '../schema/object-fields.ts'
import { booleanField, intOrStringField, stringField } from '../schema/scalar-fields.ts'

const text = (description: string, minLength = 0) =>
  stringField(description, { ...(minLength > 0 && { minLength }), maxLength: 1024 })

const name = (description: string) => requiredField(text(description, 1))

const optional = booleanField('Whether there is no variable if the key is not there.')

/** A quantity of Kubernetes, such as `500m` or `1Gi`. */
const quantity = intOrStringField('A quantity.', {
  pattern: String.raw`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$`,
  maxLength: 64,
})

const keyOf = (description: string) =>
  objectField(description, { name: name('Name of the object.'), key: name('Key of its data.'), optional })

const variableSource = objectField('Where the value comes from.', {
  configMapKeyRef: keyOf('A ConfigMap.'),
  secretKeyRef: keyOf('A Secret.'),
  fieldRef: objectField('A field of the pod.', {
    apiVersion: text('Version of the path.'),
    fieldPath: name('Its path.'),
  }),
  fileKeyRef: objectField('A file of variables in a volume.', {
    volumeName: name('Name of the volume.'),
    path: name('Path in the volume.'),
    key: name('Name of the variable in the file.'),
    optional,
  }),
  resourceFieldRef: objectField('A resource of a container.', {
    containerName: text('Name of the container.'),
    resource: name('Such as `limits.cpu`.'),
    divisor: quantity,
  }),
})

const quantities = (description: string) => mapField(description, quantity, { maxProperties: 64 })

/** What the container of proxies is. */
export const containerParameterFields = {
  image: objectField('The image of proxies. What is absent is that of the settings of the control plane.', {
    registry: text('Registry.'),
    repository: text('Repository.'),
    tag: text('Tag.'),
    digest: text('Digest, beside the tag.'),
    pullPolicy: text('`Always`, `IfNotPresent` or `Never`.'),
  }),
  env: listField(
    'Variables, in place of those of the same name that the control plane sets.',
    objectField('A variable.', {
      name: name('Name.'),
      value: stringField('Value. `$(NAME)` is another variable.', { maxLength: 32_768 }),
      valueFrom: variableSource,
    }),
    { maxItems: 512 },
  ),
  resources: objectField('CPU and memory of the container.', {
    requests: quantities('What is reserved, added to 100m CPU and 128Mi of memory.'),
    limits: quantities('What may be used.'),
    claims: listField(
      'Claims of devices.',
      objectField('A claim.', {
        name: name('Name among the claims of the pod.'),
        request: text('A request of the claim.'),
      }),
      { maxItems: 64, keys: ['name'] },
    ),
  }),
}
