import type { ReceivedResource } from '../../protocols/xds/delta.ts'
import type { SharedSettings } from '../normalize/context.ts'
import type { NormalResource } from './normal-resource.ts'
import type { XdsKind } from './xds-resource.ts'

/** A resource that has been checked. Its model stays as text, which takes the least memory. */
export interface AcceptedResource extends ReceivedResource {
  readonly kind: XdsKind
  readonly normal: NormalResource
  /** The settings by which it was normalised. */
  readonly shared: SharedSettings
}
