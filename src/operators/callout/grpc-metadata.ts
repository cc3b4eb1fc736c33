import type { Exchange } from '../../model/exchange/exchange.ts'
import type { GrpcCallOptions } from '../../upstream/grpc/grpc-client.ts'
import { isEditable } from '../headers/protected-headers.ts'
import { Uncallable } from './uncallable.ts'

/** What is sent before the first message of a call; names are lower-case. */
export type GrpcMetadata = NonNullable<GrpcCallOptions['metadata']>

/** A call with more metadata than it has by itself, which has the last word. */
export const sentWith = (options: GrpcCallOptions, metadata: GrpcMetadata): GrpcCallOptions =>
  metadata.length ? { ...options, metadata: [...metadata, ...(options.metadata ?? [])] } : options

/** Whether policies may set metadata of this name. That of bytes, in `-bin`, nobody can write in a configuration. */
export const isMetadataName = (name: string): boolean =>
  isEditable(name) && !name.startsWith('grpc-') && !name.endsWith('-bin')

/** What the headers of a question are as metadata. */
export const metadataOf = ({ request: { headers } }: Exchange): GrpcMetadata =>
  [...headers.entries()]
    .filter(([name]) => isMetadataName(name))
    .map(([name, value]) => {
      if (!isMetadataValue.test(value))
        throw new Uncallable('a value for the service cannot be sent as metadata', name)
      return [name, value] as const
    })

const isMetadataValue = /^[ -~]*$/
