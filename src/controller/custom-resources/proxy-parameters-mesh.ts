import { requiredField } from '../schema/field.ts'
import { listField, objectField } from '../schema/object-fields.ts'
import { booleanField, stringField } from '../schema/scalar-fields.ts'
import { noneOrOneOf } from '../schema/validation-rule.ts'

const text = (description: string) => stringField(description, { maxLength: 1024 })

/** The identity of proxies in meshes. */
export const meshParameterFields = {
  istio: objectField(
    'Makes proxies part of an Istio mesh, as far as variables, volumes and labels go: they have no identity in it so far.',
    {
      enabled: booleanField('Default: true where `istio` is given, even if it is empty.'),
      caAddress: text("Address of the mesh's certificate authority."),
      trustDomain: text('Trust domain.'),
      additionalTrustDomains: listField('Trust domains that are accepted as well.', text('A trust domain.'), {
        maxItems: 64,
      }),
      clusterId: text('Name of the cluster in the mesh.'),
      network: text('Name of the network in the mesh.'),
    },
  ),
  spiffe: objectField('Mounts the socket of the SPIFFE Workload API.', {
    enabled: booleanField('Default: true where `spiffe` is given.'),
    source: objectField(
      'Where the socket comes from. Default: the CSI driver.',
      {
        csi: objectField('A volume of a CSI driver.', {
          driver: text('Its name. Default: `csi.spiffe.io`.'),
        }),
        hostPath: objectField('A folder of the node.', {
          path: requiredField(stringField('Its path.', { minLength: 1, maxLength: 1024 })),
        }),
        mountPath: stringField('Where it is mounted. Default: `/spiffe-workload-api`.', {
          maxLength: 1024,
          pattern: '^/',
        }),
        socketName: text('Name of the socket. Default: `spire-agent.sock`.'),
      },
      { rules: [noneOrOneOf('csi', 'hostPath')] },
    ),
  }),
}
