import type { Exchange } from '../../model/exchange.ts'
import type { GrpcCallOptions } from '../../upstream/grpc.ts'
import { isEditable } from '../editable-field.ts'
import { Unaskable } from './unaskable.ts'

/** What is sent before the first message of a call; names are lower-case. */
export type Metadata = NonNullable<GrpcCallOptions['metadata']>

/** A call with more metadata than it has by itself, which has the last word. */
export const sentWith = (options: GrpcCallOptions, metadata: Metadata): GrpcCallOptions =>
  metadata.length ? { ...options, metadata: [...metadata, ...(options.metadata ?? [])] } : options

/** Whether policies may set metadata of this name. That of bytes, in `-bin`, nobody can write in a configuration. */
export const isMetadataName = (name: string): boolean =>
  isEditable(name) && !name.startsWith('grpc-') && !name.endsWith('-bin')

/** What the headers of a question are as metadata. */
export const metadataOf = ({ request: { headers } }: Exchange): Metadata =>
  [...headers.entries()]
    .filter(([name]) => isMetadataName(name))
    .map(([name, value]) => {
      if (!isMetadataValue.test(value))
        throw new Unaskable('a value for the service cannot be sent as metadata', name)
      return [name, value] as const
    })

const isMetadataValue = /^[ -~]*$/
