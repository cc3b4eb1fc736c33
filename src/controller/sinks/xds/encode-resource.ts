import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { type XdsResource, xdsName } from '../../../config/xds/xds-resource.ts'
import { type DiscoveryResource, DiscoveryResourceSchema } from '../../../protocols/xds/discovery.gen.ts'
import { ResourceSchema } from '../../../protocols/xds/resource.gen.ts'
import { RESOURCE_TYPE } from '../../../protocols/xds/types.ts'

/** A resource as it is sent, and its size. */
export interface EncodedResource {
  readonly message: DiscoveryResource
  readonly bytes: number
}

/** Encodes a resource, once however many gateways and streams receive it. */
export const encodeResource = (resource: XdsResource): EncodedResource => {
  const known = encoded.get(resource)
  if (known) return known
  const { kind, key, parents, version, model } = resource
  const value = toBinary(
    ResourceSchema,
    create(ResourceSchema, { kind, key, parents: [...parents], version, model: JSON.stringify(model) }),
  )
  const name = xdsName(resource)
  const made = {
    message: create(DiscoveryResourceSchema, {
      name,
      version,
      resource: create(AnySchema, { typeUrl: RESOURCE_TYPE, value }),
    }),
    bytes: value.length + 2 * name.length + ENVELOPE_BYTES,
  }
  encoded.set(resource, made)
  return made
}

/** The type URL, the version and the lengths, generously. */
const ENVELOPE_BYTES = 128

const encoded = new WeakMap<XdsResource, EncodedResource>()
