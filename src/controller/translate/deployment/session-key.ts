import type { Gateway } from '../../kinds/gateway-api.ts'
import type { Secret } from '../../kinds/core.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { deployedMetadata } from './gateway-metadata.ts'
import { sessionKeyName } from './names.ts'

const KEY_BYTES = 32

/** The Secret with the session key of a Gateway, without the key. */
export const sessionKeySecret = (gateway: Gateway, version: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: deployedMetadata(gateway, sessionKeyName(gateway.metadata.name), version),
})

/** The session key of a Secret as hexadecimal text; undefined if it is no key. */
export const sessionKeyOf = ({ data }: Secret): string | undefined => {
  const text = Buffer.from(data?.key ?? '', 'base64').toString('utf8')
  return new RegExp(`^[0-9a-fA-F]{${String(KEY_BYTES * 2)}}$`).test(text) ? text : undefined
}
