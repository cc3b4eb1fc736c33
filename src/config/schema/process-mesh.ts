import { duration, flag, noEffect, notYet, record, text, whole } from './kinds.ts'
import type { Properties } from './kinds.ts'

/** Sections that name a control plane, a mesh or an identity in one. */
export const meshSettings: Properties = {
  localXdsPath: notYet(text('Another file with the sections beside `config`.')),
  xdsAddress: notYet(text('The control plane.')),
  xdsAuthToken: notYet(text('Token file for the control plane.')),
  caAddress: notYet(text('The certificate authority of the mesh.')),
  caAuthToken: notYet(text('Token file for the certificate authority.')),
  trustDomain: notYet(text('The trust domain of this process.')),
  additionalTrustDomains: notYet({ description: 'Further trust domains that are accepted.' }),
  skipValidateTrustDomain: notYet(flag('Whether trust domains go unchecked.')),
  spiffe: notYet(record('The SPIFFE Workload API.', { endpoint: text('Its address.') })),
  namespace: noEffect(text('The namespace of this process.')),
  gateway: noEffect(text('The gateway that this process is.')),
  serviceAccount: noEffect(text('The service account of this process.')),
  clusterId: noEffect(text('The cluster of this process.')),
  network: noEffect(text('The network of this process.')),
  hbone: noEffect(
    record('Tunnels of the mesh.', {
      windowSize: whole('Window of a stream, in bytes.', 1),
      connectionWindowSize: whole('Window of a connection, in bytes.', 1),
      frameSize: whole('Largest frame, in bytes.', 1),
      poolMaxStreamsPerConn: whole('Streams in one connection.', 1),
      poolUnusedReleaseTimeout: duration('How long an unused connection is kept.'),
    }),
  ),
}
