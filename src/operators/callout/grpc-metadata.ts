import type { Exchange } from '../../model/exchange/exchange.ts'
import type { GrpcCallOptions } from '../../upstream/grpc/grpc-client.ts'
import { isEditable } from '../headers/protected-headers.ts'
import { Uncallable } from './uncallable.ts'

/** The initial metadata of a call; names are lower-case. */
export type GrpcMetadata = NonNullable<GrpcCallOptions['metadata']>

/** A call with additional metadata; its own metadata takes precedence. */
export const sentWith = (options: GrpcCallOptions, metadata: GrpcMetadata): GrpcCallOptions =>
  metadata.length ? { ...options, metadata: [...metadata, ...(options.metadata ?? [])] } : options

/**
 * Whether policies may set metadata of this name. Binary metadata, with `-bin`, cannot be written in a configuration.
 */
export const isMetadataName = (name: string): boolean =>
  isEditable(name) && !name.startsWith('grpc-') && !name.endsWith('-bin')

/** The headers of a callout as metadata. */
export const metadataOf = ({ request: { headers } }: Exchange): GrpcMetadata =>
  [...headers.entries()]
    .filter(([name]) => isMetadataName(name))
    .map(([name, value]) => {
      if (!isMetadataValue.test(value))
        throw new Uncallable('a value for the service cannot be sent as metadata', name)
      return [name, value] as const
    })

const isMetadataValue = /^[ -~]*$/
